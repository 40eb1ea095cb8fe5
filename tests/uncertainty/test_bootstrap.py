"""The bootstrap: what it draws, what it counts, and the threshold."""

from __future__ import annotations

import time
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.data.resampling import halves
from bnml.errors import BnmlError, SearchError
from bnml.uncertainty.bootstrap import Bootstrap, bootstrap_threshold


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


def test_no_direction_that_constraints_rule_out_is_counted():
    known = bnml.Constraints(tiers=[["asia", "smoke"], ["tub", "lung", "bronc"]], required=[("either", "xray")])
    found = bnml.bootstrap(bnml.example(), "bic", "exact", repetitions=6, constraints=known)
    at = found.names.index
    for a, b in (("smoke", "bronc"), ("smoke", "lung"), ("either", "xray")):
        assert found.support[at(a), at(b)] == found.links[at(a), at(b)] == 1.0
    assert found.support[at("bronc"), at("smoke")] == 0.0
    assert ("smoke", "bronc") in found.dag.arcs


def test_no_cycle_in_the_average():
    support = np.array([[0.0, 0.9, 0.1], [0.1, 0.0, 0.9], [0.9, 0.1, 0.0]])
    average = Bootstrap(("A", "B", "C"), support, 0.5, 10, "climb", "bic", 0.0).dag
    assert len(average.arcs) == 3


@pytest.mark.parametrize(
    ("supports", "expected"),
    [([0.0, 0.0, 1.0, 1.0], 1.0), ([0.0, 0.05, 0.1, 0.9, 0.95], 0.9), ([], 1.0), ([0.0, 0.0], 1.0), ([1.0], 1.0)],
)
def test_threshold(supports, expected):
    assert bootstrap_threshold(np.array(supports)) == pytest.approx(expected)


@pytest.mark.parametrize(
    "wrong",
    [
        {"repetitions": 0},
        {"repetitions": 1.5},
        {"seed": -1},
        {"search": "magic"},
        {"score": "bicc"},
        {"threads": 0},
        {"progress": True},
    ],
)
def test_wrong_arguments(wrong):
    with pytest.raises(BnmlError, match=str(next(iter(wrong.values())))):
        bnml.bootstrap(bnml.example(), **{"repetitions": 2, **wrong})


def test_halves_are_complementary():
    data = bnml.example()
    first, second = halves(data, np.random.default_rng(3))
    assert abs(first.n_rows - second.n_rows) <= 1
    both = {}
    for half in (first, second):
        for row, weight in zip(half.codes.tolist(), half.weights.tolist(), strict=True):
            both[tuple(row)] = both.get(tuple(row), 0) + weight
    assert both == {tuple(row): w for row, w in zip(data.codes.tolist(), data.weights.tolist(), strict=True)}
    huge = bnml.read(pd.DataFrame({"A": [0, 1], "n": [3 * 10**9, 10**9]}), weights="n")
    parts = halves(huge, np.random.default_rng(3))
    assert sum(part.n_rows for part in parts) == huge.n_rows
    assert abs(parts[0].n_rows - 2 * 10**9) < 10**6


def test_the_number_of_halves_is_even():
    assert bnml.bootstrap(bnml.example(), "bic", "climb", repetitions=3).repetitions == 4
    assert bnml.bootstrap(bnml.example(), "bic", "climb", repetitions=3, resampling="bootstrap").repetitions == 3


def test_noise_has_support_with_replacement_only():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({f"V{i}": rng.integers(2 + i % 3, size=600).astype(str) for i in range(8)})
    found = {
        how: bnml.bootstrap(frame, repetitions=20, resampling=how, rows_per_cell=5) for how in ("halves", "bootstrap")
    }
    assert found["halves"].links.max() < found["bootstrap"].links.max()
    assert found["bootstrap"].false_links is None
    assert "halves of the rows" in str(found["halves"])


def test_false_links_are_bounded():
    found = bnml.bootstrap(bnml.example(), "bic", "climb", repetitions=20)
    q, p = np.triu(found.links, 1).sum(), 8 * 7 / 2
    assert found.threshold > 0.5
    assert found.false_links == pytest.approx(q**2 / ((2 * found.threshold - 1) * p))
    assert "are expected to be false" in str(found)
    assert found.to_dict()["false_links"] == found.false_links


def test_one_row_has_no_halves():
    with pytest.raises(SearchError, match="has no halves"), pytest.warns(UserWarning, match="one state"):
        bnml.bootstrap(np.zeros((1, 2), int))


def test_others_stop_where_one_fails(monkeypatch):
    """An interrupt does not wait for searches that are under way."""
    began, ended = [], []

    def slow(asked, data):
        began.append(1)
        if len(began) == 2:
            raise KeyboardInterrupt
        for _ in range(500):
            time.sleep(0.01)
            asked.progress("search", 0.5)
        ended.append(1)

    monkeypatch.setattr(import_module("bnml.uncertainty.bootstrap"), "learn_class", slow)
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        bnml.bootstrap(bnml.example(), repetitions=10, threads=2)
    assert time.perf_counter() - start < 2.0
    assert not ended


def test_it_says_which_structure_prior_was_used():
    sparse = bnml.bootstrap(bnml.example(), "bic", "climb", repetitions=2)
    assert sparse.prior == sparse.to_dict()["prior"]
    assert f"structure prior: {sparse.prior}" in str(sparse)
    assert "1.79" in sparse.prior
    uniform = bnml.bootstrap(bnml.example(), "bic", "climb", repetitions=2, prior="uniform")
    assert uniform.prior is None
    assert "structure prior" not in str(uniform)
