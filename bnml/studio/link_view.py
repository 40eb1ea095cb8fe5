"""Each link of a result, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from bnml._plain import plain
from bnml.counts import counts_of
from bnml.five_steps.decisions import graph_with_decisions
from bnml.five_steps.links import SEEN
from bnml.five_steps.state import StudyState
from bnml.five_steps.strength import strength_of
from bnml.graph import PDAG
from bnml.independence import IndependenceResult
from bnml.search.search_result import SearchResult

Pair = frozenset[str]


@dataclass(frozen=True)
class LinkView:
    """A link, as the page shows it.

    Attributes
    ----------
    a, b
        Its ends, in the direction that it has or, without one, that of the network.
    in_network, in_npc
        Whether the network has it, and whether NPC's graph does; None where NPC was not asked.
    directed
        Whether its direction is told: by the data, by what is known, by hand, or as it follows from these. Of a link
        that the network does not have, whether NPC tells it.
    undirected
        Whether it is there without a direction, which can be decided by hand.
    by_hand
        Whether it was decided by hand: directed, kept or dropped.
    follows
        Whether what became of it follows from what was decided by hand.
    region
        The number of NPC's ambiguous region that it was in before anything was decided; None for none.
    undecided
        Whether NPC leaves it open still.
    p_value, gain, strength
        Of its test, in nats what the score loses without it, and how much its ends depend on each other, from 0 to 1.
    support, direction, probability
        In which share of the halves of the rows it was found, and in which share of these from a to b; and its
        posterior probability.
    """

    a: str
    b: str
    in_network: bool
    in_npc: bool | None
    directed: bool
    undirected: bool
    by_hand: bool
    follows: bool
    region: int | None
    undecided: bool
    p_value: float | None
    gain: float | None
    strength: float | None
    support: float | None
    direction: float | None
    probability: float | None

    def values(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {name: plain(value) for name, value in asdict(self).items()}


def link_views(base: StudyState, state: StudyState) -> list[LinkView]:
    """Return the view of each link of a result.

    Parameters
    ----------
    base
        The result as it was found.
    state
        The same with what was decided by hand.
    """
    learned: SearchResult = state.parts["learned"]
    graph = graph_with_decisions(learned, state.decisions.directed)
    before: PDAG = base.parts["learned"].directions
    open_before, open_now = base.parts.get("npc"), state.parts.get("npc")
    known = _Known(state)
    npc = set() if open_now is None else _pairs(open_now.pdag)
    ever = npc | (set() if open_before is None else _pairs(open_before.pdag))
    own = _pairs(graph)
    arcs = _arcs(learned, graph)
    by_tests = set() if open_now is None else {*open_now.pdag.directed}
    chosen = {frozenset(pair) for pair in (*state.decisions.keep, *state.decisions.drop)}
    region = _regions(open_before)
    undecided = _undecided(open_now)
    found = []
    for pair in sorted(own | ever | known.seen(), key=lambda pair: tuple(map(base.data.names.index, sorted(pair)))):
        a, b = sorted(pair, key=base.data.names.index)
        in_network = pair in own
        a, b = next((arc for arc in ((a, b), (b, a)) if arc in (arcs if in_network else by_tests)), (a, b))
        directed = (a, b) in (graph.directed if in_network else by_tests)
        by_hand = (a, b) in state.decisions.directed or pair in chosen
        turned = in_network and (a, b) in graph.directed and (a, b) not in before.directed
        settled = pair in region or pair in _undecided(open_before)
        follows = not by_hand and (turned or (bool(chosen) and settled and pair not in undecided))
        found.append(
            LinkView(
                a, b, in_network, None if open_now is None else pair in npc, directed,
                in_network and not directed, by_hand, follows, region.get(pair), pair in undecided,
                *known.of(a, b),
            )
        )  # fmt: skip
    return found


def _arcs(learned: SearchResult, graph: PDAG) -> set[tuple[str, str]]:
    """Return the links of the network one way round."""
    return {*graph.directed, *graph.undirected} if learned.dag is None else {*learned.dag.arcs}


def _pairs(graph: PDAG) -> set[Pair]:
    return set(map(frozenset, (*graph.directed, *graph.undirected)))


def _regions(npc: IndependenceResult | None) -> dict[Pair, int]:
    return {} if npc is None else {link: k for k, region in enumerate(npc.ambiguous_regions) for link in region}


def _undecided(npc: IndependenceResult | None) -> frozenset[Pair]:
    return frozenset() if npc is None else frozenset(npc.undecided.union(*npc.ambiguous_regions))


class _Known:
    """What tests, scores, halves of the rows and the posterior say of pairs."""

    def __init__(self, state: StudyState) -> None:
        self._at = {name: i for i, name in enumerate(state.data.names)}
        drawn = state.parts.get("bootstrap")
        self._drawn = None if drawn is None else (drawn.links, drawn.support)
        pairs = state.parts["features"].pairs
        self._tests = {
            frozenset((a, b)): (float(p), float(s))
            for a, b, p, s in zip(pairs["a"], pairs["b"], pairs["p_value"], pairs["strength"], strict=True)
        }
        self._arcs: dict[Pair, tuple[float, float, float]] = {}
        columns = ["from", "to", "net_gain", "mutual_information", "p_value", "degrees_of_freedom"]
        for a, b, gain, information, p, freedom in state.parts["strength"][columns].itertuples(index=False):
            rows = counts_of(state.data).for_child(self._at[b]).n_rows
            strength = float(strength_of(information, freedom, rows))
            self._arcs[frozenset((a, b))] = float(p), float(gain), strength
        posterior, names = state.parts.get("posterior"), list(state.data.names)
        self._chances = None if posterior is None else posterior.link_probabilities.loc[names, names].to_numpy()

    def seen(self) -> set[Pair]:
        """Return the pairs that halves of the rows or the posterior link often enough to be shown."""
        return {frozenset(pair) for pair in self._often()}

    def _often(self) -> Iterable[tuple[str, str]]:
        names = list(self._at)
        for i, a in enumerate(names):
            for j in range(i):
                drawn = 0.0 if self._drawn is None else float(self._drawn[0][i, j])
                chance = 0.0 if self._chances is None else float(self._chances[i, j])
                if max(drawn, chance) >= SEEN:
                    yield a, names[j]

    def of(self, a: str, b: str) -> tuple[float | None, ...]:
        """Return p-value, gain, strength, support, direction and probability of a link."""
        pair, i, j = frozenset((a, b)), self._at[a], self._at[b]
        tested = self._tests.get(pair, (None, None))
        p_value, gain, strength = self._arcs.get(pair, (tested[0], None, tested[1]))
        support = direction = None
        if self._drawn is not None:
            support = float(self._drawn[0][i, j])
            direction = float(self._drawn[1][i, j]) / support if support else None
        return p_value, gain, strength, support, direction, None if self._chances is None else self._chances[i, j]
