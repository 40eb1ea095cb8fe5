"""Small random tables for hypothesis, and the same as `bnml.Data`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

import bnml
from bnml import Data
from tests import naive
from tests.naive import Table


def data_of(table: Table) -> Data:
    """Read a table with its declared states and its weights."""
    n = len(table.arities)
    states = {f"X{i}": list(range(r)) for i, r in enumerate(table.arities)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # columns with one state
        return bnml.read(np.column_stack([np.array(table.rows), table.weights]), states=states, weights=f"X{n}")


def random_table(seed: int, n_rows: int, arities: Sequence[int], most_weight: int = 1) -> Table:
    """Return a table of random rows."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, arities, size=(n_rows, len(arities))).tolist()
    return naive.table_of(rows, arities, rng.integers(1, most_weight + 1, n_rows).tolist())


@st.composite
def tables(draw: st.DrawFn, columns: int = 4, rows: int = 16, arity: int = 5, weight: int = 3) -> Table:
    """Draw a table: states that do not occur, repeated rows, a single row, a single column, a single state."""
    arities = draw(st.lists(st.integers(1, arity), min_size=1, max_size=columns))
    row = st.tuples(*(st.integers(0, r - 1) for r in arities))
    drawn = draw(st.lists(row, min_size=1, max_size=rows))
    weights = draw(st.lists(st.integers(1, weight), min_size=len(drawn), max_size=len(drawn)))
    return naive.table_of(drawn, arities, weights)


@st.composite
def families(draw: st.DrawFn, **limits: int) -> tuple[Table, int, list[int]]:
    """Draw a table, a column and parents for it in any order."""
    table = draw(tables(**limits))
    order = draw(st.permutations(range(len(table.arities))))
    return table, order[0], order[1 : 1 + draw(st.integers(0, len(order) - 1))]
