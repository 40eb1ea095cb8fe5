"""The bootstrap: what it draws, what it counts, and the threshold."""

from __future__ import annotations

import numpy as np
import pytest

import bnml
from bnml.errors import BnmlError
from bnml.uncertainty.bootstrap import Bootstrap, threshold_of


def test_same_seed_same_result_on_any_number_of_threads():
    data = bnml.example()
    one = bnml.bootstrap(data, "bic", "climb", repetitions=12, seed=4, threads=1)
    two = bnml.bootstrap(data, "bic", "climb", repetitions=12, seed=4, threads=2)
    assert (one.support == two.support).all()
    assert not (one.support == bnml.bootstrap(data, "bic", "climb", repetitions=12, seed=5).support).all()


def test_a_strong_link_is_always_found_and_no_other():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 500)
    table = np.column_stack([a, a ^ (rng.random(500) < 0.1), rng.integers(0, 2, 500)])
    found = bnml.bootstrap(table, "bic", "exact", repetitions=30)
    assert found.links[0, 1] == 1.0
    assert found.support[0, 1] == pytest.approx(0.5, abs=0.1)
    assert found.links[0, 2] < 0.3
    assert found.dag.skeleton() == (("X0", "X1"),)
    assert "X0 -> X1" in str(found)
    assert "<table" in found._repr_html_()


def test_options_are_those_of_learn():
    known = bnml.Constraints(forbidden_links=[("either", "xray")])
    found = bnml.bootstrap(bnml.example(), "bic", "climb", repetitions=5, constraints=known, max_parents=1)
    at = found.names.index
    assert found.links[at("either"), at("xray")] == 0.0
    assert max(map(len, found.dag.parent_sets)) <= 3


def test_no_cycle_in_the_average():
    support = np.array([[0.0, 0.9, 0.1], [0.1, 0.0, 0.9], [0.9, 0.1, 0.0]])
    average = Bootstrap(("A", "B", "C"), support, 0.5, 10, "climb", "bic", 0.0).dag
    assert len(average.arcs) == 3


@pytest.mark.parametrize(
    ("supports", "expected"),
    [([0.0, 0.0, 1.0, 1.0], 1.0), ([0.0, 0.05, 0.1, 0.9, 0.95], 0.9), ([], 1.0), ([0.0, 0.0], 1.0), ([1.0], 1.0)],
)
def test_threshold(supports, expected):
    assert threshold_of(np.array(supports)) == pytest.approx(expected)


@pytest.mark.parametrize(
    "wrong",
    [{"repetitions": 0}, {"repetitions": 1.5}, {"seed": -1}, {"search": "magic"}, {"score": "bicc"}, {"threads": 0}],
)
def test_wrong_arguments(wrong):
    with pytest.raises(BnmlError, match=str(next(iter(wrong.values())))):
        bnml.bootstrap(bnml.example(), **{"repetitions": 2, **wrong})
