"""Gaps of a table filled: by the most probable values of each row, or by draws from their joint distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bnml._arrays import Bools, Ints
from bnml._checks import whole_number
from bnml._factors import Factor
from bnml._text import quoted
from bnml.data.columns import Column
from bnml.data.data import Data
from bnml.data.matching import match
from bnml.data.rows import Rows
from bnml.data.sources import open_table
from bnml.data.table import Table
from bnml.errors import NetworkError, argument
from bnml.network.inference import inference_tree, network_factors
from bnml.network.junction_tree import JunctionTree
from bnml.network.network import BayesianNetwork

if TYPE_CHECKING:
    import pandas

__all__ = ["impute"]


def impute(
    network: BayesianNetwork, data: Any, draws: int | None = None, seed: int = 0
) -> pandas.DataFrame | list[pandas.DataFrame]:
    """Return a table with its gaps filled, or so many of them with draws; see `BayesianNetwork.impute`."""
    number = None if draws is None else whole_number(draws, "draws", 1, otherwise=", or None for the most probable")
    seed = whole_number(seed, "seed")
    source = data if isinstance(data, Data) or _is_frame(data) else open_table(data, None)
    rows = _without_gap_states(network, match(source, network.states, network.cuts, network.reading, gaps=True))
    codes = rows.codes.astype(np.int64)
    gaps = np.flatnonzero((codes < 0).any(axis=0))
    if number is None:
        _fill(network, codes, gaps, *_likeliest(network, codes[:, gaps]))
        return _frame(network, source, rows, rows.in_order(codes.T).T)
    places = rows.in_order(np.arange(rows.n_different))
    each = np.flatnonzero((codes[:, places] < 0).any(axis=0))  # every row is drawn for itself
    rng, tables = np.random.default_rng(seed), []
    for _ in range(number):
        points, start = rng.random((each.size, 1)), int(rng.integers(1 << 31))
        filled = codes[:, places]
        known = {i: filled[i, each] for i in range(len(filled))}
        if each.size:
            found, totals = _tree(network, each.size).completions(known, points, start)
            _fill(network, filled, each, found, totals)
        tables.append(_frame(network, source, rows, filled))
    return tables


def _gap_codes(network: BayesianNetwork) -> list[int]:
    """Return for each variable the place of the state ``?`` that its missing values are, or -1."""
    return [network.reading.gap_code(network.states[x]) for x in network.names]


def _without_gap_states(network: BayesianNetwork, rows: Rows) -> Rows:
    """Return rows in which missing values are gaps, also where the network has a state for them."""
    codes = rows.codes.copy()
    for own, gap in zip(codes, _gap_codes(network), strict=True):
        own[own == gap] = -1
    return Rows(codes, rows.places)


def _tree(network: BayesianNetwork, n_rows: int) -> JunctionTree:
    """Return the junction tree of a network, given that no variable has the state ``?`` of missing values."""
    tree, gap_codes = inference_tree(network, n_rows), _gap_codes(network)
    if max(gap_codes) < 0:
        return tree
    factors = []
    for factor, gap in zip(network_factors(network), gap_codes, strict=True):
        table = factor.table.copy()
        if gap >= 0:
            table[..., gap] = 0.0
        factors.append(Factor(factor.axes, table))
    return tree.refilled(factors)


def _likeliest(network: BayesianNetwork, codes: Ints) -> tuple[dict[int, Ints], Any]:
    if not codes.shape[1]:
        return {}, np.zeros(0)
    return _tree(network, codes.shape[1]).likeliest_rows(codes.shape[1], dict(enumerate(codes)))


def _fill(network: BayesianNetwork, codes: Ints, at: Ints, found: dict[int, Ints], totals: Any) -> None:
    """Write the states that were found into some rows."""
    if np.isneginf(totals).any():
        row = codes[:, at[int(np.argmin(totals))]]
        there = [(x, k) for x, k in zip(network.names, row.tolist(), strict=True) if k >= 0]
        known = quoted(f"{x}={network.states[x][k]}" for x, k in there)
        if max(_gap_codes(network)) >= 0:
            row_named = f"for the row {known}" if there else "for a row without any value"
            raise NetworkError(
                f"impute: {row_named} the network knows no value but '?', the state of missing ones: fit it to a table "
                f"read with {argument('missing', 'em')} or {argument('missing', 'drop')}"
            )
        raise NetworkError(f"impute: the row {known} has probability zero under the network")
    for i, states in found.items():
        codes[i, at] = states


def _frame(network: BayesianNetwork, source: Any, rows: Rows, codes: Ints) -> pandas.DataFrame:
    """Return filled rows as a frame: of a frame with its own columns, index and types where nothing was missing."""
    import pandas as pd

    before: Ints = rows.in_order(rows.codes.T).T
    if isinstance(source, pd.DataFrame):
        frame = source.copy()
        named = {str(column): column for column in source.columns}
        for i, x in enumerate(network.names):
            column, gaps = named[x], before[i] < 0
            if x in network.cuts or gaps.any():
                frame[column] = _column(source[column], network.states[x], codes[i], gaps, binned=x in network.cuts)
        return frame
    known = {x: i for i, x in enumerate(network.names)}
    others = {column.name: column for column in source.columns} if isinstance(source, Table) else {}
    columns = {
        x: _labels(network.states[x])[codes[known[x]]] if x in known else _values(others[x])
        for x in source.names
        if x in known or x in others
    }
    return pd.DataFrame(columns)


def _is_frame(source: Any) -> bool:
    import pandas as pd

    return isinstance(source, pd.DataFrame)


def _values(column: Column) -> Any:
    """Return the values of a column that is no variable, None where there is none."""
    labels = [None if label == "" else label for label in column.labels]
    return np.fromiter([*labels, None], object, len(labels) + 1)[column.codes]


def _column(column: Any, states: tuple[Any, ...], codes: Ints, gaps: Bools, *, binned: bool) -> Any:
    """Return a column of a frame with its gaps filled; a binned one by its bins."""
    import pandas as pd

    labels = _labels(states)
    if binned:
        return pd.Series(labels[codes], index=column.index)
    values = column.astype(object).to_numpy(copy=True)
    values[gaps] = labels.astype(object)[codes[gaps]]
    filled = pd.Series(list(values), index=column.index, dtype=object)
    try:
        return filled.astype(column.dtype)
    except (TypeError, ValueError):
        return filled


def _labels(states: tuple[Any, ...]) -> Any:
    """Return the labels of a variable as an array, of their own type if they share one."""
    return np.array(states) if len({type(state) for state in states}) == 1 else np.array(states, object)
