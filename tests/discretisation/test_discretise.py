"""Cuts by turns with a network."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.errors import ArgumentError, MissingError


def chain(n: int = 800) -> pd.DataFrame:
    """Return x -> y -> z, where y is cut at other places for x than for z."""
    rng = np.random.default_rng(2)
    x = rng.integers(0, 2, n)
    y = rng.normal(2.0 * x, 0.7)
    z = (rng.random(n) < np.where(y > 2.6, 0.9, 0.1)).astype(int)
    return pd.DataFrame({"x": x, "y": y.round(2), "z": z, "noise": rng.normal(0, 1, n).round(2)})


def test_cuts_follow_the_neighbours():
    data = bnml.discretise(chain())
    assert any(abs(cut - 2.6) < 0.2 for cut in data.cuts["y"])
    assert any(abs(cut - 1.0) < 0.4 for cut in data.cuts["y"])
    assert data.cuts["noise"] == bnml.read(chain(), bins="auto").cuts["noise"]
    assert bnml.learn(data).cpdag.undirected


def test_the_order_of_columns_does_not_matter():
    frame = chain(300)
    other = frame.iloc[::-1, ::-1]
    assert dict(bnml.discretise(frame).cuts) == dict(bnml.discretise(other).cuts)


def test_arguments_of_read():
    frame = chain(200)
    frame["w"] = 1
    frame.loc[3, "y"] = np.nan
    with pytest.raises(MissingError):
        bnml.discretise(frame)
    data = bnml.discretise(frame, "bic", "climb", missing="state", weights="w", bins={"noise": [0.0], "*": "auto"})
    assert data.cuts["noise"] == (0.0,)
    assert data.states[1][-1] == "?"
    with pytest.raises(ArgumentError, match="discretise has no argument 'seed'"):
        bnml.discretise(frame, seed=1)


def test_nothing_to_cut():
    data = bnml.discretise(chain(100)[["x", "z"]])
    assert not data.cuts
    assert bnml.discretise(chain(100)[["y"]]).arities == (3,)


def test_a_search_by_tests():
    assert "y" in bnml.discretise(chain(300), search="pc").cuts
