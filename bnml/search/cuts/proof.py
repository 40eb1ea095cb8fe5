"""The bound on scores that multipliers of inequalities prove, in whole numbers.

Let x be the families of a structure, one per variable, and let all structures meet ``a_k x <= b_k``. Then for *any*
multipliers m_k >= 0, whoever found them,

    score(x) <= sum over variables of  max over families of (score - sum over k of m_k a_k)  +  sum over k of m_k b_k.

So nothing here rests on how exactly a linear program was solved. Scores are rounded up, and multipliers to the
nearest, to whole multiples of a power of two; the rest is sums of 64-bit integers, which are exact. What each variable
scores at most is left out of these sums and added at the end, so that large scores do not make them coarse.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bnml.search.cuts.family_arrays import Bools, FamilyArrays, Floats
from bnml.search.cuts.rows import Row

DIGITS = 51  # bits of the largest sum that can occur, so that floats hold it
GONE = -(1 << 60)


@dataclass(frozen=True)
class Proof:
    """What multipliers prove.

    ``bound``: no structure has a higher score. ``ceilings``: no structure with this family has a higher score, by
    family; -inf for those that are out of the question.
    """

    bound: float
    ceilings: Floats


def proven_bound(
    problem: FamilyArrays, rows: Sequence[Row], multipliers: Sequence[float] | Floats, allowed: Bools | None = None
) -> Proof:
    """Return the bound that multipliers prove; negative ones count as 0.

    Parameters
    ----------
    problem
        The families.
    rows
        Inequalities that all structures meet.
    multipliers
        One for each.
    allowed
        The families that structures may have, by default all.
    """
    used = [(row, float(m)) for row, m in zip(rows, multipliers, strict=True) if m > 0.0]
    widest = sum(m * (abs(row.most) + problem.n * int(np.abs(row.coefficients).max(initial=0))) for row, m in used)
    highest = np.maximum.reduceat(problem.scores, problem.first[:-1])
    below = np.nextafter(problem.scores - highest[problem.child], np.inf)
    spread = float(-np.minimum.reduceat(below, problem.first[:-1]).sum())
    unit = 2.0 ** (math.ceil(math.log2(1.0 + abs(spread) + widest)) - DIGITS)
    values = np.ceil(below / unit).astype(np.int64)
    constant = 0
    for row, m in used:
        whole = round(m / unit)
        values[row.families] -= whole * row.coefficients
        constant += whole * row.most
    if allowed is not None:
        values[~allowed] = GONE
    best = np.maximum.reduceat(values, problem.first[:-1])
    if (best == GONE).any():
        return Proof(-math.inf, np.full(values.size, -math.inf))
    bound, base = int(best.sum()) + constant, math.nextafter(math.fsum(highest.tolist()), math.inf)
    ceilings = np.nextafter(base + (bound - best[problem.child] + values).astype(np.float64) * unit, np.inf)
    ceilings[values == GONE] = -math.inf
    return Proof(math.nextafter(base + bound * unit, math.inf), ceilings)
