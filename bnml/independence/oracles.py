"""Judges: what answers questions of independence, from a table or from an oracle.

A judge is asked in batches: pairs of variables, and for each pair the sets that might separate it, all of one size. It
goes through the sets of a pair and stops at the first that does, unless all are wanted. Variables are positions in the
judge's ``names``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from bnml._arrays import Bools, Floats, Ints
from bnml._bits import bits
from bnml._machine import cores
from bnml.counts import Questions, Verdict
from bnml.counts.counts import count_occurring_states, counts_for_tests
from bnml.counts.observed import ObservedCounts
from bnml.data import Data
from bnml.graph import DAG
from bnml.graph.separation import reachable
from bnml.independence.permutation import permutation_p_value
from bnml.independence.sparse import smallest_sparse_p_value, sparse_p_values
from bnml.independence.tests import G2, X2, Criterion, Gain, Permutation, Scored
from bnml.scores import LocalScores

Oracle = DAG | Callable[[str, str, frozenset[str]], bool]


@dataclass(frozen=True)
class Answers:
    """For each test its statistic, degrees of freedom and log p, and whether it found independence.

    The statistic is in the unit of the test. What a test does not have is not a number: degrees of freedom and log p of
    a threshold on the gain or a score, and everything of an oracle.
    Of pair p the first ``made[p]`` tests were made, but for those that could not be made: ``untested``, None if there
    are none.
    """

    results: Floats
    independent: Bools
    made: Ints
    untested: Bools | None = None

    def tests_made(self, batch: Questions) -> Bools:
        """Tell which tests of the batch that these are the answers to were made."""
        sizes = np.diff(batch.offsets)
        done: Bools = np.arange(len(batch.sets)) - np.repeat(batch.offsets[:-1], sizes) < np.repeat(self.made, sizes)
        return done if self.untested is None else done & ~self.untested


class Judge(Protocol):
    """What answers questions of independence."""

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""

    @property
    def sets_at_once(self) -> int:
        """How many sets of a pair to ask for in one batch."""

    def can_test(self, x: int, y: int, around: int, size: int) -> bool:
        """Tell whether any set of that size, taken from a mask of variables, can be tested."""

    def decide(self, batch: Questions, *, stop: bool = True) -> Answers:
        """Answer a batch; ``stop`` at the first set that separates a pair."""


class DataJudge:
    """Answers from a table, by a test.

    A pair that has too few rows per cell is tested by random tables; given others it cannot be tested, and they do not
    separate it. Of a table with gaps each test takes the rows in which its variables are observed; where there are
    none, or all alike because of the gaps, nothing is tested.
    """

    def __init__(
        self, data: Data, names: Sequence[str], test: Criterion, alpha: float, threads: int | None = None
    ) -> None:
        self.counts, self.names, self.test, self.alpha = counts_for_tests(data), tuple(names), test, alpha
        self.threads = cores(threads)
        self._at = np.array([data.index(name) for name in names], np.int64)
        self._local = LocalScores(data, test.parsed) if isinstance(test, Scored) else None

    @cached_property
    def _states(self) -> Floats:
        """How many states of each variable occur."""
        return count_occurring_states(self.counts)[self._at].astype(np.float64)

    @cached_property
    def _most_states(self) -> float:
        """The most states of a variable."""
        return float(max(self.counts.arities))

    @cached_property
    def _most_cells(self) -> float:
        """The most cells that a table may have for its test to be made; infinitely many for tests without that rule."""
        return self.test.most_cells(self.counts.n_rows)

    def can_test(self, x: int, y: int, around: int, size: int) -> bool:
        """Tell whether any set of that size, taken from a mask of variables, can be tested; a pair alone always can."""
        if size == 0 or self._most_states ** (size + 2) <= self._most_cells:
            return True
        fewest = sorted(self._states[v] for v in bits(around))[:size]
        return bool(self._states[x] * self._states[y] * math.prod(fewest) <= self._most_cells)

    def sparse(self, batch: Questions) -> Bools:
        """Tell which questions have too few rows per cell."""
        if math.isinf(self._most_cells):
            return np.zeros(len(batch.sets), np.bool_)
        declared = np.array(self.counts.arities, np.float64)[self._at]
        shares = self.rows(batch) / self.counts.n_rows
        if (_cells_of(batch, declared) <= self._most_cells * shares).all():  # most tables: nothing need be counted
            return np.zeros(len(batch.sets), np.bool_)
        return np.asarray(_cells_of(batch, self._states) > self._most_cells * shares)

    def rows(self, batch: Questions) -> Floats:
        """Return how many rows each question is answered from: all, but for those with gaps in its variables."""
        counts = self.counts
        if not isinstance(counts, ObservedCounts):
            return np.full(len(batch.sets), float(counts.n_rows))
        pairs = np.repeat(np.stack([batch.xs, batch.ys], axis=1), np.diff(batch.offsets), axis=0)
        about = self._at[np.concatenate([pairs, batch.sets], axis=1)].tolist()
        return np.array([counts.n_observed(variables) for variables in about], np.float64)

    def lacks_rows(self, x: int, y: int, given: Sequence[int]) -> bool:
        """Tell whether gaps leave a test of columns without a row, or without two values to compare."""
        return isinstance(self.counts, ObservedCounts) and self.counts.lacks_rows(x, y, given)

    @property
    def sets_at_once(self) -> int:
        """How many sets of a pair to ask for in one batch: what takes a fraction of a second."""
        if isinstance(self.test, G2 | X2 | Gain):
            return max(16, min(4096, 80_000_000 // max(1, self.counts.n_distinct)))  # well under 0.3 s
        return 64

    @cached_property
    def _verdict(self) -> Verdict:
        """When a statistic speaks for independence: by its p-value, or where the gain is below the threshold."""
        if isinstance(self.test, Gain):
            return Verdict(least=2.0 * self.counts.n_rows * math.log(2.0) * self.test.bits)
        return Verdict(isinstance(self.test, X2), math.log(self.alpha))

    def decide(self, batch: Questions, *, stop: bool = True) -> Answers:
        """Answer a batch; ``stop`` at the first set that separates a pair."""
        asked = Questions(self._at[batch.xs], self._at[batch.ys], batch.offsets, self._at[batch.sets])
        answers = self._answered(batch, asked, stop)
        untested = np.isnan(answers.results[:, 0])
        return replace(answers, untested=untested) if untested.any() else answers

    def _answered(self, batch: Questions, asked: Questions, stop: bool) -> Answers:
        """Answer a batch, ``asked`` by column; tests that cannot be made have a statistic that is not a number."""
        if not isinstance(self.test, G2 | X2 | Gain):
            return _one_by_one(asked, self._tested, stop)
        sparse = self.sparse(batch)
        if not sparse.any():
            return self._counted(asked, stop)
        return self._permuted(asked, sparse) if not batch.sets.shape[1] else self._partly_counted(asked, sparse, stop)

    def _permuted(self, batch: Questions, sparse: Bools) -> Answers:
        """Answer questions about pairs alone, the sparse ones by random tables."""
        answers = self._counted(batch, stop=False)
        few = np.flatnonzero(sparse & (answers.results[:, 1] > 0))
        pairs = np.stack([batch.xs[few], batch.ys[few]], axis=1)
        p_values = sparse_p_values(self.counts, pairs, pearson=isinstance(self.test, X2), threads=self.threads)
        answers.results[few, 2] = np.log(p_values)
        independent = answers.results[:, 2] > self._verdict.log_alpha
        least = [smallest_sparse_p_value(self._n_rows((x, y))) for x, y in pairs.tolist()]
        independent[few] &= p_values > np.array(least)
        return replace(answers, independent=independent)

    def _n_rows(self, columns: Sequence[int]) -> int:
        """Return how many rows have a value in all of some columns."""
        return self.counts.n_observed(columns) if isinstance(self.counts, ObservedCounts) else self.counts.n_rows

    def _partly_counted(self, batch: Questions, sparse: Bools, stop: bool) -> Answers:
        """Answer the questions that have enough rows per cell."""
        fit = np.flatnonzero(~sparse)
        owner = np.repeat(np.arange(batch.xs.size), np.diff(batch.offsets))
        pairs, sizes = np.unique(owner[fit], return_counts=True)
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        results, independent = np.full((len(batch.sets), 3), np.nan), np.zeros(len(batch.sets), np.bool_)
        made = np.diff(batch.offsets)
        if fit.size:
            few = self._counted(Questions(batch.xs[pairs], batch.ys[pairs], offsets, batch.sets[fit]), stop)
            results[fit], independent[fit] = few.results, few.independent
        if stop:
            hits = np.flatnonzero(independent)
            made[owner[hits]] = hits + 1 - batch.offsets[owner[hits]]
        return Answers(results, independent, made)

    def _counted(self, batch: Questions, stop: bool) -> Answers:
        verdict = self._verdict
        asked = verdict if stop else Verdict(verdict.pearson)
        results, made = self.counts.statistics(batch, asked, self.threads)
        sizes = np.diff(batch.offsets)
        done = np.arange(len(batch.sets)) - np.repeat(batch.offsets[:-1], sizes) < np.repeat(made, sizes)
        least = np.full(len(batch.sets), verdict.least)
        if verdict.least > 0.0 and isinstance(self.counts, ObservedCounts):
            owner = np.repeat(np.arange(batch.xs.size), sizes)
            about = zip(batch.xs[owner].tolist(), batch.ys[owner].tolist(), batch.sets.tolist(), strict=True)
            least *= [self._n_rows((x, y, *given)) / self.counts.n_rows for x, y, given in about]
        found = done & ((results[:, 2] > verdict.log_alpha) | (results[:, 0] < least))
        if isinstance(self.test, Gain):
            results[:, 0] *= self.test.bits / np.maximum(least, np.finfo(float).tiny)  # from G² to bits
            results[:, 1:] = np.nan
        return Answers(results, found, made)

    def _tested(self, x: int, y: int, given: tuple[int, ...]) -> tuple[float, float, float, bool]:
        """Return statistic, degrees of freedom, log p and the verdict of one test."""
        if self._local is not None:
            gain = self._local.family(x, (*given, y)) - self._local.family(x, given)
            return gain, math.nan, math.nan, gain <= 0.0
        assert isinstance(self.test, Permutation)
        if self.lacks_rows(x, y, given):
            return math.nan, math.nan, math.nan, False
        statistic, p = permutation_p_value(self.counts, x, y, given, self.test)
        return statistic, math.nan, math.log(p), p > self.alpha


def _cells_of(batch: Questions, states: Floats) -> Floats:
    """Return how many cells the table of each question has."""
    pairs = np.repeat(states[batch.xs] * states[batch.ys], np.diff(batch.offsets))
    return np.asarray(pairs * states[batch.sets].prod(axis=1))


class OracleJudge:
    """Answers from a DAG, by d-separation, or from any function of two names and a set of names."""

    sets_at_once = 256

    def __init__(self, names: Sequence[str], oracle: Oracle) -> None:
        self.names, self.oracle = tuple(names), oracle
        if isinstance(oracle, DAG):
            ordered = oracle.reordered(self.names)
            self._parents, self._children = ordered.parent_masks, ordered.child_masks

    def can_test(self, x: int, y: int, around: int, size: int) -> bool:
        """Return True: an oracle has an answer to everything."""
        return True

    def decide(self, batch: Questions, *, stop: bool = True) -> Answers:
        """Answer a batch; ``stop`` at the first set that separates a pair."""
        return _one_by_one(batch, self._asked, stop)

    def _asked(self, x: int, y: int, given: tuple[int, ...]) -> tuple[float, float, float, bool]:
        if isinstance(self.oracle, DAG):
            known = sum(1 << v for v in given)
            answer = not reachable(self._parents, self._children, 1 << x, known) >> y & 1
        else:
            answer = bool(self.oracle(self.names[x], self.names[y], frozenset(self.names[v] for v in given)))
        return math.nan, math.nan, math.nan, answer


def _one_by_one(
    batch: Questions, ask: Callable[[int, int, tuple[int, ...]], tuple[float, float, float, bool]], stop: bool
) -> Answers:
    """Answer a batch one test after the other."""
    results = np.zeros((len(batch.sets), 3))
    independent, made = np.zeros(len(batch.sets), np.bool_), np.zeros(batch.xs.size, np.int64)
    offsets, sets = batch.offsets.tolist(), batch.sets.tolist()
    for p, (x, y) in enumerate(zip(batch.xs.tolist(), batch.ys.tolist(), strict=True)):
        for t in range(offsets[p], offsets[p + 1]):
            *results[t], independent[t] = ask(x, y, tuple(sets[t]))
            made[p] += 1
            if stop and independent[t]:
                break
    return Answers(results, independent, made)
