"""Ctrl-C in exact search by cuts: the best structure so far, once there is one."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import bnml
from bnml.scores.candidates_by_bounds import Candidates
from bnml.search import by_cuts

pytestmark = pytest.mark.usefixtures("uniform_prior")


def interrupt_at(stage):
    def progress(told, share):
        if told.startswith(stage):
            raise KeyboardInterrupt

    return progress


@pytest.fixture(scope="module")
def noise():
    rng = np.random.default_rng(1)
    return bnml.read(rng.integers(0, 2, (40, 10)))


@pytest.mark.parametrize("stage", ["first structure", "cutting planes"])
def test_the_best_so_far(noise, stage):
    best = bnml.search.exact(noise, "bdeu", rows_per_cell=0)
    found = bnml.search.exact(noise, "bdeu", rows_per_cell=0, method="cuts", progress=interrupt_at(stage))
    assert found.info["interrupted"] is True
    assert found.score <= best.score + 1e-9
    assert found.bound >= best.score - 1e-9
    assert found.to_dict()["info"]["interrupted"] is True
    assert "interrupted" not in best.info


def test_while_families_are_listed(noise):
    with pytest.raises(KeyboardInterrupt):
        bnml.search.exact(noise, "bdeu", rows_per_cell=0, method="cuts", progress=interrupt_at("candidate families"))


def test_where_the_list_is_not_complete(noise, monkeypatch):
    """The bound is one for all structures, also for those with families that are not listed."""
    best = bnml.search.exact(noise, "bdeu", rows_per_cell=0)
    whole = by_cuts.candidates_of

    def cut_short(*arguments, **options):
        found = whole(*arguments, **options)
        few = [[k for k, mask in enumerate(masks) if mask.bit_count() < 2] for masks in found.families.parents]
        whole_list = zip(found.families.parents, found.families.scores, few, strict=True)
        sets = [([masks[k] for k in own], scores[own]) for masks, scores, own in whole_list]
        return Candidates(bnml.scores.FamilyScores._of(found.families.names, sets, 1), (0.0,) * 10, found.visited)

    monkeypatch.setattr(by_cuts, "candidates_of", cut_short)
    found = bnml.search.exact(noise, "bdeu", rows_per_cell=0, method="cuts", progress=interrupt_at("first structure"))
    assert found.info["interrupted"] is True
    assert found.bound >= best.score
    assert found.score <= found.info["listed_bound"] + 1e-9
    assert found.info["listed_bound"] <= found.bound


def test_what_goes_on_from_a_result_ends_as_well(noise, monkeypatch):
    """Neither a bootstrap nor a study takes an interrupt for the end of one of its searches."""
    found = bnml.search.exact(noise, "bdeu", method="cuts", progress=interrupt_at("first structure"))
    monkeypatch.setattr(sys.modules["bnml.search.learn"], "solve", lambda problem: found)
    with pytest.raises(KeyboardInterrupt):
        bnml.bootstrap(noise, "bdeu", "exact", repetitions=2, threads=1)
    with pytest.raises(KeyboardInterrupt):
        bnml.study(noise)
    assert bnml.learn(noise) is found
