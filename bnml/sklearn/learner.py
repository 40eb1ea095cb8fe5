"""Structures as a scikit-learn estimator: learn a network, then ask how probable new rows are."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import DensityMixin

from bnml._arrays import Floats
from bnml.graph import DAG, PDAG
from bnml.network import fit
from bnml.search import SearchResult, learn
from bnml.search.search_result import uninterrupted_result
from bnml.sklearn.base import NetworkEstimator, ScoreParameter


class StructureLearner(DensityMixin, NetworkEstimator):
    """Learn the structure of a Bayesian network, and its parameters.

    The network is a density: `score` is the mean log-likelihood of rows, so that cross-validation compares structures,
    scores and bins by how well they predict.

    Parameters
    ----------
    score : str or Score, default="qnml"
        The score that the structure maximises. ``get_params()["score"]`` reads it: the attribute is the method.
    search : str, default="auto"
        The search.
    constraints : bnml.Constraints, default=None
        What is known of the structure.
    max_parents : int, default=None
        The most parents that a variable may have.
    options : mapping, default=None
        Further arguments of `bnml.learn`: ``prior``, ``seed``, ``threads``, limits, and options of the search.
    estimator : {"snml", "bpp", "mle", "em"}, default="snml"
        How parameters are estimated (see `bnml.fit`).
    ess : float, default=1.0
        The equivalent sample size of ``"bpp"``.
    bins : str or mapping, default="mdl"
        How columns of numbers are cut (see `bnml.read`); None refuses numbers that are no categories.
    states : mapping, default=None
        The states of some features, for values that may not occur in training.
    missing : {"error", "drop", "state", "em"}, default="error"
        What is done with missing values: refuse them; learn from the complete rows, and sum gaps out of new ones; make
        them a state of their own; or learn from what is there by structural EM, and sum gaps out of new rows.

    Attributes
    ----------
    result_ : bnml.search.SearchResult
        What the search found.
    dag_ : bnml.DAG
        The structure.
    cpdag_ : bnml.PDAG
        The class of structures that data cannot tell from it.
    network_ : bnml.BayesianNetwork
        The structure with its parameters.
    score_ : float
        The structure's score on the training data, higher is better.
    variables_, n_features_in_, feature_names_in_
        As of `BayesianNetworkClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bnml.sklearn import StructureLearner
    >>> X, _ = load_iris(return_X_y=True, as_frame=True)
    >>> learner = StructureLearner("bic", bins="quantile:3").fit(X)
    >>> learner.result_.optimal, len(learner.dag_.arcs)
    (True, 3)
    >>> bool(learner.score(X) == learner.score_samples(X).mean())
    True
    """

    result_: SearchResult
    dag_: DAG
    cpdag_: PDAG
    score_: float

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn structure and parameters.

        Parameters
        ----------
        X
            A frame of pandas, polars or Arrow, or a two-dimensional array: rows of numbers or labels.
        y
            Ignored.

        Raises
        ------
        BnmlError
            If a parameter is wrong, or X is no table that can be read so.
        """
        self._check_parameters()
        data, _ = self._read(self._checked(X, reset=True))
        found = learn(
            data,
            self._score,
            self.search,
            constraints=self.constraints,
            max_parents=self.max_parents,
            **(self.options or {}),
        )
        self.result_ = uninterrupted_result(found)
        self.dag_, self.cpdag_, self.score_ = self.result_.structure, self.result_.cpdag, self.result_.score
        self.network_ = fit(self.dag_, data, self.estimator, self.ess)
        return self

    def score_samples(self, X: Any) -> Floats:
        """Return the log-likelihood of each row; of a row with gaps, that of what is there.

        Raises
        ------
        BnmlError
            If a label did not occur in training, and was not declared either: it has no probability.
        """
        rows = self._coded(X)  # refuses a learner that is not fitted
        return self.network_.log_prob(rows)

    @ScoreParameter
    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log-likelihood of the rows, in nats; ``y`` is ignored."""
        return float(self.score_samples(X).mean())
