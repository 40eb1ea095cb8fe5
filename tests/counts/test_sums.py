"""Sums over cells against the naive counts, in both regimes, in batches and alone: the same to the last bit."""

from __future__ import annotations

import math
from unittest.mock import patch

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml._jit import JIT
from bnml.counts import Lookups, batch_of, counts_of
from bnml.counts import in_memory as sums
from bnml.errors import ArgumentError
from tests import naive
from tests.counts.strategies import data_of, families, random_table, tables

PROPERTIES = settings(max_examples=40, deadline=None)


def lookups_for(table, seed=0):
    """Return a random number for every count, and others for each arity's margin; a cell without rows adds nothing."""
    arities = sorted(set(table.arities))
    values = np.random.default_rng(seed).normal(size=(1 + len(arities), table.n + 1))
    values[:, 0] = 0.0
    return Lookups(values, {r: row for row, r in enumerate(arities, 1)})


def naive_sums(table, child, parents, lookups):
    row = lookups.row_of[table.arities[child]]
    joint = (lookups.table[0, n] for n in naive.observed(table, [*parents, child]).values())
    margin = (lookups.table[row, n] for n in naive.observed(table, parents).values())
    return math.fsum(joint), math.fsum(margin)


def naive_rising(table, variables, ess):
    with mpmath.workdps(60):
        a = mpmath.mpf(ess) / math.prod(table.arities[v] for v in variables)
        terms = (mpmath.loggamma(a + n) - mpmath.loggamma(a) for n in naive.observed(table, variables).values())
        return float(sum(terms))


def limited(limit):
    """Count sets of up to so many configurations densely."""
    return patch.object(sums, "_dense_limit", lambda rows: limit)


def all_families(n):
    """Return every child with every set of parents, as two lists."""
    pairs = [
        (child, [p for p in range(n) if mask >> p & 1])
        for child in range(n)
        for mask in range(1 << n)
        if not mask >> child & 1
    ]
    return [child for child, _ in pairs], [parents for _, parents in pairs]


@PROPERTIES
@given(families(columns=5), st.sampled_from([0, 1, 4, 30, 1024]))
def test_family_sums(family, limit):
    table, child, parents = family
    lookups = lookups_for(table)
    with limited(limit):
        found = counts_of(data_of(table)).family_sums(batch_of([child], [parents]), lookups)
    assert found[0].tolist() == pytest.approx(naive_sums(table, child, parents, lookups), rel=1e-12, abs=1e-12)


@PROPERTIES
@given(families(columns=4), st.sampled_from([1e-300, 1e-5, 1.0, 10.0, 1e10]), st.sampled_from([0, 4, 1024]))
def test_family_sums_of_rising_factorials(family, ess, limit):
    table, child, parents = family
    lookups = Lookups(np.zeros((1, 1)), {}, ess)
    with limited(limit):
        found = counts_of(data_of(table)).family_sums(batch_of([child], [parents]), lookups)
    wanted = [naive_rising(table, [*parents, child], ess), naive_rising(table, parents, ess)]
    assert found[0].tolist() == pytest.approx(wanted, rel=1e-12, abs=1e-12 * abs(math.log(ess)))


@PROPERTIES
@given(tables(columns=4), st.booleans())
def test_dense_and_hashed_agree(table, rising):
    """Every family of the table, all dense, all hashed, and some of each."""
    lookups = Lookups(np.zeros((1, 1)), {}, 2.0) if rising else lookups_for(table)
    data, batch = data_of(table), batch_of(*all_families(len(table.arities)))
    found = []
    for limit in (0, 6, 1024):
        with limited(limit):
            found.append(counts_of(data).family_sums(batch, lookups))
    assert found[0] == pytest.approx(found[2], rel=1e-12, abs=1e-12)
    assert found[1] == pytest.approx(found[2], rel=1e-12, abs=1e-12)


@PROPERTIES
@given(tables(columns=4), st.booleans(), st.sampled_from([0, 6, 1024]))
def test_a_batch_is_its_families_one_by_one(table, rising, limit):
    lookups = Lookups(np.zeros((1, 1)), {}, 2.0) if rising else lookups_for(table)
    data = data_of(table)
    children, parent_sets = all_families(len(table.arities))
    with limited(limit):
        whole = counts_of(data).family_sums(batch_of(children, parent_sets), lookups)
        parts = [
            counts_of(data).family_sums(batch_of([x], [pa]), lookups)[0]
            for x, pa in zip(children, parent_sets, strict=True)
        ]
    assert whole.tolist() == np.array(parts).tolist()


