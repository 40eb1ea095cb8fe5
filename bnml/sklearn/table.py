"""Between the X of scikit-learn and the tables of bnml: features become categories, new rows codes into their states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bnml.data import Data
from bnml.data.bins import place
from bnml.data.columns import Column
from bnml.data.grouping import code_type, distinct_rows
from bnml.data.labels import MISSING_LABEL, clip, label_text
from bnml.data.sources import open_table
from bnml.errors import DataError, did_you_mean, quoted
from bnml.network import BayesianNetwork

if TYPE_CHECKING:
    import pandas

__all__ = ["coded", "columns_of", "gaps", "is_frame", "with_class"]


def is_frame(X: Any) -> bool:
    """Return whether X is a table whose columns have types of their own: of pandas, polars or Arrow."""
    speaks = hasattr(X, "__arrow_c_stream__") or hasattr(X, "__dataframe__")
    return speaks and len(getattr(X, "shape", ())) == 2  # a series speaks too


def columns_of(X: Any, states: Mapping[str, Sequence[Any]]) -> list[Column]:
    """Return the columns of X, what stands for a missing value told apart from labels."""
    return [column.cleaned(states.get(column.name, ()), untyped=False) for column in open_table(X, None).columns]


def gaps(columns: Sequence[Column]) -> npt.NDArray[np.bool_]:
    """Return which rows have a missing value."""
    found: npt.NDArray[np.bool_] = np.any([column.missing for column in columns], axis=0)
    return found


def with_class(features: Data, name: str, labels: Sequence[Any], codes: npt.NDArray[np.integer[Any]]) -> Data:
    """Return a table with one more column, given by its labels and the code of each row."""
    states = (*features.states, tuple(labels))
    arities = [len(own) for own in states]
    rows = np.vstack([features.columns[:, features.row_index], codes]).astype(code_type(max(arities)))
    return Data((*features.names, name), states, *distinct_rows(rows, arities), features.cuts)


def coded(
    columns: Sequence[Column], variables: Sequence[str], network: BayesianNetwork, *, ignore: bool
) -> pandas.DataFrame:
    """Return columns in the terms of a network, one for each of some variables: a frame of categoricals.

    Numbers of a variable that was binned fall into its bins, into the first or the last if they are out of range. A
    missing value has the state ``?``, if its variable has that state.

    Raises
    ------
    DataError
        If a label is none of the states, unless these are to be ignored: then its cell is missing.
    """
    import pandas as pd

    frame = {}
    for name, column in zip(variables, columns, strict=True):
        texts = [label_text(label) for label in network.states[name]]
        missing = texts.index(MISSING_LABEL) if MISSING_LABEL in texts else -1
        places = _places(name, column.occurring(), texts, network.cuts.get(name), ignore=ignore)
        frame[name] = pd.Categorical.from_codes(np.append(places, missing)[column.occurring().codes], texts)
    return pd.DataFrame(frame)


def _places(
    name: str, column: Column, texts: Sequence[str], cuts: Sequence[float] | None, *, ignore: bool
) -> npt.NDArray[np.int64]:
    """Return for each label of a column its place among the states."""
    if cuts is not None and (numbers := column.numbers()) is not None:
        return place(numbers, cuts)
    place_of = {text: code for code, text in enumerate(texts)}
    places = np.array([place_of.get(text, -1) for text in column.texts], np.int64)
    if (places < 0).any() and (cuts is not None or not ignore):
        label = column.labels[int(np.argmin(places))]
        raise DataError(
            f"feature {clip(name)!r} holds {clip(label)!r}, which is not one of its states {quoted(map(clip, texts))}."
            f"{did_you_mean(clip(label), map(clip, texts))}"
        )
    return places
