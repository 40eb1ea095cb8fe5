"""Structure priors: how probable a graph is before any data are seen.

A prior's logarithm is added to the score, ``score(dag, data, "bdeu", prior=...)``. It is a sum over families, up to the
constant that makes all graphs sum to one, so every search can use it.

A prior may depend on the table: `StructurePrior.bind` returns what it says of one, and is called once, where local
scores are made. A prior that adds as much for an arc as for its reverse keeps equivalent structures equivalent
(`StructurePrior.equivalent`), and searches rely on that property alone.
"""

from __future__ import annotations

import csv
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._checks import is_number, refuse, whole_number
from bnml._files import a_file_path
from bnml._text import did_you_mean, quoted
from bnml.counts.counts import count_varying
from bnml.data import Data
from bnml.errors import ArgumentError, DataError
from bnml.graph import DAG, PDAG, Rules
from bnml.scores.base import Score

__all__ = [
    "DEFAULT_PRIOR",
    "SPARSE",
    "ArcProbabilities",
    "Distance",
    "LinkProbabilities",
    "Sparse",
    "StructurePrior",
    "Uniform",
    "parse_prior",
    "prior_for",
]

SPARSE, UNIFORM = "sparse", "uniform"
DEFAULT_PRIOR = SPARSE

Matrix = npt.NDArray[np.float64]


class StructurePrior(ABC):
    """A prior over graphs, as a sum of terms of families."""

    @abstractmethod
    def family(self, names: Sequence[str], child: int, parents: Sequence[int]) -> float:
        """Return the log-prior of one family; columns by number."""

    @abstractmethod
    def check(self, names: Sequence[str]) -> None:
        """Raise an error if the prior does not go with these variables."""

    def bind(self, data: Data) -> StructurePrior | None:
        """Return what the prior says of one table; None if it prefers no structure.

        The result does not depend on other tables it is used with: halves of the rows, some of the columns, completed
        tables. By default the prior itself.
        """
        return self

    def among(self, names: Sequence[str]) -> StructurePrior:
        """Return what the prior says of some of its variables; by default the prior itself."""
        return self

    def arc_cost(self, names: Sequence[str]) -> float | None:
        """Return what any arc takes from the log-prior, if that is the same for all arcs; else None.

        The log-prior is then minus that cost for each arc: an empty graph has 0.
        """
        return None

    def arc_terms(self, names: Sequence[str]) -> tuple[Matrix, Matrix] | None:
        """Return the prior as terms of arcs, if it is a sum of these: the fast way for exact search.

        Two matrices ``[parent, child]``: what an arc adds if it is there, and if it is not. None for other priors.
        """
        cost = self.arc_cost(names)
        if cost is None:
            return None
        n = len(names)
        return -cost * (1.0 - np.eye(n)), np.zeros((n, n))

    def equivalent(self, names: Sequence[str]) -> bool:
        """Return whether equivalent structures are equally probable: an arc adds as much as its reverse.

        True for links that are ruled out; False where an arc is required, or where the prior is no sum over arcs.
        """
        if self.arc_cost(names) is not None:
            return True
        terms = self.arc_terms(names)
        if terms is None:
            return False
        odds = terms[0] - terms[1]
        return bool(np.allclose(odds, odds.T, rtol=1e-12, atol=1e-12) and (odds < np.inf).all())

    def restrict(self, rules: Rules) -> Rules:
        """Return rules with the arcs that the prior requires or rules out."""
        if self.arc_cost(rules.names) is not None:
            return rules
        terms = self.arc_terms(rules.names)
        return rules if terms is None else rules.heeding(np.isneginf(terms[0]), np.isneginf(terms[1]))

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

    def bind(self, data: Data) -> None:
        """Return None: no structure is preferred."""

    def arc_cost(self, names: Sequence[str]) -> float:
        """Return 0."""
        return 0.0

    def check(self, names: Sequence[str]) -> None:
        """Accept any variables."""


