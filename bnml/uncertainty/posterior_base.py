"""What exact and sampled posteriors have in common: tables of probabilities, the best structures, pictures, reports."""

from __future__ import annotations

from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from bnml._arrays import Floats
from bnml._checks import is_whole, refuse
from bnml._notebook import notebook_posterior, posterior_picture
from bnml._notebook import notebook_table as html_table
from bnml._text import facts, number_of, text_table

if TYPE_CHECKING:
    import pandas as pd

MOST_SHOWN, MOST_IN_HTML = 40, 200


class PosteriorBase:
    """How probable structures are; a posterior says what its matrices are, and what else its report tells."""

    KIND = "Posterior"
    NUMBERS: tuple[str, ...] = ("link", "this", "other")  # of a link in the report
    NUMBERS_TOLD = "and the probability of either direction"
    DIGITS = 4

    names: tuple[str, ...]
    n_rows: int

    @property
    def prior_text(self) -> str:
        """What the prior is, in words."""
        raise NotImplementedError

    def _arc_matrix(self) -> Floats:
        """Return the probability of each arc: ``[from, to]``."""
        raise NotImplementedError

    def _path_matrix(self) -> Floats:
        """Return the probability of a directed path: ``[from, to]``."""
        raise NotImplementedError

    def _blanket_matrix(self) -> Floats:
        """Return the probability that one is in the Markov blanket of the other."""
        raise NotImplementedError

    def _top(self, k: int, *, classes: bool) -> pd.DataFrame:
        """Return the k best structures or classes."""
        raise NotImplementedError

    def _facts(self) -> list[tuple[str, str]]:
        """Return what the report begins with."""
        raise NotImplementedError

    # --- probabilities ---

    @property
    def arc_probabilities(self) -> pd.DataFrame:
        """The probability of each arc: from the row's variable to the column's."""
        return self._frame(self._arc_matrix())

    @property
    def link_probabilities(self) -> pd.DataFrame:
        """The probability that two variables are joined by an arc in one direction or the other; symmetric."""
        arcs = self._arc_matrix()
        return self._frame(np.minimum(arcs + arcs.T, 1.0))

    @property
    def arcs(self) -> pd.DataFrame:
        """The probability of each arc, in a row of its own: ``from``, ``to`` and ``probability``."""
        import pandas as pd

        arcs, pairs = self._arc_matrix(), list(permutations(range(len(self.names)), 2))
        rows = [(self.names[i], self.names[j], float(arcs[i, j])) for i, j in pairs]
        return pd.DataFrame(rows, columns=["from", "to", "probability"])

    @property
    def path_probabilities(self) -> pd.DataFrame:
        """The probability that a directed path leads from the row's variable to the column's.

        Exactly for up to 14 variables.
        """
        return self._frame(self._path_matrix())

    @property
    def blanket_probabilities(self) -> pd.DataFrame:
        """The probability that the Markov blanket of the row's variable has the column's.

        Symmetric: an arc joins the two, or they have a child in common. Exactly for up to 14 variables.
        """
        return self._frame(self._blanket_matrix(), "blanket of", "has")

    def _frame(self, values: Floats, rows: str = "from", columns: str = "to") -> pd.DataFrame:
        import pandas as pd

        index, across = pd.Index(list(self.names), name=rows), pd.Index(list(self.names), name=columns)
        frame = pd.DataFrame(values.copy(), index=index, columns=across)
        frame.attrs["prior"] = self.prior_text
        return frame

    def top(self, k: int = 10, *, classes: bool = False) -> pd.DataFrame:
        """Return the most probable structures, exactly for up to 14 variables, or else among samples.

        Sampled structures are ranked by their scores where the prior is uniform, and the best that `bnml.learn` finds
        is one of them even if no sample is; under other priors they are ranked by their shares of the samples.

        Parameters
        ----------
        k
            How many.
        classes
            Take equivalent structures together.

        Returns
        -------
        DataFrame
            A row for each structure: ``structure`` (its model string), ``score`` (without the structure prior) and
            ``probability`` (its share of the samples, if sampled). For classes ``cpdag`` (a `PDAG`), ``structure`` (its
            canonical member), ``dags`` (how many members are allowed), ``score`` (the highest of them, or of those
            sampled) and ``probability`` (of all of them). Fewer than k if there are no more.

        Raises
        ------
        ArgumentError
            If k is not a whole number from 1. Exactly also if there are more than 14 variables, or more than four
            million structures are nearly as probable as the best; `bnml.uncertainty.best_structures` says why these
            are listed.

        Examples
        --------
        >>> import bnml
        >>> result = bnml.posterior(bnml.example(), "bdeu")
        >>> best = result.top(3, classes=True)
        >>> best[["dags", "score", "probability"]].round(3)
           dags      score  probability
        0     6 -11266.068        0.467
        1     3 -11267.815        0.244
        2    14 -11267.436        0.046
        """
        check_number_of_best(k)
        frame = self._top(int(k), classes=classes)
        frame.attrs["prior"] = self.prior_text
        return frame

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

    # --- the report ---

    @cached_property
    def _likely(self) -> list[tuple[int, int]]:
        """The links above one half, most probable first, each in its more probable direction."""
        arcs, n = self._arc_matrix(), len(self.names)
        # links more likely than not
        both = [(a, b) for a in range(n) for b in range(a + 1, n) if arcs[a, b] + arcs[b, a] > 0.5]
        links = [(a, b) if arcs[a, b] >= arcs[b, a] else (b, a) for a, b in both]

        def rank(link: tuple[int, int]) -> tuple[float, float, str, str]:
            this, other = float(arcs[link]), float(arcs[link[::-1]])
            return -round(this + other, 9), -round(this, 9), self.names[link[0]], self.names[link[1]]

        return sorted(links, key=rank)

    def _numbers(self, x: int, y: int) -> list[float]:
        """Return what the report tells of a link, in the order of `NUMBERS`."""
        arcs = self._arc_matrix()
        this, other = float(arcs[x, y]), float(arcs[y, x])
        return [min(this + other, 1.0), this, other]

    def _rows(self, most: int, arrow: str) -> list[list[str]]:
        return [
            [f"{self.names[x]} {arrow} {self.names[y]}", *(f"{p:.{self.DIGITS}f}" for p in self._numbers(x, y))]
            for x, y in self._likely[:most]
        ]

    def _title(self) -> str:
        variables, rows = number_of(len(self.names), "variable"), number_of(self.n_rows, "row")
        return f"{self.KIND} over the structures of {variables}, given {rows}"

    def __str__(self) -> str:
        lines = [self._title(), "", *facts(self._facts(), 10)]
        if not self._likely:
            return "\n".join([*lines, "", "No two variables are joined by an arc with probability above 0.5."])
        lines += ["", f"Links with probability above 0.5, {self.NUMBERS_TOLD}:"]
        kinds = f"s{'r' * len(self.NUMBERS)}"
        lines += text_table(self._rows(MOST_SHOWN, "->"), kinds, ["arc", *self.NUMBERS], indent="  ")
        left = len(self._likely) - MOST_SHOWN
        return "\n".join([*lines, *([f"  … and {left} more"] if left > 0 else [])])

    def _repr_html_(self) -> str:
        told = html_table(self._title(), ["", ""], [list(fact) for fact in self._facts()])
        picture = notebook_posterior(self.arc_probabilities, self.link_probabilities)
        title = f"Links with probability above 0.5, {self.NUMBERS_TOLD}"
        return f"<div>{told}{picture}{html_table(title, ['arc', *self.NUMBERS], self._rows(MOST_IN_HTML, '→'))}</div>"


def check_number_of_best(k: Any) -> None:
    """Refuse a number of a posterior's best structures that is none."""
    if not is_whole(k, 1):
        raise refuse("k", k, "there can be any number of best structures from 1")
