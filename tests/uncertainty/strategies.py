"""Awkward tables for posteriors, and weights without any table."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from tests import naive
from tests.naive import Table
from tests.uncertainty.naive import Weight

Floats = npt.NDArray[np.float64]


@st.composite
def awkward_tables(draw: st.DrawFn, least: int = 1, most: int = 4, weight: int = 3) -> Table:
    """Draw a table whose columns may be constant, copies of others, functions of two others, or nearly so."""
    n_rows, n = draw(st.integers(1, 12)), draw(st.integers(least, most))
    columns: list[list[int]] = []
    arities: list[int] = []
    for i in range(n):
        kind = draw(st.sampled_from(["free", "constant", "copy", "function", "noisy"])) if i else "free"
        r = draw(st.integers(1, 3))
        free = draw(st.lists(st.integers(0, r - 1), min_size=n_rows, max_size=n_rows))
        if kind == "constant":
            free = [0] * n_rows
        if kind in ("copy", "function", "noisy"):
            a, b = draw(st.integers(0, i - 1)), draw(st.integers(0, i - 1))
            r = max(arities[a], r) if kind != "function" else arities[a] + arities[b]
            copied = [x + y if kind == "function" else x for x, y in zip(columns[a], columns[b], strict=True)]
            free = [f if kind == "noisy" and t == 0 else x for t, (f, x) in enumerate(zip(free, copied, strict=True))]
        columns.append(free)
        arities.append(r)
    weights = draw(st.lists(st.integers(1, weight), min_size=n_rows, max_size=n_rows))
    return naive.table_of(list(zip(*columns, strict=True)), arities, weights)


def dependent_table(seed: int, n_rows: int, arities: list[int], noise: float = 0.05) -> Table:
    """Return a table with strong dependences: each column is a function of two before it, but for some noise."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, arities[0], n_rows)]
    for i, r in enumerate(arities[1:], 1):
        a, b = rng.integers(0, i, 2)
        value = (columns[a] + rng.integers(1, 3) * columns[b]) % r
        columns.append(np.where(rng.random(n_rows) < noise, rng.integers(0, r, n_rows), value))
    rows, weights = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    return naive.table_of(rows.tolist(), arities, weights.tolist())


@st.composite
def families(draw: st.DrawFn, least: int = 1, most: int = 4) -> Floats:
    """Draw a log-weight for each variable and parent set: near and far apart, equivalent or not, some not allowed."""
    n = draw(st.integers(least, most))
    scale = draw(st.sampled_from([0.0, 1.0, 30.0, 1000.0, 20000.0]))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    weights = rng.normal(size=(n, 1 << (n - 1))) * scale - 3 * scale
    if draw(st.booleans()):
        terms = rng.normal(size=1 << n) * scale
        weights = np.array(
            [[terms[mask(p, i) | 1 << i] - terms[mask(p, i)] for p in range(1 << (n - 1))] for i in range(n)]
        )
    if draw(st.booleans()):
        forbidden = rng.random(weights.shape) < 0.5
        forbidden[:, 0] = False
        weights[forbidden] = -np.inf
    return weights


def mask(p: int, i: int) -> int:
    """Put a zero at bit i."""
    return p % (1 << i) + (p >> i << (i + 1))


def weight_of(weights: Floats) -> Weight:
    """Return an array of weights as a function."""

    def weight(child: int, parents: tuple[int, ...]) -> float:
        return float(weights[child, sum(1 << (v - (v > child)) for v in parents)])

    return weight
