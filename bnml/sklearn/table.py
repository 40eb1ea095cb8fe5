"""Between scikit-learn's X and the tables of bnml: features become categories, new rows codes into their states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bnml._text import clip, did_you_mean, quoted
from bnml.data.bins import bins_of_values
from bnml.data.columns import Column
from bnml.data.labels import label_text
from bnml.data.sources import open_table
from bnml.errors import DataError
from bnml.network import BayesianNetwork

if TYPE_CHECKING:
    import pandas


def is_frame(X: Any) -> bool:
    """Return whether X is a table whose columns have types of their own: of pandas, polars or Arrow."""
    speaks = hasattr(X, "__arrow_c_stream__") or hasattr(X, "__dataframe__")
    return speaks and len(getattr(X, "shape", ())) == 2  # a series speaks too


def table_columns(X: Any, states: Mapping[str, Sequence[Any]], names: Sequence[str] | None = None) -> list[Column]:
    """Return the columns of X, under these names if there are some; what stands for a missing value is one."""
    columns = open_table(X, None).columns
    if names is not None:
        columns = [replace(column, name=name) for column, name in zip(columns, names, strict=True)]
    return [column.cleaned(states.get(column.name, ()), untyped=False) for column in columns]


def table_gaps(columns: Sequence[Column]) -> npt.NDArray[np.bool_]:
    """Return which rows of X have a missing value."""
    found: npt.NDArray[np.bool_] = np.any([column.missing for column in columns], axis=0)
    return found


def coded_table(columns: Sequence[Column], network: BayesianNetwork, *, ignore: bool) -> pandas.DataFrame:
    """Return columns in the terms of a network: a frame of categoricals.

    Numbers of a variable that was binned fall into its bins, into the first or the last if they are out of range. A
    missing value has the state ``?``, if its variable has that state.

    Raises
    ------
    DataError
        If a label is none of the states, unless these are to be ignored: then its cell is missing.
    """
    import pandas as pd

    frame = {}
    for column in columns:
        texts = [label_text(label) for label in network.states[column.name]]
        missing = network.reading.gap_code(texts)
        used = column.occurring()  # an unused category of a frame need not be known
        places = _places(used, texts, network.cuts.get(column.name), ignore=ignore)
        frame[column.name] = pd.Categorical.from_codes(np.append(places, missing)[used.codes], pd.Index(texts))
    return pd.DataFrame(frame)


def _places(
    column: Column, texts: Sequence[str], cuts: Sequence[float] | None, *, ignore: bool
) -> npt.NDArray[np.int64]:
    """Return for each label of a column its place among the states."""
    if cuts is not None and (numbers := column.numbers()) is not None:
        return bins_of_values(numbers, cuts)
    place_of = {text: code for code, text in enumerate(texts)}
    places = np.array([place_of.get(text, -1) for text in column.texts], np.int64)
    if (places < 0).any() and (cuts is not None or not ignore):
        label = column.labels[int(np.argmin(places))]
        raise DataError(
            f"feature {clip(column.name)!r} holds {clip(label)!r}, which is not one of its states "
            f"{quoted(map(clip, texts))}.{did_you_mean(clip(label), map(clip, texts))}"
        )
    return places
