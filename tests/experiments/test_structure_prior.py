"""Structure priors against generating networks: from end to end on small networks, and by hand on one table."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.experiments import reproduce
from bnml.experiments import structure_prior as experiment
from bnml.experiments.truths import draw_rows

NETWORKS = {"four": 4, "six": 6}


@pytest.fixture
def small(small_truths):
    return small_truths(experiment, NETWORKS, SIZES=(100,), COLUMNS=(12,))


@pytest.mark.usefixtures("coarse_pictures")
def test_from_end_to_end(small):
    done = reproduce("structure-prior", small, out=small / "out", repetitions=4, threads=1)
    tables = done.outcome.tables
    cells = len(experiment.SCORES) * len(experiment.PRIORS)
    assert len(tables["results"]) == 4 * len(NETWORKS) * cells
    assert len(tables["noise"]) == 4 * cells
    assert tables["noise"]["proven"].all()
    assert tables["results"]["proven"].all()
    arcs = tables["false_arcs"].groupby("prior")["mean"].mean()
    assert arcs["uniform"] > arcs["4"] >= arcs["1"] >= arcs["1/2"]
    assert len(done.outcome.claims) == 1 + 2 * len(experiment.SCORES)
    assert (tables["changes"]["better"] + tables["changes"]["worse"] <= len(NETWORKS)).all()
    assert {"figure.png", "distance.png"} <= {path.name for path in (small / "out" / "structure-prior").iterdir()}


def test_a_table_by_hand(small):
    rows = pd.DataFrame(experiment.EXPERIMENT.work(small, ("six", 100, 0), 0)).set_index(["score", "prior"])
    truth = bnml.load(small / "networks" / "six.bif")
    random = experiment.experiment_generator(0, "structure-prior", "six", 100, 0)
    data, held_out = draw_rows(truth, 100, random), draw_rows(truth, experiment.HELD_OUT, random)
    for prior, own in (("uniform", "uniform"), ("1", "sparse"), ("2", bnml.priors.Sparse(2.0))):
        best = bnml.search.exact(data, "bic", method="lattice", prior=own)
        row = rows.loc["BIC", prior]
        assert row["distance"] == bnml.shd(truth.dag, best.dag)
        assert row["arcs"] == len(best.dag.arcs)
        assert row["held_out"] == pytest.approx(float(np.mean(best.network.log_prob(held_out))))


def test_changes_are_paired_and_errors_come_from_repetitions():
    key = {"network": ["a", "a", "b", "b"], "N": 100, "repetition": [0, 1, 0, 1], "score": "BIC"}
    uniform = pd.DataFrame({**key, "prior": "uniform", "relative": [1.0, 2.0, 3.0, 4.0], "held_out": 0.0})
    sparse = uniform.assign(prior="1", relative=[0.5, 1.7, 2.5, 3.7], held_out=[0.1, 0.3, 0.1, 0.3])
    (change,) = experiment._changes(pd.concat([uniform, sparse])).to_dict("records")
    assert change["relative"] == pytest.approx(-0.4)
    assert change["held_out"] == pytest.approx(0.2)
    assert (change["better"], change["worse"]) == (2, 0)
    # two networks, each with a variance of 0.02 among two repetitions, and two degrees of freedom
    naive = math.sqrt(2 * 0.02 / 2) / 2
    assert change["relative_error"] == pytest.approx(naive * float(experiment.student_factor(3)))
