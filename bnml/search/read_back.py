"""Reading the best network off the scores of the best networks on all subsets.

There may be several. Which of them is found must not depend on the order of columns, on blocks or on threads, so names
decide. Scores that differ by less than the rounding of a computer count as equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml.search.best_networks import Subsets


def read_back_by_names(subsets: Subsets, names: Sequence[str], slack: float) -> list[int]:
    """Read back the parents of each variable in an optimal network; of the sinks it may have, the last name goes last.

    The fast way, for scores that do not distinguish equivalent networks: any member of a class will do.
    """
    by_name = sorted(range(subsets.n), key=lambda i: names[i], reverse=True)
    parents = [0] * subsets.n
    left = (1 << subsets.n) - 1
    while left:
        sink = next(i for i in by_name if left >> i & 1 and _is_sink(subsets, left, i, slack))
        left ^= 1 << sink
        parents[sink] = _first_by_name(subsets.families.equals(sink, left, slack)[1], names)
    return parents


def _is_sink(subsets: Subsets, whole: int, i: int, slack: float) -> bool:
    """Whether a variable is the sink of an optimal network on a set."""
    total = _total(subsets, whole)
    return _total(subsets, whole ^ (1 << i)) + subsets.best(i, whole) >= total - slack


def _total(subsets: Subsets, members: int) -> float:
    return float(subsets.total[members >> subsets.n_low, members & ((1 << subsets.n_low) - 1)])


def _first_by_name(sets: Sequence[int], names: Sequence[str]) -> int:
    """Return the parents that make the smallest text."""

    def text(members: int) -> list[str]:
        return sorted(name for i, name in enumerate(names) if members >> i & 1)

    return min(sets, key=text)


def read_back_by_model_string(subsets: Subsets, names: Sequence[str], slack: float) -> list[int]:
    """Read back the parents of each variable in the optimal network with the lexicographically smallest model string.

    A model string lists each variable after its parents. So it is built from the left: of the variables that can come
    next in an optimal order, the one with the smallest name. Which sets optimal orders pass through is marked first.
    """
    marks = _marks(subsets, slack)
    by_name = sorted(range(subsets.n), key=lambda i: names[i])
    parents = [0] * subsets.n
    done, whole = 0, (1 << subsets.n) - 1
    while done != whole:
        for i in by_name:
            larger = done | (1 << i)
            if larger == done or not marks[larger >> subsets.n_low, larger & ((1 << subsets.n_low) - 1)]:
                continue
            gain, equals = subsets.families.equals(i, done, slack)
            if _total(subsets, done) + gain >= _total(subsets, larger) - slack:
                parents[i] = _first_by_name(equals, names)
                done = larger
                break
        else:
            raise AssertionError("no optimal order goes on from a set that one passes through")
    return parents


def _marks(subsets: Subsets, slack: float) -> npt.NDArray[np.bool_]:
    """Return which sets some optimal order of all variables passes through."""
    from bnml.search._kernels import mark

    marks = np.zeros(subsets.total.shape, bool)
    marks[-1, -1] = True
    for top in range(marks.shape[0] - 1, -1, -1):
        if not marks[top].any():
            continue
        own: npt.NDArray[Any] = subsets.total[top]
        best = subsets.best_low(top)
        width = min(own.size, 1 << 20)
        for first in range(own.size - width, -1, -width):
            mark(own, best, slack, first, first + width, marks[top])
        for i, gains in subsets.best_high(top).items():
            rest = top ^ (1 << (i - subsets.n_low))
            reached = subsets.total[rest].astype(np.float64) + gains >= own.astype(np.float64) - slack
            marks[rest] |= marks[top] & reached
    return marks
