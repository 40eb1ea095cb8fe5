"""The skeleton: which variables are joined, found by looking for sets that separate them.

Two variables that no arc joins are independent given the parents of one of them. So begin with all links, and for
ℓ = 0, 1, 2, … test each linked pair given every ℓ of the neighbours that one of the two has; where a test finds
independence, the link goes and the set that did it, the *separating set*, is kept. As links go there are fewer
neighbours, so that few tests with many variables are ever made.

In the textbook's form a link that goes matters at once for the tests that follow, and the answer depends on the order
of the variables. The *stable* form (Colombo and Maathuis 2014) takes the neighbours as they were when ℓ began: the
answer does not depend on the order, and all tests of one ℓ can be made side by side.

**What cannot be tested.** With many known variables a table has more cells than rows, and no test can tell dependence
from chance (`bnml.independence.sparse`). Such a set does not separate its pair: a link goes only where a test has found
independence. Once no set of some size can be tested, no larger one can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain, combinations, islice
from math import comb, isnan
from typing import NamedTuple

import numpy as np

from bnml._arrays import Ints
from bnml._bits import bits
from bnml._watch import Tell
from bnml.counts import Questions
from bnml.graph import Rules
from bnml.independence.oracles import Answers, Judge

Pair = tuple[int, int]

PAIRS_AT_ONCE = 4096


@dataclass(frozen=True)
class Found:
    """A set that separates a pair, and the log p of that test.

    Where the test has no p-value, minus its statistic takes its place, and 0 for an oracle.
    """

    given: tuple[int, ...]
    log_p: float


@dataclass
class Log:
    """Every test that was made, batch by batch, and the pairs of which some questions could not be tested."""

    batches: list[tuple[Questions, Answers]] = field(default_factory=list)
    untested: set[Pair] = field(default_factory=set)

    @property
    def n_tests(self) -> int:
        """How many tests were made."""
        return sum(int(answers.tests_made(batch).sum()) for batch, answers in self.batches)

    def copy(self) -> Log:
        """Return a log that goes on by itself."""
        return Log(list(self.batches), set(self.untested))

    def ask(self, judge: Judge, batch: Questions, *, stop: bool = True) -> Answers:
        """Let a judge decide, and keep what it finds."""
        answers = judge.decide(batch, stop=stop)
        self.batches.append((batch, answers))
        if answers.untested is not None:
            owner = np.repeat(np.arange(batch.xs.size), np.diff(batch.offsets))[answers.untested]
            self.untested.update(zip(batch.xs[owner].tolist(), batch.ys[owner].tolist(), strict=True))
        return answers

    def askable(self, judge: Judge, pair: Pair, first: int, second: int, size: int) -> bool:
        """Tell whether a set of that size in one of two masks can be tested; keep the pair if there is one that cannot.

        A pair with no set of that size has nothing to be asked, and nothing is kept.
        """
        enough = False
        for mask in (first, second):
            if mask.bit_count() >= size:
                if judge.can_test(*pair, mask, size):
                    return True
                enough = True
        if enough:
            self.untested.add(pair)
        return False


@lru_cache(maxsize=1024)
def _choices(n: int, k: int) -> Ints:
    """Return all k of n positions, in lexicographic order."""
    array = np.fromiter(chain.from_iterable(combinations(range(n), k)), np.int64, comb(n, k) * k).reshape(-1, k)
    array.setflags(write=False)
    return array


def separating_sets(first: int, second: int, size: int, most: int) -> Iterator[Ints]:
    """Yield the sets of some size that lie in one of two masks, each once, in arrays of at most ``most`` sets."""
    if size == 0:
        yield np.zeros((1, 0), np.int64)
        return
    ones, others = list(bits(first)), list(bits(second))
    if comb(len(ones), size) + comb(len(others), size) <= most:
        parts = [np.array(ones, np.int64)[_choices(len(ones), size)]] if len(ones) >= size else []
        if second & ~first and len(others) >= size:
            known = np.array([first >> v & 1 for v in others], bool)
            chosen = _choices(len(others), size)
            parts.append(np.array(others, np.int64)[chosen[~known[chosen].all(axis=1)]])
        if parts:
            yield np.concatenate(parts)
        return
    fresh = (some for some in combinations(others, size) if not all(first >> v & 1 for v in some))
    every = chain(combinations(ones, size), fresh)
    while chunk := list(islice(every, most)):
        yield np.array(chunk, np.int64)


def ask_pairs(
    judge: Judge,
    log: Log,
    questions: Sequence[tuple[Pair, Iterator[Ints]]],
    tell: Tell = lambda share: None,
    *,
    stop: bool = True,
) -> dict[Pair, list[Found]]:
    """Go through the sets of every pair; return the sets that separate (one for a pair if it is to ``stop``)."""
    found: dict[Pair, list[Found]] = {}
    for start in range(0, len(questions), PAIRS_AT_ONCE):
        active = list(questions[start : start + PAIRS_AT_ONCE])
        while active:
            drawn = [(pair, sets, chunk) for pair, sets in active if (chunk := next(sets, None)) is not None]
            if not drawn:
                break
            pairs = np.array([pair for pair, _, _ in drawn], np.int64)
            offsets = np.zeros(len(drawn) + 1, np.int64)
            np.cumsum([len(chunk) for _, _, chunk in drawn], out=offsets[1:])
            batch = Questions(pairs[:, 0].copy(), pairs[:, 1].copy(), offsets, np.concatenate([c for _, _, c in drawn]))
            answers = log.ask(judge, batch, stop=stop)
            hits = np.flatnonzero(answers.independent)
            for t, p in zip(hits.tolist(), (np.searchsorted(offsets, hits, "right") - 1).tolist(), strict=True):
                given = tuple(batch.sets[t].tolist())
                statistic, _, log_p = answers.results[t].tolist()
                support = next((value for value in (log_p, -statistic) if not isnan(value)), 0.0)
                found.setdefault(drawn[p][0], []).append(Found(given, support))
            active = [(pair, sets) for pair, sets, _ in drawn if not (stop and pair in found)]
        tell(min(1.0, (start + PAIRS_AT_ONCE) / len(questions)))
    return found


def skeleton_links(links: Sequence[int]) -> list[Pair]:
    """Return the pairs that a skeleton links, smaller position first."""
    return [(i, j) for i, mask in enumerate(links) for j in bits(mask) if i < j]


def unlink_pair(links: list[int], pair: Pair) -> None:
    """Take a link of the skeleton away."""
    i, j = pair
    links[i] &= ~(1 << j)
    links[j] &= ~(1 << i)


def may_separate(links: Sequence[int], known: Rules, i: int, j: int) -> int:
    """Return the neighbours of i, other than j, that may be its parents: those that may separate the two."""
    return links[i] & known.may[i] & ~(1 << j)


def find_skeleton(
    judge: Judge,
    log: Log,
    known: Rules,
    *,
    stable: bool = True,
    max_condition: int | None = None,
    tell: Callable[[int, float], None] = lambda size, share: None,
) -> tuple[list[int], dict[Pair, Found]]:
    """Return the links as bit masks, and for each pair without one the set that separates it."""
    links = list(known.possible)
    sepsets: dict[Pair, Found] = {}
    so_far = _SoFar(judge, log, known, links, sepsets)
    size = 0
    while max_condition is None or size <= max_condition:
        pairs = [
            (i, j)
            for i, j in skeleton_links(links)
            if not known.adjacent[i] >> j & 1
            and log.askable(judge, (i, j), may_separate(links, known, i, j), may_separate(links, known, j, i), size)
        ]
        if not pairs:
            break
        if stable:
            _stable_level(so_far, pairs, size, partial(tell, size))
        else:
            _plain_level(so_far, pairs, size)
        size += 1
    return links, sepsets


class _SoFar(NamedTuple):
    """Who is asked, what is known, and the links and separating sets so far, which change."""

    judge: Judge
    log: Log
    known: Rules
    links: list[int]
    sepsets: dict[Pair, Found]


def _stable_level(so_far: _SoFar, pairs: Sequence[Pair], size: int, tell: Tell) -> None:
    """Test all pairs given sets of one size, with the neighbours as they are now."""
    judge, log, known, links, sepsets = so_far
    before, most = tuple(links), judge.sets_at_once
    questions = [
        (
            (i, j),
            separating_sets(may_separate(before, known, i, j), may_separate(before, known, j, i), size, most),
        )
        for i, j in pairs
    ]
    for pair, sets in ask_pairs(judge, log, questions, tell).items():
        unlink_pair(links, pair)
        sepsets[pair] = sets[0]


def _plain_level(so_far: _SoFar, pairs: Sequence[Pair], size: int) -> None:
    """Test one ordered pair after the other, as the lecture does: a link that goes is gone for the next pair."""
    judge, log, known, links, sepsets = so_far
    both_ways = sorted([*pairs, *((j, i) for i, j in pairs)])
    for i, j in both_ways:
        around = may_separate(links, known, i, j)
        if not links[i] >> j & 1 or around.bit_count() < size or (size == 0 and i > j):
            continue
        pair = (min(i, j), max(i, j))
        found = ask_pairs(judge, log, [(pair, separating_sets(around, 0, size, judge.sets_at_once))])
        for which, sets in found.items():
            unlink_pair(links, which)
            sepsets[which] = sets[0]
