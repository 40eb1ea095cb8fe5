"""What a search found, for people to read: as plain text of 80 columns, and as HTML."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from bnml._notebook import notebook_picture, notebook_table
from bnml._text import WIDTH, facts, number_of, printable, seconds_text, shortened, wrapped_text
from bnml.data.targets import rows_set_words
from bnml.graph import DAG
from bnml.independence.independence_result import UNTESTED
from bnml.scores import FamilyScores, LocalScores
from bnml.scores.priors import ArcProbabilities, Distance, LinkProbabilities, Sparse, StructurePrior
from bnml.search.found_words import by_tests, direction_words, how_found, legend_words
from bnml.search.proof_words import others_words, proof_words

if TYPE_CHECKING:
    from bnml.search.search_result import SearchResult

MOST_SHOWN = 40
MISSING_AT_RANDOM = (
    "that values are missing at random, given what was observed; where they are missing depending on themselves the "
    "data cannot tell, and the network may be wrong"
)
CHOICE = "Say which links stay and go if you know better (keep and drop, --keep and --drop-link)"
DISPUTED = "Arcs that another network with the same score turns round or does without"


def report(result: SearchResult) -> str:
    """Return a report of at most 80 columns: key facts, arcs and what is known of their directions, scores."""
    parts = [wrapped_text(_headline(result)), _facts_text(result), *_arcs(result), _table(result)]
    return "\n\n".join(part for part in parts if part)


def report_without_network(result: SearchResult) -> str:
    """Return the report of a search by tests that no network fits, with what was decided for them."""
    more = [(label, text) for label, text in _facts_of_tests(result) if label != "sparse"]
    more += _gap_facts(result.info)
    return "\n\n".join([str(result.tested), *(["\n".join(facts(more, 11))] if more else [])])


def report_html(result: SearchResult) -> str:
    """Return the report as HTML: the picture of the class, the key facts below, and what each variable adds."""
    facts = [[label, text] for label, text in _facts(result)]
    parts = [
        notebook_picture(result.shared_directions, _caption(result), result.regions, legend_words(result)),
        notebook_table(_headline(result), ["", ""], facts),
    ]
    if result.families:
        parts.append(_html_table("What each variable adds to the score:", *_cells(result)))
    return f"<div>{''.join(parts)}</div>"


def _headline(result: SearchResult) -> str:
    data = None if isinstance(result.local, FamilyScores) else result.data
    source = number_of(data.n_rows, "row") if data is not None else "local scores"
    return f"Bayesian network of {number_of(len(result.structure.names), 'variable')}, learned from {source}"


def _facts(result: SearchResult) -> list[tuple[str, str]]:
    size = [number_of(len(result.structure.arcs), "arc")]
    if result.n_parameters is not None:
        many = result.data is not None and result.n_parameters > result.data.n_rows
        size.append(number_of(result.n_parameters, "parameter") + (", more than there are rows" if many else ""))
    search = ", ".join([result.search, *_work(result), seconds_text(result.seconds)])
    return [
        ("size", ", ".join(size)),
        ("score", f"{result.score:,.{_decimals(result.score)}f}{_score_words(result)}"),
        *_prior(result),
        *_exact_nml(result.info),
        _judged(result),
        *_rows_per_cell(result),
        *_rows_set(result),
        *_counted_by(result),
        *_gap_facts(result.info),
        ("search", "; ".join([search, *_why(result.info)])),
        *_facts_of_tests(result),
    ]


def _prior(result: SearchResult) -> list[tuple[str, str]]:
    """Return the structure prior's part of the score, and what an arc costs."""
    prior = result.structure_prior
    if prior is None:
        return []
    part = f"{result.log_prior:,.{_decimals(result.score)}f} of the score"
    return [("prior", f"{part}; {describe_prior(prior, result.structure.names)}")]


def describe_prior(prior: StructurePrior, names: Sequence[str]) -> str:
    """Return what an arc costs under a structure prior and why, or the prior itself if arcs differ."""
    if isinstance(prior, ArcProbabilities):
        return f"an arc has probability {prior.default:.3g}{_except_for(len(prior.arcs), 'arc')}"
    if isinstance(prior, LinkProbabilities) and prior.default is not None:
        return f"a link has probability {prior.default:.3g}{_except_for(len(prior.links), 'link')}"
    if isinstance(prior, Distance):
        what = "arc" if isinstance(prior.dag, DAG) else "link"
        factor = f"{1.0 / prior.kappa:.3g}"
        return f"each {what} that differs from the prior graph makes a network {factor} times less probable"
    cost = prior.arc_cost(names)
    if cost is None:
        return shortened(repr(prior), 200)
    why = ""
    if isinstance(prior, Sparse) and prior.variables is not None:
        are = "is" if prior.parents == 1 else "are"
        why = f", as {prior.parents:g} of {number_of(prior.variables - 1, 'other variable')} {are} expected to be "
        why += "a parent" if prior.parents == 1 else "parents"
    return f"an arc costs {cost:.2f}{why}"


