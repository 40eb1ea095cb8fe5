"""Gains of families from the terms of subsets, against local scores."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml._bits import members, minimal_masks, subsets
from bnml.counts.lattice import WalkOrder
from bnml.errors import BnmlError
from bnml.graph import Constraints, Rules
from bnml.scores import LocalScores, priors
from bnml.scores.lattice import Lattice, allowed_sets, has_lattice
from bnml.scores.lattice import lattice as module
from tests.counts.strategies import data_of, random_table
from tests.search.strategies import tables

FEW = settings(max_examples=25, deadline=None)
LABELS = ["loglik", "aic", "bic", "mdl+parents", "qnml", "fnml", "bdeu", "bdeu:100", "k2", "bdj", "bdq"]


def lattice_of(data, label, known=None, most=None, prior=None, **options):
    columns = WalkOrder(data).columns
    rules = (known or Constraints()).compiled(data.names, most).among(columns)
    return Lattice(LocalScores(data, label, prior), rules, **options)


def score(lattice, i, mask):
    columns = lattice.layout.columns
    return lattice.local.family(columns[i], [columns[j] for j in members(mask)])


@FEW
@given(data=tables(), label=st.sampled_from(LABELS), integers=st.booleans())
def test_gains_are_scores(data, label, integers):
    lattice = lattice_of(data, label, integers=integers, whole=True)
    for i in range(lattice.n):
        sets = np.array([mask for mask in range(1 << lattice.n) if not mask >> i & 1])
        gains = lattice.gains_of(i, sets)
        filled = np.full(sets.size, lattice.never[0], lattice.dtype)
        lattice.fill(i, lattice.n, 0, 0, filled)
        for k, mask in enumerate(sets.tolist()):
            value = score(lattice, i, mask)
            assert lattice.base[i] + lattice.unit * gains[k] == pytest.approx(value, abs=1e-9 + 3 * lattice.unit)
            assert gains[k] == round(gains[k])
            squeezed = (mask & ((1 << i) - 1)) | (mask >> (i + 1) << i)
            assert filled[squeezed] == (gains[k] if gains[k] >= 0 else lattice.never[0])


@FEW
@given(data=tables(columns=5), label=st.sampled_from(["aic", "bic", "qnml", "mdl+parents"]), drawn=st.data())
def test_what_bounds_leave_out_is_beaten(data, label, drawn):
    """Each family that is missing has a subset with a higher score."""
    prior = drawn.draw(st.sampled_from([None, priors.ArcProbabilities(0.7), priors.ArcProbabilities(0.1)]))
    with patch.object(module, "LEAST_VARIABLES", 2), patch.object(module, "FIRST_PARENTS", 1):
        lattice = lattice_of(data, label, prior=prior)
    whole = lattice_of(data, label, prior=prior, prune=False)
    for i in range(lattice.n):
        sets = np.array([mask for mask in range(1 << lattice.n) if not mask >> i & 1])
        kept, every = lattice.gains_of(i, sets), whole.gains_of(i, sets)
        by_set = dict(zip(sets.tolist(), every.tolist(), strict=True))
        for mask, gain, known in zip(sets.tolist(), kept.tolist(), every.tolist(), strict=True):
            assert gain in (known, -np.inf)
            if gain == -np.inf and known > -np.inf:
                assert max(by_set[some] for some in subsets(mask)) > known


@FEW
@given(data=tables(columns=4), label=st.sampled_from(LABELS), drawn=st.data())
def test_equals(data, label, drawn):
    lattice = lattice_of(data, label)
    i = drawn.draw(st.integers(0, lattice.n - 1))
    candidates = drawn.draw(st.integers(0, (1 << lattice.n) - 1)) & ~(1 << i)
    sets = np.array(list(subsets(candidates)))
    gains = lattice.gains_of(i, sets)
    best, equals = lattice.equals(i, candidates, 0.0)
    assert best == gains.max()
    assert equals == minimal_masks(sets[gains == best].tolist())


def test_rules():
    known = Constraints(required=[("X0", "X1")], forbidden=[("X2", "X1")], required_links=[("X2", "X0")])
    compiled = known.compiled(["X0", "X1", "X2"])
    rules = compiled.among([2, 0, 1])
    assert rules.must == (0, 0, 0b010)
    assert rules.may == (0b110, 0b001, 0b010)
    assert rules.links == (0b010, 0b001, 0)
    assert allowed_sets(rules, 2).tolist() == [0b010]
    assert sorted(allowed_sets(Rules.none("abcd", 1), 3).tolist()) == [0, 1, 2, 4]
    assert Rules.none("abcd", 9).most == 3


def test_sets():
    assert members(0b1011) == [0, 1, 3]
    assert list(subsets(0b101)) == [0b101, 0b100, 0b001, 0]
    assert minimal_masks([0b111, 0b011, 0b100, 0b011, 0b110]) == [0b100, 0b011]


def test_what_can_be_walked():
    data = data_of(random_table(0, 20, [2, 2]))
    assert has_lattice(LocalScores(data, "bdeu"))
    assert not has_lattice(LocalScores(data, "bds"))


def test_an_impossible_prior_is_refused():
    data = data_of(random_table(0, 20, [2, 2]))
    known = Constraints(required=[("X0", "X1")])
    with pytest.raises(BnmlError, match="impossible under the prior"):
        lattice_of(data, "bic", known, prior=priors.ArcProbabilities(0.5, {("X0", "X1"): 0.0}))
