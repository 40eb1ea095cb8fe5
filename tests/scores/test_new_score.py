"""A score is one class and one line in the registry: everything else follows from what the class says."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

import bnml
from bnml.nml import log_rising
from bnml.scores import SCORES, Score, Shape, Terms, prequential
from bnml.scores.predictive import FamilyRows, dirichlet

ALPHA = 0.7


@dataclass(frozen=True)
class Seventh(Score):
    """BD with its hyperparameter fixed at 0.7, written as one would from CONTRIBUTING.md."""

    name = "seventh"
    probability = True
    admits_posterior = True
    prequential = True

    def terms(self, shape: Shape) -> Terms:
        """Return the tables."""
        margin = {r: log_rising(r * ALPHA, shape.counts) for r in sorted(set(shape.arities))}
        return Terms(joint=log_rising(ALPHA, shape.counts), margin=margin)

    def log_predictive(self, rows: FamilyRows):
        """Return the posterior mean."""
        log_a_ij = math.log(rows.r * ALPHA)
        return dirichlet(rows, math.log(ALPHA), log_a_ij)


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(SCORES, Seventh.name, Seventh)


def data():
    rng = np.random.default_rng(5)
    first = rng.integers(0, 3, 200)
    second = np.where(rng.random(200) < 0.7, first, rng.integers(0, 3, 200))
    return bnml.read(np.stack([first, second, rng.integers(0, 2, 200)], axis=1))


@pytest.mark.parametrize("search", ["exact", "climb", "order", "chow-liu"])
def test_it_learns(search):
    found, twin = (bnml.learn(data(), score, search=search) for score in ("seventh", f"bd:{ALPHA}"))
    assert found.dag == twin.dag
    assert found.score == pytest.approx(twin.score, rel=1e-12)


def test_it_predicts():
    table, dag = data(), bnml.DAG.parse("[X0][X1|X0][X2]")
    rows = prequential(dag, table, "seventh")
    assert rows.sum() == pytest.approx(bnml.score(dag, table, "seventh"), rel=1e-12)
    assert rows.tolist() == pytest.approx(prequential(dag, table, f"bd:{ALPHA}").tolist(), rel=1e-12)


def test_it_has_a_posterior():
    table = data()
    found, twin = (bnml.posterior(table, score) for score in ("seventh", f"bd:{ALPHA}"))
    assert found.log_evidence == pytest.approx(twin.log_evidence, rel=1e-12)
    assert found.log_prob(table).tolist() == pytest.approx(twin.log_prob(table).tolist(), rel=1e-12)
    with pytest.raises(bnml.BnmlError, match="seventh"):
        bnml.posterior(table, "bic")