def _except_for(number: int, what: str) -> str:
    return f", except for {number_of(number, what)} with a probability given" if number else ""


def _rows_per_cell(result: SearchResult) -> list[tuple[str, str]]:
    """Return the rule that has ruled out families, where it has, and what would allow them."""
    if "rows_per_cell" not in result.info or result.data is None:
        return []
    rows, least, number = result.data.n_rows, result.info["rows_per_cell"], result.info["links_too_large"]
    text = f"a variable has parents only if the table of its family has at least {least:g} rows per cell on average"
    if result.rules is not None and result.rules.own_cells:
        fewest, cells = int(min(result.rules.own_cells)), number_of(int(result.rules.cells), "cell")
        text += f", of the rows in which it was not set: at most {fewest:,} to {cells}"
    else:
        text += f": at most {number_of(int(rows // least), 'cell')} with {number_of(rows, 'row')}"
    if number:
        text += (
            f"; {number_of(number, 'link')} between variables with many states {'was' if number == 1 else 'were'} out "
            "of the question: give these fewer states, or lower rows_per_cell"
        )
    return [("rule", text)]


def _counted_by(result: SearchResult) -> list[tuple[str, str]]:
    """Return who counted the rows of a table that is or was in an engine, and why."""
    counting = None if result.data is None else result.data.counting
    return [] if counting is None else [("rows", counting)]


def _rows_set(result: SearchResult) -> list[tuple[str, str]]:
    """Return in how many rows variables were set, where some were, and what that means for the network."""
    words = "" if result.data is None else rows_set_words(result.data)
    if not words:
        return []
    text = (
        f"{words}; a variable is scored in the rows in which it was not set, and directions are those of the "
        "interventional class"
    )
    return [("set", text)]


