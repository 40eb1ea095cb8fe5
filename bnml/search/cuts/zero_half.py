"""Zero-half inequalities (Caprara & Fischetti 1996): half the sum of some inequalities, rounded down.

All coefficients are whole numbers, and a structure has a family or not. So if a sum of inequalities, with equations
among them, is halved, its coefficients may be rounded down, and then the right side, too: the left is a whole number.
All this is done in whole numbers, and so is exact; what comes out can take part in further sums.

Rounding loses half of each family whose coefficient is odd, and half of the slack of each inequality, and gains a half
if the right side is odd. So a sum is wanted that is odd on the right and has few odd coefficients of families that are
in the solution. Elimination modulo 2 finds some (Andreello, Caprara & Fischetti 2007).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bnml.search.cuts.family_arrays import FamilyArrays, Floats, Ints
from bnml.search.cuts.rows import Row

POSITIVE = 1e-6
LEAST = 0.01  # by how much the inequality must be violated


def half_sum(problem: FamilyArrays, rows: Sequence[Row], variables: Ints) -> Row:
    """Return half the sum of inequalities and of the equations of variables, rounded down.

    Equations are subtracted so that of each variable most coefficients are 0.
    """
    from bnml.search.cuts._zero_half_kernels import shorten_zero_half

    total = np.zeros(problem.scores.size, np.int64)
    for x in variables.tolist():
        total[problem.first[x] : problem.first[x + 1]] += 1
    for row in rows:
        total[row.families] += row.coefficients
    total //= 2
    most = (variables.size + sum(row.most for row in rows)) // 2 - int(shorten_zero_half(problem.first, total))
    families = np.flatnonzero(total)
    coefficients = total[families]
    return Row(b"sum %d " % most + families.tobytes() + coefficients.tobytes(), families, coefficients, most)


def zero_half(problem: FamilyArrays, rows: Sequence[Row], values: Floats, at_most: int, seed: int) -> list[Row]:
    """Return zero-half inequalities that fractions of families violate, the deepest first."""
    n = problem.n
    slacks = np.array([row.most - values[row.families] @ row.coefficients for row in rows])
    slacks[slacks < POSITIVE] = 0.0
    near = np.flatnonzero(slacks < 1.0 - 2 * LEAST)
    parts = [rows[k] for k in near.tolist()]
    have = {row.key for row in rows}
    cuts: dict[bytes, tuple[float, Row]] = {}
    seen: set[bytes] = set()
    for sums in _sums(problem, parts, slacks[near], values, seed):
        for chosen in sums:
            if chosen.tobytes() in seen:
                continue
            seen.add(chosen.tobytes())
            cut = half_sum(problem, [parts[k - n] for k in chosen[chosen >= n].tolist()], chosen[chosen < n])
            amount = float(values[cut.families] @ cut.coefficients) - cut.most
            # larger coefficients are of no use
            if amount > LEAST and cut.key not in have and np.abs(cut.coefficients).max(initial=0) <= 8:
                cuts[cut.key] = (amount / float(np.linalg.norm(cut.coefficients)), cut)
        if len(cuts) >= at_most:
            break
    ranked = sorted(cuts.items(), key=lambda entry: (-round(entry[1][0], 9), entry[0]))
    return [cut for _, (_, cut) in ranked[:at_most]]


def _sums(
    problem: FamilyArrays, rows: Sequence[Row], slacks: Floats, values: Floats, seed: int
) -> Iterator[list[Ints]]:
    """Yield sums of few odd coefficients, the best first: the numbers of equations, then those of inequalities."""
    from bnml.search.cuts._zero_half_kernels import odd_sums

    n, count = problem.n, problem.n + len(rows)
    used = np.flatnonzero(values > POSITIVE)
    weights, columns = np.round(values[used], 9), used.size
    place = np.full(values.size, -1)
    place[used] = np.arange(columns)
    odd = np.zeros((count, columns + 1 + count), np.uint8)
    odd[problem.child[used], np.arange(columns)] = 1
    odd[:n, columns] = 1
    for k, row in enumerate(rows, n):
        where = place[row.families]
        odd[k, where[where >= 0]] = row.coefficients[where >= 0] & 1
        odd[k, columns] = row.most & 1
    odd[np.arange(count), columns + 1 + np.arange(count)] = 1
    slack = np.concatenate((np.zeros(n), slacks))
    found = np.empty((2000, 1 + count))  # sums that are noted
    rng = np.random.default_rng(seed)
    for turn in range(5):  # eliminations, each in another order, until enough are found
        order = np.argsort(-weights * (rng.uniform(0.3, 1.0, columns) if turn else 1.0), kind="stable")
        size = odd_sums(odd.copy(), weights, slack, order, 1.0 - 2 * LEAST, found)
        best = np.argsort(np.round(found[:size, 0], 9), kind="stable")
        yield [np.flatnonzero(found[k, 1:]) for k in best[:160].tolist()]  # those that lose least
