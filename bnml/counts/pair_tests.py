"""Batches of tests of independence over the distinct rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from bnml._arrays import Floats, Ints
from bnml._machine import cores, run_all
from bnml.counts.chi_square import Questions, Verdict, chi_square_statistic, log_survival
from bnml.counts.counts import Cells
from bnml.counts.in_memory import CODES_PER_TASK, DistinctRows


def pair_tests_fit(rows: DistinctRows, questions: Questions) -> bool:
    """Whether the table of every test is small enough for the kernel."""
    from bnml.counts._kernels import MAX_DENSE

    arities, sets = rows.arities, questions.sets
    cells = arities[sets].prod(axis=1, dtype=np.float64) if sets.shape[1] else np.ones(len(sets))
    cells *= np.repeat(arities[questions.xs] * arities[questions.ys], np.diff(questions.offsets))
    return bool(cells.max(initial=0.0) <= MAX_DENSE)


def pair_tests_in_memory(
    rows: DistinctRows, questions: Questions, verdict: Verdict, threads: int | None
) -> tuple[Floats, Ints]:
    """Return for each test its statistic, degrees of freedom and log p, and for each pair how many were made."""
    from bnml.counts._kernels import run_pair_tests

    xs, ys, offsets, sets = questions.xs, questions.ys, questions.offsets, questions.sets
    results, made = np.zeros((len(sets), 3)), np.zeros(xs.size, np.int64)

    def task(start: int, last: int) -> None:
        part = (xs[start:last], ys[start:last], offsets[start : last + 1], sets)
        run_pair_tests(tuple(rows), part, tuple(verdict), results, made[start:last])

    codes = (len(sets) * (2 + sets.shape[1]) + xs.size) * rows.n_distinct
    workers = cores(threads) if codes > 4_000_000 else 1  # more codes to visit pay for a second thread
    parts = max(1 if workers == 1 else 8 * workers, -(-codes // CODES_PER_TASK))
    parts = max(1, min(parts, xs.size))
    run_all(task, pairwise(xs.size * i // parts for i in range(parts + 1)), workers)
    return results, made


def pair_tests_one_by_one(
    cells: Callable[[Sequence[int]], Cells], questions: Questions, verdict: Verdict
) -> tuple[Floats, Ints]:
    """Return the same from the cells that occur, one test after the other."""
    results, made = np.zeros((len(questions.sets), 3)), np.zeros(questions.xs.size, np.int64)
    offsets, sets = questions.offsets.tolist(), questions.sets.tolist()
    for p, (x, y) in enumerate(zip(questions.xs.tolist(), questions.ys.tolist(), strict=True)):
        for t in range(offsets[p], offsets[p + 1]):
            own = cells(sorted((*sets[t], x, y)))
            statistic, freedom = chi_square_statistic(own, x, y, sets[t], pearson=verdict.pearson)
            log_p = log_survival(statistic, freedom)
            results[t] = statistic, freedom, log_p
            made[p] += 1
            if log_p > verdict.log_alpha or statistic < verdict.least:
                break
    return results, made