def _gap_facts(info: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what is to be said of a table with gaps: how much is missing, what was assumed, what else it could be."""
    if "missing" not in info:
        return []
    shares = sorted(info["missing"].items(), key=lambda pair: (-pair[1], pair[0]))
    listed = ", ".join(f"{printable(name)} {_percent(share)}" for name, share in shares[:MOST_SHOWN])
    more = f" and {number_of(len(shares) - MOST_SHOWN, 'more column')}" if len(shares) > MOST_SHOWN else ""
    rounds, starts = info["em"]["rounds"], info["em"]["starts"]
    told = [
        ("missing", f"{listed}{more}"),
        ("assumed", MISSING_AT_RANDOM),
        ("em", f"{number_of(rounds, 'round')} from {number_of(len(starts), 'start')}; the score is at expected counts"),
    ]
    if "without_state" in info["em"]:
        told.append(("state", f"not compared with gaps as states: {info['em']['without_state']}"))
    return [*told, *_under_state(info.get("under_state"))]


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f} %" if share >= 0.1 else f"{100.0 * share:.2g} %"


def _under_state(found: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Say how the structure differs from that which tabu search finds with gaps as states."""
    if found is None:
        return []
    here, there = found["only_here"], found["only_there"]
    said = [f"without {_listed(here)}"] if here else []
    said += [f"with {_listed(there)}"] if there else []
    links = f": {', and '.join(said)}" if said else ", with the same links"
    return [("state", f"with gaps as states the structure is at a distance of {found['shd']} (SHD){links}")]


def _exact_nml(info: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the exact NML of a forest, with qNML beside it, where the search has found them."""
    if "nml" not in info or "qnml" not in info:
        return []
    nml, qnml = (f"{info[name]:,.{_decimals(info[name])}f}" for name in ("nml", "qnml"))
    return [("nml", f"{nml}; qnml gives the same forest {qnml}")]


def _score_words(result: SearchResult) -> str:
    """Return the score's name, in brackets."""
    if result.score_name is None:
        return ""
    with_prior = ", the log-prior included" if result.log_prior else ""
    return f" ({result.score_name}{with_prior})"


def _why(info: Mapping[str, Any]) -> Iterator[str]:
    """Yield why this search was taken, and what ended it before its end."""
    reason = info.get("reason")
    if reason:
        yield reason
    if "interrupted" in info and "interrupted" not in (reason or ""):
        yield "interrupted"


def _work(result: SearchResult) -> Iterator[str]:
    """Yield what a search did, as far as it tells."""
    info = result.info
    if info.get("method") == "cuts":
        yield from _cuts(result)
        return
    if "visited" in info and "subsets" in info:
        visited, subsets = info["visited"], info["subsets"]
        yield f"{f'{visited:,} of' if visited < subsets else 'all'} {number_of(subsets, 'subset')} visited"
    elif "moves" in info:  # exact search makes none
        yield number_of(info["moves"], "move")
    for name in ("inserts", "deletes", "turns", "orders", "pairs", "forests", "tests"):
        if name in info:
            yield number_of(info[name], name[:-1])
    if "families" in info:
        yield f"{number_of(info['families'], 'family', 'families')} scored"


def _cuts(result: SearchResult) -> Iterator[str]:
    """Yield what branch and cut did."""
    info = result.info
    yield "by cuts" if result.search == "exact" else "then cuts"
    if info["visited"]:
        yield f"{number_of(info['visited'], 'parent set')} counted"
    yield f"{number_of(info['candidates'], 'family', 'families')} listed"
    yield number_of(info["inequalities"], "inequality", "inequalities")
    yield number_of(info["nodes"], "branch", "branches")


def _facts_text(result: SearchResult) -> str:
    return "\n".join(facts(_facts(result), 8))


def _judged(result: SearchResult) -> tuple[str, str]:
    """Return what is proven of a network, or what a structure is that no search over all networks found."""
    how = how_found(result)
    return ("proof", proof_words(result)) if how is None else ("found", f"{how}; {others_words(result.info)}")


def _arcs(result: SearchResult) -> list[str]:
    """Return the arcs in lists: with a known direction, disputed, and those that could as well be turned round."""
    if not result.structure.arcs:
        by = "" if result.score_name is None or how_found(result) else f"by {result.score_name} "
        found = f"{by}the variables are" if result.tested is None else "by these tests the variables are"
        why = f"{found} independent of each other" if len(result.structure.names) > 1 else "there is only one variable"
        return [f"No arcs: {why}."]
    known, disputed = set(result.shared_directions.directed), set(result.disputed or ())
    arcs = result.structure.arcs
    first, second = _titles(result)
    way = "as they were found" if _of_local_scores(result) else "" if _directs(result) else "shown one way round"
    lists = (
        (first, [arc for arc in arcs if arc in known]),
        (DISPUTED, [arc for arc in arcs if arc in disputed]),
        (f"{second}, {way}" if way else second, [arc for arc in arcs if arc not in known | disputed]),
    )
    by_strength = set(result.info.get("decided_by_strength", ()))
    marks = {arc: " *" for arc in arcs if _link_text(arc) in by_strength}
    return [
        "\n".join([wrapped_text(f"{title} ({len(some)}):"), *(_arrow(arc) + marks.get(arc, "") for arc in some)])
        for title, some in lists
        if some
    ]


def _titles(result: SearchResult) -> tuple[str, str]:
    """Say what directs the arcs with a known direction, by which score, and what does not direct the others."""
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
    """Tell whether nothing is known of the data, and of what the score prefers."""
    return result.tested is None and (result.data is None or isinstance(result.local, FamilyScores))


def _caption(result: SearchResult) -> str:
    """Say what arrows and dashed lines are in the picture of a result."""
    first, second = _titles(result)
    disputed = [DISPUTED] if result.disputed else []
    dashed = [*disputed, *([second] if result.directions.undirected else [])]
    said = [f"Arrows: {_small(first)}."] if result.shared_directions.directed else []
    said += [f"Dashed: {'; '.join(map(_small, dashed))}."] if dashed else []
    return " ".join(said)


def _small(text: str) -> str:
    return text[0].lower() + text[1:]


def _directs(result: SearchResult) -> str:
    """Say what prefers a network to its equivalents, nothing if nothing does."""
    if not isinstance(result.local, LocalScores):
        return ""
    score, prior = result.local.score_function, result.local.prior
    both = [name for name, does in (("score", not score.equivalent), ("prior", _prefers(prior, result))) if does]
    return f"the {' and the '.join(both)} direct{'s' if len(both) == 1 else ''}" if both else ""


def _prefers(prior: StructurePrior | None, result: SearchResult) -> bool:
    """Tell whether a prior may prefer an arc to its reverse."""
    return prior is not None and not prior.equivalent(result.structure.names)


def _arrow(arc: tuple[str, str]) -> str:
    return wrapped_text(" -> ".join(map(printable, arc)), first="  ", later="      ")


def _cells(result: SearchResult) -> tuple[list[str], list[list[str]]]:
    """Return what each variable adds as a table of texts, the sums in the last row."""
    families = result.families
    with_parts = all(family.fit is not None for family in families)
    head = ["variable", "parents", *(["fit", "penalty"] if with_parts else []), result.score_name or "score"]
    columns = [[f.fit or 0.0 for f in families], [f.penalty or 0.0 for f in families]] if with_parts else []
    columns.append([f.score for f in families])
    decimals = _decimals(*(value for column in columns for value in column))
    texts = [[f"{value:,.{decimals}f}" for value in (*column, _sum(column))] for column in columns]
    names = [[printable(f.variable), ", ".join(map(printable, f.parents))] for f in families] + [["in all", ""]]
    return head, [name + [text[i] for text in texts] for i, name in enumerate(names)]


def _table(result: SearchResult) -> str:
    """Return what each variable adds as text, long lists of parents on several lines."""
    if not result.families:
        return ""
    head, rows = _cells(result)
    numbers = [max(len(row[k]) for row in (head, *rows)) for k in range(2, len(head))]
    room = max(WIDTH - sum(numbers) - 2 * (len(head) - 1), 20)
    name = min(max(len(row[0]) for row in (head, *rows)), room // 2)
    above = min(max(len(row[1]) for row in (head, *rows)), room - name)
    rule = "-" * (name + above + sum(numbers) + 2 * (len(head) - 1))

    def lines(row: Sequence[str]) -> Iterable[str]:
        parents = textwrap.wrap(row[1], above, break_on_hyphens=False) or [""]
        cells = (text.rjust(width) for text, width in zip(row[2:], numbers, strict=True))
        yield "  ".join([shortened(row[0], name).ljust(name), parents[0].ljust(above), *cells])
        yield from (" " * (name + 2) + more for more in parents[1:])

    body = [line for row in rows[:-1] for line in lines(row)]
    return "\n".join([*lines(head), rule, *body, rule, *lines(rows[-1])])


def _html_table(title: str, head: list[str], rows: list[list[str]]) -> str:
    """Return what each variable adds as HTML, the numbers to the right."""

    def line(tag: str, cells: list[str]) -> str:
        sides = ("left" if k < 2 else "right" for k in range(len(cells)))
        shown = (
            f"<{tag} style='text-align:{side}'>{escape(cell)}</{tag}>" for side, cell in zip(sides, cells, strict=True)
        )
        return f"<tr>{''.join(shown)}</tr>"

    body = "".join(line("td", row) for row in rows)
    return f"<div><p>{escape(title)}</p><table><thead>{line('th', head)}</thead><tbody>{body}</tbody></table></div>"


def _sum(values: Iterable[float]) -> float:
    numbers = list(values)
    return math.fsum(numbers) if all(map(math.isfinite, numbers)) else sum(numbers)


def _decimals(*values: float) -> int:
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    return 3 if largest < 1e7 else 1 if largest < 1e9 else 0


def _facts_of_tests(result: SearchResult) -> list[tuple[str, str]]:
    """Return what tests could not tell: questions without enough rows, and ambiguous regions with what decided them."""
    if result.tested is None:
        return []
    facts = []
    if result.tested.untested:
        facts.append(
            ("sparse", f"{number_of(len(result.tested.untested), 'link')} might go with more rows: {UNTESTED}")
        )
    regions = [_listed(sorted(map(_link_text, region))) for region in result.regions]
    several = len(regions) > 1
    said = [f"{f'{number}: ' if several else ''}{links}" for number, links in enumerate(regions, 1)]
    if said:
        facts.append(("regions", f"{'; '.join(said)}: not all {'of a region ' if several else ''}can be absent"))
    decided = result.info.get("decided_by_strength", [])
    if decided:
        there = {_link_text(edge) for edge in (*result.directions.directed, *result.directions.undirected)}
        stay, go = [link for link in decided if link in there], [link for link in decided if link not in there]
        texts = [f"{_listed(stay)} {'stays' if len(stay) == 1 else 'stay'}, marked *"] if stay else []
        texts += [f"{_listed(go)} {'goes' if len(go) == 1 else 'go'}"] if go else []
        facts.append(("decided", f"{len(decided):,} of these by strength alone: {'; '.join(texts)}. {CHOICE}"))
    return facts


def _listed(links: Sequence[str]) -> str:
    more = f" and {len(links) - MOST_SHOWN:,} more" if len(links) > MOST_SHOWN else ""
    return ", ".join(links[:MOST_SHOWN]) + more


def _link_text(link: frozenset[str] | tuple[str, str]) -> str:
    """Return a link as ``A - B``, by name."""
    return " - ".join(sorted(link))
