"""Calibration: bins and shares by hand, and the experiment from end to end."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.experiments import calibration as experiment
from bnml.experiments import reproduce
from bnml.experiments.calibration import calibration_errors, reliability, said_and_true


def test_bins_hold_every_pair_once():
    random = np.random.default_rng(0)
    names = [f"X{i}" for i in range(9)]
    numbers = random.choice([0.0, 0.05, 0.15, 0.5, 0.849, 0.85, 0.9, 0.95, 1.0], (9, 9))
    links = pd.DataFrame(np.triu(numbers, 1) + np.triu(numbers, 1).T, names, names)
    dag = bnml.DAG(names, [("X0", "X1"), ("X5", "X2")])
    found = {one["bin"]: one for one in said_and_true(links, dag)}
    certain = found.pop("certain")
    above = np.triu(numbers, 1)[np.triu_indices(9, 1)]
    assert sum(one["pairs"] for one in found.values()) == 36
    assert sum(one["said"] for one in found.values()) == pytest.approx(above.sum())
    assert sum(one["true"] for one in found.values()) == 2
    assert certain["pairs"] == (above >= 0.9).sum()
    assert found["1.0"]["pairs"] == (above >= 0.95).sum()
    assert found["0.0"]["pairs"] == (above < 0.05).sum()
    assert found["0.9"]["pairs"] == ((above >= 0.85) & (above < 0.95)).sum()


def test_shares_and_their_errors():
    rows = pd.DataFrame(
        [("s", 10, k, "0.9", pairs, 0.9 * pairs, true) for k, (pairs, true) in enumerate([(4, 4), (2, 1), (4, 3)])],
        columns=["source", "N", "repetition", "bin", "pairs", "said", "true"],
    )
    one = reliability(rows, ["bin"]).iloc[0]
    assert (one["tables"], one["pairs"]) == (3, 10)
    assert one["said"] == pytest.approx(0.9)
    assert one["true"] == pytest.approx(0.8)
    excess = [4 - 3.2, 1 - 1.6, 3 - 3.2]
    assert one["error"] == pytest.approx(np.sqrt(3 / 2 * sum(e * e for e in excess)) / 10)
    assert calibration_errors(reliability(rows, ["N", "bin"]), ["N"])["calibration_error"].tolist() == pytest.approx(
        [0.1]
    )


def test_the_error_is_that_of_many_experiments():
    random, errors, shares = np.random.default_rng(0), [], []
    for _ in range(300):
        chance = random.beta(4, 2, 40)  # tables differ, and their links hang together
        rows = pd.DataFrame(
            {"source": "s", "N": 1, "repetition": range(40), "bin": "a", "pairs": 5, "said": 3.0,
             "true": random.binomial(5, chance)}
        )  # fmt: skip
        one = reliability(rows, ["bin"]).iloc[0]
        errors.append(one["error"])
        shares.append(one["true"])
    assert np.mean(errors) == pytest.approx(np.std(shares), rel=0.15)


@pytest.fixture
def small(small_truths):
    constants = {"SIZES": (80,), "TABLES": 10, "SAMPLES": 100, "CHECKS": 30}
    return small_truths(experiment, {"four": 4}, SOURCES=(experiment.PRIOR, "four"), **constants)


@pytest.mark.usefixtures("coarse_pictures")
def test_from_end_to_end(small):
    done = reproduce("calibration", small, out=small / "out", repetitions=2, threads=1)
    results = done.outcome.tables["results"]
    assert set(results["method"]) == set(experiment.METHODS)
    assert set(results[results["score"] == "BIC"]["method"]) == {"bootstrap"}
    curves = done.outcome.tables["curves"]
    pairs = curves.groupby(["source", "score", "method"])["pairs"].sum()
    assert pairs[(experiment.PRIOR, "BDeu", "exact posterior")] == 60 * 10
    assert pairs[(experiment.PRIOR, "BDeu", "bootstrap")] == 2 * 10
    assert pairs[("four", "BIC", "bootstrap")] == 2 * 6
    assert done.outcome.findings[1].startswith("Check, exact posterior under BDeu")


def test_the_exact_posterior_is_calibrated_under_its_own_prior(small):
    rows = [row for k in range(6) for row in experiment.EXPERIMENT.work(small, (experiment.PRIOR, 80, k), 5)]
    frame = pd.DataFrame(rows)
    own = frame[(frame["score"] == "BDeu") & (frame["method"] == "exact posterior") & (frame["bin"] != "certain")]
    tables = own.groupby("repetition")[["said", "true"]].sum()
    excess = tables["true"] - tables["said"]  # the expected number of links is the sum of their probabilities
    assert len(tables) == 180
    assert abs(excess.mean()) < 3.5 * excess.std() / np.sqrt(len(tables))
    exact, sampled = (
        frame[(frame["score"] == "BDeu") & (frame["method"] == m) & (frame["repetition"] % 30 == 0)]
        .groupby("bin")["said"]
        .sum()
        for m in ("exact posterior", "sampled posterior")
    )
    assert exact.drop("certain").sum() == pytest.approx(sampled.drop("certain").sum(), rel=0.05)
