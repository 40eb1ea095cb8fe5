"""All family scores, whichever way they come."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from bnml.scores import LocalScores
from bnml.uncertainty import families
from bnml.uncertainty.families import posterior_families
from tests.counts.strategies import data_of, random_table
from tests.scores.strategies import score_and_twin
from tests.uncertainty.naive import parent_sets
from tests.uncertainty.strategies import awkward_tables

LABELS = ("bdeu", "bds", "k2", "bdq", "fnml", "qnml", "bde")


def quiet(part: float) -> None:
    pass


def number(child: int, parents: tuple[int, ...]) -> int:
    return sum(1 << (v - (v > child)) for v in parents)


@pytest.mark.parametrize("label", LABELS)
@settings(max_examples=10, deadline=None)
@given(table=awkward_tables())
def test_they_are_the_scores(label, table):
    score, twin = score_and_twin(label, table)
    found = posterior_families(LocalScores(data_of(table), score), 1, quiet)
    for i in range(len(table.arities)):
        for p in parent_sets(len(table.arities), i):
            assert found[i, number(i, p)] == pytest.approx(twin(table, i, p), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("label", ["bdeu", "k2", "qnml", "bdq"])
def test_both_ways_agree(label, monkeypatch):
    local = LocalScores(data_of(random_table(1, 400, [2, 3, 2, 4, 2, 2, 3])), label)
    told = []
    first = posterior_families(local, 2, told.append)
    assert told[-1] == 1.0
    monkeypatch.setattr(families, "MOST_EXACT", 0)
    assert posterior_families(local, 2, quiet) == pytest.approx(first, abs=1e-8)


@pytest.mark.parametrize("rows", [1, 2, 10, 49])
@pytest.mark.parametrize("label", ["bdeu", "bdeu:0.001", "bdeu:1e6", "k2", "bd", "bdj", "bdq", "fnml", "qnml"])
def test_both_ways_agree_for_few_rows(label, rows, monkeypatch):
    """No family is left out, however little it has to say for itself."""
    local = LocalScores(data_of(random_table(3, rows, [2, 30, 2, 4, 1, 9])), label)
    first = posterior_families(local, 1, quiet)
    monkeypatch.setattr(families, "MOST_EXACT", 0)
    assert posterior_families(local, 1, quiet) == pytest.approx(first, abs=1e-9)


@pytest.mark.parametrize("label", ["k2", "bds"])
def test_blocks(label, monkeypatch):
    """Sets are asked for in blocks; their borders change nothing."""
    local = LocalScores(data_of(random_table(2, 50, [2, 3, 2, 2])), label)
    first = posterior_families(local, 1, quiet)
    monkeypatch.setattr(families, "BLOCK", 3)
    assert np.array_equal(posterior_families(LocalScores(local.data, label), 1, quiet), first)
