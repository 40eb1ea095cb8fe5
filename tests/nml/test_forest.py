"""The NML of forests against the sum over all data sets, and against what theory says of it."""

from __future__ import annotations

import math
import re
from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.errors import ArgumentError, BnmlError, ScoreError
from bnml.nml import (
    complexity_forecast,
    forest_plan,
    forest_sums,
    forest_weights,
    minimax_regret,
    parametric_complexity,
    regret,
    regret_table,
    stochastic_complexity,
)
from bnml.nml.forest_counts import SortedCounts, number_of_sorted_counts, powers_of_counts
from bnml.nml.forest_sums import ForestSums, star_sum
from bnml.nml.forest_weights import Weights
from tests.nml import naive

SHAPES = {  # the forests of four variables, up to their names: which number each one's parent has
    "no links": (None, None, None, None),
    "pair": (None, 0, None, None),
    "two pairs": (None, 0, None, 2),
    "chain of three": (None, 0, 1, None),
    "chain of three from its middle": (1, None, 1, None),
    "chain of four": (None, 0, 1, 2),
    "chain of four from its second": (1, None, 1, 2),
    "star": (None, 0, 0, 0),
    "star from a leaf": (None, 0, 1, 1),
}


@cache
def normaliser(parents, arities, n):
    """Σ over all data sets of their maximised likelihood; sets of rows in another order are counted, not listed."""
    rows = list(product(*(range(r) for r in arities)))
    total = 0.0
    for sample in combinations_with_replacement(rows, n):
        times = math.factorial(n) // math.prod(math.factorial(sample.count(row)) for row in set(sample))
        total += times * likelihood(sample, parents)
    return total


def likelihood(rows, parents):
    value = 1.0
    for child, above in enumerate(parents):
        key = [row[child] if above is None else (row[above], row[child]) for row in rows]
        given_ = [0 if above is None else row[above] for row in rows]
        value *= math.prod(key.count(k) / given_.count(g) for k, g in zip(key, given_, strict=True))
    return value


def log_c(parents, arities, n, **options):
    return parametric_complexity(list(parents), list(arities), n, **options)


