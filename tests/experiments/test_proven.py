"""The proven best structure: the same as that of all subsets, or none."""

from __future__ import annotations

import numpy as np
import pytest

import bnml
from bnml.experiments.proven import proven_best
from bnml.experiments.truths import draw_rows, random_network

pytestmark = pytest.mark.usefixtures("uniform_prior")


@pytest.mark.parametrize("score", ["bic", "bdeu:1", "fnml", "qnml"])
def test_it_is_that_of_all_subsets(score):
    for seed in range(4):
        random = np.random.default_rng(seed)
        data = draw_rows(random_network(7, random), 150, random)
        found, best = proven_best(data, score), bnml.search.exact(data, score, method="lattice")
        assert found.dag == best.dag
        assert found.score == pytest.approx(best.score, abs=1e-9)


def test_without_enough_work_there_is_none():
    assert proven_best(bnml.example(), "qnml", most_sets=20) is None
    assert proven_best(bnml.example(), "qnml").optimal
