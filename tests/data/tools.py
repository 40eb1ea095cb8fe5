"""Small helpers of these tests."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bnml.data import Data

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


def shared(name: str) -> Path:
    """Return a folder of reference data; skip the test where it is not there."""
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"the reference data {name!r} are not there")
    return folder


def labels(data: Data) -> list[list[Any]]:
    """Return the rows of a table as labels, in the order of the source."""
    assert data.row_index is not None
    return [[states[code] for states, code in zip(data.states, data.codes[i], strict=True)] for i in data.row_index]


def counts(data: Data) -> Counter[tuple[Any, ...]]:
    """Return the distinct rows as labels, with their weights."""
    rows = [tuple(s[code] for s, code in zip(data.states, row, strict=True)) for row in data.codes]
    return Counter(dict(zip(rows, data.weights.tolist(), strict=True)))


def check(data: Data) -> None:
    """Check what holds for every table."""
    assert data.codes.shape == (data.n_distinct, len(data.names))
    assert data.n_distinct == len(data.weights)
    assert len(data.states) == len(data.names) == len(set(data.names))
    assert data.arities == tuple(len(states) for states in data.states)
    assert data.n_rows == len(data) == int(data.weights.sum())
    assert (data.weights > 0).all()
    assert (data.codes < np.array(data.arities)).all()
    rows = data.codes.tolist()
    assert rows == sorted(rows)
    assert len({tuple(row) for row in rows}) == len(rows)
    if data.row_index is not None:
        assert data.row_index.min() >= 0
        assert data.row_index.max() < data.n_distinct
    for array in (data.codes, data.weights, data.row_index, data.column_codes):
        assert array is None or not array.flags.writeable
