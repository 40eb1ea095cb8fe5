"""Proven optima against generating networks: from end to end on small networks, and where there is no proof."""

from __future__ import annotations

import numpy as np
import pytest

import bnml
from bnml.experiments import reproduce
from bnml.experiments import scores_against_truth as experiment
from bnml.experiments.truths import draw_rows

NETWORKS = {"four": 4, "six": 6}


@pytest.fixture
def small(small_truths):
    return small_truths(experiment, NETWORKS, SIZES=(100, 2000))


@pytest.mark.usefixtures("coarse_pictures")
def test_from_end_to_end(small):
    done = reproduce("scores-against-truth", small, out=small / "out", repetitions=3, threads=1)
    tables = done.outcome.tables
    means = tables["means"].set_index(["network", "N", "score"])
    assert (means["proven"] == 3).all()
    assert (means["divergence"] > 0).all()
    for name in NETWORKS:
        for score in experiment.SCORES:
            assert means.loc[(name, 2000, score), "divergence"] < means.loc[(name, 100, score), "divergence"]
    assert tables["nearest"].groupby(["N", "measure"])["rank"].sum().tolist() == pytest.approx([10.0] * 4)
    assert len(tables["distance_table"]) == 4
    assert "16 of 16 cells" in done.outcome.findings[0]


def test_the_divergence_is_that_of_all_rows_there_can_be(small):
    truth = bnml.load(small / "networks" / "four.bif")
    rows = experiment.EXPERIMENT.work(small, ("four", 100, 0), 0)
    random = experiment.experiment_generator(0, "four", 100, 0)
    data = draw_rows(truth, 100, random)
    by_score = {row["score"]: row for row in rows}
    best = bnml.search.exact(data, "bic", method="lattice")
    fitted = bnml.fit(best.dag, data)
    every = np.stack(np.meshgrid(*[range(len(s)) for s in truth.states.values()], indexing="ij"), -1).reshape(-1, 4)
    frame = bnml.read(every, states={f"X{i}": list(range(len(s))) for i, s in enumerate(truth.states.values())})
    renamed = {f"X{i}": name for i, name in enumerate(truth.names)}
    logs = [_log_prob(network, frame, renamed) for network in (truth, fitted)]
    naive = float((np.exp(logs[0]) * (logs[0] - logs[1])).sum())
    assert by_score["BIC"]["divergence"] == pytest.approx(naive)
    assert by_score["BIC"]["distance"] == bnml.shd(truth.dag, best.dag)


def _log_prob(network, data, renamed):
    """Return the log-probability of every row, by the chain rule."""
    total = np.zeros(data.n_rows)
    codes = data.codes[data.row_index]
    at = {renamed[name]: i for i, name in enumerate(data.names)}
    for x in network.names:
        family = [*network.dag.parents(x), x]
        total += np.log(network.probabilities(x)[tuple(codes[:, at[v]] for v in family)])
    return total


def test_a_cell_without_proof_has_no_number(small, monkeypatch):
    proven = experiment.proven_best
    monkeypatch.setattr(
        experiment,
        "proven_best",
        lambda data, score: None if score == "bic" and len(data.names) == 6 else proven(data, score),
    )
    rows = [row for name in NETWORKS for n in (100, 2000) for k in (0, 1) for row in _part(small, name, n, k)]
    found = experiment.EXPERIMENT.outcome(small, rows, 2)
    table = found.tables["distance_table"].set_index(["network", "N"])
    assert table.loc[("six", 100), "BIC"] == "not proven (0 of 2)"
    assert table.loc[("six", 100), "qNML"].count("±") == 1
    assert np.isnan(found.tables["means"].set_index(["network", "N", "score"]).loc[("six", 100, "BIC"), "distance"])
    assert set(found.tables["nearest"]["networks"]) == {1}
    assert any("not proven with 100 rows under BIC: six (0 of 2)" in line for line in found.findings)


def _part(folder, *key):
    return experiment.EXPERIMENT.work(folder, key, 0)
