"""Results as plain values: bnml/_plain.py."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bnml._plain import plain, records


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (np.bool_(True), True),
        (3, 3),
        (np.int8(3), 3),
        (10**40, 10**40),
        (0.5, 0.5),
        (np.float64(0.5), 0.5),
        (np.float32(0.5), 0.5),
        (float("nan"), None),
        (np.float64("inf"), None),
        ("A", "A"),
        (np.str_("A"), "A"),
        (Path("a") / "b", str(Path("a") / "b")),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (np.array([1.0, np.nan]), [1.0, None]),
        ({1: ("A", np.float64(2.0))}, {"1": ["A", 2.0]}),
    ],
)
def test_plain_values(value, expected):
    found = plain(value)
    assert found == expected
    assert type(found) is type(expected)
    json.dumps(found, allow_nan=False)


def test_records():
    frame = pd.DataFrame({"a": ["x", "y"], "n": np.array([1, 2], np.int32), "p": [0.5, np.nan]})
    assert records(frame) == [{"a": "x", "n": 1, "p": 0.5}, {"a": "y", "n": 2, "p": None}]
