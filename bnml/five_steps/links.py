"""Every link that a step of a study found, and what each step says of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bnml.graph import PDAG

if TYPE_CHECKING:
    from bnml.five_steps.study_result import Study

__all__ = ["Link", "links_of"]

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
        Whether the best network by score has it.
    directed
        Whether data and constraints tell its direction in the network.
    in_pc, in_npc
        Whether tests found it; None where they were not made.
    ambiguous
        Whether it is in an ambiguous region of NPC, or hangs on one.
    support, direction
        In which share of the halves of the rows it was found, and in which share of those from a to b; or None.
    probability
        Its posterior probability, in either direction; or None.
    """

    a: str
    b: str
    in_network: bool
    directed: bool
    in_pc: bool
    in_npc: bool | None
    ambiguous: bool
    support: float | None
    direction: float | None
    probability: float | None

    @property
    def certainty(self) -> float | None:
        """The smaller of support and probability; None if neither is known."""
        known = [value for value in (self.support, self.probability) if value is not None]
        return min(known, default=None)

    @property
    def verdict(self) -> str:
        """How sure it is, in a word: firm, likely or weak; empty if not known.

        Firm is what halves of the rows find again and again, and what a test or the posterior finds as well.
        """
        if self.certainty is None:
            return ""
        agreed = self.in_pc or bool(self.in_npc) or (self.support is not None and self.probability is not None)
        if self.certainty >= FIRM and agreed:
            return "firm"
        return "likely" if self.certainty >= LIKELY else "weak"

    @property
    def text(self) -> str:
        """The link as ``A → B`` or ``A – B``."""
        return f"{self.a} {'→' if self.directed else '–'} {self.b}"


def links_of(study: Study) -> tuple[Link, ...]:
    """Return the links of the network, the surest first, and after them what else was found."""
    graph = study.learned.directions
    names, at = study.data.names, {name: i for i, name in enumerate(study.data.names)}
    known = set(graph.directed)
    pc, npc = linked_pairs(study.pc.pdag), None if study.npc is None else linked_pairs(study.npc.pdag)
    unsure: frozenset[frozenset[str]] = frozenset()
    if study.npc is not None:
        unsure = frozenset().union(study.npc.undecided, *study.npc.ambiguous_regions)
    drawn = study.bootstrap
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
            found = pair in arcs or pair in pc or (npc is not None and pair in npc)
            if found or max(support or 0.0, chance or 0.0) >= SEEN:
                links.append(
                    Link(
                        a, b, pair in arcs, (a, b) in known, pair in pc, None if npc is None else pair in npc,
                        pair in unsure, support, direction, chance,
                    )
                )  # fmt: skip
    return tuple(sorted(links, key=lambda link: (not link.in_network, -(link.certainty or 0.0), link.a, link.b)))


def linked_pairs(graph: PDAG) -> frozenset[frozenset[str]]:
    """Return the pairs that a graph links, whatever the direction."""
    return frozenset(map(frozenset, (*graph.directed, *graph.undirected)))