@dataclass(frozen=True)
class Sparse(StructurePrior):
    """A variable has few parents, however many there are to choose from.

    Each of the other n - 1 variables is a parent with probability p = parents / (n - 1), at most 1/2, so that an arc
    costs log((1 - p) / p) nats; with one expected parent that is log(n - 2). Without such a cost the number of arcs
    found among independent variables grows with the square of their number, as every pair has a chance.

    Parameters
    ----------
    parents
        Expected number of parents of a variable, above 0.
    variables
        The number n of variables; by default those of the table that are not constant.

    Examples
    --------
    >>> from bnml.graph import DAG
    >>> from bnml.scores.priors import Sparse
    >>> round(Sparse(variables=60).log_prob(DAG.parse("[a][b|a]")), 4)  # - log 58
    -4.0604
    """

    parents: float = 1.0
    variables: int | None = None

    def __post_init__(self) -> None:
        if not is_number(self.parents) or not 0.0 < self.parents < math.inf:
            raise ArgumentError(f"Sparse: parents={self.parents!r}: expected a positive number")
        if self.variables is not None:
            object.__setattr__(self, "variables", whole_number(self.variables, "variables"))

    def bind(self, data: Data) -> StructurePrior | None:
        """Return the prior for the number of variables of a table that are not constant; None if arcs cost nothing."""
        bound = self if self.variables is not None else replace(self, variables=count_varying(data))
        return bound if bound.arc_cost(data.names) else None

    def arc_cost(self, names: Sequence[str]) -> float:
        """Return log((1 - p) / p)."""
        others = (len(names) if self.variables is None else self.variables) - 1
        return math.log(others - self.parents) - math.log(self.parents) if others > 2.0 * self.parents else 0.0

    def family(self, names: Sequence[str], child: int, parents: Sequence[int]) -> float:
        """Return minus the cost of the arcs of one family."""
        return -self.arc_cost(names) * len(parents) if parents else 0.0

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

    def among(self, names: Sequence[str]) -> ArcProbabilities:
        """Return the prior without the arcs of other variables."""
        return replace(self, arcs=_pairs_among(self.arcs, names))

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
        _check_pairs("ArcProbabilities", "arc", self.arcs, names)


