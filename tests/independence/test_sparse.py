"""Sparse tables: random tables in place of the χ² distribution, and questions that cannot be tested."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bnml
from bnml.counts import counts_of
from bnml.counts.counts import count_occurring_states
from bnml.errors import BnmlError
from bnml.independence import G2, X2, Permutation, independence_test
from bnml.independence import _kernels as kernels
from bnml.independence.sparse import _rows, is_sparse, sparse_p_value
from tests.independence import naive


@pytest.fixture(scope="module")
def slots():
    """Return a column of 800 labels, two that have nothing to do with it, and one that each label decides."""
    rng = np.random.default_rng(4)
    slot = rng.integers(800, size=1200)
    columns = {"slot": slot, "coin": rng.integers(2, size=1200), "die": rng.integers(6, size=1200), "ward": slot % 3}
    return bnml.read(pd.DataFrame({name: [f"{name}{i}" for i in column] for name, column in columns.items()}))


def test_the_rule():
    assert not is_sparse([2, 2], 20)
    assert is_sparse([2, 2], 19)
    assert not is_sparse([2, 2], 1, 0)
    data = bnml.read(np.array([[0, 0], [1, 0]]), states={"X0": [0, 1, 2], "X1": [0, 1]})
    assert count_occurring_states(counts_of(data)).tolist() == [2, 1]


def test_chance_is_no_dependence(slots):
    table = bnml.dependences(slots).set_index(["a", "b"])
    assert table["sparse"].to_dict() == {pair: "slot" in pair for pair in table.index}
    assert table.loc["slot", "coin"]["p_value"] > 0.05
    assert table.loc["slot", "die"]["p_value"] > 0.05
    assert table.loc["slot", "ward"]["p_value"] == pytest.approx(1 / 2000)
    always = bnml.dependences(slots, test=G2(rows_per_cell=0)).set_index(["a", "b"])
    assert always.loc["slot", "coin"]["p_value"] < 1e-6
    assert not always["sparse"].any()
    same = ["mutual_information", "g2", "degrees_of_freedom"]
    assert (always[same] == table[same]).all(axis=None)
    tested = bnml.dependences(slots, test="x2", adjust="bh")
    assert ((tested["adjusted_p_value"] <= 0.05) == (tested["a"] == "slot") & (tested["b"] == "ward")).all()
    assert bnml.select_features(slots, "slot") == ["ward"]


def test_not_even_given_others(slots):
    found = independence_test(slots, "slot", "coin", ("die", "ward"))
    assert found.independent
    assert found.sparse
    assert found.degrees_of_freedom > 0
    assert found == independence_test(slots.select(slots.names[::-1]), "coin", "slot", ("ward", "die"))
    assert not independence_test(slots, "coin", "die").sparse
    always = independence_test(slots, "slot", "coin", test=X2(rows_per_cell=0))
    assert not always.sparse


@pytest.mark.parametrize("test", ["g2", "x2"])
def test_all_ways_to_pair_seven_rows(test):
    """The share of all ways to deal out the values of Y that are as far from independence."""
    rows = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1], [2, 2], [2, 1]])
    own = naive.chi_square(rows, 0, 1, (), test)[0]
    ways = sorted(set(permutations(rows[:, 1].tolist())))
    every = [naive.chi_square(np.stack([rows[:, 0], y], axis=1), 0, 1, (), test)[0] for y in ways]
    exact = np.mean(np.array(every) >= own - 1e-9)
    found = independence_test(bnml.read(rows), "X0", "X1", test=test)
    assert found.sparse
    assert found.statistic == pytest.approx(own)
    assert found.p_value == pytest.approx(exact, rel=0.25)


@pytest.mark.parametrize("pearson", [False, True])
def test_the_sums_of_random_tables(pearson):
    """The kernel, against tables that are counted the plain way; margins within strata stay."""
    rng = np.random.default_rng(1)
    data = bnml.read(rng.integers(0, 3, (40, 3)))
    table = _rows(counts_of(data), 0, 1, [2])
    strata, groups, ys, *_ = table
    sizes = np.diff(groups)
    terms = np.zeros(0) if pearson else np.arange(sizes.max() + 1) * np.log(np.maximum(np.arange(sizes.max() + 1), 1))
    order, seen, sums = np.arange(40), np.zeros(3, np.int64), np.zeros(1)
    stratum = np.repeat(np.arange(strata.size - 1), np.diff(strata))
    xs = np.repeat(np.arange(groups.size - 1), sizes)
    for _ in range(20):
        kernels.shuffled_sums(rng.random((1, 40)), table, order, seen, terms, sums)
        assert sorted(order) == list(range(40))
        assert (stratum[order] == stratum).all()
        assert not seen.any()
        dealt = np.stack([xs, ys[order], stratum], axis=1)
        statistic = naive.chi_square(dealt, 0, 1, (2,), "x2" if pearson else "g2")[0]
        tables = pd.crosstab(dealt[:, 2], [dealt[:, 0], dealt[:, 1]])
        if pearson:
            assert sums[0] - 40 == pytest.approx(statistic)
        else:
            n = tables.to_numpy()[tables.to_numpy() > 0]
            assert sums[0] == pytest.approx(float((n * np.log(n)).sum()))


def test_p_values_are_uniform_where_there_is_independence():
    """Ten by eight cells in three strata and 200 rows: χ² finds dependence in four of ten."""
    ps, asymptotic = [], []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        data = bnml.read(np.stack([rng.integers(0, r, 200) for r in (10, 8, 3)], axis=1))
        ps.append(independence_test(data, "X0", "X1", "X2").p_value)
        asymptotic.append(independence_test(data, "X0", "X1", "X2", test=G2(rows_per_cell=0)).p_value)
    assert stats.kstest(ps, "uniform").pvalue > 0.01
    assert np.mean(np.array(asymptotic) < 0.05) > 0.3


def test_near_the_permutations_of_cells():
    rng = np.random.default_rng(2)
    x = rng.integers(0, 6, 60)
    y = np.where(rng.random(60) < 0.25, x, rng.integers(0, 6, 60))
    data = bnml.read(np.stack([x, y], axis=1))
    for kind in ("g2", "x2"):
        cells = independence_test(data, "X0", "X1", test=Permutation(kind, 20_000))
        assert independence_test(data, "X0", "X1", test=kind).p_value == pytest.approx(cells.p_value, abs=0.02, rel=0.3)


def test_a_constant_column():
    with pytest.warns(UserWarning, match="one state"):
        data = bnml.read(np.array([[0, 0], [1, 0], [2, 0]]))
    assert independence_test(data, "X0", "X1").p_value == 1.0
    assert bnml.dependences(data)["p_value"].tolist() == [1.0]
    assert sparse_p_value(counts_of(data), 0, 1) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("find", [bnml.pc, bnml.npc])
def test_what_cannot_be_tested_separates_nothing(find):
    """X - Y - Z with many states: 3,000 rows are enough for pairs, and for X and Z given Y they are not."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 12, 3000)
    x, z = ((y + rng.integers(0, 5, 3000)) % 12 for _ in range(2))
    data = bnml.read(np.stack([x, y, z], axis=1))
    result = find(data)
    assert len(result.pdag.undirected) == 3
    assert result.n_tests == len(result.tests) == 3
    assert result.untested == {frozenset(pair) for pair in (("X0", "X1"), ("X0", "X2"), ("X1", "X2"))}
    assert "3 links might go with more rows" in " ".join(str(result).split())
    assert result.to_dict()["untested"] == [["X0", "X1"], ["X0", "X2"], ["X1", "X2"]]
    sure = find(data, test=Permutation("g2", 199))
    assert {frozenset(link) for link in sure.pdag.undirected} == {frozenset(("X0", "X1")), frozenset(("X1", "X2"))}
    assert not sure.untested


