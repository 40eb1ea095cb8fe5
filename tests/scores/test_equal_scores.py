"""When two scores count as equal."""

from __future__ import annotations

import math

import pytest

from bnml.scores.base import score_tolerance


@pytest.mark.parametrize(("score", "expected"), [(0.0, 1e-9), (-1e3, 1e-9), (-1e4, 1e-8), (1e6, 1e-6)])
def test_the_larger_of_the_absolute_and_the_relative_part_counts(score: float, expected: float) -> None:
    assert math.isclose(score_tolerance(score), expected)