@dataclass(frozen=True)
class LinkProbabilities(StructurePrior):
    """Two variables are linked, in either direction, with a probability that an expert names.

    P(G) ∝ Π p(a - b) / 2 over the arcs of G · Π (1 - p(a - b)) over the pairs that G does not link. An arc and its
    reverse are equally probable, so that equivalent structures stay equivalent.

    Parameters
    ----------
    links
        Probabilities of some links, ``{("A", "B"): 0.9}``, each pair once, in either order; 0 rules a link out.
    default
        The probability of a link that is not named; None for that of `Sparse` with one expected parent.

    Examples
    --------
    >>> from bnml.graph import DAG
    >>> from bnml.scores.priors import LinkProbabilities
    >>> prior = LinkProbabilities({("a", "b"): 0.9}, default=0.5)
    >>> round(prior.log_prob(DAG.parse("[a][b|a]")) - prior.log_prob(DAG.parse("[a][b]")), 4)  # log 0.45 - log 0.1
    1.5041
    """

    links: Mapping[tuple[str, str], float] = field(default_factory=dict, hash=False)
    default: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.links, Mapping):
            raise ArgumentError(f"LinkProbabilities: links={self.links!r}: expected a mapping, {{('A', 'B'): 0.9}}")
        object.__setattr__(self, "links", dict(self.links))
        seen: set[frozenset[str]] = set()
        for link, p in self.links.items():
            if not isinstance(link, tuple) or len(link) != 2 or link[0] == link[1]:
                raise ArgumentError(f"LinkProbabilities: {link!r}: expected two different variables, ('A', 'B')")
            if frozenset(link) in seen:
                raise ArgumentError(f"LinkProbabilities: {link!r}: this pair has two probabilities; keep one")
            seen.add(frozenset(link))
            if not is_number(p) or not 0.0 <= p < 1.0:
                raise ArgumentError(
                    f"LinkProbabilities: {link!r} is {p!r}: expected a probability from 0 to below 1; "
                    "require a link that is certain with bnml.Constraints(required_links=…)"
                )
        if self.default is not None and (not is_number(self.default) or not 0.0 <= self.default < 1.0):
            raise ArgumentError(f"LinkProbabilities: default={self.default!r}: expected a number from 0 to below 1")

    @classmethod
    def read(cls, path: str | os.PathLike[str], default: float | None = None) -> LinkProbabilities:
        """Return the prior of a CSV file of ``a``, ``b``, ``probability``; a line with these names may come first.

        Raises
        ------
        BnmlError
            If the file cannot be read, or a line is not two names and a probability.
        """
        file = a_file_path(path, "path")
        links: dict[tuple[str, str], float] = {}
        try:
            with file.open(newline="", encoding="utf-8-sig") as stream:
                lines = [(n, [field.strip() for field in row]) for n, row in enumerate(csv.reader(stream), 1) if row]
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise DataError(f"{str(file)!r} cannot be read: {error}") from None
        if lines and lines[0][1] == ["a", "b", "probability"]:
            del lines[0]
        if not lines:
            raise DataError(f"{str(file)!r} names no link: expected lines of two variables and a probability")
        for number, row in lines:
            where = f"{str(file)!r}, line {number}"
            try:
                a, b, p = row[0], row[1], float(row[2])
            except (IndexError, ValueError):
                raise DataError(f"{where}: expected two variables and a probability, such as A,B,0.9") from None
            if len(row) > 3:
                raise DataError(f"{where}: more than three fields")
            if a == b:
                raise DataError(f"{where}: expected two different variables")
            if not 0.0 <= p < 1.0:
                raise DataError(f"{where}: the probability is {row[2]}; expected a number from 0 to below 1")
            if (a, b) in links or (b, a) in links:
                raise DataError(f"{where}: this pair has two probabilities; keep one")
            links[a, b] = p
        return cls(links, default)

    def bind(self, data: Data) -> StructurePrior:
        """Return the prior with the default probability of a link under `Sparse` for a table, if none is given."""
        if self.default is not None:
            return self
        odds = 2.0 * math.exp(-Sparse(variables=count_varying(data)).arc_cost(data.names))
        return replace(self, default=odds / (1.0 + odds))

    def among(self, names: Sequence[str]) -> LinkProbabilities:
        """Return the prior without the links of other variables."""
        return replace(self, links=_pairs_among(self.links, names))

    def family(self, names: Sequence[str], child: int, parents: Sequence[int]) -> float:
        """Return the log-prior of one family, up to a constant."""
        return _family_of_arc_terms(self.arc_terms(names), child, parents)

    def arc_terms(self, names: Sequence[str]) -> tuple[Matrix, Matrix]:
        """Return log(p / 2) - log(1 - p) for each arc."""
        default = self.default
        if default is None:
            odds = 2.0 * math.exp(-Sparse().arc_cost(names))
            default = odds / (1.0 + odds)
        n, at = len(names), {name: k for k, name in enumerate(names)}
        p = np.full((n, n), default)
        for (a, b), own in self.links.items():
            p[at[a], at[b]] = p[at[b], at[a]] = own
        with np.errstate(divide="ignore"):
            there = np.log(p / 2.0) - np.log(1.0 - p)
        np.fill_diagonal(there, 0.0)
        return there, np.zeros((n, n))

    def check(self, names: Sequence[str]) -> None:
        """Raise an error if a link names an unknown variable."""
        _check_pairs("LinkProbabilities", "link", self.links, names)


