"""How a score reaches a kernel: as data.

Every score here is a sum over the variables, and nearly every one has the form

    family score of X given Pa  =  J(X ∪ Pa) - M(Pa),

where ``J(S)`` is the sum of a lookup table ``t_J[n]`` over the counts n in the contingency table of S, plus a closed
form in the number of configurations of S; and ``M`` is a like sum with a table ``t_M[r]`` that may depend on the
arity r of X. For the score-equivalent ones ``M = J``: they are *quotients*, a score of a set of variables divided by
a score of a subset, and equivalent structures multiply and divide by the same things. All n · 2^(n-1) families then
cost only 2^n tables.

A score states its tables (`Terms`) for data of a given shape; searches and engines work from those. The few that do
not fit, because a cell's term depends on more than its count (BDe) or on the other cells (BDs), implement `family`.

**Ties.** A score is a sum of thousands of terms in 64-bit floats. Equivalent structures have the same score, but their
terms are added in another order, and rounding leaves differences of some 10^-13 of the sum. Scores, and gains of
scores of that size, that differ by no more than the tolerance are equal; ties are then decided by names.

The terms themselves are rounded, too: with a billion rows they are some 10^10 nats, and a float has 16 digits. What
that can do to the difference of two scores is `score_rounding`; a proof claims no more.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats
from bnml._text import quoted
from bnml.counts import Counts, FamilyCounts
from bnml.data import Data
from bnml.errors import ArgumentError, ScoreError
from bnml.graph import DAG
from bnml.nml.regret import check_regret_method
from bnml.scores.predictive import FamilyRows, sequential_nml

Closed = Callable[[Floats, Floats, Floats], Floats]
"""Closed form of sets: (number of configurations, its logarithm, number of variables) → term. The number of
configurations may be infinite, its logarithm never is."""


@dataclass(frozen=True)
class Shape:
    """What a score may know of a table apart from its counts, and the counts that its lookup tables are for.

    Those are all that a cell can have, 0 … number of rows, unless some are given in ascending order: with billions of
    rows a table for all of them would not fit in memory.
    """

    n_rows: int
    arities: tuple[int, ...]
    some_counts: npt.NDArray[np.int64] | None = None

    @property
    def n_variables(self) -> int:
        """Number of columns."""
        return len(self.arities)

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """The counts that lookup tables are for."""
        return np.arange(self.n_rows + 1) if self.some_counts is None else self.some_counts


@dataclass(frozen=True)
class Terms:
    """A score as tables.

    Attributes
    ----------
    joint
        ``t_J[n]``: what a cell with count n adds, for each n of `Shape.counts`; 0 for n = 0.
    margin
        ``t_M[r][n]`` likewise for each arity r; empty where ``M = J``.
    ess
        If positive, a cell of a set with q configurations adds log Γ(a + n) - log Γ(a), a = ess / q, in place of
        ``joint`` and ``margin``: a table for each q, never written down.
    closed
        The closed form of a set; None for none.
    parts
        With ``ess``: counts are in parts of a row, and all is taken so many times; see `bnml.scores.fractional`.
    """

    joint: Floats = field(default_factory=lambda: np.zeros(1))
    margin: dict[int, Floats] = field(default_factory=dict)
    ess: float = 0.0
    closed: Closed | None = None
    parts: int = 1


class Score(ABC):
    """A decomposable score: natural logarithms, higher is better.

    Attributes
    ----------
    name
        What it is called in ``score=``.
    equivalent
        Equivalent structures get equal scores.
    regular
        A parent that adds no information never raises the score (qNML paper, section 3.4).
    probability
        It is the logarithm of a distribution over tables.
    admits_posterior
        It can be read as the log-probability of the data given a structure, so that structures have a posterior.
    prequential
        What it predicts for one row after the other multiplies to it.
    pays_for_states
        Each state of the child that occurs with a configuration of the parents costs log r or more, r being its number
        of states: when it is first seen, it is at most as probable as any other.
    parameter
        The name of its number, which follows the colon in ``score="name:number"``; empty if it has none.

    Those of fNML and qNML are meant with the exact regret.
    """

    name: ClassVar[str]
    equivalent: ClassVar[bool] = False
    regular: ClassVar[bool] = False
    probability: ClassVar[bool] = False
    admits_posterior: ClassVar[bool] = False
    prequential: ClassVar[bool] = False
    pays_for_states: ClassVar[bool] = False
    parameter: ClassVar[str] = ""

    @property
    def pays_for_parents(self) -> bool:
        """Whether the score charges for naming parents itself: the default structure prior would do so again."""
        return False

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Return the score for what follows the colon in ``"name:text"``; a text that is no number it refuses."""
        if not cls.parameter:
            raise ScoreError(f"score {cls.name + ':' + text!r}: {cls.name} takes no parameter")
        return cls(**{cls.parameter: text})

    def check(self, data: Data | Counts) -> None:  # noqa: B027  # most scores take any data
        """Raise a ScoreError if the score cannot be used with this table."""

    @abstractmethod
    def terms(self, shape: Shape) -> Terms | None:
        """Return the score as tables, or None if it does not fit and has `family`."""

    def family(self, family: FamilyCounts, counts: Counts) -> float:
        """Return the score of one family from its counts in a table; for scores without tables."""
        raise NotImplementedError

    def log_predictive(self, rows: FamilyRows) -> Floats:
        """Return the log-probability of the child's state in each row given those of its parents, and earlier rows.

        Raises
        ------
        ScoreError
            If it predicts nothing.
        """
        raise ScoreError(f"log_prob: it is not known what {self.name} predicts")


