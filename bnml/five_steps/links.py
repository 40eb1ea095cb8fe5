"""Every link that a step of a study found, and what each step says of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from bnml.counts.counts import counts_for_tests
from bnml.counts.observed import ObservedCounts
from bnml.five_steps.other_scores import disputing_scores
from bnml.five_steps.strength import strength_of
from bnml.graph import PDAG
from bnml.report.phrases import how_found
from bnml.scores import LocalScores

if TYPE_CHECKING:
    from bnml.five_steps.study_result import Study

FIRM, LIKELY = 0.95, 0.75
SEEN = 0.3  # of links that are not in the network those are listed that have so much support


@dataclass(frozen=True)
class Link:
    """Two variables that some step joined.

    Attributes
    ----------
    a, b
        The ends, in the direction that the network has, or that is shown for it.
    in_network
        Whether the network has it.
    directed
        Whether data and constraints tell its direction, and no other best network and no other score disagrees.
    scores
        The scores whose best networks have it, of those that were searched for.
    disputed_by
        Where the network directs it: the scores with a best network that does not; its own score, too, where several
        networks share the highest one.
    in_pc, in_npc
        Whether tests of independence found it; None where they were not made.
    ambiguous
        Whether it is in an ambiguous region of NPC, or hangs on one.
    support, direction
        In which share of the halves of the rows it was found, and in which share of those from a to b; or None.
    probability
        Its posterior probability, in either direction; or None.
    strength
        How much its ends depend on each other, from 0 to 1, once the other variables that point to the same one are
        known; None if it is not in the network.
    by_hand
        Whether its direction was decided by hand, or follows from such a decision.
    """

    a: str
    b: str
    in_network: bool
    directed: bool
    scores: tuple[str, ...]
    disputed_by: tuple[str, ...]
    in_pc: bool
    in_npc: bool | None
    ambiguous: bool
    support: float | None
    direction: float | None
    probability: float | None
    strength: float | None
    by_hand: bool = False

    @property
    def certainty(self) -> float | None:
        """The smaller of support and probability; None if neither is known."""
        known = [value for value in (self.support, self.probability) if value is not None]
        return min(known, default=None)

    @property
    def verdict(self) -> str:
        """How sure it is, in a word: firm, likely or unsure; empty if not known.

        Firm is what halves of the rows find again and again, and what a test or the posterior finds as well. This is
        about whether the link would be found again, not about how strong it is: a slight dependence can be firm.
        """
        if self.certainty is None:
            return ""
        agreed = self.in_pc or bool(self.in_npc) or (self.support is not None and self.probability is not None)
        if self.certainty >= FIRM and agreed:
            return "firm"
        return "likely" if self.certainty >= LIKELY else "unsure"

    @property
    def text(self) -> str:
        """The link as ``A → B`` or ``A – B``."""
        return f"{self.a} {'→' if self.directed else '–'} {self.b}"


def links_of(study: Study) -> tuple[Link, ...]:
    """Return the links of the network, the surest first, and after them what else was found."""
    own, classes = study.learned.directions, study.other_scores
    by_name = [*([(study.learned.score_name or "", own)] if links_found_by_score(study) else []), *classes]
    linked_by = [(name, linked_pairs(graph)) for name, graph in by_name]
    names, at = study.data.names, {name: i for i, name in enumerate(study.data.names)}
    known, tied = set(study.directions.directed), set(study.learned.disputed or ())
    pc, npc = linked_pairs(study.pc.pdag), None if study.npc is None else linked_pairs(study.npc.pdag)
    unsure: frozenset[frozenset[str]] = frozenset()
    if study.npc is not None:
        unsure = frozenset().union(study.npc.undecided, *study.npc.ambiguous_regions)
    drawn, strengths = study.bootstrap, _strengths_of_arcs(study)
    likely = None if study.posterior is None else study.posterior.link_probabilities.loc[list(names), list(names)]
    chances = None if likely is None else likely.to_numpy()
    arcs = {frozenset(arc): arc for arc in study.arcs}
    links = []
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            pair = frozenset((first, second))
            a, b = arcs.get(pair, (first, second))
            support = direction = None
            if drawn is not None:
                support = float(drawn.links[at[a], at[b]])
                direction = float(drawn.support[at[a], at[b]]) / support if support else None
            chance = None if chances is None else float(chances[at[a], at[b]])
            scores = tuple(name for name, pairs in linked_by if pair in pairs)
            by_hand = (a, b) in study.by_hand
            disputed = disputing_scores((a, b), classes) if (a, b) in own.directed and not by_hand else ()
            if (a, b) in tied and not by_hand:
                disputed = (study.learned.score_name or "", *disputed)
            found = pair in arcs or pair in pc or (npc is not None and pair in npc) or bool(scores)
            if found or max(support or 0.0, chance or 0.0) >= SEEN:
                links.append(
                    Link(
                        a, b, pair in arcs, (a, b) in known, scores, disputed, pair in pc,
                        None if npc is None else pair in npc, pair in unsure, support, direction, chance,
                        strengths.get((a, b)), by_hand,
                    )
                )  # fmt: skip
    return tuple(sorted(links, key=lambda link: (not link.in_network, -(link.certainty or 0.0), link.a, link.b)))


def _strengths_of_arcs(study: Study) -> dict[tuple[str, str], float]:
    """Return the strength of each arc of the network, from 0 to 1, by the rows that tell of its family.

    These are the rows in which its child was not set and, in a table with gaps, all of its family is observed.
    """
    counts, at = counts_for_tests(study.data), {name: i for i, name in enumerate(study.data.names)}
    parents: dict[str, list[int]] = {}
    columns = study.strength[["from", "to", "mutual_information", "degrees_of_freedom"]]
    for a, b, _, _ in columns.itertuples(index=False):
        parents.setdefault(b, []).append(at[a])
    strengths = {}
    for a, b, information, freedom in columns.itertuples(index=False):
        if isinstance(counts, ObservedCounts):
            n_rows = counts.n_observed([at[b], *parents[b]])
        else:
            n_rows = counts.for_child(at[b]).n_rows
        strengths[a, b] = float(strength_of(information, freedom, n_rows)) if n_rows else 0.0
    return strengths


def links_found_by_score(study: Study) -> bool:
    """Tell whether the links of the study's network were found by its score, among all networks."""
    return isinstance(study.learned.local, LocalScores) and how_found(study.learned) is None


def links_too_large_for_halves(study: Study) -> list[str]:
    """Return the variables whose links to parents are too many for a half of the rows: too few rows per cell."""
    dag = study.learned.dag
    if dag is None or study.bootstrap is None or study.rows_per_cell == 0 or not links_found_by_score(study):
        return []
    states = dict(zip(study.data.names, study.data.arities, strict=True))
    most = study.data.n_rows // 2 / study.rows_per_cell
    families = ((x, dag.parents(x)) for x in dag.names)
    return [x for x, above in families if above and prod(states[y] for y in (x, *above)) > most]


def linked_pairs(graph: PDAG) -> frozenset[frozenset[str]]:
    """Return the pairs that a graph links, whatever the direction."""
    return frozenset(map(frozenset, (*graph.directed, *graph.undirected)))
