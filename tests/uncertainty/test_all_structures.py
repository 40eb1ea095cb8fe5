"""All structures one by one: how many, in which classes, and the best of them."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import permutations

import numpy as np
import pytest

import bnml
from bnml.errors import ArgumentError
from bnml.uncertainty.all_structures import all_structures
from tests.counts.strategies import data_of, random_table
from tests.scores.strategies import score_and_twin
from tests.uncertainty import naive
from tests.uncertainty.strategies import dependent_table

pytestmark = pytest.mark.usefixtures("uniform_prior")


def as_structure(masks):
    return tuple(tuple(v for v in range(len(masks)) if mask >> v & 1) for mask in masks)


@pytest.mark.parametrize(("n", "classes"), [(1, 1), (2, 2), (3, 11), (4, 185), (5, 8782)])
def test_all_of_them(n, classes):
    """The numbers of classes are those of Gillispie and Perlman (2001)."""
    found = all_structures(n)
    assert len(found.parents) == bnml.count_dags(n)
    assert {as_structure(row) for row in found.parents.tolist()} == set(naive.all_structures(n))
    assert len(np.unique(found.classes)) == classes
    for row, numbers in zip(found.parents.tolist()[:50], found.numbers.tolist(), strict=False):
        assert numbers == [sum(1 << (v - (v > i)) for v in p) for i, p in enumerate(as_structure(row))]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_linear_extensions(n):
    found = all_structures(n)
    for row, count in zip(found.parents.tolist(), found.extensions.tolist(), strict=True):
        assert count == naive.extensions(as_structure(row)) == naive.extensions_by_definition(as_structure(row))


@pytest.mark.parametrize("n", [3, 4])
def test_classes(n):
    found = all_structures(n)
    groups = defaultdict(set)
    for row, number in zip(found.parents.tolist(), found.classes.tolist(), strict=True):
        groups[naive.equivalence(as_structure(row))].add(number)
    assert all(len(numbers) == 1 for numbers in groups.values())
    assert len(groups) == found.classes.max() + 1


@pytest.mark.parametrize("prior", ["uniform", "order"])
@pytest.mark.parametrize("label", ["bdeu", "k2", "qnml"])
def test_the_best_structures(label, prior):
    table = random_table(7, 40, [2, 3, 2, 2])
    _, twin = score_and_twin(label, table)
    data = data_of(table)
    want = naive.probabilities(4, lambda i, p: twin(table, i, p), prior)
    top = bnml.posterior(data, label, prior=prior).top(1000)
    assert len(top) == 543
    assert top["probability"].sum() == pytest.approx(1.0, abs=1e-12)
    assert (np.diff(top["probability"]) < 1e-9).all()
    for row in top.iloc[::20].itertuples():
        dag = bnml.DAG.parse(row.structure).reordered(data.names)
        assert row.probability == pytest.approx(want[dag.parent_sets], abs=1e-12)
        assert row.score == pytest.approx(bnml.score(dag, data, label), abs=1e-9)


@pytest.mark.parametrize("prior", ["uniform", "order"])
@pytest.mark.parametrize("label", ["bdeu", "k2"])
def test_the_best_classes(label, prior):
    table = random_table(7, 40, [2, 3, 2, 2])
    _, twin = score_and_twin(label, table)
    data = data_of(table)
    want, members = defaultdict(list), defaultdict(list)
    for structure, p in naive.probabilities(4, lambda i, p: twin(table, i, p), prior).items():
        want[naive.equivalence(structure)].append(p)
        members[naive.equivalence(structure)].append(math.fsum(twin(table, i, p) for i, p in enumerate(structure)))
    top = bnml.posterior(data, label, prior=prior).top(200, classes=True)
    assert len(top) == 185
    assert top["dags"].sum() == 543
    assert top["probability"].sum() == pytest.approx(1.0, abs=1e-12)
    for row in top.itertuples():
        dag = bnml.DAG.parse(row.structure)
        assert dag.cpdag() == row.cpdag
        key = naive.equivalence(dag.reordered(data.names).parent_sets)
        assert row.probability == pytest.approx(math.fsum(want[key]), abs=1e-12)
        assert row.dags == len(want[key])
        assert row.score == pytest.approx(max(members[key]), abs=1e-9)


def test_ties_do_not_depend_on_the_order_of_columns():
    data = data_of(dependent_table(3, 200, [2, 2, 3, 2]))
    first = bnml.posterior(data).top(20)
    other = bnml.posterior(data.select(["X3", "X1", "X0", "X2"])).top(20)
    same = [bnml.DAG.parse(a) == bnml.DAG.parse(b) for a, b in zip(first.structure, other.structure, strict=True)]
    assert all(same)
    classes = [bnml.posterior(d).top(9, classes=True).cpdag.tolist() for d in (data, data.select(data.names[::-1]))]
    assert classes[0] == classes[1]


def test_only_what_is_allowed():
    data = data_of(random_table(1, 30, [2, 2, 2]))
    known = bnml.Constraints(required=[("X0", "X1")])
    top = bnml.posterior(data, constraints=known).top(100)
    assert len(top) == 8
    assert all(("X0", "X1") in bnml.DAG.parse(text).arcs for text in top.structure)
    assert bnml.posterior(data, constraints=known).top(100, classes=True)["dags"].sum() == 8


def test_six_variables():
    """The numbers are those of Robinson (1973) and of Gillispie and Perlman (2001)."""
    found = all_structures(6)
    assert len(found.parents) == bnml.count_dags(6) == 3_781_503
    assert int(found.classes.max()) + 1 == 1_067_825
    assert len(np.unique(found.parents.astype(np.int64) @ 64 ** np.arange(6))) == len(found.parents)
    for at in range(0, len(found.parents), 700_000):
        structure = as_structure(found.parents[at].tolist())
        assert found.extensions[at] == naive.extensions(structure) > 0


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_paths_and_blankets(n):
    found = all_structures(n)
    for at, row in enumerate(found.parents.tolist()):
        structure = as_structure(row)
        for a, b in permutations(range(n), 2):
            assert bool(found.ancestors[at, b] >> a & 1) == naive.is_path(structure, a, b)
    for a, b in permutations(range(n), 2):
        want = [naive.is_in_blanket(as_structure(row), a, b) for row in found.parents.tolist()]
        assert found.in_blanket(a, b).tolist() == want


def test_how_many_are_best():
    few = bnml.posterior(np.random.default_rng(0).integers(0, 2, (20, 3)))
    many = bnml.posterior(np.random.default_rng(0).integers(0, 2, (20, 15)), max_parents=1)
    for k in (0, -1, 1.5, "3", True, None):
        with pytest.raises(ArgumentError, match="from 1"):
            few.top(k)
    with pytest.raises(ArgumentError, match="up to 14 variables, and there are 15: take method='sample'"):
        many.top(3)