@PROPERTIES
@given(tables(columns=4), st.booleans(), st.sampled_from([0, 6, 1024]))
def test_a_set_has_one_term_whoever_asks(table, rising, limit):
    """As joint set of each of its members, as parents of every other column, and alone."""
    lookups = Lookups(np.zeros((1, 1)), {}, 3.7) if rising else Lookups(lookups_for(table).table[:1], {})
    data, n = data_of(table), len(table.arities)
    children, parent_sets = all_families(n)
    with limited(limit):
        found = counts_of(data).family_sums(batch_of(children, parent_sets), lookups)
        masks = range(1 << n)
        sets = [[v for v in range(n) if mask >> v & 1] for mask in masks]
        alone = counts_of(data).family_sums(batch_of([-1] * len(sets), sets), lookups)
    assert alone[:, 1].tolist() == [0.0] * len(sets)
    term = dict(zip(masks, alone[:, 0].tolist(), strict=True))
    for child, parents, (joint, margin) in zip(children, parent_sets, found.tolist(), strict=True):
        below = sum(1 << p for p in parents)
        assert joint == term[below | 1 << child]
        assert margin == term[below]


@PROPERTIES
@given(tables(columns=5), st.booleans(), st.sampled_from([0, 6, 40, 1024]), st.data())
def test_additions_are_families(table, rising, limit, drawn):
    lookups = Lookups(np.zeros((1, 1)), {}, 2.0) if rising else lookups_for(table)
    order = drawn.draw(st.permutations(range(len(table.arities))))
    k = drawn.draw(st.integers(1, len(order)))
    child, parents, candidates = order[0], order[1:k], order[k:]
    data = data_of(table)
    with limited(limit):
        found = counts_of(data).addition_sums(child, parents, np.array(candidates, np.int64), lookups)
        wanted = counts_of(data).family_sums(
            batch_of([child] * len(candidates), [[*parents, c] for c in candidates]), lookups
        )
    assert found.tolist() == wanted.tolist()


@pytest.mark.parametrize("rising", [False, True])
@pytest.mark.parametrize("limit", [0, 50, 65_536])
def test_threads_and_tasks_change_nothing(rising, limit):
    """One thread or three, one task or many: the same bits."""
    table = random_table(1, 300, [3, 2, 4, 3, 5, 2], 4)
    lookups = Lookups(np.zeros((1, 1)), {}, 1.0) if rising else lookups_for(table)
    data, batch, others = data_of(table), batch_of(*all_families(6)), np.array([1, 3, 4, 5])
    with limited(limit):
        wanted = counts_of(data).family_sums(batch, lookups, threads=1).tolist()
        wanted_additions = counts_of(data).addition_sums(2, [0], others, lookups, threads=1).tolist()
        for threads in (1, 3, None):
            with (
                patch.object(sums, "WORTH_A_THREAD", 0),
                patch.object(sums, "CODES_PER_TASK", 5_000),
                patch.object(sums, "CELLS_PER_TASK", 50),
            ):
                assert counts_of(data).family_sums(batch, lookups, threads).tolist() == wanted
                assert counts_of(data).addition_sums(2, [0], others, lookups, threads).tolist() == wanted_additions


def test_one_pass_fills_a_bounded_number_of_cells():
    table = random_table(2, 50, [10] * 12)
    calls = []

    def run_all(task, ranges, workers):
        calls.extend(ranges)
        for start, stop in calls:
            task(start, stop)

    with patch.object(sums, "CELLS_PER_TASK", 2_000), patch.object(sums, "run_all", run_all), limited(1 << 16):
        counts_of(data_of(table)).addition_sums(0, [1], np.array(range(2, 12), np.int64), lookups_for(table))
    assert [stop - start for start, stop in calls] == [2] * 5


@pytest.mark.parametrize("bad", [0, -1, 1.5, True, "two"])
def test_threads_are_checked_however_small_the_work(bad):
    table = random_table(3, 5, [2, 2])
    with pytest.raises(ArgumentError, match="threads="):
        counts_of(data_of(table)).family_sums(batch_of([0], [[1]]), lookups_for(table), bad)


def test_nothing_to_do():
    table = random_table(4, 5, [2, 3])
    data, lookups = data_of(table), lookups_for(table)
    assert counts_of(data).family_sums(batch_of([], []), lookups).shape == (0, 2)
    assert counts_of(data).addition_sums(0, [1], np.array([], np.int64), lookups).shape == (0, 2)
    for some in (lookups, Lookups(np.zeros((1, 1)), {}, 1.0)):
        assert counts_of(data).family_sums(batch_of([-1], [()]), some).shape == (1, 2)
    assert counts_of(data).family_sums(batch_of([-1], [()]), lookups)[0, 0] == lookups.table[0, 5]


