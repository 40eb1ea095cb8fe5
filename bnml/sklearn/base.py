"""What the estimators share: how X is checked, read and matched, and how missing values are treated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from bnml.data import Data, read
from bnml.data.columns import Column
from bnml.data.labels import clip
from bnml.errors import ArgumentError, DataError, MissingError, did_you_mean, quoted
from bnml.network import BayesianNetwork
from bnml.network.estimators import ESTIMATORS
from bnml.sklearn.table import coded, columns_of, gaps, is_frame

if TYPE_CHECKING:
    import pandas

__all__ = ["NetworkEstimator", "check_choice"]

MISSING = ("error", "drop", "state")


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Refuse a value that is none of the choices."""
    if not isinstance(value, str) or value not in choices:
        hint = did_you_mean(value, choices) if isinstance(value, str) else ""
        raise ArgumentError(f"{name}={clip(repr(value))}: expected one of {quoted(choices)}.{hint}")


class NetworkEstimator(BaseEstimator):
    """An estimator whose features become the variables of a network."""

    bins: str | Mapping[str, Any] | None
    states: Mapping[str, Sequence[Any]] | None
    missing: str
    estimator: str
    options: Mapping[str, Any] | None

    network_: BayesianNetwork
    variables_: tuple[str, ...]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.string = True
        return tags

    def _check_parameters(self) -> None:
        """Refuse what is wrong whatever the data are."""
        check_choice("estimator", self.estimator, ESTIMATORS)
        check_choice("missing", self.missing, MISSING)
        if self.options is not None and not isinstance(self.options, Mapping):
            raise ArgumentError(f"options={clip(repr(self.options))}: expected a mapping of arguments of bnml.learn")

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """Return X with its features checked or, with ``reset``, remembered: a frame as it is, else an array."""
        if is_frame(X):  # whose columns have types and categories that an array would lose
            if X.shape[0] == 0:
                raise DataError("X has no rows")
            return validate_data(self, X, reset=reset, skip_check_array=True)
        return validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")

    def _read(self, X: Any) -> tuple[Data, npt.NDArray[np.bool_]]:
        """Return the features as a table, and which rows of X it has."""
        columns = columns_of(X, self.states or {})
        if self.missing == "error":
            _refuse_gaps(columns)
        table = read(X, states=self.states, bins=self.bins, missing=self.missing)
        self.variables_ = table.names
        return table, ~gaps(columns) if self.missing == "drop" else np.ones(columns[0].codes.size, bool)

    def _coded(self, X: Any, *, ignore: bool = False) -> pandas.DataFrame:
        """Return new rows in terms of the network; a missing value is None, unless it is a state."""
        check_is_fitted(self, "network_")
        columns = columns_of(self._checked(X, reset=False), self.network_.states, self.variables_)
        if self.missing == "error":
            _refuse_gaps(columns)
        return coded(columns, self.network_, ignore=ignore)


def _refuse_gaps(columns: Sequence[Column]) -> None:
    counts = {clip(column.name): int(column.missing.sum()) for column in columns if column.has_missing}
    if counts:
        shown = ", ".join(f"{name!r}: {count}" for name, count in list(counts.items())[:20])
        raise MissingError(
            f"X has missing values, NaN or others ({shown}): pass missing='drop' to learn from complete rows and to "
            "sum gaps out of new ones, or missing='state' to make them a state of their own"
        )
