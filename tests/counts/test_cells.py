"""The cells that occur, and their margins, against counting row by row."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.counts import counts_of, family_counts
from bnml.counts.counts import cells_of_rows
from tests import naive
from tests.counts.strategies import data_of, families, random_table

PROPERTIES = settings(max_examples=40, deadline=None)


def configurations(cells):
    """Return the states of each cell."""
    return [tuple(cell) for cell in cells.states.T.tolist()]


@PROPERTIES
@given(families())
def test_cells(family):
    table, child, parents = family
    data, variables = data_of(table), [*parents, child]
    found = counts_of(data).cells(variables)
    assert dict(zip(configurations(found), found.counts.tolist(), strict=True)) == naive.observed(table, variables)
    rows = [tuple(row) for row in data.codes[:, variables].tolist()]
    assert configurations(found) == list(dict.fromkeys(rows))  # in order of first occurrence
    assert found.variables == tuple(variables)
    assert found.arities == tuple(table.arities[v] for v in variables)
    for place, v in enumerate(variables):
        assert found.of(v).tolist() == found.states[place].tolist()


@PROPERTIES
@given(families(columns=5), st.integers(0, 4))
def test_margins_are_what_counting_fewer_columns_gives(family, size):
    table, child, parents = family
    counts, variables = counts_of(data_of(table)), [*parents, child]
    whole, some = counts.cells(variables), variables[-size:] if size else []
    found, belongs = whole.margin(some)
    wanted = counts.cells(some)
    assert (found.variables, found.arities) == (wanted.variables, wanted.arities)
    assert found.states.tolist() == wanted.states.tolist()
    assert found.counts.tolist() == wanted.counts.tolist()
    kept = [variables.index(v) for v in some]
    assert found.states[:, belongs].tolist() == whole.states[kept].tolist()


@PROPERTIES
@given(families())
def test_family_counts(family):
    table, child, parents = family
    found = family_counts(counts_of(data_of(table)), child, parents)
    wanted = naive.family_counts(table, child, parents)
    assert (found.q, found.r) == (len(wanted), table.arities[child])
    n_ijk = {}
    above = list(zip(*(found.joint.of(p).tolist() for p in parents), strict=True)) or [()] * len(found.joint)
    for count, j, configuration, k in zip(found.n_ijk, found.j, above, found.joint.of(child), strict=True):
        n_ijk[configuration, int(k)] = int(count)
        assert found.n_ij[j] == sum(wanted[configuration])
    assert n_ijk == {(j, k): n for j, n_ij in wanted.items() for k, n in enumerate(n_ij) if n}
    assert found.n_ij.sum() == found.n_ijk.sum() == table.n


def test_many_configurations():
    """2^70 configurations do not fit into a word: the rows are labelled in more than one round."""
    counts = counts_of(data_of(random_table(2, 60, [2] * 70 + [3])))
    found = counts.cells(range(71))
    assert found.counts.tolist() == [1] * 60
    assert found.states.shape == (71, 60)
    assert found.margin(range(71))[1].tolist() == list(range(60))
    assert family_counts(counts, 70, range(70)).q == 2.0**70


def test_no_columns():
    counts = counts_of(data_of(random_table(1, 10, [2, 3], 5)))
    found = counts.cells([])
    assert found.counts.tolist() == [counts.n_rows]
    assert found.states.shape == (0, 1)
    margin, belongs = counts.cells([0]).margin([])
    assert margin.counts.tolist() == [counts.n_rows]
    assert not np.any(belongs)


def test_no_rows_have_no_cells():
    rows, weights = np.empty((2, 0), np.uint8), np.empty(0, np.int64)
    for variables in ([], [0], [0, 1]):  # the first column is constant
        found = cells_of_rows(variables, [(1, 2)[v] for v in variables], rows, weights, variables)
        assert len(found) == 0
        assert found.states.shape == (len(variables), 0)
        assert len(found.margin([])[0]) == 0
