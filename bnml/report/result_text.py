"""What searches and tests of independence found, for people to read: as plain text of 80 columns, and as HTML."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bnml._notebook import notebook_picture, notebook_table
from bnml._text import facts, number_of, printable, text_table, wrapped_text
from bnml.data.targets import rows_set_words
from bnml.report.phrases import (
    by_tests,
    describe_prior,
    direction_words,
    how_found,
    legend_words,
    others_words,
    proof_words,
)
from bnml.report.rendering import decimals_of_scores, render_facts
from bnml.scores import FamilyScores, LocalScores
from bnml.scores.priors import StructurePrior

if TYPE_CHECKING:
    from bnml.independence import IndependenceResult
    from bnml.search.search_result import SearchResult

DISPUTED = "Arcs that another network with the same score turns round or does without"


def search_text(result: SearchResult) -> str:
    """Return the report of a search: key facts, arcs and what is known of their directions, scores."""
    if result.dag is None:  # no network fits what tests found
        more = _facts(result, "tests") + _facts(result, "gaps")
        return "\n\n".join([str(result.tested), *(["\n".join(facts(more, 11))] if more else [])])
    parts = [wrapped_text(_headline(result)), "\n".join(facts(_facts(result, "search"), 8)), *_arcs(result)]
    if result.families:
        head, rows = _scores(result)
        parts.append("\n".join(text_table(rows, "sw" + "r" * (len(head) - 2), head, ruled=True, sums=True)))
    return "\n\n".join(parts)


def search_html(result: SearchResult) -> str:
    """Return the report as HTML: the picture of the class, the key facts below, and what each variable adds."""
    parts = [
        notebook_picture(result.shared_directions, _caption(result), result.regions, legend_words(result)),
        notebook_table(_headline(result), ["", ""], [list(fact) for fact in _facts(result, "search")]),
    ]
    if result.families:
        parts.append(notebook_table("What each variable adds to the score:", *_scores(result), texts=2))
    return f"<div>{''.join(parts)}</div>"


def independence_text(result: IndependenceResult) -> str:
    """Return the report of PC or NPC: key facts, and the links."""
    lines = [_title(result), "", *facts(_facts_of_tests(result), 11)]
    for word, arrow, edges in (("Directed", "->", result.pdag.directed), ("Undirected", "-", result.pdag.undirected)):
        shown = [f"  {printable(f'{a} {arrow} {b}')}" for a, b in edges]
        lines += ["", f"{word} ({len(edges)}):", *shown] if edges else []
    if not result.pdag.directed and not result.pdag.undirected:
        lines += ["", "No links: by these tests the variables are independent."]
    return "\n".join(lines)


def independence_html(result: IndependenceResult) -> str:
    """Return the report of PC or NPC as HTML: the picture of the graph, and the key facts."""
    rows = [list(fact) for fact in _facts_of_tests(result)]
    picture = notebook_picture(result.pdag, regions=result.ambiguous_regions)
    return f"<div>{picture}{notebook_table(_title(result), ['', ''], rows)}</div>"


def _title(result: IndependenceResult) -> str:
    return f"Structure of {number_of(len(result.pdag.names), 'variable')}, found by tests ({result.search.upper()})"


def _facts_of_tests(result: IndependenceResult) -> list[tuple[str, str]]:
    regions = [sorted(map(_link_text, region)) for region in result.ambiguous_regions]
    return render_facts("independence", result=result, regions=regions)


def _headline(result: SearchResult) -> str:
    data = None if isinstance(result.local, FamilyScores) else result.data
    source = number_of(data.n_rows, "row") if data is not None else "local scores"
    return f"Bayesian network of {number_of(len(result.structure.names), 'variable')}, learned from {source}"


def _facts(result: SearchResult, block: str) -> list[tuple[str, str]]:
    info, prior, graph = result.info, result.structure_prior, result.directions
    there = {_link_text(edge) for edge in (*graph.directed, *graph.undirected)}
    decided = info.get("decided_by_strength", [])
    return render_facts(
        block,
        result=result,
        prior=None if prior is None else describe_prior(prior, result.structure.names),
        how_found=how_found(result),
        proof=proof_words(result),
        others=others_words(info),
        rows_set="" if result.data is None else rows_set_words(result.data),
        missing=sorted(info.get("missing", {}).items(), key=lambda pair: (-pair[1], pair[0])),
        regions=[sorted(map(_link_text, region)) for region in result.regions],
        stay=[link for link in decided if link in there],
        go=[link for link in decided if link not in there],
    )


def _arcs(result: SearchResult) -> list[str]:
    """Return the arcs in lists: with a known direction, disputed, and those that could as well be turned round."""
    arcs = result.structure.arcs
    if not arcs:
        by = "" if result.score_name is None or how_found(result) else f"by {result.score_name} "
        found = f"{by}the variables are" if result.tested is None else "by these tests the variables are"
        why = f"{found} independent of each other" if len(result.structure.names) > 1 else "there is only one variable"
        return [f"No arcs: {why}."]
    known, disputed = set(result.shared_directions.directed), set(result.disputed or ())
    first, second = _titles(result)
    way = ", as they were found" if _of_local_scores(result) else "" if _directs(result) else ", shown one way round"
    lists = (
        (first, [arc for arc in arcs if arc in known]),
        (DISPUTED, [arc for arc in arcs if arc in disputed]),
        (f"{second}{way}", [arc for arc in arcs if arc not in known | disputed]),
    )
    by_strength = result.info.get("decided_by_strength", ())
    marks = {arc: " *" for arc in arcs if _link_text(arc) in by_strength}
    return [
        "\n".join([wrapped_text(f"{title} ({len(some)}):"), *(_arrow(arc) + marks.get(arc, "") for arc in some)])
        for title, some in lists
        if some
    ]


def _titles(result: SearchResult) -> tuple[str, str]:
    """Return what directs the arcs with a known direction, by which score, and what does not direct the others."""
    alone, by = result.constraints is None, direction_words(result)
    if by_tests(result):
        tests = "the tests" if alone else "the tests and the constraints"
        return f"Arcs that {tests} direct", f"Links that {tests} do not direct"
    networks = f"equivalent networks{'' if alone else ' that the constraints allow'}"
    if _of_local_scores(result):  # these may prefer any network to its equivalents
        return f"Arcs that all {networks} share", f"Arcs that {networks} may turn round"
    if how_found(result) is not None:
        first = f"Arcs that all {networks} share"
    else:
        prior = " and the prior" if _prefers(result.structure_prior, result) else ""
        compared = "in the network that was found" if result.disputed is None else "the same in every best network"
        first = f"Arcs that {by} direct by {result.score_name or 'the score'}{prior}, {compared}"
    if directs := _directs(result):
        return first, f"Arcs that only {directs}"
    return first, f"Links that {'the data cannot' if alone else f'{by} do not'} direct"


def _of_local_scores(result: SearchResult) -> bool:
    """Return whether nothing is known of the data, and of what the score prefers."""
    return result.tested is None and (result.data is None or isinstance(result.local, FamilyScores))


def _caption(result: SearchResult) -> str:
    """Return what arrows and dashed lines are in the picture of a result."""
    first, second = (text[0].lower() + text[1:] for text in _titles(result))
    dashed = [DISPUTED[0].lower() + DISPUTED[1:]] if result.disputed else []
    dashed += [second] if result.directions.undirected else []
    arrows = [f"Arrows: {first}."] if result.shared_directions.directed else []
    return " ".join([*arrows, *([f"Dashed: {'; '.join(dashed)}."] if dashed else [])])


def _directs(result: SearchResult) -> str:
    """Return what prefers a network to its equivalents, nothing if nothing does."""
    if not isinstance(result.local, LocalScores):
        return ""
    score, prior = result.local.score_function, result.local.prior
    both = [name for name, does in (("score", not score.equivalent), ("prior", _prefers(prior, result))) if does]
    return f"the {' and the '.join(both)} direct{'s' if len(both) == 1 else ''}" if both else ""


def _prefers(prior: StructurePrior | None, result: SearchResult) -> bool:
    """Return whether a prior may prefer an arc to its reverse."""
    return prior is not None and not prior.equivalent(result.structure.names)


def _arrow(arc: tuple[str, str]) -> str:
    return wrapped_text(" -> ".join(map(printable, arc)), first="  ", later="      ")


def _scores(result: SearchResult) -> tuple[list[str], list[list[str]]]:
    """Return what each variable adds as a table of texts, the sums in the last row."""
    families = result.families
    with_parts = all(family.fit is not None for family in families)
    head = ["variable", "parents", *(["fit", "penalty"] if with_parts else []), result.score_name or "score"]
    columns = [[f.fit or 0.0 for f in families], [f.penalty or 0.0 for f in families]] if with_parts else []
    columns.append([f.score for f in families])
    digits = decimals_of_scores(*(value for column in columns for value in column))
    for column in columns:
        column.append(math.fsum(column) if all(map(math.isfinite, column)) else sum(column))
    texts = [[f"{value:,.{digits}f}" for value in column] for column in columns]
    names = [[printable(f.variable), ", ".join(map(printable, f.parents))] for f in families] + [["in all", ""]]
    return head, [name + [text[i] for text in texts] for i, name in enumerate(names)]


def _link_text(link: frozenset[str] | tuple[str, str]) -> str:
    """Return a link as ``A - B``, by name."""
    return " - ".join(sorted(link))
