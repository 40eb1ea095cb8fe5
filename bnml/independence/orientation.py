"""Directions: what the separating sets tell, and what follows from it.

Where i and j are not joined but both are joined to k, the three are an *unshielded triple*. If k is in the set that
separates i and j, then k passes information on, and is no collider; if it is not, then k must be one: i -> k <- j.
Three ways to decide:

``"sepset"``        k is a collider where it is not in the set that was found; a pair whose link is forbidden was not
                    tested for the skeleton, and is tested now
``"conservative"``  all sets of neighbours that separate i and j are looked for; k is a collider if it is in none of
                    them, none if it is in all, and otherwise *ambiguous*: nothing follows (Ramsey et al. 2006)
``"majority"``      the same, and the majority of the sets decides; ambiguous at half (Colombo and Maathuis 2014)

Tests err, and colliders can contradict each other: one asks for k -> l, another for l -> k. The collider whose
independence has the larger p-value is believed; the other one is not taken back silently, it is a *conflict* of the
result. So is a collider that would close a cycle, or that runs against what is known. Then Meek's rules direct what
follows (`bnml.graph.equivalence`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from bnml._arrays import Ints
from bnml._bits import bits, closure
from bnml.graph import Rules
from bnml.graph.equivalence import Orienter
from bnml.independence.oracles import Judge
from bnml.independence.skeleton import Found, Log, Pair, ask_pairs, may_separate, separating_sets

COLLIDERS = ("sepset", "conservative", "majority")

Triple = tuple[int, int, int]


class Conflict(NamedTuple):
    """A collider ``parents[0] -> child <- parents[1]`` that the tests ask for and the graph does not have, and why."""

    parents: tuple[str, str]
    child: str
    reason: str


class Triples(NamedTuple):
    """Unshielded triples (i, k, j): colliders, with the log p of their independence, and ambiguous ones."""

    colliders: dict[Triple, float]
    ambiguous: frozenset[Triple]


def find_triples(
    judge: Judge,
    log: Log,
    links: Sequence[int],
    sepsets: Mapping[Pair, Found],
    known: Rules,
    rule: str,
    max_condition: int | None = None,
    unsure: frozenset[Pair] = frozenset(),
) -> Triples:
    """Sort the unshielded triples; those with an ``unsure`` link are left out."""
    triples = [
        (i, k, j)
        for (i, j) in _apart(links)
        for k in bits(links[i] & links[j])
        if not {_pair(i, k), _pair(j, k)} & unsure
    ]
    if rule == "sepset":
        untested = sorted({(i, j) for i, _, j in triples} - sepsets.keys())  # links that are forbidden
        sets = {**sepsets, **_first_separating(judge, log, links, known, untested, max_condition)}
        colliders = {(i, k, j): sets[i, j].log_p for i, k, j in triples if (i, j) in sets and k not in sets[i, j].given}
        return Triples(colliders, frozenset((i, k, j) for i, k, j in triples if (i, j) not in sets))
    pairs = sorted({(i, j) for i, _, j in triples})
    every = _all_separating(judge, log, links, sepsets, known, pairs, max_condition)
    colliders, ambiguous = {}, set()
    for i, k, j in triples:
        found = every[i, j]
        within = sum(k in one.given for one in found)
        sure = found and (within in (0, len(found)) if rule == "conservative" else 2 * within != len(found))
        if not sure:
            ambiguous.add((i, k, j))
        elif 2 * within < len(found):
            colliders[i, k, j] = max(one.log_p for one in found)
    return Triples(colliders, frozenset(ambiguous))


def _apart(links: Sequence[int]) -> list[Pair]:
    n = len(links)
    return [(i, j) for i in range(n) for j in range(i + 1, n) if not links[i] >> j & 1 and links[i] & links[j]]


def _pair(i: int, j: int) -> Pair:
    return (i, j) if i < j else (j, i)


def _first_separating(
    judge: Judge, log: Log, links: Sequence[int], known: Rules, pairs: Sequence[Pair], max_condition: int | None
) -> dict[Pair, Found]:
    """Return for each pair a smallest set of the neighbours of one of the two that separates it, if there is one."""
    sets: dict[Pair, Found] = {}
    for size in _sizes(links, known, pairs, max_condition):
        left = [pair for pair in pairs if pair not in sets]
        found = ask_pairs(judge, log, _questions(judge, links, known, left, size))
        sets.update({pair: ones[0] for pair, ones in found.items()})
    return sets


def _all_separating(
    judge: Judge,
    log: Log,
    links: Sequence[int],
    sepsets: Mapping[Pair, Found],
    known: Rules,
    pairs: Sequence[Pair],
    max_condition: int | None,
) -> dict[Pair, list[Found]]:
    """Return all sets of the neighbours of one of each pair that separate it, and the one that is known."""
    sets = {pair: [sepsets[pair]] if pair in sepsets else [] for pair in pairs}
    for size in _sizes(links, known, pairs, max_condition):
        for pair, found in ask_pairs(judge, log, _questions(judge, links, known, pairs, size), stop=False).items():
            seen = {one.given for one in sets[pair]}
            sets[pair] += [one for one in found if one.given not in seen]
    return sets


def _sizes(links: Sequence[int], known: Rules, pairs: Sequence[Pair], max_condition: int | None) -> range:
    largest = max((may_separate(links, known, *p).bit_count() for i, j in pairs for p in ((i, j), (j, i))), default=-1)
    return range(min(largest, len(links) if max_condition is None else max_condition) + 1)


def _questions(
    judge: Judge, links: Sequence[int], known: Rules, pairs: Sequence[Pair], size: int
) -> list[tuple[Pair, Iterator[Ints]]]:
    most = judge.sets_at_once
    around = {(i, j): (may_separate(links, known, i, j), may_separate(links, known, j, i)) for i, j in pairs}
    return [
        (pair, separating_sets(*masks, size, most))
        for pair, masks in around.items()
        if any(judge.can_test(*pair, mask, size) for mask in masks if mask.bit_count() >= size)
    ]


class _CarefulOrienter(Orienter):
    """Meek's rules without those conclusions that rest on an ambiguous triple, or direct an unsure link."""

    ambiguous: frozenset[Triple] = frozenset()
    unsure: frozenset[Pair] = frozenset()

    def _sure(self, i: int, k: int, j: int) -> bool:
        return (min(i, j), k, max(i, j)) not in self.ambiguous

    def _rule(self, i: int, j: int) -> int:
        if _pair(i, j) in self.unsure:
            return 0
        if not self.ambiguous:
            return super()._rule(i, j)
        parents, adjacent, neighbours = self.parents, self.adjacent, self.neighbours
        if any(self._sure(h, i, j) for h in bits(parents[i] & ~adjacent[j])):
            return 1
        if self.children[i] & parents[j]:
            return 2
        both = neighbours[i] & parents[j]
        if any(self._sure(k, i, m) for k in bits(both) for m in bits(both & ~adjacent[k] & ~(1 << k))):
            return 3
        for m in bits(parents[j] & adjacent[i]):
            if any(self._sure(k, i, j) for k in bits(parents[m] & neighbours[i] & ~adjacent[j])):
                return 4
        return 0


