"""Structure priors: how probable a graph is before any data are seen.

A prior's logarithm is added to the score, ``score(dag, data, "bdeu", prior=...)``. It is a sum over families, up to the
constant that makes all graphs sum to one, so every search can use it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._checks import is_number, refuse
from bnml._text import did_you_mean, quoted
from bnml.errors import ArgumentError
from bnml.graph import DAG

__all__ = ["ArcProbabilities", "Distance", "StructurePrior", "Uniform", "check_prior"]

Matrix = npt.NDArray[np.float64]


class StructurePrior(ABC):
    """A prior over graphs, as a sum of terms of families."""

    @abstractmethod
    def family(self, names: Sequence[str], child: int, parents: Sequence[int]) -> float:
        """Return the log-prior of one family; columns by number."""

    @abstractmethod
    def check(self, names: Sequence[str]) -> None:
        """Raise an error if the prior does not go with these variables."""

    def arc_terms(self, names: Sequence[str]) -> tuple[Matrix, Matrix] | None:
        """Return the prior as terms of arcs, if it is a sum of these: the fast way for exact search.

        Two matrices ``[parent, child]``: what an arc adds if it is there, and if it is not. None for other priors.
        """
        return None

    def log_prob(self, dag: DAG) -> float:
        """Return the log-prior of a graph, up to a constant.

        Raises
        ------
        ArgumentError
            If it is no graph, or one over variables that the prior does not know.

        Examples
        --------
        >>> from bnml.graph import DAG
        >>> from bnml.scores.priors import Distance
        >>> a, b = DAG.parse("[A][B|A]"), DAG.parse("[A][B]")
        >>> round(Distance(a, kappa=0.1).log_prob(b), 4)
        -2.3026
        """
        if not isinstance(dag, DAG):
            raise ArgumentError(f"log_prob: expected a DAG, got {type(dag).__name__}")
        self.check(dag.names)
        return math.fsum(self.family(dag.names, i, parents) for i, parents in enumerate(dag.parent_sets))


@dataclass(frozen=True)
class Uniform(StructurePrior):
    """All graphs are equally probable: nothing is added."""

    def family(self, names: Sequence[str], child: int, parents: Sequence[int]) -> float:
        """Return 0."""
        return 0.0

    def arc_terms(self, names: Sequence[str]) -> tuple[Matrix, Matrix]:
        """Return zeros."""
        return np.zeros((len(names), len(names))), np.zeros((len(names), len(names)))

    def check(self, names: Sequence[str]) -> None:
        """Accept any variables."""


@dataclass(frozen=True)
class ArcProbabilities(StructurePrior):
    """Each possible arc is there with a probability of its own, independently of the others.

    P(G) ∝ Π p(a → b) over the arcs of G · Π (1 - p(a → b)) over the possible arcs that are not in G.

    Parameters
    ----------
    default
        The probability of an arc that is not named in ``arcs``.
    arcs
        Probabilities of some arcs, ``{("A", "B"): 0.9}``; 0 rules an arc out, 1 requires it.
    """

    default: float = 0.5
    arcs: Mapping[tuple[str, str], float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not isinstance(self.arcs, Mapping):
            raise ArgumentError(f"ArcProbabilities: arcs={self.arcs!r}: expected a mapping, {{('A', 'B'): 0.9}}")
        object.__setattr__(self, "arcs", dict(self.arcs))
        for arc in self.arcs:
            if not isinstance(arc, tuple) or len(arc) != 2 or arc[0] == arc[1]:
                raise ArgumentError(f"ArcProbabilities: {arc!r} is no arc: expected two variables, ('A', 'B')")
        for where, value in (("default", self.default), *((repr(arc), p) for arc, p in self.arcs.items())):
            if not is_number(value) or not 0.0 <= value <= 1.0:
                raise ArgumentError(f"ArcProbabilities: {where} is {value!r}: expected a probability from 0 to 1")

    def family(self, names: Sequence[str], child: int, parents: Sequence[int]) -> float:
        """Return the log-prior of one family."""
        own = set(parents)
        total = 0.0
        for i, name in enumerate(names):
            if i != child:
                p = self.arcs.get((name, names[child]), self.default)
                p = p if i in own else 1.0 - p
                total += math.log(p) if p > 0.0 else -math.inf
        return total

    def arc_terms(self, names: Sequence[str]) -> tuple[Matrix, Matrix]:
        """Return log p and log (1 - p) of each arc."""
        p = np.array([[0.0 if a == b else self.arcs.get((a, b), self.default) for b in names] for a in names])
        with np.errstate(divide="ignore"):
            there, absent = np.log(p), np.log(1.0 - p)
        np.fill_diagonal(there, 0.0)
        return there, absent

    def check(self, names: Sequence[str]) -> None:
        """Raise an error if an arc names an unknown variable."""
        for arc in self.arcs:
            for name in arc:
                if name not in names:
                    raise ArgumentError(
                        f"ArcProbabilities: arc {arc!r}: there is no variable {name!r}.{did_you_mean(name, names)}"
                    )


@dataclass(frozen=True)
class Distance(StructurePrior):
    """The probability falls with the distance from a prior graph: P(G) ∝ κ^δ (Heckerman, Geiger & Chickering 1995).

    δ counts, over all variables, the parents that G and the prior graph do not share.

    Parameters
    ----------
    dag
        The prior graph.
    kappa
        The factor for each differing arc, above 0 and at most 1.
    """

    dag: DAG
    kappa: float = 0.5

    def __post_init__(self) -> None:
        if not isinstance(self.dag, DAG):
            raise ArgumentError(f"Distance: dag={self.dag!r}: expected a DAG")
        if not is_number(self.kappa) or not 0.0 < self.kappa <= 1.0:
            raise ArgumentError(f"Distance: kappa={self.kappa!r}: expected a number above 0 and at most 1")

    def family(self, names: Sequence[str], child: int, parents: Sequence[int]) -> float:
        """Return the log-prior of one family."""
        differing = {names[p] for p in parents} ^ set(self.dag.parents(names[child]))
        return len(differing) * math.log(self.kappa)

    def arc_terms(self, names: Sequence[str]) -> tuple[Matrix, Matrix]:
        """Return log κ where an arc differs from the prior graph."""
        shared = np.array([[a in self.dag.parents(b) for b in names] for a in names])
        return np.where(shared, 0.0, math.log(self.kappa)), np.where(shared, math.log(self.kappa), 0.0)

    def check(self, names: Sequence[str]) -> None:
        """Raise an error unless the prior graph has the same variables."""
        if set(names) != set(self.dag.names):
            raise ArgumentError(f"Distance: the prior graph is over {quoted(self.dag.names)}, not over {quoted(names)}")


def check_prior(prior: Any) -> None:
    """Refuse what is not a structure prior, as those of `bnml.priors` are."""
    if prior is not None and not isinstance(prior, StructurePrior):
        raise refuse("prior", prior, "expected a structure prior of bnml.priors, or None")
