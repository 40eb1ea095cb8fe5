"""What is decided by hand: links of ambiguous regions, and directions that the data leave open.

The fourth of the five steps leaves some questions open. A user who knows more can answer them: which links of an
ambiguous region of NPC stay and which go (`bnml.independence.IndependenceResult.resolve`), and which way a link points.
A network that a score found gets a link that stays and loses one that goes; the others remain. A direction must be one
that the network's class leaves open, and Meek's rules work out what follows from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from bnml._text import names_in_words, number_of
from bnml.errors import ArgumentError, GraphError, argument
from bnml.graph import DAG, PDAG, Rules, apply_meek_rules
from bnml.graph.base import pairs_of_names
from bnml.report.phrases import legend_words
from bnml.scores.base import score_tolerance

if TYPE_CHECKING:
    from bnml.five_steps.study_result import Study
    from bnml.search.search_result import SearchResult

Arc = tuple[str, str]


@dataclass(frozen=True)
class Decisions:
    """What was decided by hand.

    Attributes
    ----------
    keep, drop
        Links of ambiguous regions that stay, and that go.
    directed
        Arcs: links that were given this direction.
    """

    keep: tuple[Arc, ...] = ()
    drop: tuple[Arc, ...] = ()
    directed: tuple[Arc, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.keep or self.drop or self.directed)

    def __add__(self, later: Decisions) -> Decisions:
        """Return both, one after the other, each decision once."""
        both = ((*getattr(self, one.name), *getattr(later, one.name)) for one in fields(Decisions))
        return Decisions(*(tuple(dict.fromkeys(links)) for links in both))

    def to_dict(self) -> dict[str, Any]:
        """Return them as plain values."""
        return {one.name: [list(link) for link in getattr(self, one.name)] for one in fields(self)}


def checked_decisions(
    keep: Iterable[Collection[str]], drop: Iterable[Collection[str]], directed: Iterable[Collection[str]]
) -> Decisions:
    """Return decisions in one form: links in the order of names, arcs as they are.

    Raises
    ------
    BnmlError
        If something else than pairs of names is given, or an arc both ways.
    """
    arcs = pairs_of_names(directed, "directed")
    for a, b in arcs:
        if (b, a) in arcs:
            raise ArgumentError(f"{a} -> {b} is there both ways", argument="directed", hint="leave one of the two out")
    kept, dropped = (
        tuple(pairs_of_names(given, name, ordered=False)) for name, given in (("keep", keep), ("drop", drop))
    )
    return Decisions() + Decisions(kept, dropped, tuple(arcs))


def graph_with_decisions(learned: SearchResult, directed: Iterable[Arc]) -> PDAG:
    """Return the class of a network, as far as constraints leave it, with directions given by hand and what follows.

    Raises
    ------
    ArgumentError
        If an arc is no link of the network, or has the other direction already.

    Examples
    --------
    >>> import bnml
    >>> learned = bnml.learn(bnml.example())
    >>> found = graph_with_decisions(learned, [("bronc", "smoke")])
    >>> sorted(set(found.directed) - set(learned.directions.directed))
    [('bronc', 'smoke'), ('smoke', 'lung')]
    """
    graph = learned.directions
    there = {frozenset(edge) for edge in (*graph.directed, *graph.undirected)}
    for a, b in directed:
        if frozenset((a, b)) not in there:
            free = ", ".join(f"{x} - {y}" for x, y in graph.undirected) or "there are none"
            raise ArgumentError(
                f"{a} and {b} are not linked in the network",
                argument="directed",
                hint=f"links whose direction is open: {free}",
            )
        if (b, a) in learned.directions.directed:
            raise ArgumentError(
                f"{b} -> {a} is in every network as good as this one, not {a} -> {b}",
                argument="directed",
                hint="to have the latter, make it one of the " + argument("constraints") + " and learn anew",
            )
        if (b, a) in graph.directed:
            raise ArgumentError(
                f"{a} -> {b} does not go with the others, from which {b} -> {a} follows",
                argument="directed",
                hint="leave one of them out",
            )
        graph = apply_meek_rules(graph, background=[(a, b)], strict=learned.tested is None)
    return graph


def network_with_decided_directions(learned: SearchResult, directed: Iterable[Arc]) -> SearchResult:
    """Return the member of the class of a network that has directions given by hand.

    Where there was no network, as tests contradicted each other, there may still be none.
    """
    graph = graph_with_decisions(learned, directed)
    dag = _extended(graph)
    if dag is None or learned.local is None or (learned.dag is not None and set(dag.arcs) == set(learned.dag.arcs)):
        return learned
    if learned.dag is not None and set(graph.directed) <= set(learned.dag.arcs):
        return learned
    score = learned.local.score(dag)
    same = learned.dag is not None and score >= learned.score - score_tolerance(learned.score)
    info = {key: value for key, value in learned.info.items() if same or key not in ("within", "arc_gain")}
    return replace(learned, dag=dag, score=score, optimal=learned.optimal and same, info=info)


def network_with_decided_links(learned: SearchResult, keep: Iterable[Arc], drop: Iterable[Arc]) -> SearchResult:
    """Return a network that a score found without links that go, and with those that stay.

    A link that is added points the way that the constraints allow and, where both do, that has the higher score.

    Raises
    ------
    ArgumentError
        If the network was found by PC, or the constraints do not allow it.

    Examples
    --------
    >>> import bnml
    >>> found = network_with_decided_links(bnml.learn(bnml.example()), [("asia", "smoke")], [("tub", "either")])
    >>> found.info["added_by_hand"], found.info["removed_by_hand"], found.optimal
    ((('smoke', 'asia'),), (('tub', 'either'),), False)
    """
    if learned.tested is not None:
        raise ArgumentError(
            argument("keep")
            + " and "
            + argument("drop")
            + f" go with networks that NPC or a score found, and this one was found by {learned.search.upper()}",
            hint="learn it with " + argument("search", "npc"),
        )
    dag, local = learned.structure, learned.local
    gone = set(map(frozenset, drop)) & set(map(frozenset, dag.arcs))
    removed = [arc for arc in dag.arcs if frozenset(arc) in gone]
    for link in removed:
        _refuse_required(learned, link)
    now, added = DAG(dag.names, [arc for arc in dag.arcs if arc not in removed]), []
    there = set(map(frozenset, dag.arcs))
    for link in keep:
        if frozenset(link) not in there:
            now = _with_link(learned, now, link)
            added += [arc for arc in now.arcs if frozenset(arc) == frozenset(link)]
    if not (added or removed) or local is None:
        return learned
    score = local.score(now)
    gone_with_it = ("within", "arc_gain", "local_optimum", "optimal_among", "proof")
    info = {key: value for key, value in learned.info.items() if key not in gone_with_it}
    info["added_by_hand"] = (*info.get("added_by_hand", ()), *added)
    info["removed_by_hand"] = (*info.get("removed_by_hand", ()), *removed)
    info["score_by_hand"] = info.get("score_by_hand", 0.0) + score - learned.score
    return replace(learned, dag=now, score=score, optimal=False, info=info)


def _refuse_required(learned: SearchResult, arc: Arc) -> None:
    rules = learned.rules
    if rules is None:
        return
    a, b = map(rules.names.index, arc)
    if rules.required[b] >> a & 1:
        raise ArgumentError(f"{arc[0]} - {arc[1]} is required by the " + argument("constraints"), argument="drop")


def _with_link(learned: SearchResult, dag: DAG, link: Arc) -> DAG:
    """Return a structure with one more link, in the better of the directions that can be."""
    rules, local = learned.rules, learned.local
    arcs = [arc for arc in (link, link[::-1]) if rules is None or _may(rules, arc)]
    if not arcs:
        raise ArgumentError(
            f"{link[0]} - {link[1]} is forbidden in both directions by the " + argument("constraints"), argument="keep"
        )
    found = [DAG(dag.names, [*dag.arcs, (a, b)]) for a, b in arcs if a not in dag.descendants(b)]
    if not found:
        (a, b), *_ = arcs
        raise ArgumentError(
            "the "
            + argument("constraints")
            + f" allow {a} -> {b} alone, but a path leads from {b} to {a} in the network",
            argument="keep",
            hint=f"learn it anew with {a} -> {b} required",
        )
    return found[0] if local is None or len(found) == 1 else max(found, key=local.score)


def _may(rules: Rules, arc: Arc) -> bool:
    a, b = map(rules.names.index, arc)
    return bool(rules.may[b] >> a & 1)


def _extended(graph: PDAG) -> DAG | None:
    try:
        return graph.reordered(sorted(graph.names)).to_dag().reordered(graph.names)
    except GraphError:
        return None


def decided_arcs(learned: SearchResult, directed: Iterable[Arc]) -> frozenset[Arc]:
    """Return the arcs that were directed by hand, and those that follow from them."""
    arcs = tuple(directed)
    if not arcs:
        return frozenset()
    graph = graph_with_decisions(learned, arcs)
    return frozenset(set(graph.directed) - set(learned.directions.directed)) | frozenset(arcs)


def decision_sentences(study: Study) -> list[str]:
    """Return what was decided by hand in a study, and what follows, in sentences.

    Examples
    --------
    >>> import bnml
    >>> found = bnml.study(bnml.example(), repetitions=0).resolve(directed=[("bronc", "smoke")])
    >>> decision_sentences(found)
    ['The direction of 1 link was decided by hand: bronc → smoke. From that follows smoke → lung.']
    """
    made, said = study.decisions, []
    for links, fate in ((made.keep, "stay"), (made.drop, "go")):
        if links:
            which = names_in_words([f"{a} – {b}" for a, b in links])
            does = {"stay": "stays", "go": "goes"}[fate] if len(links) == 1 else fate
            said.append(f"Of the links that tests left undecided {which} {does}: this was decided by hand.")
    said += _changed(study.learned)
    if made.directed:
        arcs = names_in_words([f"{a} → {b}" for a, b in made.directed])
        follow = [f"{a} → {b}" for a, b in study.directions.directed if (a, b) in study.by_hand - {*made.directed}]
        more = f" From that follow{'s' if len(follow) == 1 else ''} {names_in_words(follow)}." if follow else ""
        said.append(f"The direction of {number_of(len(made.directed), 'link')} was decided by hand: {arcs}.{more}")
    return said


def _changed(learned: SearchResult) -> list[str]:
    """Return what decisions by hand have changed in a network that a score found, as a sentence."""
    info, parts = learned.info, []
    for key, verb in (("added_by_hand", "got"), ("removed_by_hand", "lost")):
        if arcs := info.get(key, ()):
            parts.append(f"{verb} {names_in_words([f'{a} – {b}' for a, b in arcs])}")
    if not parts:
        return []
    change = info["score_by_hand"]
    by = f"{abs(change):,.1f} nats {'lower' if change < 0 else 'higher'}"
    return [f"So the network {' and '.join(parts)}: its score is {by} than that of the network that was found."]


def decision_legend(study: Study) -> tuple[str, str]:
    """Return what the legend of a picture says of arrows and dashed lines, and of decisions by hand."""
    directed, left_open = legend_words(study.learned)
    return f"{directed}{', or decided by hand' if study.by_hand else ''}", left_open
