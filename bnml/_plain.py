"""Plain values: results as JSON can say them and every door can show them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def plain(value: Any) -> Any:
    """Return a value as texts, whole numbers, floats, truth values, None, and lists and dicts of them.

    Scalars and arrays of NumPy become numbers and lists, floats that are not finite become None, and whatever else
    there is, such as a path, becomes its text.

    Examples
    --------
    >>> import numpy
    >>> plain({"arcs": (("A", "B"),), "support": numpy.float64(0.5), "within": float("inf")})
    {'arcs': [['A', 'B']], 'support': 0.5, 'within': None}
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):  # of NumPy, which need not be loaded to know
        return plain(value.tolist())
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return str(value)


def attributes(result: Any, *names: str) -> dict[str, Any]:
    """Return some attributes of a result as plain values."""
    return {name: plain(getattr(result, name)) for name in names}


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as plain values: each a dict with the names of the columns as keys."""
    return [plain(row) for row in frame.to_dict("records")]