@dataclass(frozen=True)
class Distance(StructurePrior):
    """The probability falls with the distance from a prior graph: P(G) ∝ κ^δ (Heckerman, Geiger & Chickering 1995).

    From a DAG, δ counts, over all variables, the parents that G and the prior graph do not share. From an equivalence
    class, given as a `PDAG`, δ counts the pairs of variables that only one of the two links, so that equivalent
    structures are equally probable.

    Parameters
    ----------
    dag
        The prior graph: a DAG or a PDAG.
    kappa
        The factor for each differing arc or link, above 0 and at most 1.
    """

    dag: DAG | PDAG
    kappa: float = 0.5

    def __post_init__(self) -> None:
        if not isinstance(self.dag, DAG | PDAG):
            raise ArgumentError(f"Distance: dag={self.dag!r}: expected a DAG or a PDAG")
        if not is_number(self.kappa) or not 0.0 < self.kappa <= 1.0:
            raise ArgumentError(f"Distance: kappa={self.kappa!r}: expected a number above 0 and at most 1")

    def among(self, names: Sequence[str]) -> Distance:
        """Return the distance from the part of the prior graph between some variables."""
        graph, kept = self.dag, set(names)
        own = [name for name in graph.names if name in kept]
        if isinstance(graph, DAG):
            return replace(self, dag=DAG(own, [arc for arc in graph.arcs if kept.issuperset(arc)]))
        directed, undirected = (
            [e for e in edges if kept.issuperset(e)] for edges in (graph.directed, graph.undirected)
        )
        return replace(self, dag=PDAG(own, directed, undirected))

    def family(self, names: Sequence[str], child: int, parents: Sequence[int]) -> float:
        """Return the log-prior of one family, for a class up to a constant."""
        return _family_of_arc_terms(self.arc_terms(names), child, parents)

    def arc_terms(self, names: Sequence[str]) -> tuple[Matrix, Matrix]:
        """Return log κ where an arc differs from the prior graph."""
        factor = math.log(self.kappa)
        shared = np.zeros((len(names), len(names)), bool)
        at = {name: k for k, name in enumerate(names)}
        if isinstance(self.dag, DAG):
            for a, b in self.dag.arcs:
                shared[at[a], at[b]] = True
            return np.where(shared, 0.0, factor), np.where(shared, factor, 0.0)
        for a, b in (*self.dag.directed, *self.dag.undirected):
            shared[at[a], at[b]] = shared[at[b], at[a]] = True
        there = np.where(shared, -factor, factor)
        np.fill_diagonal(there, 0.0)
        return there, np.zeros(there.shape)

    def check(self, names: Sequence[str]) -> None:
        """Raise an error unless the prior graph has the same variables."""
        if set(names) != set(self.dag.names):
            raise ArgumentError(f"Distance: the prior graph is over {quoted(self.dag.names)}, not over {quoted(names)}")


def _family_of_arc_terms(terms: tuple[Matrix, Matrix], child: int, parents: Sequence[int]) -> float:
    """Return the sum of the terms of one family's arcs."""
    there, absent = terms
    others = np.ones(len(there), bool)
    others[[child, *parents]] = False
    return math.fsum([*there[list(parents), child].tolist(), *absent[others, child].tolist()])


def _pairs_among(pairs: Mapping[tuple[str, str], float], names: Sequence[str]) -> dict[tuple[str, str], float]:
    """Return the pairs of which both variables are among some."""
    kept = set(names)
    return {pair: p for pair, p in pairs.items() if kept.issuperset(pair)}


def _check_pairs(prior: str, what: str, pairs: Mapping[tuple[str, str], float], names: Sequence[str]) -> None:
    """Raise an error if a pair names an unknown variable."""
    for pair in pairs:
        for name in pair:
            if name not in names:
                hint = did_you_mean(name, names)
                raise ArgumentError(f"{prior}: {what} {pair!r}: there is no variable {name!r}.{hint}")


def parse_prior(prior: Any, argument: str = "prior") -> StructurePrior | None:
    """Return the structure prior that an argument names; None for the uniform one.

    Parameters
    ----------
    prior
        ``"sparse"``, ``"uniform"``, a prior of `bnml.priors`, or None, which is uniform.
    argument
        The argument's name, for errors.
    """
    if prior is None or isinstance(prior, Uniform) or (isinstance(prior, str) and prior == UNIFORM):
        return None
    if isinstance(prior, str) and prior == SPARSE:
        return Sparse()
    if not isinstance(prior, StructurePrior):
        raise refuse(argument, prior, "expected 'sparse', 'uniform', a structure prior of bnml.priors, or None")
    return prior


def prior_for(prior: StructurePrior | str | None, score: Score, data: Data) -> StructurePrior | None:
    """Return the structure prior that goes with a score, for one table; None for the uniform one.

    ``"sparse"`` is uniform for a score that charges for naming parents itself.
    """
    if isinstance(prior, str) and prior == SPARSE and score.pays_for_parents:
        return None
    given = parse_prior(prior)
    return None if given is None else given.bind(data)
