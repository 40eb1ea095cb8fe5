"""Judges: what answers questions of independence, from a table or from an oracle.

A judge is asked in batches: pairs of variables, and for each pair the sets that might separate it, all of one size. It
goes through the sets of a pair and stops at the first that does, unless all are wanted. Variables are positions in the
judge's ``names``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
import numpy.typing as npt

from bnml._threads import cores, run_all
from bnml.counts import occupied
from bnml.counts.sums import arities_of
from bnml.data import Data
from bnml.graph import DAG
from bnml.graph.separation import reachable
from bnml.independence.chi_square import log_p_values
from bnml.independence.permutation import permutation_p_value
from bnml.independence.tests import G2, X2, Criterion, Gain, Permutation, Scored
from bnml.scores import LocalScores

__all__ = ["Answers", "DataJudge", "Judge", "Oracle", "OracleJudge", "Questions"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Oracle = DAG | Callable[[str, str, frozenset[str]], bool]

NEVER = 1.0  # no logarithm of a p-value is larger
WORTH_A_THREAD = 4_000_000  # codes to visit before a second thread pays
CODES_PER_TASK = 80_000_000  # well under 0.3 s


@dataclass(frozen=True)
class Questions:
    """Questions: pair p is ``xs[p], ys[p]`` and has the sets ``sets[offsets[p]:offsets[p + 1]]``."""

    xs: Ints
    ys: Ints
    offsets: Ints
    sets: Ints


@dataclass(frozen=True)
class Answers:
    """For each test its statistic, degrees of freedom and log p, and whether it found independence.

    Of pair p the first ``made[p]`` tests were made.
    """

    results: Floats
    independent: Bools
    made: Ints


class Judge(Protocol):
    """What answers questions of independence."""

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""

    @property
    def sets_at_once(self) -> int:
        """How many sets of a pair to ask for in one batch."""

    def decide(self, batch: Questions, *, stop: bool = True) -> Answers:
        """Answer a batch; ``stop`` at the first set that separates a pair."""


class DataJudge:
    """Answers from a table, by a test."""

    def __init__(
        self, data: Data, names: Sequence[str], test: Criterion, alpha: float, threads: int | None = None
    ) -> None:
        self.data, self.names, self.test, self.alpha = data, tuple(names), test, alpha
        self.threads = cores(threads)
        self._at = np.array([data.index(name) for name in names], np.int64)
        self._local = LocalScores(data, test.parsed) if isinstance(test, Scored) else None

    @property
    def sets_at_once(self) -> int:
        """How many sets of a pair to ask for in one batch: what takes a fraction of a second."""
        if isinstance(self.test, G2 | X2 | Gain):
            return max(16, min(4096, CODES_PER_TASK // max(1, self.data.n_distinct)))
        return 64

    @property
    def _least(self) -> float:
        """The G² below which a gain counts as none."""
        return 2.0 * self.data.n_rows * math.log(2.0) * self.test.bits if isinstance(self.test, Gain) else -1.0

    def decide(self, batch: Questions, *, stop: bool = True) -> Answers:
        """Answer a batch; ``stop`` at the first set that separates a pair."""
        asked = Questions(self._at[batch.xs], self._at[batch.ys], batch.offsets, self._at[batch.sets])
        counted = isinstance(self.test, G2 | X2 | Gain)
        return self._counted(asked, stop) if counted else _one_by_one(asked, self._tested, stop)

    def _counted(self, batch: Questions, stop: bool) -> Answers:
        from bnml.independence._kernels import MAX_CELLS, run_batch

        data, arities = self.data, arities_of(self.data)
        xs, ys, offsets, sets = batch.xs, batch.ys, batch.offsets, batch.sets
        cells = arities[sets].prod(axis=1, dtype=np.float64) if sets.shape[1] else np.ones(len(sets))
        sizes = np.diff(offsets)
        cells *= np.repeat(arities[xs] * arities[ys], sizes)
        if (cells > MAX_CELLS).any():
            return _one_by_one(batch, self._tested, stop)
        kind = 1 if isinstance(self.test, X2) else 0
        log_alpha = math.log(self.alpha) if self.test.uses_alpha else NEVER
        least = self._least
        results, made = np.zeros((len(sets), 3)), np.zeros(xs.size, np.int64)
        columns, weights = data.columns, _narrow_weights(data)
        limits = (log_alpha, least) if stop else (NEVER, -1.0)

        def task(start: int, last: int) -> None:
            run_batch(
                columns, weights, arities, xs[start:last], ys[start:last], offsets[start : last + 1], sets, kind,
                *limits, results, made[start:last],
            )  # fmt: skip

        codes = (len(sets) * (2 + sets.shape[1]) + xs.size) * data.n_distinct
        workers = self.threads if codes > WORTH_A_THREAD else 1
        parts = max(1 if workers == 1 else 8 * workers, -(-codes // CODES_PER_TASK))
        parts = max(1, min(parts, xs.size))
        run_all(task, pairwise(xs.size * i // parts for i in range(parts + 1)), workers)
        done = np.arange(len(sets)) - np.repeat(offsets[:-1], sizes) < np.repeat(made, sizes)
        found = done & ((results[:, 2] > log_alpha) | (results[:, 0] < least))
        return Answers(results, found, made)

    def _tested(self, x: int, y: int, given: tuple[int, ...]) -> tuple[float, float, float, bool]:
        """Return statistic, degrees of freedom, log p and the verdict of one test."""
        test = self.test
        if self._local is not None:
            gain = self._local.family(x, (*given, y)) - self._local.family(x, given)
            return gain, math.nan, math.nan, gain <= 0.0
        if isinstance(test, Permutation):
            statistic, p = permutation_p_value(self.data, x, y, given, test)
            return statistic, math.nan, math.log(p), p > self.alpha
        statistic, freedom = large_table(self.data, x, y, given, pearson=isinstance(test, X2))
        log_p = float(log_p_values(statistic, freedom))
        independent = log_p > math.log(self.alpha) if test.uses_alpha else statistic < self._least
        return statistic, freedom, log_p, independent


def large_table(data: Data, x: int, y: int, given: Sequence[int], *, pearson: bool = False) -> tuple[float, float]:
    """Return G² (or X²) and degrees of freedom from the cells that occur, however many there could be."""
    s, s_x, s_y, cells = (occupied(data, sorted((*given, *more))) for more in ((), (x,), (y,), (x, y)))
    n = cells.counts.astype(np.float64)
    total = s.counts[s.labels[cells.rows]]
    expected = s_x.counts[s_x.labels[cells.rows]] * (s_y.counts[s_y.labels[cells.rows]] / total)
    freedom = (np.bincount(s.labels[s_x.rows]) - 1) @ (np.bincount(s.labels[s_y.rows]) - 1)
    # what is expected in empty cells adds itself to X²
    terms = n * (n / expected) if pearson else 2.0 * n * np.log(n / expected)
    statistic = float(terms.sum()) - (data.n_rows if pearson else 0)
    return (max(statistic, 0.0) if freedom else 0.0), float(freedom)


class OracleJudge:
    """Answers from a DAG, by d-separation, or from any function of two names and a set of names."""

    sets_at_once = 256

    def __init__(self, names: Sequence[str], oracle: Oracle) -> None:
        self.names, self.oracle = tuple(names), oracle
        if isinstance(oracle, DAG):
            ordered = oracle.reordered(self.names)
            self._parents, self._children = ordered.parent_masks, ordered.child_masks

    def decide(self, batch: Questions, *, stop: bool = True) -> Answers:
        """Answer a batch; ``stop`` at the first set that separates a pair."""
        return _one_by_one(batch, self._asked, stop)

    def _asked(self, x: int, y: int, given: tuple[int, ...]) -> tuple[float, float, float, bool]:
        if isinstance(self.oracle, DAG):
            known = sum(1 << v for v in given)
            answer = not reachable(self._parents, self._children, 1 << x, known) >> y & 1
        else:
            answer = bool(self.oracle(self.names[x], self.names[y], frozenset(self.names[v] for v in given)))
        return math.nan, math.nan, 0.0 if answer else -math.inf, answer


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


def _narrow_weights(data: Data) -> npt.NDArray[np.integer]:
    """Return the weights in the narrowest type that holds their sum."""
    kept: npt.NDArray[np.integer] | None = data.memo.get("narrow weights of tests")
    if kept is None:
        kept = data.memo["narrow weights of tests"] = data.weights.astype(
            np.int32 if data.n_rows < 1 << 31 else np.int64
        )
    return kept
