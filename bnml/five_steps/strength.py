"""How strong a dependence is, as a number from 0 to 1."""

from __future__ import annotations

from typing import Any

import numpy as np


def strength_of(information: Any, degrees_of_freedom: Any, n_rows: int) -> Any:
    """Return the strength of dependences in a study: √(1 - exp(-2 I)), I being the information less d/(2 N), or 0.

    Examples
    --------
    >>> round(float(strength_of(0.5, 1, 1000)), 3), float(strength_of(0.01, 40, 1000))
    (0.795, 0.0)
    """
    chance = np.asarray(degrees_of_freedom, float) / (2.0 * n_rows)
    return np.sqrt(-np.expm1(-2.0 * np.maximum(np.asarray(information, float) - chance, 0.0)))
