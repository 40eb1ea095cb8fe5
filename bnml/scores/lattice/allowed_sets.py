"""The parent sets that rules allow, listed."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bnml._bits import bits
from bnml.graph import Rules

FEW_LINKS = 10  # required links of a variable whose subsets are all looked at


def allowed_sets(rules: Rules, i: int, most: float = math.inf) -> npt.NDArray[np.int64]:
    """Return all parent sets that the rules allow to a variable; only some, if there are more than ``most``."""
    sets = np.array([rules.must[i]], np.int64)
    for j in bits(rules.may[i] & ~rules.must[i]):
        if sets.size > most:
            break
        more = sets | (1 << j)
        sets = np.concatenate([sets, more[sets_that_fit(rules, i, more)]])
    return sets[sets_that_fit(rules, i, sets)]


def sets_that_fit(rules: Rules, i: int, sets: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Return which sets are not too many parents for a variable, nor make a family of too many cells."""
    fitting = np.bitwise_count(sets) <= rules.most
    if rules.sparse:
        cells = np.full(sets.size, float(rules.arities[i]))
        for j, r in enumerate(rules.arities):
            cells *= np.where(sets >> j & 1, float(r), 1.0)
        fitting &= (sets == 0) | (cells <= rules.most_cells(i))
    return np.asarray(fitting)
