"""Cutting numbers into bins."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnml.data.bins import bin_labels, bin_medians, bins_of_values, cut_points, parse_bins
from bnml.errors import ArgumentError


def cuts_of(bins, values, weights=None):
    distinct, counts = np.unique(np.array(values, float), return_counts=True)
    if weights is not None:
        counts = np.array([sum(w for x, w in zip(values, weights, strict=True) if x == v) for v in distinct])
    return cut_points(bins, distinct, counts.astype(float))


@pytest.mark.parametrize(
    ("spec", "parsed"),
    [("width:3", ("width", 3)), ("quantile:4", ("quantile", 4)), ([1, 2.5], (1.0, 2.5)), ((3,), (3.0,)),
     (np.array([1, 2]), (1.0, 2.0)), (range(3), (0.0, 1.0, 2.0)), ((), ())],
)  # fmt: skip
def test_parse(spec, parsed):
    assert parse_bins(spec, "bins") == parsed


@pytest.mark.parametrize(
    "spec",
    ["width", "width:", "width:1", "width:0", "width:-3", "width:3.5", "width:x", "width: 3", "width:٣", "Width:3",
     "width:1001", "quantile:1000000000", "width:" + "9" * 5000, "equal:3", "", None, 3, 2.5, {1, 2}, {"a": 1},
     ["x"], [None], [[1, 2]], [2, 1], [1, 1], [float("nan")], [1, float("inf")], [10**400], np.array(5.0), True],
)  # fmt: skip
def test_parse_refuses(spec):
    with pytest.raises(ArgumentError, match=r"^bins\['a'\]=") as error:
        parse_bins(spec, "bins['a']")
    assert len(str(error.value)) < 250


def test_equal_width():
    assert cuts_of(("width", 2), [0, 1, 2, 3, 4]) == (2.0,)
    assert cuts_of(("width", 4), [0, 1, 2, 3, 4]) == (1.0, 2.0, 3.0)
    assert cuts_of(("width", 3), [5]) == ()


def test_a_value_on_a_cut_falls_below_it():
    """0.1 + (0.7 - 0.1) / 3 is 0.30000000000000004 in floats; the third of the way is 0.3 as written."""
    cuts = cuts_of(("width", 3), [0.1, 0.3, 0.5, 0.7])
    assert cuts == (0.3, 0.5)
    assert bins_of_values(np.array([0.1, 0.3, 0.5, 0.7]), cuts).tolist() == [0, 0, 1, 2]


def test_quantiles():
    assert cuts_of(("quantile", 4), range(1, 9)) == (2.0, 4.0, 6.0)
    assert cuts_of(("quantile", 2), [1, 1, 1, 2]) == (1.0,)
    assert cuts_of(("quantile", 4), [1, 1, 1, 1, 2]) == (1.0,)
    assert cuts_of(("quantile", 3), [7]) == ()
    assert cuts_of(("quantile", 10), range(10)) == tuple(map(float, range(9)))
    assert cuts_of(("quantile", 2), [1, 2, 3], weights=[1, 1, 9]) == (2.0,)
    assert cuts_of(("quantile", 2), [1, 2, 3], weights=[9, 1, 1]) == (1.0,)


def test_a_quantile_that_takes_all_the_rest():
    """Most of the weight on the highest value: the cut above it would leave an empty bin."""
    assert cuts_of(("quantile", 2), [1, 2, 3], weights=[1, 0.5, 9]) == (2.0,)
    assert cuts_of(("quantile", 2), [1, 9], weights=[1, 99]) == (1.0,)


def test_empty_bins_are_joined_to_a_neighbour():
    assert cuts_of((10.0, 20.0, 30.0), [5, 35]) == (30.0,)  # two inner bins, to the one below
    assert cuts_of((0.0, 10.0), [5, 35]) == (10.0,)  # the first
    assert cuts_of((10.0, 50.0), [5, 35]) == (10.0,)  # the last
    assert cuts_of((50.0, 60.0), [5, 35]) == ()
    assert cuts_of((1.0, 2.0), [5, 35]) == ()
    assert cuts_of((), [5, 35]) == ()
    assert cuts_of(("width", 3), [0, 0.1, 100]) == (pytest.approx(200 / 3),)


def test_labels():
    assert bin_labels(()) == ("all",)
    assert bin_labels((2.0,)) == ("<=2", ">2")
    assert bin_labels((5.5, 6.7)) == ("<=5.5", "(5.5, 6.7]", ">6.7")
    near = (0.1, 0.1 + 1e-16 * 2)
    assert len(set(bin_labels(near))) == 3


FINITE = st.integers(-1000, 1000).map(lambda i: i / 10)


@given(
    values=st.lists(FINITE, min_size=1, max_size=30), k=st.integers(2, 6), kind=st.sampled_from(["width", "quantile"])
)
def test_every_bin_has_data_and_bins_are_ordered(values, k, kind):
    cuts = cuts_of((kind, k), values)
    places = bins_of_values(np.array(values), cuts)
    assert sorted(set(places.tolist())) == list(range(len(cuts) + 1))
    assert len(cuts) < k
    assert len(set(bin_labels(cuts))) == len(cuts) + 1
    for x, i in zip(values, places.tolist(), strict=True):
        assert i == 0 or cuts[i - 1] < x
        assert i == len(cuts) or x <= cuts[i]


@given(values=st.lists(FINITE, min_size=2, max_size=30), cuts=st.lists(FINITE, min_size=1, max_size=6, unique=True))
def test_joining_keeps_the_partition(values, cuts):
    """Two values are apart after the joining just when a given cut lies between them."""
    given_cuts = tuple(sorted(cuts))
    before = bins_of_values(np.array(values), given_cuts)
    after = bins_of_values(np.array(values), cuts_of(given_cuts, values))
    assert (np.equal.outer(before, before) == np.equal.outer(after, after)).all()


@given(values=st.lists(FINITE, min_size=1, max_size=30), k=st.integers(2, 5))
def test_equal_width_in_exact_arithmetic(values, k):
    exact = [Fraction(str(x)) for x in values]
    low, high = min(exact), max(exact)
    bins = [next(i for i in range(k) if x <= low + (high - low) * (i + 1) / k) for x in exact]
    found = bins_of_values(np.array(values), cuts_of(("width", k), values)).tolist()
    rank = {b: i for i, b in enumerate(sorted(set(bins)))}
    assert found == [rank[b] for b in bins]


def test_cuts_of_histograms_are_short():
    rng = np.random.default_rng(0)
    values = np.unique(np.concatenate([rng.normal(0, 1, 200), rng.normal(50, 1, 200)]))
    cuts = cut_points(parse_bins("mdl", "bins"), values, np.ones(values.size))
    assert cuts
    assert all(len(f"{cut:.12g}") <= 6 for cut in cuts)
    assert (np.diff(np.searchsorted(values, cuts, side="right")) > 0).all()


@given(st.lists(st.tuples(st.integers(-20, 20), st.integers(1, 4)), min_size=1), st.sets(st.integers(-22, 22)))
def test_medians_of_bins(rows, cuts):
    numbers = np.repeat([x / 4 for x, _ in rows], [n for _, n in rows])
    points = sorted(cut / 4 for cut in cuts)
    values, counts = np.unique(numbers, return_counts=True)
    medians = bin_medians(points, values, counts)
    assert bins_of_values(np.array(medians), points).tolist() == [*range(len(points) + 1)] or not points
    otherwise = bin_medians(points, values, counts, [99.0] * (len(points) + 1))
    for k, (median, other) in enumerate(zip(medians, otherwise, strict=True)):
        own = numbers[bins_of_values(numbers, points) == k]
        assert (median, other) == (np.median(own),) * 2 if own.size else other == 99.0


def test_medians_are_written_with_few_digits():
    assert bin_medians([3], np.array([2.3, 2.4, 3.1, 3.3]), np.array([2, 2, 1, 1])) == (2.35, 3.2)
    assert bin_medians([10, 30], np.empty(0), np.empty(0)) == (0.0, 20.0, 40.0)
    assert bin_medians([-4], np.empty(0), np.empty(0)) == (-6.0, -2.0)
