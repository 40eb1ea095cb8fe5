"""BDs: BDeu over the parent configurations that occur."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from bnml.scores import BDeu, BDs, LocalScores
from tests import naive
from tests.counts.strategies import data_of, families


@settings(max_examples=40, deadline=None)
@given(families())
def test_it_is_bdeu_with_another_sample_size(family):
    """With q̃ of q configurations observed, BDs(ess) is BDeu(ess · q / q̃)  (Scutari 2016)."""
    table, child, parents = family
    data = data_of(table)
    q, seen = len(naive.contingency(table, parents)), len(naive.observed(table, parents))
    wanted = LocalScores(data, BDeu(2.0 * q / seen)).family(child, parents)
    assert LocalScores(data, BDs(2.0)).family(child, parents) == pytest.approx(wanted, rel=1e-11, abs=1e-11)