def per_parameter(price: float) -> Closed:
    """Return the closed form of a score that charges ``price`` per free parameter: (q r - 1) - (q - 1) = q (r - 1)."""
    return lambda q, log_q, size: -price * (q - 1.0) if price > 0.0 else np.zeros_like(q)


LARGEST = 1e100  # no hyperparameter is larger: sums of them must stay finite


def positive(value: Any, name: str, score: str) -> float:
    """Return a hyperparameter that must be a positive number."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if isinstance(value, bool) or not 0.0 < number <= LARGEST:
        raise ScoreError(f"{score}: {name}={value!r}: expected a positive number, {LARGEST:g} at most")
    return number


@dataclass(frozen=True)
class ScoreWithRegret(Score):
    """A score that charges regrets of categorical variables; ``regret``: how to compute them, see `bnml.regret`."""

    regular = True
    admits_posterior = True
    regret: str = "exact"

    def __post_init__(self) -> None:
        check_regret_method(self.regret)

    def log_predictive(self, rows: FamilyRows) -> Floats:
        """Return sequential NML."""
        return sequential_nml(rows)


LEAST = 1e-9  # nats: no difference of evidence is so small
SHARE = 1e-12  # of the score: what rounding can do
ROUNDINGS = 8  # of N log N, which no term exceeds, in the difference of two families: found by measurement, and doubled


def score_tolerance(score: float) -> float:
    """Return how much scores of this size may differ and be equal; 0 for one that is not finite.

    Examples
    --------
    >>> score_tolerance(-100.0), score_tolerance(-1e6)
    (1e-09, 1e-06)
    """
    return max(LEAST, SHARE * abs(score)) if math.isfinite(score) else 0.0


def score_rounding(n_rows: int) -> float:
    """Return by how many nats the difference of two scores of so many rows may be off; 0 where that is next to nothing.

    Examples
    --------
    >>> score_rounding(10**6), round(score_rounding(10**9), 6), round(score_rounding(10**12), 3)
    (0.0, 1.8e-05, 0.025)
    """
    off = ROUNDINGS * 2.0**-53 * n_rows * math.log(max(n_rows, 1))
    return off if off > 1e-6 else 0.0  # nats of rounding that no one need be told


def check_dag(dag: Any) -> None:
    """Refuse to take the parent sets of what is not a structure."""
    if not isinstance(dag, DAG):
        raise ArgumentError(f"expected a DAG, got {type(dag).__name__}: make one with bnml.DAG.parse('[A][B|A]')")


def parent_sets(dag: DAG, names: Sequence[str], what: str = "data") -> list[tuple[int, ...]]:
    """Return for each column of a table the columns that are its parents in a structure.

    Raises
    ------
    ArgumentError
        If graph and table, which ``what`` names, have different variables.
    """
    check_dag(dag)
    at = {name: column for column, name in enumerate(names)}
    if set(dag.names) != set(at):
        only_graph = [name for name in dag.names if name not in at]
        only_table = [name for name in names if name not in set(dag.names)]
        differences = [f"only the graph has {quoted(only_graph)}"] if only_graph else []
        differences += [f"only the {what} have {quoted(only_table)}"] if only_table else []
        raise ArgumentError(f"graph and {what} must have the same variables: {'; '.join(differences)}")
    column = [at[name] for name in dag.names]
    sets: list[tuple[int, ...]] = [()] * len(column)
    for i, parents in enumerate(dag.parent_sets):
        sets[column[i]] = tuple(sorted(column[p] for p in parents))
    return sets
