"""The NML-optimal histogram: against enumeration, its properties, and what it finds in known distributions."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml._jit import JIT
from bnml.errors import ArgumentError
from bnml.nml import Histogram, nml_histogram, regrets
from bnml.nml._kernels import one_more_bin
from bnml.nml.histogram import NEIGHBOURS, _candidates, _precision
from tests.nml import naive

PROPERTIES = settings(max_examples=60, deadline=None)
TABLES = st.dictionaries(st.integers(-20, 20), st.integers(1, 7), min_size=2, max_size=6)
compiled = pytest.mark.skipif(not JIT, reason="long without compiled kernels")


def histogram_of(observations) -> Histogram:
    return nml_histogram(*np.unique(observations, return_counts=True))


def of_table(table: dict[int, int], scale: float = 1.0, shift: float = 0.0) -> Histogram:
    values = sorted(table)
    return nml_histogram([value * scale + shift for value in values], [table[value] for value in values])


@cache
def naive_regret(n: int, r: int) -> float:
    if n <= 8 and r <= 5:
        return math.log(naive.normaliser(n, r))
    return float(naive.by_recurrence(n, [r])[r])


def naive_precision(table: dict[int, int]) -> int:
    return math.gcd(*(b - a for a, b in pairwise(sorted(table))))


def naive_candidates(table: dict[int, int]) -> list[Fraction]:
    """Cuts at half a cell from each value; the cells from the sorted list of all observations."""
    observations = sorted(value for value, count in table.items() for _ in range(count))
    n = len(observations)
    m = min(max(n // 4, 1), NEIGHBOURS)
    cells = {}
    for value in table:
        first = observations.index(value)
        last = first + table[value] - 1
        spans = [observations[first + m] - value] if first + m < n else []
        spans += [value - observations[last - m]] if last - m >= 0 else []
        cells[value] = max(Fraction(naive_precision(table)), Fraction(min(spans), m))
    cuts = set()
    for a, b in pairwise(sorted(table)):
        cuts |= {a + min(cells[a], Fraction(b - a)) / 2, b - min(cells[b], Fraction(b - a)) / 2}
    return sorted(cuts)


def naive_code_length(table, cuts, candidates: int) -> float:
    """Return the code length by the formula, term by term."""
    n, half = sum(table.values()), Fraction(naive_precision(table), 2)
    edges = [min(table) - half, *cuts, max(table) + half]
    total = naive_regret(n, len(edges) - 1) + math.log(math.comb(candidates, len(cuts)))
    for low, high in pairwise(edges):
        h = sum(count for value, count in table.items() if low < value <= high)
        if h > 0:
            total -= h * math.log(h / (n * (high - low) / (2 * half)))
    return total


@PROPERTIES
@given(TABLES)
def test_equals_enumeration(table):
    candidates = naive_candidates(table)
    most = min(len(candidates), max(sum(table.values()) // 2, 1) - 1)
    lengths = [
        min(naive_code_length(table, cuts, len(candidates)) for cuts in combinations(candidates, k))
        for k in range(most + 1)
    ]
    histogram = of_table(table)
    assert histogram.candidates == len(candidates)
    assert histogram.precision == pytest.approx(naive_precision(table), rel=1e-12)
    assert histogram.code_length == pytest.approx(min(lengths), rel=1e-10, abs=1e-10)
    assert histogram.code_lengths == pytest.approx(lengths[: len(histogram.code_lengths)], rel=1e-10, abs=1e-10)
    own = [Fraction(cut).limit_denominator(1000) for cut in histogram.edges[1:-1]]
    assert set(own) <= set(candidates)
    assert histogram.code_length == pytest.approx(naive_code_length(table, own, len(candidates)), rel=1e-10, abs=1e-10)


@PROPERTIES
@given(TABLES, st.integers(-1000, 1000), st.sampled_from([1e-9, 0.1, 1 / 7, 1 / 3, 3.0, 2.54, 10.0, 1e12]))
def test_shift_and_scale(table, shift, scale):
    histogram, moved = of_table(table), of_table(table, scale, shift * scale)
    assert moved.counts == histogram.counts
    assert moved.candidates == histogram.candidates
    assert moved.code_lengths == pytest.approx(histogram.code_lengths, rel=1e-9, abs=1e-9)
    expected = [(edge + shift) * scale for edge in histogram.edges]
    assert moved.edges == pytest.approx(expected, rel=1e-9, abs=1e-9 * scale)


@PROPERTIES
@given(TABLES)
def test_mirror(table):
    mirrored = {-value: count for value, count in table.items()}
    assert of_table(mirrored).code_lengths == pytest.approx(of_table(table).code_lengths, rel=1e-9, abs=1e-9)


@PROPERTIES
@given(TABLES)
def test_weights_are_repetitions(table):
    observations = [float(value) for value, count in table.items() for _ in range(count)]
    assert histogram_of(observations) == of_table(table)


@PROPERTIES
@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=30))
def test_any_floats(observations):
    histogram = histogram_of(observations)
    n = len(observations)
    assert sum(histogram.counts) == n
    assert histogram.edges[0] <= min(observations) <= max(observations) <= histogram.edges[-1]
    inner = histogram.edges[1:-1]
    assert all(a < b for a, b in pairwise(inner))
    assert np.bincount(np.searchsorted(inner, observations, side="left"), minlength=len(inner) + 1).tolist() == list(
        histogram.counts
    )
    filled = np.bincount(np.searchsorted(histogram.cuts, observations, side="left"), minlength=len(histogram.cuts) + 1)
    assert (filled > 0).all()
    assert filled.tolist() == [count for count in histogram.counts if count > 0]
    assert histogram.code_length == pytest.approx(min(histogram.code_lengths), rel=1e-12, abs=1e-9)


@pytest.mark.parametrize(
    "observations",
    [[0.0, 5e-324, 1e-323], [-1.7e308, 1.7e308], [-1.7e308, 0, 1e-300, 1.7e308], [1.0, 1 + 2**-52, 1 + 2**-51]],
)
def test_ends_of_the_floats(observations):
    for times in (1, 50):
        histogram = histogram_of(np.repeat(observations, times))
        assert sum(histogram.counts) == times * len(observations)
        assert math.isfinite(histogram.code_length)
        assert set(np.searchsorted(histogram.cuts, observations).tolist()) == set(range(len(histogram.cuts) + 1))


@pytest.mark.parametrize("kind", ["normal", "exponential", "standard_cauchy", "uniform"])
@pytest.mark.parametrize("n", [12, 40, 90])
def test_all_numbers_of_bins(kind, n):
    """The early end of the search loses nothing: a plain dynamic programme over every K finds nothing shorter."""
    x = np.sort(getattr(np.random.default_rng(n), kind)(size=n))
    histogram = histogram_of(x)
    eps = histogram.precision
    after, offsets = _candidates(x, np.diff(x), np.ones(n), eps)
    assert histogram.candidates == after.size
    edges = np.r_[x[0] - eps / 2, x[after] + offsets, x[-1] + eps / 2]
    h = np.subtract.outer(np.r_[0, after + 1, n], np.r_[0, after + 1, n]).T
    size = np.subtract.outer(edges, edges).T
    costs = np.full(h.shape, np.inf)
    later = np.triu(np.ones(h.shape, dtype=bool), 1)
    pairs = zip(h[later], size[later], strict=True)
    costs[later] = [-k * math.log(k * eps / (n * length)) if k else 0.0 for k, length in pairs]
    fit, lengths = costs[:, -1], []
    for k, price in enumerate(regrets(n, np.arange(1, n // 2 + 1)), 1):
        lengths.append(fit[0] + price + math.log(math.comb(after.size, k - 1)))
        fit = (costs + fit).min(axis=1)
    tried = len(histogram.code_lengths)
    assert histogram.code_lengths == pytest.approx(lengths[:tried], rel=1e-9)
    assert histogram.code_length == pytest.approx(min(lengths), rel=1e-9)
    assert tried < n // 2 or n < 40


def test_code_length_from_its_parts():
    for observations in (np.random.default_rng(5).normal(size=200), np.random.default_rng(6).poisson(9, 200)):
        histogram = histogram_of(observations)
        n, bins = 200, len(histogram.counts)
        fit = sum(
            -h * math.log(histogram.precision * h / (n * (b - a)))
            for h, (a, b) in zip(histogram.counts, pairwise(histogram.edges), strict=True)
            if h > 0
        )
        price = naive_regret(n, bins) + math.log(math.comb(histogram.candidates, bins - 1))
        assert histogram.code_length == pytest.approx(fit + price, rel=1e-9)


def test_candidates_are_those_of_the_paper_where_data_are_dense():
    x = np.array([0.0, 1.0, 2.0, 5.0, 6.0, 10.0])
    after, offsets = _candidates(x, np.diff(x), np.full(6, 5.0), 1.0)
    assert (x[after] + offsets).tolist() == [0.5, 1.5, 2.5, 4.5, 5.5, 6.5, 9.5]


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([1, 2, 5], 1),
        ([10, 20, 45], 5),
        ([0.1, 0.2, 0.7, 1.1], 0.1),
        ([7.25, 7.5, 9.0], 0.25),
        ([0.1, 0.1 + 2e-17, 0.3, 0.1 + 0.2, 0.4], 0.1),
        (np.arange(50) / 3, 1 / 3),
        (np.arange(0, 100, 2.54) - 12.3, 2.54),
        (np.round(np.arange(300) / 10, 1).astype(np.float32).astype(float), 0.1),
        (1.7e9 + np.array([0.0, 0.5, 3.0]), 0.5),
        ([3.0, 1234.5], 1231.5),
        (np.sort(np.random.default_rng(0).normal(size=50)), None),
        ([0, 1, math.sqrt(2), math.pi], None),
    ],
)
def test_precision(values, step):
    gaps = np.diff(np.unique(np.asarray(values, dtype=np.float64)))
    expected = 2.0**-40 * gaps.sum() if step is None else step
    assert _precision(gaps) == pytest.approx(expected, rel=1e-4)


def test_one_value():
    histogram = nml_histogram([3.5], [100])
    assert histogram == Histogram((3.5, 3.5), (100,), 0.0, 0, (0.0,))
    assert histogram.cuts == ()
    assert histogram.code_length == 0.0


def test_two_values():
    assert nml_histogram([0, 1], [1, 1]).cuts == ()
    assert nml_histogram([0, 1], [50, 50]).cuts == ()
    assert nml_histogram([0, 1], [90, 10]).cuts == (0.5,)
    assert nml_histogram([0.1, 0.2], [90, 10]).cuts == pytest.approx((0.15,))


def test_kinds_of_numbers():
    histogram = nml_histogram(np.array([1, 2, 9], np.int8), np.array([30, 1, 40], np.uint16))
    assert histogram == nml_histogram([1.0, 2.0, 9.0], [30.0, 1.0, 40.0])
    assert all(type(count) is int for count in histogram.counts)
    assert all(type(edge) is float for edge in histogram.edges)


@pytest.mark.parametrize("n", [30, 100, *(pytest.param(n, marks=compiled) for n in (1000, 100_000))])
def test_uniform_is_one_bin(n):
    for seed in range(3):
        rng = np.random.default_rng([n, seed])
        assert histogram_of(rng.uniform(size=n)).cuts == ()
        assert histogram_of(rng.integers(0, 100, size=n)).cuts == ()
        assert histogram_of(rng.uniform(size=n).round(4)).cuts == ()


@pytest.mark.parametrize("sizes", [(3, 3), (5, 5), (100, 100), (8, 150), pytest.param((3000, 7000), marks=compiled)])
def test_two_clumps_are_cut_apart(sizes):
    rng = np.random.default_rng(1)
    low, high = rng.uniform(0, 1, sizes[0]), rng.uniform(10, 11, sizes[1])
    histogram = histogram_of(np.r_[low, high])
    (cut,) = histogram.cuts
    assert low.max() <= cut < high.min()
    if min(sizes) > 3:
        assert histogram.counts == (sizes[0], 0, sizes[1])
        assert cut == histogram.edges[2]  # the gap is joined to the lower bin


@pytest.mark.parametrize("n", [300, pytest.param(30_000, marks=compiled)])
def test_point_mass_stands_alone(n):
    rng = np.random.default_rng(2)
    histogram = histogram_of(np.r_[np.zeros(n // 4), rng.uniform(-1, 1, n)])
    assert n // 4 in histogram.counts
    assert len(histogram.cuts) == 2


@pytest.mark.parametrize(("n", "least", "most"), [(150, 2, 6), pytest.param(100_000, 20, 45, marks=compiled)])
def test_normal(n, least, most):
    for seed in range(3):
        x = np.random.default_rng(seed).normal(50, 10, n)
        assert least <= len(histogram_of(x).counts) <= most
        assert least <= len(histogram_of(np.exp(x / 10)).counts) <= most


def test_units_do_not_matter():
    """Whole numbers, however they were converted, are no reals."""
    x = np.random.default_rng(4).poisson(30, 2000)
    histogram = histogram_of(x)
    assert len(histogram.counts) > 5
    for converted in (x / 3, (x - x.mean()) / x.std(), x * np.float32(0.1), 451.67 - x / 1.8 + 1e6):
        same = histogram_of(converted)
        assert sorted(same.counts) == pytest.approx(sorted(histogram.counts))
        assert same.code_length == pytest.approx(histogram.code_length, rel=1e-4)


def test_ties_go_to_the_left():
    """Of ends whose costs differ by rounding alone the first is taken, and a real difference decides."""
    costs = np.full((5, 5), np.inf)
    costs[0, 1:] = [3.0, 2.0 + 1e-12, 2.0, 2.0 - 1e-12]
    costs[1, 2:] = [5.0, 4.0, 3.0]
    best, ends = np.empty(5), np.empty(5, dtype=np.int64)
    one_more_bin(costs, np.array([0.0, 0.0, 0.0, 0.0, np.inf]), 1, 1e-9, best, ends)
    assert ends[:2].tolist() == [2, 3]
    assert best[:2] == pytest.approx([2.0, 4.0])
    assert np.isinf(best[2:]).all()


def test_ties_go_to_fewer_bins():
    level = dict.fromkeys(range(9), 10)
    for scale in (1.0, 0.1, 1 / 3, 7.7):
        assert of_table(level, scale).counts == (90,)


@compiled
def test_long_columns_are_thinned():
    rng = np.random.default_rng(3)
    for x in (rng.normal(size=20_000), rng.integers(0, 10**6, 20_000), np.repeat(rng.normal(size=800), 40)):
        assert 600 <= histogram_of(x).candidates <= 1500
    clumps = np.sort(np.concatenate([rng.normal(place, 0.05, 2000) for place in range(20)]))
    histogram = histogram_of(clumps)
    assert set((np.arange(1, 20) * 2000).tolist()) <= set(np.cumsum(histogram.counts).tolist())


@pytest.mark.parametrize(
    ("values", "weights", "words"),
    [
        ([], [], "values must be a list of at least one number"),
        ([[1, 2]], [[1, 2]], r"shape \(1, 2\)"),
        (["a"], [1], "values"),
        ([True, False], [1, 1], "bool"),
        ([1, math.nan], [1, 1], "finite"),
        ([1, math.inf], [1, 1], "finite"),
        ([2, 1], [1, 1], "ascending"),
        ([1, 1], [1, 1], "distinct"),
        ([1, 2], [1], "weights must be 2 whole numbers"),
        ([1, 2], [1, 0], "got 0"),
        ([1, 2], [1, 1.5], "got 1.5"),
        ([1, 2], [1, math.nan], "got nan"),
        ([1, 2], ["1", "2"], "weights"),
        ([1, 2], [2**53, 2**53], "sum"),
    ],
)
def test_bad_arguments(values, weights, words):
    with pytest.raises(ArgumentError, match=words):
        nml_histogram(values, weights)