def orient_links(
    names: Sequence[str],
    links: Sequence[int],
    known: Rules,
    triples: Triples,
    unsure: frozenset[Pair] = frozenset(),
) -> tuple[list[int], list[int], tuple[Conflict, ...]]:
    """Direct links: what is known first, then colliders, surest first, then what follows.

    Returns
    -------
    tuple
        Masks of parents and of undirected neighbours, and the colliders that could not be directed.
    """
    work = _CarefulOrienter(names, [0] * len(links), links, strict=False)
    work.ambiguous, work.unsure = triples.ambiguous, unsure
    work.pending = []
    for j, mask in enumerate(links):
        for i in bits(mask):
            if not known.may[i] >> j & 1 and not work.parents[j] >> i & 1 and _pair(i, j) not in unsure:
                work.orient(i, j)
    conflicts = []
    for (i, k, j), _ in sorted(triples.colliders.items(), key=lambda item: (-item[1], item[0])):
        reason = _obstacle(work, known, i, k, j)
        if reason:
            conflicts.append(Conflict((names[i], names[j]), names[k], reason))
            continue
        for parent in (i, j):
            if work.neighbours[parent] >> k & 1:
                work.orient(parent, k)
    work.close()
    return work.parents, work.neighbours, tuple(conflicts)


def _obstacle(work: Orienter, known: Rules, i: int, k: int, j: int) -> str:
    """Say why a collider cannot be directed, or return an empty string."""
    for parent in (i, j):
        arc, back = (f"{work.names[a]} -> {work.names[b]}" for a, b in ((parent, k), (k, parent)))
        if not known.may[k] >> parent & 1:
            return f"{arc} is not allowed"
        if work.parents[parent] >> k & 1:
            return f"{back} is asked for by another collider"
        if closure(work.children, 1 << k) >> parent & 1:
            return f"{arc} would close a cycle"
    return ""
