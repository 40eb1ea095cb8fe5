"""Bayesian networks as classifiers: the class is a variable among others, and prediction is inference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, validate_data

from bnml._arrays import Floats
from bnml._checks import one_of, refuse
from bnml._text import quoted
from bnml.data import Data
from bnml.data.rows import rows_with_column
from bnml.errors import DataError, NetworkError
from bnml.graph import DAG, Constraints
from bnml.network import fit
from bnml.network.prediction import posteriors
from bnml.scores import Score
from bnml.search import learn
from bnml.search.search_result import uninterrupted_result
from bnml.sklearn.base import NetworkEstimator, ScoreParameter

STRUCTURES = ("tan", "naive", "learned")


class BayesianNetworkClassifier(ClassifierMixin, NetworkEstimator):
    """Classify rows by a Bayesian network of the class and the features.

    P(class | features) is exact. It takes no more than the class's Markov blanket, and what is missing is summed out.

    Parameters
    ----------
    structure : {"tan", "naive", "learned"}, default="tan"
        ``"naive"``: given the class, features are independent. ``"tan"``: tree-augmented, given the class they form a
        tree, the one with the highest score (after Friedman, Geiger and Goldszmidt 1997, who take mutual information;
        ``options={"weight": "cmi"}`` does too). ``"learned"``: whatever structure `bnml.learn` finds for class and
        features; the class may then depend on a few of them only, or on none.
    score : str or Score, default="qnml"
        The score that the structure maximises. ``get_params()["score"]`` reads it: the attribute is the method.
    search : str, default="auto"
        The search of ``"learned"``.
    constraints : bnml.Constraints, default=None
        What is known of the structure.
    max_parents : int, default=None
        The most parents that a variable may have, the class counted.
    options : mapping, default=None
        Further arguments of `bnml.learn`: ``prior``, ``seed``, ``threads``, limits, and options of the search.
    estimator : {"snml", "bpp", "mle", "em"}, default="snml"
        How parameters are estimated (see `bnml.fit`). With ``"mle"`` a row can be impossible whatever its class is;
        it is then refused.
    ess : float, default=1.0
        The equivalent sample size of ``"bpp"``.
    bins : str or mapping, default="quantile:5"
        How columns of numbers are cut (see `bnml.read`), without a look at the class: bins of about equal numbers of
        rows tell more classes apart than ``"mdl"``, which is best for the feature alone. None refuses numbers that are
        no categories.
    states : mapping, default=None
        The states of some features, for values that may not occur in training.
    missing : {"error", "drop", "state", "em"}, default="error"
        What is done with missing values: refuse them; learn from the complete rows, and sum gaps out of new ones; make
        them a state of their own; or learn from what is there by structural EM, and sum gaps out of new rows.
    handle_unknown : {"ignore", "error"}, default="ignore"
        What is done with labels that did not occur in training: sum them out as if missing, or refuse them. Numbers
        out of the range of bins fall into the first bin or the last.
    class_variable : str, default="class"
        The name of the class in the network and in constraints.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    dag_ : bnml.DAG
        The structure.
    network_ : bnml.BayesianNetwork
        The structure with its parameters.
    variables_ : tuple of str
        The variable of each feature: its name, or ``X0``, ``X1``, …
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of str
        Their names, if all of them have one.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from bnml.sklearn import BayesianNetworkClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> classifier = BayesianNetworkClassifier()
    >>> round(cross_val_score(classifier, X, y).mean(), 2)
    np.float64(0.93)
    >>> classifier.fit(X, y).predict_proba([[5.0, 3.5, 1.5, 0.2]]).round(2)
    array([[1., 0., 0.]])
    """

    classes_: npt.NDArray[Any]
    dag_: DAG

    def __init__(
        self,
        structure: str = "tan",
        *,
        score: Score | str = "qnml",
        search: str = "auto",
        constraints: Constraints | None = None,
        max_parents: int | None = None,
        options: Mapping[str, Any] | None = None,
        estimator: str = "snml",
        ess: float = 1.0,
        bins: str | Mapping[str, Any] | None = "quantile:5",
        states: Mapping[str, Sequence[Any]] | None = None,
        missing: str = "error",
        handle_unknown: str = "ignore",
        class_variable: str = "class",
    ) -> None:
        super().__init__(
            score, search=search, constraints=constraints, max_parents=max_parents, options=options,
            estimator=estimator, ess=ess, bins=bins, states=states, missing=missing,
        )  # fmt: skip
        self.structure = structure
        self.handle_unknown = handle_unknown
        self.class_variable = class_variable

    def fit(self, X: Any, y: Any) -> Self:
        """Learn structure and parameters.

        Parameters
        ----------
        X
            A frame of pandas, polars or Arrow, or a two-dimensional array: rows of numbers or labels.
        y
            The class of each row.

        Raises
        ------
        BnmlError
            If a parameter is wrong, there is one class only, or X is no table that can be read so.
        """
        self._check_parameters()
        y = validate_data(self, y=y)
        X = self._checked(X, reset=True)
        check_consistent_length(X, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if self.classes_.size < 2:
            raise DataError(f"y has one class only, {quoted(self.classes_.tolist())}: at least two are needed")
        features, kept = self._read(X)
        if self.class_variable in features.names:
            raise refuse("class_variable", self.class_variable, "a feature has that name; give the class another one")
        data = rows_with_column(features, self.class_variable, self.classes_.tolist(), codes[kept])
        self.dag_ = self._learned(data)
        self.network_ = fit(self.dag_, data, self.estimator, self.ess)
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each row; of equally probable ones the first."""
        best = self.predict_proba(X).argmax(axis=1)
        predicted: npt.NDArray[Any] = self.classes_[best]
        return predicted

    def predict_proba(self, X: Any) -> Floats:
        """Return P(class | features) for each row: a column for each of ``classes_``.

        Raises
        ------
        BnmlError
            If X has values that were refused, or a row is impossible under every class.
        """
        rows = self._coded(X, ignore=self.handle_unknown == "ignore")
        probabilities, problem = posteriors(self.network_, rows, self.class_variable)
        if problem is not None:
            raise NetworkError(problem)
        return probabilities

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            logs: Floats = np.log(self.predict_proba(X))
        return logs

    @ScoreParameter
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy: the fraction of rows, by weight if there are weights, whose class is predicted."""
        return float(super().score(X, y, sample_weight=sample_weight))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        one_of(self.structure, "structure", STRUCTURES)
        one_of(self.handle_unknown, "handle_unknown", ("ignore", "error"))
        if not isinstance(self.class_variable, str) or not self.class_variable.strip():
            raise refuse("class_variable", self.class_variable, "expected a name")

    def _learned(self, data: Data) -> DAG:
        """Return the structure that was asked for."""
        own: dict[str, Any] = {} if self.structure == "learned" else {"class_variable": self.class_variable}
        if self.structure == "tan":
            own["weight"] = "score"  # so that the score matters
        found = learn(
            data,
            self._score,
            self.search if self.structure == "learned" else self.structure,
            constraints=self.constraints,
            max_parents=self.max_parents,
            **{**own, **(self.options or {})},
        )
        return uninterrupted_result(found).structure
