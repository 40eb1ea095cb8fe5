"""The posterior over structures, as `bnml.posterior` returns it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bnml._arrays import Floats
from bnml._checks import is_whole, refuse
from bnml._notebook import notebook_posterior, posterior_picture
from bnml._notebook import notebook_table as html_table
from bnml._pickled import PickledByFields
from bnml._plain import attributes, plain, records
from bnml._text import facts, number_of, text_table
from bnml._threads import cores
from bnml.data import Data
from bnml.errors import ArgumentError, argument
from bnml.scores import LocalScores, Score
from bnml.uncertainty.all_structures import MOST_CLASSES, MOST_LISTED, Listed
from bnml.uncertainty.allowed import Allowed
from bnml.uncertainty.best_structures import best_structures
from bnml.uncertainty.families import posterior_families
from bnml.uncertainty.prediction import average_by_sums, average_over_listed, averaged_log_prob
from bnml.uncertainty.prior_words import prior_words
from bnml.uncertainty.sums_over_structures import blanket_probabilities, path_probabilities

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MOST_SUMMED", "Posterior", "check_top"]

MOST_SUMMED = 14  # variables, for paths, blankets and the best structures
MOST_PREDICTED = 10  # variables, for predictions
SEARCHED = "qnml"  # the default score of searches
KINDS = {"fnml": "a normalised maximum likelihood, read as the probability of the data given a structure"}
LIKELY = 0.5  # links that the report lists
MOST_SHOWN = 40


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(PickledByFields):
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

    @property
    def arc_probabilities(self) -> pd.DataFrame:
        """The probability of each arc: from the row's variable to the column's."""
        return self._frame(self._arcs)

    @property
    def link_probabilities(self) -> pd.DataFrame:
        """The probability that two variables are joined by an arc in one direction or the other; symmetric."""
        return self._frame(np.minimum(self._arcs + self._arcs.T, 1.0))

    @property
    def arcs(self) -> pd.DataFrame:
        """The probability of each arc, in a row of its own: ``from``, ``to`` and ``probability``."""
        import pandas as pd

        pairs = [(i, j) for i in range(len(self.names)) for j in range(len(self.names)) if i != j]
        rows = [(self.names[i], self.names[j], float(self._arcs[i, j])) for i, j in pairs]
        return pd.DataFrame(rows, columns=["from", "to", "probability"])

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as plain values, for JSON."""
        return {
            **attributes(self, "score", "prior", "prior_text"),
            "variables": list(self.names),
            "rows": self.n_rows,
            "log_evidence": plain(self.log_evidence),
            "arcs": records(self.arcs),
            "seconds": self.seconds,
        }

    @property
    def path_probabilities(self) -> pd.DataFrame:
        """The probability that a directed path leads from the row's variable to the column's; up to 14 variables."""
        return self._frame(self._paths)

    @property
    def blanket_probabilities(self) -> pd.DataFrame:
        """The probability that the Markov blanket of the row's variable has the column's; up to 14 variables.

        Symmetric: an arc joins the two, or they have a child in common.
        """
        return self._frame(self._blankets, "blanket of", "has")

    def _frame(self, values: Floats, rows: str = "from", columns: str = "to") -> pd.DataFrame:
        import pandas as pd

        index, across = pd.Index(list(self.names), name=rows), pd.Index(list(self.names), name=columns)
        frame = pd.DataFrame(values.copy(), index=index, columns=across)
        frame.attrs["prior"] = self.prior_text
        return frame

    def top(self, k: int = 10, *, classes: bool = False) -> pd.DataFrame:
        """Return the most probable structures; up to 14 variables.

        Parameters
        ----------
        k
            How many.
        classes
            Take equivalent structures together.

        Returns
        -------
        DataFrame
            A row for each structure: ``structure`` (its model string), ``score`` and ``probability``. For classes
            ``cpdag`` (a `PDAG`), ``structure`` (its canonical member), ``dags`` (how many members are allowed),
            ``score`` (the highest of them) and ``probability`` (of all of them). Fewer than k if there are no more.

        Raises
        ------
        ArgumentError
            If there are more than 14 variables, or more than four million structures are nearly as probable as the
            best; `bnml.uncertainty.best_structures` says why these are listed.

        Examples
        --------
        >>> import bnml
        >>> result = bnml.posterior(bnml.example(), "bdeu")
        >>> best = result.top(3, classes=True)
        >>> best[["dags", "score", "probability"]].round(3)
           dags      score  probability
        0     6 -11266.068        0.201
        1    14 -11267.436        0.119
        2     6 -11267.761        0.037
        """
        check_top(len(self.names), k)
        if self._lists_all(MOST_CLASSES if classes or self.prior == "order" else MOST_LISTED):
            listed = self._listed
        else:
            listed = best_structures(
                self.names, self._families, self._allowed.all_terms(), self.prior, int(k), classes, cores()
            )
        frame = listed.top_classes(int(k)) if classes else listed.top(int(k))
        frame.attrs["prior"] = self.prior_text
        return frame

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
        -2.24
        """
        _check_variables(len(self.names), MOST_PREDICTED, "averaged predictions")
        threads = cores()
        if self._lists_all(MOST_LISTED):
            average = average_over_listed(self._listed, threads)
        else:
            average = average_by_sums(self._weights, self.prior, threads)
        return averaged_log_prob(self._data, self._score, data, average)

    def plot(self, path: Any = None, **options: Any) -> Any:
        """Draw the links, as wide as they are probable, with arrows where one direction has most of the probability.

        Parameters
        ----------
        path
            A file to write as well: ``.png``, ``.svg`` or ``.pdf``.
        **options
            Those of `bnml.plot.draw_posterior`: ``threshold``, ``direction``, ``title``, ``size``, ``dpi``.

        Returns
        -------
        matplotlib.figure.Figure
            The picture; a notebook shows it.

        Examples
        --------
        >>> import bnml
        >>> figure = bnml.posterior(bnml.example(), "bdeu").plot(threshold=0.5)
        >>> len(figure.axes)
        1
        """
        return posterior_picture(self.arc_probabilities, self.link_probabilities, path, **options)

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
        _check_variables(len(self.names), MOST_SUMMED, "probabilities of paths")
        if self.prior == "classes":
            return self._listed.paths
        return path_probabilities(self._weights, self.prior, cores())

    @cached_property
    def _blankets(self) -> Floats:
        _check_variables(len(self.names), MOST_SUMMED, "probabilities of Markov blankets")
        if self.prior == "classes":
            return self._listed.blankets
        return blanket_probabilities(self._weights, self.prior, cores())

    @cached_property
    def _likely(self) -> list[tuple[str, str, float, float]]:
        """The links above one half, most probable first: the more probable direction, and both probabilities."""
        found = []
        for a in range(len(self.names)):
            for b in range(a + 1, len(self.names)):
                x, y = (a, b) if self._arcs[a, b] >= self._arcs[b, a] else (b, a)
                if self._arcs[a, b] + self._arcs[b, a] > LIKELY:
                    found.append((self.names[x], self.names[y], float(self._arcs[x, y]), float(self._arcs[y, x])))
        return sorted(found, key=lambda link: (-round(link[2] + link[3], 9), -round(link[2], 9), link[:2]))

    def _facts(self) -> list[tuple[str, str]]:
        return [
            ("score", f"{self.score}{self._score_words()}"),
            ("prior", self.prior_text),
            ("evidence", f"{self.log_evidence:,.3f} (log-probability of the data under that prior)"),
            ("arcs", f"{self._arcs.sum():.2f} expected"),
            ("time", f"{self.seconds:.2g} s"),
        ]

    def _score_words(self) -> str:
        """Say why the score is another one than searches take unless they are told."""
        if self._score.name == SEARCHED:
            return ""
        kind = KINDS.get(self._score.name, "a marginal likelihood: the probability of the data given a structure")
        return f" ({kind}; searches take {SEARCHED} unless they are told, and its posterior may differ)"

    def _title(self) -> str:
        variables, rows = number_of(len(self.names), "variable"), number_of(self.n_rows, "row")
        return f"Posterior over the structures of {variables}, given {rows}"

    def __str__(self) -> str:
        lines = [self._title(), "", *facts(self._facts(), 10)]
        if not self._likely:
            return "\n".join([*lines, "", "No two variables are joined by an arc with probability above 0.5."])
        lines += ["", "Links with probability above 0.5, and the probability of either direction:"]
        rows = [
            [f"{a} -> {b}", f"{min(this + other, 1.0):.4f}", f"{this:.4f}", f"{other:.4f}"]
            for a, b, this, other in self._likely[:MOST_SHOWN]
        ]
        lines += text_table(rows, "srrr", ["arc", "link", "this", "other"], indent="  ")
        left = len(self._likely) - MOST_SHOWN
        return "\n".join([*lines, *([f"  … and {left} more"] if left > 0 else [])])

    def _repr_html_(self) -> str:
        facts = html_table(self._title(), ["", ""], [list(fact) for fact in self._facts()])
        rows = [
            [f"{a} → {b}", f"{min(this + other, 1.0):.4f}", f"{this:.4f}", f"{other:.4f}"]
            for a, b, this, other in self._likely[:200]
        ]
        title = "Links with probability above 0.5, and the probability of either direction"
        picture = notebook_posterior(self.arc_probabilities, self.link_probabilities)
        return f"<div>{facts}{picture}{html_table(title, ['arc', 'link', 'this', 'other'], rows)}</div>"

    def __repr__(self) -> str:
        return (
            f"<Posterior: {number_of(len(self.names), 'variable')}, {self.score}, {self.prior} prior, "
            f"log-evidence {self.log_evidence:.6g}>"
        )


def check_top(n: int, k: Any) -> None:
    """Refuse to list the k most probable structures of too many variables, or fewer than one of them."""
    if not is_whole(k, 1):
        raise refuse("k", k, "there can be any number of best structures from 1")
    _check_variables(n, MOST_SUMMED, "the most probable structures")


def _check_variables(n: int, most: int, what: str) -> None:
    if n > most:
        raise ArgumentError(
            f"exactly, {what} go up to {most} variables, and there are {n}: take {argument('method', 'sample')}, or "
            f"fewer with {argument('columns')}"
        )
