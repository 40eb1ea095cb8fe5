"""The posterior over structures, as `bnml.posterior` returns it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bnml._arrays import Floats
from bnml._notebook import notebook_table as html_table
from bnml._plain import attributes, plain, records
from bnml._text import facts, number_of, shortened, text_table
from bnml.data import Data
from bnml.scores import Score
from bnml.uncertainty.all_structures import Listed, check_all_structures
from bnml.uncertainty.allowed import Allowed

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PRIORS", "Posterior"]

PRIORS = {
    "uniform": "all DAGs{limits} are equally probable",
    "order": "all pairs of an order and a DAG that fits it are equally probable{limits}; "
    "a DAG counts once for each of its linear extensions",
}
SEARCHED = "qnml"  # the default score of searches
KINDS = {"fnml": "a normalised maximum likelihood, read as the probability of the data given a structure"}
LIKELY = 0.5  # links that the report lists
MOST_SHOWN = 40
MOST_LETTERS = 200  # of a structure prior


@dataclass(frozen=True, eq=False, repr=False)
class Posterior:
    """How probable structures are, given data, a score and a prior; print it for a report.

    Attributes
    ----------
    names
        The variables.
    score
        The score, read as the logarithm of the probability of the data given a structure.
    prior
        The prior over structures: ``"uniform"`` or ``"order"``; `prior_text` says what that means.
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
    _listed: Listed | None = field(default=None)

    @property
    def prior_text(self) -> str:
        """What the prior is, in words."""
        allowed, most = self._allowed, self._allowed.rules.most
        limits = f" with at most {number_of(most, 'parent')} each" if most < len(self.names) - 1 else ""
        limits += " that the constraints allow" if allowed.rules.constrained else ""
        limits += f" with families of at most {allowed.rules.cells:,.0f} cells" if allowed.rules.sparse else ""
        if limits and self.prior == "order":
            limits = f", among the DAGs{limits}"
        text = PRIORS[self.prior].format(limits=limits)
        if allowed.prior is None:
            return text
        return f"{text}; times the structure prior {shortened(repr(allowed.prior), MOST_LETTERS)}"

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

    def _frame(self, values: Floats) -> pd.DataFrame:
        import pandas as pd

        index, columns = pd.Index(list(self.names), name="from"), pd.Index(list(self.names), name="to")
        frame = pd.DataFrame(values.copy(), index=index, columns=columns)
        frame.attrs["prior"] = self.prior_text
        return frame

    def top(self, k: int = 10, *, classes: bool = False) -> pd.DataFrame:
        """Return the most probable structures; for up to five variables.

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
            If there are more than five variables.
        """
        check_all_structures(len(self.names), k)
        listed = self._list()
        frame = listed.top_classes(int(k)) if classes else listed.top(int(k))
        frame.attrs["prior"] = self.prior_text
        return frame

    def log_prob(self, data: Any) -> Floats:
        """Return the log-probability of each row of new data, averaged over structures; for up to five variables.

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
            If there are more than five variables, one is missing, or a value is none of its states.
        """
        from bnml.uncertainty.prediction import averaged_log_prob

        return averaged_log_prob(self._list(), self._data, self._score, data)

    def _list(self) -> Listed:
        check_all_structures(len(self.names))
        assert self._listed is not None
        return self._listed

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
        return f"<div>{facts}{html_table(title, ['arc', 'link', 'this', 'other'], rows)}</div>"

    def __repr__(self) -> str:
        return (
            f"<Posterior: {number_of(len(self.names), 'variable')}, {self.score}, {self.prior} prior, "
            f"log-evidence {self.log_evidence:.6g}>"
        )