@pytest.mark.parametrize("find", [bnml.pc, bnml.npc])
def test_some_sets_can_be_tested(find):
    """Of the sets of one size those with few states can be tested, and one of them separates."""
    rng = np.random.default_rng(5)
    c = rng.integers(0, 2, 1000)
    a, b, d = (np.where(rng.random(1000) < 0.8, c, 1 - c) for _ in range(3))
    many = [f"m{i}" for i in np.where(rng.random(1000) < 0.7, c * 60, 0) + rng.integers(0, 60, 1000)]
    data = bnml.read(pd.DataFrame({"a": a, "b": b, "c": c, "d": d, "m": many}))
    result = find(data, colliders="conservative")
    for pair in ("ab", "ad", "bd"):
        assert result.sepsets[frozenset(pair)] == frozenset("c")
    assert frozenset("cm") in result.untested
    assert not any("m" in given for given in result.tests["given"])
    assert find(data.select(data.names[::-1]), colliders="conservative").pdag == result.pdag


@pytest.mark.parametrize("find", [bnml.pc, bnml.npc, bnml.search.polytree])
def test_what_no_random_table_comes_near_is_dependent_at_every_level(find, slots):
    """A thousand random tables cannot show p < 1e-9; that is no reason to take the strongest link away."""
    assert not independence_test(slots, "slot", "ward", alpha=1e-9).independent
    assert independence_test(slots, "slot", "coin", alpha=1e-9).independent
    found = find(slots, alpha=1e-9)
    graph = found.directions if find is bnml.search.polytree else found.pdag
    assert {frozenset(edge) for edge in (*graph.directed, *graph.undirected)} == {frozenset(("slot", "ward"))}


def test_threads_change_nothing(slots):
    one, two = (bnml.dependences(slots, threads=threads) for threads in (1, 3))
    assert one.equals(two)


def test_labels_of_rows_join_nothing():
    rng = np.random.default_rng(6)
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(300)], "a": rng.integers(2, size=300)})
    frame["b"] = np.where(rng.random(300) < 0.8, frame["a"], 1 - frame["a"])
    data = bnml.read(frame.astype(str))
    for find in (bnml.pc, bnml.npc):
        assert str(find(data).pdag) == "a - b"


@pytest.mark.parametrize("wrong", [-1, float("nan"), float("inf"), "5", None, True])
def test_refused(wrong):
    for test in (G2, X2):
        with pytest.raises(BnmlError, match="rows_per_cell"):
            test(wrong)
