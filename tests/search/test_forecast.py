"""What is said of a search before it starts."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import bnml
from bnml.scores import FamilyScores, LocalScores
from bnml.search import forecast
from bnml.search.problem import Problem


def table(columns, rows=1000, seed=0):
    return bnml.read(np.random.default_rng(seed).integers(0, 3, (rows, columns)))


def test_it_grows_with_the_variables():
    costs = [forecast(table(n)) for n in (5, 15, 25, 30)]
    assert [cost.subsets for cost in costs] == [2**5, 2**15, 2**25, 2**30]
    assert [cost.variables for cost in costs] == [5, 15, 25, 30]
    sizes, seconds = [cost.bytes for cost in costs], [cost.seconds for cost in costs]
    assert sizes == sorted(sizes)
    assert seconds == sorted(seconds)
    assert costs[0].affordable
    assert not costs[-1].affordable


def test_the_plan_fits_the_memory():
    local = LocalScores(table(28), "qnml")
    most = Problem.of(local, memory_limit=10**12).cost
    assert not most.plan.integers
    less = Problem.of(local, memory_limit=10 * 10**9).cost
    assert less.plan.integers
    assert less.bytes < most.bytes
    assert less.fits
    assert less.plan.n_low < 28
    assert not Problem.of(local, memory_limit=10**9).cost.fits


def test_fewer_parents_are_faster():
    data = table(20)
    assert forecast(data, max_parents=2).seconds < forecast(data).seconds


@pytest.mark.parametrize("ignored", ["seed", "progress", "time_limit", "restarts"])
def test_what_it_does_not_depend_on_it_does_not_take(ignored):
    with pytest.raises(TypeError, match=ignored):
        forecast(table(5), **{ignored: 1})


def test_sixty_variables_are_no_trouble_to_foresee():
    cost = forecast(table(60))
    assert not cost.fits
    assert "60 variables" in str(cost)
    assert not cost.affordable
    assert cost.method == "cuts"
    assert "listed" in str(cost)
    assert "longer" in str(forecast(table(60), method="lattice"))
    assert not forecast(table(60), "bds").fits


@pytest.mark.parametrize("columns", [700, 1100, 3000])
def test_so_do_thousands(columns):
    assert not forecast(table(columns, 20)).fits
    assert str(forecast(table(columns, 20)))


def test_the_model_does_not_measure():
    data = table(12)
    assert forecast(data).seconds == forecast(data).seconds
    assert forecast(data, probe=True).seconds > 0


@pytest.mark.parametrize("score", ["bdeu", "fnml", "bds"])
def test_other_scores(score):
    assert forecast(table(8), score).fits


def test_listed_scores():
    scores = FamilyScores(["A", "B"], [[0, 2], [0]], [[-3.0, -1.0], [-4.0]])
    assert forecast(scores).subsets == 4


# --- which way ---


def test_the_way_that_is_taken():
    assert forecast(table(8)).method == "lattice"
    assert forecast(table(25)).method == "cuts"
    assert forecast(table(25)).fits
    assert forecast(table(8), method="cuts").method == "cuts"
    assert forecast(table(60), method="lattice").method == "lattice"
    with pytest.raises(bnml.BnmlError, match="method='magic': expected one of"):
        forecast(table(8), method="magic")


def test_where_all_subsets_fit_they_are_told_for_the_case_that_the_list_is_long():
    text = str(forecast(table(25), memory_limit="50GB"))
    assert (
        "25 variables, by branch and cut: families that can be in an optimal structure are listed first; should" in text
    )
    assert "33,554,432 subsets" in text
    assert "subsets" not in str(forecast(table(60)))


def test_a_look_at_the_list(monkeypatch):
    monkeypatch.setattr(sys.modules["bnml.search.forecast"], "LISTING_PROBE", 60.0)
    data = bnml.read(np.random.default_rng(0).integers(0, 2, (200, 42)))
    measured = forecast(data, "bic", probe=True, max_parents=1)
    assert measured.listing.complete
    assert measured.listing.counted > 42
    assert measured.listing.families >= 42
    assert "the list is complete" in str(measured)
    assert measured.to_dict()["listing"]["complete"] is True
    assert measured.to_dict()["method"] == "cuts"
    plain = forecast(data, "bic")
    assert plain.listing is None
    assert plain.to_dict()["listing"] is None
    assert plain == forecast(data, "bic"), "without a look nothing is measured"


def test_a_look_that_does_not_come_far(monkeypatch):
    monkeypatch.setattr(sys.modules["bnml.search.forecast"], "LISTING_PROBE", 0.0)
    cost = forecast(table(42), "bic", probe=True)
    assert not cost.listing.complete
    assert "complete to 0 parents" in str(cost)


def test_all_subsets_on_request_are_measured_as_before():
    assert forecast(table(12), method="lattice", probe=True).listing is None


def test_a_score_without_bounds_has_no_list():
    assert forecast(table(60), "bds", probe=True).listing is None
