"""What the estimators share: how X is checked, read and matched, how gaps are treated, and what ``score`` is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import getattr_static
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, overload

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from bnml._checks import one_of, refuse
from bnml._text import clip
from bnml.data import Data, read
from bnml.data.columns import Column
from bnml.data.labels import MISSING_CHOICES
from bnml.errors import ArgumentError, DataError, MissingError, argument
from bnml.graph import Constraints
from bnml.network import BayesianNetwork
from bnml.network.estimators import ESTIMATORS
from bnml.scores import Score
from bnml.sklearn.table import coded_table, is_frame, table_columns, table_gaps

if TYPE_CHECKING:
    import pandas

P = ParamSpec("P")


class ScoreParameter(Generic[P]):
    """A method ``score`` beside a parameter ``score``: decorates the method, and keeps the parameter out of its way.

    bnml calls the score that a structure maximises ``score``, and scikit-learn has a method of that name, which
    cross-validation calls. scikit-learn also wants each parameter set as an attribute of its own name; in an ordinary
    class that attribute would shadow the method. A data descriptor goes before what the instance holds: setting
    ``score`` stores the parameter in the instance's ``__dict__``, so that copies and pickles have it, and getting
    ``score`` gives the method, from the class the plain function, whose signature scikit-learn's metadata routing
    reads. `NetworkEstimator.get_params` knows where the parameter is; ``clone``, ``repr`` and searches all ask that.
    """

    def __init__(self, method: Callable[Concatenate[Any, P], float]) -> None:
        self._method: Any = method
        self.__doc__ = method.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> Callable[Concatenate[Any, P], float]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> Callable[P, float]: ...

    def __get__(self, instance: object, owner: type) -> Callable[..., float]:
        bound: Callable[..., float] = self._method.__get__(instance, owner)
        return bound

    def __set__(self, instance: object, value: Score | str) -> None:
        instance.__dict__["score"] = value


class NetworkEstimator(BaseEstimator):
    """An estimator whose features become the variables of a network."""

    network_: BayesianNetwork
    variables_: tuple[str, ...]

    def __init__(
        self,
        score: Score | str = "qnml",
        *,
        search: str = "auto",
        constraints: Constraints | None = None,
        max_parents: int | None = None,
        options: Mapping[str, Any] | None = None,
        estimator: str = "snml",
        ess: float = 1.0,
        bins: str | Mapping[str, Any] | None = "mdl",
        states: Mapping[str, Sequence[Any]] | None = None,
        missing: str = "error",
    ) -> None:
        self.__dict__["score"] = score  # the attribute is the method; see `ScoreParameter`
        self.search = search
        self.constraints = constraints
        self.max_parents = max_parents
        self.options = options
        self.estimator = estimator
        self.ess = ess
        self.bins = bins
        self.states = states
        self.missing = missing

    def __init_subclass__(cls, **arguments: Any) -> None:
        method = getattr_static(cls, "score", None)
        if hasattr(method, "__get__") and not isinstance(method, ScoreParameter):  # of a subclass that has its own
            cls.score = ScoreParameter(method)
        super().__init_subclass__(**arguments)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; this is how to read ``score``, as the attribute is the method.

        Parameters
        ----------
        deep
            Whether parameters of parameters that are estimators are wanted too.
        """
        parameters: dict[str, Any] = super().get_params(deep)
        if "score" in parameters:
            parameters["score"] = self._score
        return parameters

    @property
    def _score(self) -> Score | str:
        """The parameter ``score``."""
        score: Score | str = self.__dict__["score"]
        return score

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.string = True
        return tags

    def _check_parameters(self) -> None:
        """Refuse what is wrong whatever the data are."""
        one_of(self.estimator, "estimator", ESTIMATORS)
        one_of(self.missing, "missing", MISSING_CHOICES)
        if self.options is not None and not isinstance(self.options, Mapping):
            raise refuse("options", self.options, "expected a mapping of arguments of bnml.learn")
        for name in self.options or ():
            if name in ("data", *self._get_param_names()):
                raise ArgumentError(f"{clip(repr(name))} is a parameter of the estimator itself", argument="options")

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """Return X with its features checked or, with ``reset``, remembered: a frame as it is, else an array."""
        if is_frame(X):  # whose columns have types and categories that an array would lose
            if X.shape[0] == 0:
                raise DataError("X has no rows")
            return validate_data(self, X, reset=reset, skip_check_array=True)
        return validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")

    def _read(self, X: Any) -> tuple[Data, npt.NDArray[np.bool_]]:
        """Return the features as a table, and which rows of X it has."""
        columns = table_columns(X, self.states or {})
        if self.missing == "error":
            _refuse_gaps(columns)
        table = read(X, states=self.states, bins=self.bins, missing=self.missing)
        self.variables_ = table.names
        return table, ~table_gaps(columns) if self.missing == "drop" else np.ones(columns[0].codes.size, bool)

    def _coded(self, X: Any, *, ignore: bool = False) -> pandas.DataFrame:
        """Return new rows in terms of the network; a missing value is None, unless it is a state."""
        check_is_fitted(self, "network_")
        columns = table_columns(self._checked(X, reset=False), self.network_.states, self.variables_)
        if self.missing == "error":
            _refuse_gaps(columns)
        return coded_table(columns, self.network_, ignore=ignore)


def _refuse_gaps(columns: Sequence[Column]) -> None:
    counts = {clip(column.name): int(column.missing.sum()) for column in columns if column.has_missing}
    if counts:
        shown = ", ".join(f"{name!r}: {count}" for name, count in list(counts.items())[:20])
        raise MissingError(
            f"X has missing values, NaN or others ({shown}): pass "
            + argument("missing", "em")
            + " to learn from what is there and to sum gaps out of new rows, "
            + argument("missing", "drop")
            + " to learn from complete rows alone, or "
            + argument("missing", "state")
            + " to make them a state of their own"
        )