# --- the sum over all data sets ---


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("arities", "n"), [((2, 2, 2, 2), 3), ((2, 2, 2, 2), 4), ((2, 3, 2, 2), 3), ((3, 2, 3, 2), 3), ((2, 3, 3, 2), 3)]
)
def test_all_data_sets(shape, arities, n):
    parents = SHAPES[shape]
    assert log_c(parents, arities, n) == pytest.approx(math.log(normaliser(parents, arities, n)), rel=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("arities", [(3, 2, 3, 2), (3, 3, 2, 2), (2, 2, 3, 3)])
def test_all_data_sets_of_two_rows(shape, arities):
    parents = SHAPES[shape]
    assert log_c(parents, arities, 2) == pytest.approx(math.log(normaliser(parents, arities, 2)), rel=1e-12)


@pytest.mark.parametrize(
    ("parents", "arities", "n", "wanted"),
    [
        ((None, 0, 1), (2, 2, 2), 4, 63.53580729166664),
        ((None, 0, 1, 1), (2, 2, 2, 2), 3, 159.33058984910843),
        ((None, 0, 1), (2, 3, 2), 3, 105.92592592592597),
    ],
)
def test_known_values(parents, arities, n, wanted):
    """The values that were found when the paper's recursion was corrected."""
    assert log_c(parents, arities, n) == pytest.approx(math.log(wanted), rel=1e-12)
    assert normaliser(parents, arities, n) == pytest.approx(wanted, rel=1e-12)


def plain(parents, arities, n):
    """Follow the corrected recursion as it stands: every table of counts is listed."""
    children = [[c for c, above in enumerate(parents) if above == x] for x in range(len(parents))]

    @cache
    def message(x, above):
        total = 0.0
        for rows in product(*(naive.compositions(f, arities[x]) for f in above)):
            weight = 1.0
            for f, row in zip(above, rows, strict=True):
                weight *= math.factorial(f) / math.prod(math.factorial(k) for k in row)
                weight *= math.prod((k / f) ** k for k in row if k)
            sums = tuple(map(sum, zip(*rows, strict=True)))
            total += weight * math.prod(message(child, sums) for child in children[x])
        return total

    result = 1.0
    for root in (x for x, above in enumerate(parents) if above is None):
        result *= message(root, (n,))
    return result


@settings(max_examples=40, deadline=None)
@given(drawn=st.data())
def test_the_recursion_with_all_tables_listed(drawn):
    size, n = drawn.draw(st.integers(1, 5)), drawn.draw(st.integers(1, 4))
    parents = tuple(drawn.draw(st.sampled_from([None, *range(x)])) for x in range(size))
    arities = tuple(drawn.draw(st.integers(1, 3)) for _ in range(size))
    assert log_c(parents, arities, n) == pytest.approx(math.log(plain(parents, arities, n)), rel=1e-11, abs=1e-12)


# --- what theory says ---


@pytest.mark.parametrize(("a", "b", "n"), [(2, 2, 1000), (3, 5, 200), (2, 40, 3000)])
def test_a_pair_is_one_multinomial(a, b, n):
    assert log_c((None, 0), (a, b), n) == regret(n, a * b)
    assert log_c((1, None), (a, b), n) == regret(n, a * b)


@pytest.mark.parametrize(("arity", "n"), [(2, 50), (3, 500), (10, 4000), (500, 60)])
def test_without_leaves_a_star_is_a_multinomial(arity, n):
    assert star_sum(np.log(powers_of_counts(n)), arity) == pytest.approx(regret(n, arity), rel=1e-11)


@pytest.mark.parametrize(("arities", "n"), [((2, 3, 2, 2, 4), 60), ((3, 3, 3, 2, 2), 40), ((2, 2, 2, 2, 2), 1000)])
def test_the_root_does_not_matter(arities, n):
    """The tree 0 - 1 - 2 - 3, with 4 at 1, from each of its variables as the root, without the choice of another."""
    links = [[1], [0, 2, 4], [1, 3], [2], [1]]
    sums = ForestSums(n)

    def branch(x, above):
        return sums.branch(arities[x], [], [branch(y, x) for y in links[x] if y != above])

    values = [sums.total(branch(root, None)) for root in range(5)]
    assert max(values) - min(values) < 1e-11 * values[0]
    assert log_c((None, 0, 1, 2, 1), arities, n) == pytest.approx(values[0], rel=1e-11)


@pytest.mark.parametrize(
    ("many", "few", "n"), [(2, 2, 400), (3, 2, 100), (3, 3, 60), (4, 3, 30), (4, 4, 12), (6, 2, 40)]
)
def test_a_branch_without_branches_is_a_leaf(many, few, n):
    """The weights, summed over the counts of one variable, are the regrets of a leaf: both ways."""
    sums = ForestSums(n)
    for own, above in ((many, few), (few, many)):
        sent = sums.message(sums.branch(own, [], []), above)
        assert sent == pytest.approx(sums.leaf_message(own, above), rel=1e-12, abs=1e-12)


def test_naive_bayes_by_the_recurrence_over_values():
    """Kontkanen et al. 2006: C of so many classes from that of fewer, n terms each."""
    n, classes, attributes = 30, 4, (2, 3, 2)
    tables = [np.exp(regret_table(n, r)) for r in attributes]
    one = np.prod(tables, axis=0)
    total = one.copy()
    for _ in range(classes - 1):
        total = np.array(
            [
                sum(
                    math.comb(m, k) * (k / m) ** k * (1 - k / m) ** (m - k) * total[k] * one[m - k]
                    for k in range(m + 1)
                )
                if m
                else 1.0
                for m in range(n + 1)
            ]
        )
    value = log_c((None, 0, 0, 0), (classes, *attributes), n)
    assert value == pytest.approx(math.log(total[n]), rel=1e-12)


def test_a_star_by_convolution_and_by_counts():
    sums = ForestSums(80)
    for leaves in ((2, 3), (2,) * 40, (5, 1000)):
        by_counts = sums.total(sums.branch(3, leaves, []))
        assert sums.star(3, leaves) == pytest.approx(by_counts, rel=1e-12)


def test_long_convolutions_are_transformed(monkeypatch):
    leaves = (2, 3, 4) * 20
    direct = [ForestSums(n).star(arity, leaves) for n, arity in ((500, 2), (300, 7), (100, 1000))]
    monkeypatch.setattr(forest_sums, "DIRECT_UP_TO", 0)
    assert [ForestSums(n).star(arity, leaves) for n, arity in ((500, 2), (300, 7), (100, 1000))] == pytest.approx(
        direct, rel=1e-12
    )


def test_many_leaves_overflow_nothing():
    value = log_c((None, *(0,) * 3000), (2,) * 3001, 1000)
    assert math.isfinite(value)
    assert 3000 * regret(500, 2) < value < 3000 * 2 * regret(500, 2) + regret(1000, 2)
    sums = ForestSums(100)
    heavy = sums.branch(2, (3,) * 3000, ())
    assert math.isfinite(sums.total(sums.branch(3, (2,) * 3000, (heavy, heavy))))


def test_components_are_independent():
    tree, arities = (None, 0, 1, 2), (2, 3, 2, 2)
    both = (*tree, *(None if p is None else p + 4 for p in tree), None)
    assert log_c(both, (*arities, *arities, 7), 50) == pytest.approx(
        2 * log_c(tree, arities, 50) + regret(50, 7), rel=1e-13
    )


def test_a_variable_with_one_value_says_nothing():
    assert log_c((None, 0, 1, 2, 3), (2, 2, 1, 3, 2), 20) == pytest.approx(regret(20, 4) + regret(20, 6), rel=1e-14)
    assert log_c((None, 0), (1, 1), 20) == 0.0


def test_few_rows():
    assert log_c((None, 0, 1, 2), (2, 3, 2, 2), 0) == 0.0
    assert log_c((None, 0, 1, 2), (2, 3, 2, 2), 1) == pytest.approx(math.log(24), rel=1e-14)


def test_it_is_a_distribution():
    """Σ over all data sets of P_NML is one."""
    rows, total = list(product(range(2), range(3), range(2), range(2))), 0.0
    for sample in combinations_with_replacement(rows, 2):
        times = 1 if sample[0] == sample[1] else 2
        total += times * math.exp(-stochastic_complexity([None, 0, 1, 2], np.array(sample), [2, 3, 2, 2]))
    assert total == pytest.approx(1.0, abs=1e-12)


# --- counts and weights ---


@pytest.mark.parametrize(("n", "parts"), [(0, 3), (1, 2), (7, 1), (7, 2), (7, 3), (12, 4), (5, 9), (20, 5)])
def test_sorted_counts(n, parts):
    counts = SortedCounts(n, parts)
    everything = list(naive.compositions(n, parts))
    wanted = sorted({tuple(sorted(vector, reverse=True)) for vector in everything})
    assert sorted(map(tuple, counts.vectors.tolist())) == wanted
    assert len(counts) == number_of_sorted_counts(n, parts)
    assert counts.arrangements.sum() == pytest.approx(len(everything), rel=1e-13)
    if parts <= 15:
        assert counts.arrangements.sum() == len(everything)


def test_numbers_that_are_too_large_are_bounded():
    assert number_of_sorted_counts(100_000, 50) > 10**13
    assert number_of_sorted_counts(1000, 10**15) < 10**35


def test_scaled_powers():
    import mpmath

    values = powers_of_counts(3000)
    for k in (0, 1, 2, 31, 32, 33, 100, 3000):
        wanted = mpmath.mpf(k) ** k * mpmath.exp(-k) / mpmath.factorial(k) if k else 1
        assert values[k] == pytest.approx(float(wanted), rel=2e-15)


@pytest.mark.parametrize(("n", "many", "few"), [(6, 2, 2), (5, 3, 2), (4, 3, 3), (4, 4, 2)])
def test_weights_by_listing_tables(n, many, few):
    counts = SortedCounts(n, many), SortedCounts(n, few)
    weights = np.concatenate(list(Weights(*counts).blocks()))
    b = powers_of_counts(n)
    for i, f in enumerate(counts[0].vectors.tolist()):
        for j, rho in enumerate(counts[1].vectors.tolist()):
            total = sum(
                math.prod(b[k] for row in table for k in row)
                for table in product(*(naive.compositions(m, few) for m in f))
                if list(map(sum, zip(*table, strict=True))) == rho
            )
            assert weights[i, j] == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize("n", [100, 5000])
def test_weights_of_binary_variables_by_direct_sums(n):
    """W = Σ_x b(x) b(f-x) b(ρ-x) b(n-f-ρ+x), of some f, for all ρ."""
    counts = SortedCounts(n, 2)
    weights = np.concatenate(list(Weights(counts, counts).blocks()))
    b = powers_of_counts(n)
    for i in (0, 1, len(counts) // 3, len(counts) - 2, len(counts) - 1):
        f, g = counts.vectors[i]
        row = np.convolve(b[: f + 1] * b[f::-1], b[: g + 1] * b[g::-1])
        assert weights[i] == pytest.approx(row[counts.vectors[:, 0]], rel=1e-11)


def test_weights_that_are_not_kept(monkeypatch):
    """Computed anew for each use, a few rows at a time, with and without the transforms of all rows."""
    wanted = log_c((None, 0, 1, 2, 3), (2, 3, 3, 2, 2), 25)
    monkeypatch.setattr(forest_weights, "KEPT_BYTES", 0)
    monkeypatch.setattr(forest_weights, "BLOCK_CELLS", 3000)
    assert log_c((None, 0, 1, 2, 3), (2, 3, 3, 2, 2), 25) == pytest.approx(wanted, rel=1e-13)
    monkeypatch.setattr(forest_weights, "SPECTRA_BYTES", 0)
    assert log_c((None, 0, 1, 2, 3), (2, 3, 3, 2, 2), 25) == pytest.approx(wanted, rel=1e-13)


# --- what is shared ---


def test_equal_branches_are_computed_once():
    n = 30
    sums = ForestSums(n)
    links = [[y for y in (x - 1, x + 1) if 0 <= y < 51] for x in range(51)]
    trees = forest_plan.trees_of(sums, links, [2] * 51)
    (root,) = trees.roots
    assert len(sums.needs(root).messages) == 24  # from the middle both sides look the same
    assert sums.needs(root).uses == {(2, 2): 24}
    assert trees.total(sums) == pytest.approx(log_c((None, *range(50)), (2,) * 51, n), rel=1e-13)


def test_messages_may_be_forgotten(monkeypatch):
    wanted = log_c((None, *range(20)), (2, 3) * 10 + (2,), 20)
    monkeypatch.setattr(forest_sums, "MESSAGE_BYTES", 0)
    assert log_c((None, *range(20)), (2, 3) * 10 + (2,), 20) == wanted


def test_a_very_long_chain():
    """Nothing recurs into Python's own limit, and the cost of the choice of a root stays in bounds."""
    value = log_c((None, *range(2999)), (2,) * 3000, 3)
    assert 2998 * math.log(2) < value < 3000 * regret(3, 4)


# --- what it will take ---


def test_forecast():
    small = complexity_forecast([None, 0, 1, 2], [2, 2, 2, 2], 100)
    large = complexity_forecast([None, 0, 1, 2], [2, 2, 2, 2], 10_000)
    assert small.fits
    assert small.seconds < large.seconds
    assert small.weights == 51**2
    assert small.arities == (2, 2)
    assert re.fullmatch(r"2,601 weights, about a second or less, .* of memory", str(small))
    star = complexity_forecast([None, 0, 0], [30, 2, 2], 10_000)
    assert (star.weights, star.arities, star.fits) == (0, (), True)
    leaves = complexity_forecast([None, 0, 1, 2], [90, 2, 2, 90], 1000)
    assert leaves.weights == 501**2  # leaves cost nothing, whatever their number of values


@pytest.mark.parametrize(
    ("arities", "n", "number"),
    [
        ((2, 9, 9, 2), 1000, r"more than 10\^"),
        ((2, 3, 3, 2), 3000, "564,753,753,001 weights, about .* hours"),
        ((2, 900, 900, 2), 90, ""),
    ],
)
def test_what_is_too_much_is_refused_with_the_number(arities, n, number):
    with pytest.raises(ScoreError, match=f"{number}.*take qnml"):
        log_c((None, 0, 1, 2), arities, n)
    assert not complexity_forecast([None, 0, 1, 2], arities, n).fits


def test_memory_limit():
    with pytest.raises(ScoreError, match=r"of memory .*1\.0 MB and an hour are allowed"):
        log_c((None, 0, 1, 2), (2, 2, 2, 2), 1000, memory_limit="1MB")
    with pytest.raises(ArgumentError, match="memory_limit"):
        log_c((None, 0, 1, 2), (2, 2, 2, 2), 1000, memory_limit="much")


# --- the doors ---


def test_names_of_the_same_thing():
    dag = bnml.DAG.parse("[A][B|A][C|B]")
    arities = {"A": 2, "B": 3, "C": 2}
    value = parametric_complexity(dag, arities, 20)
    assert value == log_c((None, 0, 1), (2, 3, 2), 20) == minimax_regret(dag, [2, 3, 2], 20)
    data = bnml.read(np.random.default_rng(0).integers(0, [2, 3, 2], (20, 3)))
    rows = np.random.default_rng(0).integers(0, [2, 3, 2], (20, 3))
    tree = bnml.DAG.parse("[X0][X1|X0][X2|X1]")
    complexity = stochastic_complexity(tree, data)
    assert complexity == pytest.approx(value - bnml.score(tree, data, "loglik"), rel=1e-12)
    assert complexity == pytest.approx(stochastic_complexity([None, 0, 1], rows, [2, 3, 2]), rel=1e-13)
    turned = bnml.DAG.parse("[X2][X1|X2][X0|X1]")
    assert stochastic_complexity(turned, data) == pytest.approx(complexity, rel=1e-12)
    assert complexity == pytest.approx(-bnml.score(tree, data, "nml"), rel=1e-12)


ROWS = np.zeros((3, 2), int)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: parametric_complexity(bnml.DAG.parse("[A][B][C|A:B]"), [2, 2, 2], 5), "'C' has 2 parents.*qnml"),
        (lambda: parametric_complexity("[A]", [2], 5), "expected a bnml.DAG"),
        (lambda: parametric_complexity(None, [2], 5), "expected a bnml.DAG"),
        (lambda: parametric_complexity([None, 5], [2, 2], 5), "has the parent 5; allowed are 0 to 1"),
        (lambda: parametric_complexity([None, 1.5], [2, 2], 5), "forest must be a whole number"),
        (lambda: parametric_complexity([1, 0], [2, 2], 5), "0, 1 close a cycle"),
        (lambda: parametric_complexity([None, 1], [2, 2], 5), "1 close a cycle"),
        (lambda: parametric_complexity([None, 0], [2], 5), "1 numbers of values for 2 variables"),
        (lambda: parametric_complexity([None, 0], [2, 0], 5), "arities must be a whole number"),
        (lambda: parametric_complexity([None, 0], None, 5), "arities=None: expected the number of values"),
        (lambda: parametric_complexity(bnml.DAG.parse("[A][B]"), 2, 5), "arities=2: expected the number of values"),
        (lambda: parametric_complexity([None, 0], {"A": 2, "B": 2}, 5), "the forest has no names"),
        (lambda: parametric_complexity(bnml.DAG.parse("[A][B]"), {"A": 2}, 5), "nothing is said of 'B'"),
        (lambda: parametric_complexity([None, 0], [2, 2], -1), "n must be a whole number"),
        (lambda: stochastic_complexity([None, 0], ROWS), "how many values"),
        (lambda: stochastic_complexity([None, 0, 0], ROWS, [2, 2, 2]), "3 columns"),
        (lambda: stochastic_complexity([None, 0], ROWS + 2, [2, 2]), "a code is not among"),
        (lambda: stochastic_complexity([None, 0], ROWS + 0.5, [2, 2]), "whole numbers"),
        (lambda: stochastic_complexity(bnml.DAG.parse("[A][B]"), bnml.read(np.eye(3, dtype=int))), "same variables"),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises(BnmlError, match=message):
        call()


@pytest.mark.parametrize("arities", [None, 3, "22", True])
def test_arities_that_are_none(arities):
    with pytest.raises(ArgumentError, match="arities=") as caught:
        parametric_complexity([None, 0], arities, 10)
    assert caught.value.argument == "arities"
