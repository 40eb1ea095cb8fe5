"""Gaps of a table filled: by the most probable values of each row, or by draws from their joint distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bnml._arrays import Bools, Ints
from bnml._checks import whole_number
from bnml._text import quoted
from bnml.data.data import Data
from bnml.data.matching import match
from bnml.data.rows import Rows
from bnml.errors import NetworkError
from bnml.network.inference import tree_for_rows
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
    rows = match(data, network.states, network.cuts, network.reading, gaps=True)
    codes = rows.codes.astype(np.int64)
    gaps = np.flatnonzero((codes < 0).any(axis=0))
    if number is None:
        _fill(network, codes, gaps, *_likeliest(network, codes[:, gaps]))
        return _frame(network, data, rows, rows.in_order(codes.T).T)
    places = rows.in_order(np.arange(rows.n_different))
    each = np.flatnonzero((codes[:, places] < 0).any(axis=0))  # every row is drawn for itself
    rng, tables = np.random.default_rng(seed), []
    for _ in range(number):
        points, start = rng.random((each.size, 1)), int(rng.integers(1 << 31))
        filled = codes[:, places]
        known = {i: filled[i, each] for i in range(len(filled))}
        if each.size:
            found, totals = tree_for_rows(network, each.size).completions(known, points, start)
            _fill(network, filled, each, found, totals)
        tables.append(_frame(network, data, rows, filled))
    return tables


def _likeliest(network: BayesianNetwork, codes: Ints) -> tuple[dict[int, Ints], Any]:
    if not codes.shape[1]:
        return {}, np.zeros(0)
    return tree_for_rows(network, codes.shape[1]).likeliest_rows(codes.shape[1], dict(enumerate(codes)))


def _fill(network: BayesianNetwork, codes: Ints, at: Ints, found: dict[int, Ints], totals: Any) -> None:
    """Write the states that were found into some rows."""
    if np.isneginf(totals).any():
        row = codes[:, at[int(np.argmin(totals))]]
        there = [(x, k) for x, k in zip(network.names, row.tolist(), strict=True) if k >= 0]
        known = quoted(f"{x}={network.states[x][k]}" for x, k in there)
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
    order = source.names if isinstance(source, Data) else network.names
    known = {x: i for i, x in enumerate(network.names)}
    columns = {x: _labels(network.states[x])[codes[known[x]]] for x in order if x in known}
    return pd.DataFrame(columns)


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
