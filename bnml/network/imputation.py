"""Imputation of missing values: the most probable ones of each row, or draws from their joint distribution."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Bools, Ints
from bnml._checks import flag, whole_number
from bnml._factors import Factor
from bnml._text import quoted
from bnml.data.bins import bin_medians
from bnml.data.data import Data
from bnml.data.doubts import level_of_caller
from bnml.data.labels import as_number, label_text
from bnml.data.matching import match
from bnml.data.rows import Rows
from bnml.data.sources import open_table
from bnml.data.table import Table
from bnml.errors import DataWarning, NetworkError, argument
from bnml.network.inference import inference_tree, network_factors
from bnml.network.junction_tree import JunctionTree
from bnml.network.network import BayesianNetwork

if TYPE_CHECKING:
    import pandas

Objects = npt.NDArray[np.object_]


def impute(
    network: BayesianNetwork, data: Any, draws: int | None = None, seed: int = 0, *, labels: bool = False
) -> pandas.DataFrame | list[pandas.DataFrame]:
    """Return a table with its missing values filled in, or several with draws; see `BayesianNetwork.impute`."""
    number = None if draws is None else whole_number(draws, "draws", 1, otherwise=", or None for the most probable")
    seed = whole_number(seed, "seed")
    flag(labels, "labels")
    source = data if isinstance(data, Data) or _is_frame(data) else open_table(data, None)
    rows = _without_gap_states(network, match(source, network.states, network.cuts, network.reading, gaps=True))
    codes = rows.codes.astype(np.int64)
    table = _Incomplete.of(network, source, rows.in_order(rows.codes.T).T, labels=labels)
    gaps = np.flatnonzero((codes < 0).any(axis=0))
    if number is None:
        _fill(network, codes, gaps, *_likeliest(network, codes[:, gaps]))
        return table.filled(rows.in_order(codes.T).T)
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
        tables.append(table.filled(filled))
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
                f"impute: {row_named} the network knows no value but '?', the state of missing ones: fit it to a "
                "table read with " + argument("missing", "em") + " or " + argument("missing", "drop")
            )
        raise NetworkError(f"impute: the row {known} has probability zero under the network")
    for i, states in found.items():
        codes[i, at] = states


@dataclass(frozen=True, eq=False)
class _Incomplete:
    """A table in which values are missing.

    ``source``: its columns as a frame. ``typed``: whether they keep their types. ``fills``: by column with missing
    values its place in the network, in which rows they are missing, and what each state is filled in as.
    """

    source: pandas.DataFrame
    typed: bool
    fills: dict[Any, tuple[int, Bools, Objects]]

    @staticmethod
    def of(network: BayesianNetwork, source: Any, codes: Ints, *, labels: bool) -> _Incomplete:
        """Return a table; ``codes``: of its rows, -1 where a value is missing."""
        frame = _frame(network, source, codes)
        fills, without = {}, []
        named = {str(column): column for column in frame.columns}
        for i, (x, states) in enumerate(network.states.items()):
            gaps, column = codes[i] < 0, named[x]
            if not gaps.any():
                continue
            values = frame[column].astype(object).to_numpy()[~gaps]
            if x not in network.cuts or (values.size and set(map(label_text, values)) <= set(map(label_text, states))):
                fill = _as_written(network, x, codes[i][~gaps], values)
            elif labels:
                fill = _objects(states)
            else:
                medians = network.reading.medians_of(x)
                if medians is None:
                    without.append(x)
                    medians = _medians_of_values(network.cuts[x], values)
                fill = _objects(_number_like(median, values) for median in medians)
            fills[column] = i, gaps, fill
        if without:
            warning = (
                f"impute: the network does not have the medians of the bins of {quoted(without)}, so those of this "
                "table are filled in; fit the network again to have those of its training data"
            )
            warnings.warn(DataWarning(warning), stacklevel=level_of_caller())
        return _Incomplete(frame, _is_frame(source), fills)

    def filled(self, codes: Ints) -> pandas.DataFrame:
        """Return the table with these states where values are missing."""
        import pandas as pd

        frame = self.source.copy()
        for column, (i, gaps, fill) in self.fills.items():
            frame[column] = _column(frame[column], gaps, fill[codes[i][gaps]])
        return frame if self.typed else pd.DataFrame({x: _of_one_type(column) for x, column in frame.items()})


def _is_frame(source: Any) -> bool:
    import pandas as pd

    return isinstance(source, pd.DataFrame)


def _frame(network: BayesianNetwork, source: Any, codes: Ints) -> pandas.DataFrame:
    """Return the columns of a source with their values as they are there; of a `Data` the variables."""
    import pandas as pd

    if _is_frame(source):
        frame: pandas.DataFrame = source
        return frame
    if isinstance(source, Table):
        return pd.DataFrame({column.name: column.values() for column in source.columns}, dtype=object)
    place = {x: i for i, x in enumerate(network.names)}
    labels = {x: _objects([*network.states[x], None])[codes[place[x]]] for x in source.names if x in place}
    return pd.DataFrame(labels, dtype=object)


def _as_written(network: BayesianNetwork, x: str, codes: Ints, values: Objects) -> Objects:
    """Return the states of a variable as the values of a column are written; one that does not occur as its label."""
    states = network.states[x]
    occurring, first = np.unique(codes, return_index=True)
    written = _objects(states)
    if x in network.reading.coded and any(
        label_text(states[k]) != label_text(value) for k, value in zip(occurring, values[first], strict=True)
    ):
        written = _objects([_number_like(k, values) for k in range(len(states))])
    written[occurring] = values[first]
    return written


def _medians_of_values(cuts: Sequence[float], values: Objects) -> tuple[float, ...]:
    """Return the median of each bin in a column of numbers, among which labels of bins may be."""
    numbers = [number for value in values if (number := as_number(value)) is not None]
    distinct, counts = np.unique(np.array(numbers, np.float64), return_counts=True)
    return bin_medians(cuts, distinct, counts.astype(np.float64))


def _number_like(number: float, values: Objects) -> Any:
    """Return a number as the first one of a column is: as text, with a point or without, as a float or an integer."""
    example = next((value for value in values if as_number(value) is not None), None)
    pointed = isinstance(example, float) or (isinstance(example, str) and "." in example)
    like = float(number) if pointed or not float(number).is_integer() else int(number)
    return str(like) if isinstance(example, str) else like


def _column(column: Any, gaps: Bools, fill: Objects) -> Any:
    """Return a column of a frame with its missing values filled in, of its own type if that can hold them."""
    import pandas as pd

    values = column.astype(object).to_numpy(copy=True)
    values[gaps] = fill
    filled = pd.Series(list(values), index=column.index, dtype=object)
    if set(fill) <= set(getattr(column.dtype, "categories", fill)):
        with suppress(TypeError, ValueError):
            same = filled.astype(column.dtype)
            if same.tolist() == values.tolist():  # 63.5 as an integer is another number
                return same
    return filled.infer_objects()


def _of_one_type(column: Any) -> Any:
    """Return a column of objects as an array of their type, if they share one."""
    items = column.tolist()
    return np.array(items) if len(set(map(type, items))) == 1 else column


def _objects(values: Iterable[Any]) -> Objects:
    items = list(values)
    return np.fromiter(items, object, len(items))