@pytest.mark.parametrize("wide", [300, 70_000])
def test_wide_codes(wide):
    """Codes of 16 and of 32 bits."""
    table = random_table(5, 40, [wide, 3, 2], 3)
    data, lookups = data_of(table), lookups_for(table)
    children, parent_sets = all_families(3)
    found = counts_of(data).family_sums(batch_of(children, parent_sets), lookups)
    wanted = [naive_sums(table, x, pa, lookups) for x, pa in zip(children, parent_sets, strict=True)]
    assert found == pytest.approx(np.array(wanted), rel=1e-12, abs=1e-12)
    assert (
        counts_of(data).addition_sums(1, [2], np.array([0], np.int64), lookups).tolist()
        == counts_of(data).family_sums(batch_of([1], [[0, 2]]), lookups).tolist()
    )


@pytest.mark.parametrize("limit", [0, 65_536])
def test_heavy_rows(limit):
    """More than 2^31 rows are counted in 64 bits."""
    table = naive.table_of([(0, 0, 1), (0, 1, 0), (1, 1, 2), (1, 0, 1)], [2, 2, 3], [2**31, 2**33 + 1, 5, 2**40])
    data, lookups = data_of(table), Lookups(np.zeros((1, 1)), {}, 1.0)
    children, parent_sets = all_families(3)
    with limited(limit):
        found = counts_of(data).family_sums(batch_of(children, parent_sets), lookups)
        added = counts_of(data).addition_sums(0, [2], np.array([1], np.int64), lookups)
    wanted = [
        [naive_rising(table, [*pa, x], 1.0), naive_rising(table, pa, 1.0)]
        for x, pa in zip(children, parent_sets, strict=True)
    ]
    assert found == pytest.approx(np.array(wanted), rel=1e-13)
    assert added.tolist() == [found[parent_sets.index([1, 2])].tolist()]


@pytest.mark.skipif(not JIT, reason="hundreds of thousands of steps: too many without the compiler")
def test_forty_columns():
    """More than 10^20 configurations: only what occurs is visited."""
    table = random_table(6, 500, [4] * 40)
    data, lookups = data_of(table), lookups_for(table)
    parents = list(range(1, 40))
    found = counts_of(data).family_sums(batch_of([0, 39], [parents, parents[:5]]), lookups)
    wanted = [naive_sums(table, 0, parents, lookups), naive_sums(table, 39, parents[:5], lookups)]
    assert found == pytest.approx(np.array(wanted), rel=1e-12, abs=1e-12)
    assert counts_of(data).configurations(batch_of([0], [parents]))[0].tolist() == [[2.0**80], [2.0**78]]


@PROPERTIES
@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=70), st.data())
def test_configurations(arities, drawn):
    """Right to the last digit and whatever the order, or infinite; the logarithm is always there."""
    from bnml import Data

    n = len(arities)
    states = tuple(range(r) for r in arities)
    data = Data(tuple(map(str, range(n))), states, np.zeros((1, n), np.uint8), np.ones(1, np.int64))
    order = drawn.draw(st.permutations(range(n)))
    size = drawn.draw(st.integers(1, n))
    child, parents = order[0], order[1:size]
    numbers, logs = counts_of(data).configurations(batch_of([child, -1], [parents, parents]))
    for row, variables in enumerate(([child, *parents], parents)):
        exact = math.prod(arities[v] for v in variables)
        assert numbers[row, 0] == (math.inf if exact >= 2**1024 else float(exact))
        assert logs[row, 0] == pytest.approx(math.log(exact), rel=1e-15)
    assert numbers[0, 1] == numbers[1, 1] == numbers[1, 0]
    assert logs[0, 1] == logs[1, 1] == logs[1, 0]


def test_no_configurations_of_nothing():
    data = data_of(random_table(7, 5, [2, 3]))
    numbers, logs = counts_of(data).configurations(batch_of([-1, -1, -1], [(), (0,), ()]))
    assert numbers.tolist() == [[1.0, 2.0, 1.0]] * 2
    assert logs[:, [0, 2]].tolist() == [[0.0, 0.0]] * 2


def test_a_batch_is_ascending_and_knows_its_children():
    batch = batch_of([3, 0, -1, 2], [[5, 1], [], [4, 2], [0]])
    assert len(batch) == 4
    assert batch.members.tolist() == [1, 3, 5, 0, 2, 4, 0, 2]
    assert batch.position.tolist() == [1, 0, -1, 1]
    assert batch.sizes.tolist() == [3, 1, 2, 2]
