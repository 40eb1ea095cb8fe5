"""What scores are built from: shapes, prices, hyperparameters."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bnml.errors import ScoreError
from bnml.scores import BD, Shape
from bnml.scores.base import per_parameter, positive
from bnml.scores.loglik import n_log_n


def test_a_shape_has_all_counts_or_some():
    assert Shape(3, (2, 2)).counts.tolist() == [0, 1, 2, 3]
    assert Shape(10**12, (2, 2), np.array([0, 7])).counts.tolist() == [0, 7]
    assert Shape(3, (2, 2)).n_variables == 2


def test_n_log_n():
    assert n_log_n(np.array([0, 1, 2])).tolist() == [0.0, 0.0, 2 * math.log(2)]


def test_what_a_parameter_costs():
    """Infinitely many parameters cost everything, unless they are free."""
    q = np.array([1.0, 6.0, math.inf])
    assert per_parameter(2.0)(q, q, q).tolist() == [0.0, -10.0, -math.inf]
    assert per_parameter(0.0)(q, q, q).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("value", [1, 2.5, "3", np.float32(0.5), np.int64(4), 1e-320])
def test_positive_numbers(value):
    assert positive(value, "alpha", "BD") == float(value)


@pytest.mark.parametrize(
    "value", [0, -1, math.nan, math.inf, True, None, "x", "", "inf", 10**400, [1], 1j, np.array([1.0, 2.0])]
)
def test_other_values(value):
    with pytest.raises(ScoreError, match=r"BD: alpha=.*expected a positive number"):
        BD(alpha=value)
