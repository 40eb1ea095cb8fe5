"""The parent sets that rules allow, listed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bnml._bits import bits
from bnml.graph import Rules

__all__ = ["FEW_LINKS", "allowed_sets"]

FEW_LINKS = 10  # required links of a variable whose subsets are all looked at


def allowed_sets(rules: Rules, i: int) -> npt.NDArray[np.int64]:
    """Return all parent sets that the rules allow to a variable."""
    sets = np.array([rules.must[i]], np.int64)
    for j in bits(rules.may[i] & ~rules.must[i]):
        more = sets | (1 << j)
        sets = np.concatenate([sets, more[np.bitwise_count(more) <= rules.most]])
    return sets[np.bitwise_count(sets) <= rules.most]
