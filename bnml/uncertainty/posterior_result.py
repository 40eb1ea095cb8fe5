"""The posterior over structures, as `bnml.posterior` returns it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bnml._arrays import Floats
from bnml._machine import cores
from bnml._pickled import PickledByFields
from bnml._plain import attributes, plain, records
from bnml._text import number_of
from bnml.data import Data
from bnml.data.targets import rows_set
from bnml.errors import ArgumentError, argument
from bnml.report.phrases import prior_words
from bnml.scores import LocalScores, Score
from bnml.uncertainty.all_structures import MOST_CLASSES, MOST_LISTED, Listed
from bnml.uncertainty.allowed import Allowed
from bnml.uncertainty.best_structures import best_structures
from bnml.uncertainty.families import posterior_families
from bnml.uncertainty.posterior_base import PosteriorBase, check_number_of_best
from bnml.uncertainty.prediction import average_by_sums, average_over_listed, averaged_log_prob
from bnml.uncertainty.sums_over_structures import blanket_probabilities, path_probabilities

if TYPE_CHECKING:
    import pandas as pd

MOST_SUMMED = 14  # variables, for paths, blankets and the best structures


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(PosteriorBase, PickledByFields):
    """How probable structures are, given data, a score and a prior; print it for a report.

    Attributes
    ----------
    names
        The variables.
    score
        The score, read as the logarithm of the probability of the data given a structure.
    prior
        The prior over structures: ``"uniform"``, ``"order"`` or ``"classes"``; `prior_text` says what that means.
    log_evidence
        The log-probability of the data, averaged over structures: log Σ_G P(G) exp(score of G), where the prior P sums
        to one over the structures that are allowed.
    n_rows
        Number of rows of the data.
    seconds
        How long it took.
    """

    names: tuple[str, ...]
    score: str
    prior: str
    log_evidence: float
    n_rows: int
    seconds: float
    _arcs: Floats
    _allowed: Allowed
    _data: Data
    _score: Score

    @property
    def prior_text(self) -> str:
        """What the prior is, in words."""
        return prior_words(self.prior, self._allowed.rules, self._allowed.prior)

    def _arc_matrix(self) -> Floats:
        return self._arcs

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as plain values, for JSON."""
        return {
            **attributes(self, "score", "prior", "prior_text"),
            "variables": list(self.names),
            "rows": self.n_rows,
            "interventions": rows_set(self._data),
            "log_evidence": plain(self.log_evidence),
            "arcs": records(self.arcs),
            "seconds": self.seconds,
        }

    def _path_matrix(self) -> Floats:
        return self._paths

    def _blanket_matrix(self) -> Floats:
        return self._blankets

    def _top(self, k: int, *, classes: bool) -> pd.DataFrame:
        check_top(len(self.names), k)
        if self._lists_all(MOST_CLASSES if classes or self.prior == "order" else MOST_LISTED):
            listed = self._listed
        else:
            listed = best_structures(
                self.names, self._families, self._allowed.all_terms(), self.prior, k, classes, cores()
            )
        return listed.top_classes(k) if classes else listed.top(k)

    def log_prob(self, data: Any) -> Floats:
        """Return the log-probability of each row of new data, averaged over structures; up to 10 variables.

        `bnml.uncertainty.prediction` says what a structure predicts.

        Parameters
        ----------
        data
            A `Data` or anything that `bnml.read` takes, with all of the variables (others are ignored).

        Returns
        -------
        ndarray
            One value for each row of the source, in its order.

        Raises
        ------
        BnmlError
            If there are more than 10 variables, one is missing, or a value is none of its states.

        Examples
        --------
        >>> import bnml
        >>> data = bnml.example()
        >>> float(bnml.posterior(data, "bdeu").log_prob(data).mean().round(3))
        -2.241
        """
        _check_variables(len(self.names), 10, "averaged predictions")
        threads = cores()
        if self._lists_all(MOST_LISTED):
            average = average_over_listed(self._listed, threads)
        else:
            average = average_by_sums(self._weights, self.prior, threads)
        return averaged_log_prob(self._data, self._score, data, average)

    def _lists_all(self, most: int) -> bool:
        """Whether all structures are listed, one by one."""
        return self.prior == "classes" or len(self.names) <= most

    @cached_property
    def _families(self) -> Floats:
        """The scores of all families."""
        return posterior_families(LocalScores(self._data, self._score), cores(), lambda part: None)

    @cached_property
    def _listed(self) -> Listed:
        """All structures with their probabilities."""
        return Listed(self.names, self._families, self._allowed.all_terms(), self.prior)

    @property
    def _weights(self) -> Floats:
        """The log-weights of all families, the largest of each variable 0."""
        weights = self._families + self._allowed.all_terms()
        found: Floats = weights - weights.max(axis=1, keepdims=True)
        return found

    @cached_property
    def _paths(self) -> Floats:
        return self._summed("paths", "paths", path_probabilities)

    @cached_property
    def _blankets(self) -> Floats:
        return self._summed("Markov blankets", "blankets", blanket_probabilities)

    def _summed(self, words: str, listed: str, over_structures: Callable[[Floats, str, int], Floats]) -> Floats:
        """Return probabilities of paths or of blankets, by sums over structures where these are not listed."""
        _check_variables(len(self.names), MOST_SUMMED, f"probabilities of {words}")
        if self.prior == "classes":
            found: Floats = getattr(self._listed, listed)
            return found
        return over_structures(self._weights, self.prior, cores())

    def __repr__(self) -> str:
        return (
            f"<Posterior: {number_of(len(self.names), 'variable')}, {self.score}, {self.prior} prior, "
            f"log-evidence {self.log_evidence:.6g}>"
        )


def check_top(n: int, k: Any) -> None:
    """Refuse to list the k most probable structures of a posterior result of too many variables, or fewer than one."""
    check_number_of_best(k)
    _check_variables(n, MOST_SUMMED, "the most probable structures")


def _check_variables(n: int, most: int, what: str) -> None:
    if n > most:
        raise ArgumentError(
            f"exactly, {what} go up to {most} variables, and there are {n}: take "
            + argument("method", "sample")
            + ", or fewer with "
            + argument("columns")
        )
