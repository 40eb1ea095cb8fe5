"""The Bayesian Dirichlet equivalent score, with a prior network."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from bnml.counts import FamilyCounts
from bnml.data import Data
from bnml.data.labels import label_text
from bnml.errors import ScoreError, quoted
from bnml.graph import DAG
from bnml.nml import log_rising
from bnml.scores.base import Score, Shape, positive

__all__ = ["BDe", "Network", "PriorNetwork"]

MOST_CELLS = 10_000_000

Floats = npt.NDArray[np.float64]


class Network(Protocol):
    """What BDe asks of a network: its graph, the states of each variable, and its probability tables."""

    @property
    def dag(self) -> DAG:
        """The graph."""

    @property
    def states(self) -> Mapping[str, Sequence[Any]]:
        """The states of each variable, in order."""

    def probabilities(self, name: str) -> Floats:
        """Return P(name | parents): an axis for each of ``dag.parents(name)``, in order, and a last one for name."""


@dataclass(frozen=True, eq=False)
class PriorNetwork:
    """A network that states what is believed before the data: a graph with its probability tables.

    Parameters
    ----------
    dag
        The graph.
    states
        The states of each variable, in order.
    tables
        For each variable P(variable | parents): an axis for each of ``dag.parents(variable)``, in that order, and a
        last one for the variable. A variable that is not named has a uniform distribution.

    Examples
    --------
    >>> from bnml.graph import DAG
    >>> from bnml.scores import BDe, PriorNetwork
    >>> dag = DAG.parse("[rain][wet|rain]")
    >>> states = {"rain": ["no", "yes"], "wet": ["no", "yes"]}
    >>> prior = PriorNetwork(dag, states, {"wet": [[0.9, 0.1], [0.2, 0.8]]})
    >>> prior.probabilities("rain")
    array([0.5, 0.5])
    >>> score = BDe(prior, ess=10)
    """

    dag: DAG
    states: Mapping[str, Sequence[Any]]
    tables: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.dag, DAG):
            raise ScoreError(f"PriorNetwork: dag={self.dag!r}: expected a DAG")
        for argument, value in (("states", self.states), ("tables", self.tables)):
            if not isinstance(value, Mapping):
                raise ScoreError(f"PriorNetwork: {argument}={value!r}: expected a mapping from variables")
        if set(self.states) != set(self.dag.names):
            raise ScoreError(
                f"PriorNetwork: states are for {quoted(self.states)}, the graph has {quoted(self.dag.names)}"
            )
        for name, labels in self.states.items():
            if isinstance(labels, str) or not isinstance(labels, Collection) or not len(labels):
                raise ScoreError(f"PriorNetwork: states[{name!r}]={labels!r}: expected a list of labels")
        if unknown := [name for name in self.tables if name not in self.dag.names]:
            raise ScoreError(f"PriorNetwork: there is no variable {unknown[0]!r}; it has {quoted(self.dag.names)}")
        checked = {name: self._checked(name) for name in self.dag.names}
        object.__setattr__(self, "tables", checked)

    def _checked(self, name: str) -> Floats:
        shape = tuple(len(self.states[variable]) for variable in (*self.dag.parents(name), name))
        try:
            table = np.array(self.tables.get(name, np.full(shape, 1.0 / shape[-1])), np.float64)
        except (TypeError, ValueError):
            raise ScoreError(f"PriorNetwork: the table of {name!r} is not an array of numbers") from None
        if table.shape != shape:
            raise ScoreError(f"PriorNetwork: the table of {name!r} has shape {table.shape}; expected {shape}")
        if not (table >= 0.0).all() or not np.allclose(table.sum(axis=-1), 1.0, rtol=0.0, atol=1e-6):
            raise ScoreError(f"PriorNetwork: the table of {name!r}: each row must hold probabilities that sum to one")
        return table

    def probabilities(self, name: str) -> Floats:
        """Return P(name | parents), the parents' axes first."""
        table: Floats = self.tables[name]
        return table


@dataclass(frozen=True)
class BDe(Score):
    """Marginal likelihood under Dirichlet parameters α_ijk = ess · P(X_i = k, Pa_i = j | prior network)  (001).

    With a uniform prior network it is BDeu.

    Parameters
    ----------
    network
        The prior network, over the same variables and states as the data.
    ess
        The equivalent sample size: how many rows the prior network is worth.
    """

    name = "bde"
    equivalent = True
    probability = True
    network: Network = field(hash=False)
    ess: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "ess", positive(self.ess, "ess", "BDe"))
        if not all(hasattr(self.network, name) for name in ("dag", "states", "probabilities")):
            raise ScoreError(f"BDe: expected a network as prior, got {type(self.network).__name__}")

    def terms(self, shape: Shape) -> None:
        """Return None: a cell's term depends on its prior probability."""
        return

    def family(self, counts: FamilyCounts, data: Data) -> float:
        """Return the score of a family; minus infinity if something occurred that the prior network rules out."""
        variables = (*counts.parents, counts.child)
        joint = self.marginal(data, variables)
        a_ijk = self.ess * _at(joint, data, variables, counts.rows)
        first = np.empty(counts.n_ij.size, np.int64)
        first[counts.j[::-1]] = counts.rows[::-1]
        a_ij = self.ess * _at(joint.sum(axis=-1), data, counts.parents, first)
        if (a_ijk <= 0.0).any():
            return -math.inf
        return float(log_rising(a_ijk, counts.n_ijk).sum() - log_rising(a_ij, counts.n_ij).sum())

    def marginal(self, data: Data, variables: tuple[int, ...]) -> Floats:
        """Return the prior probabilities of columns: an axis each."""
        return marginal(self.network, [data.names[v] for v in variables])

    def check(self, data: Data) -> None:
        """Raise an error unless the prior network has the variables and states of the table."""
        if set(self.network.dag.names) != set(data.names):
            raise ScoreError(
                f"BDe: the prior network is over {quoted(self.network.dag.names)}, the data over {quoted(data.names)}"
            )
        for name, labels in zip(data.names, data.states, strict=True):
            if [label_text(s) for s in self.network.states[name]] != [label_text(s) for s in labels]:
                raise ScoreError(
                    f"BDe: {name!r} has the states {quoted(self.network.states[name])} in the prior network and "
                    f"{quoted(labels)} in the data: read the data with states= in the network's order"
                )


def _at(table: Floats, data: Data, variables: Sequence[int], rows: npt.NDArray[np.int64]) -> Floats:
    return np.asarray(table[tuple(data.columns[v][rows] for v in variables)], np.float64)


def marginal(network: Network, names: Sequence[str]) -> Floats:
    """Return the joint probabilities of some variables: an axis each, by eliminating their other ancestors."""
    dag = network.dag
    needed = set(names).union(*(dag.ancestors(name) for name in names))
    factors: list[tuple[tuple[str, ...], Floats]] = [
        ((*dag.parents(name), name), np.asarray(network.probabilities(name), np.float64))
        for name in dag.names
        if name in needed
    ]
    others = [name for name in dag.names if name in needed and name not in names]
    while others:
        sizes = {name: _product_size(factors, name) for name in others}
        name = min(others, key=lambda x: sizes[x])
        others.remove(name)
        touched = [factor for factor in factors if name in factor[0]]
        axes, table = _multiply(touched)
        table = table.sum(axis=axes.index(name))
        factors = [factor for factor in factors if name not in factor[0]]
        factors.append((tuple(axis for axis in axes if axis != name), table))
    axes, table = _multiply(factors)
    return table.transpose([axes.index(name) for name in names])


def _product_size(factors: list[tuple[tuple[str, ...], Floats]], name: str) -> int:
    sizes = {
        axis: size for axes, table in factors if name in axes for axis, size in zip(axes, table.shape, strict=True)
    }
    return math.prod(sizes.values())


def _multiply(factors: list[tuple[tuple[str, ...], Floats]]) -> tuple[tuple[str, ...], Floats]:
    sizes = {axis: size for own, table in factors for axis, size in zip(own, table.shape, strict=True)}
    if (cells := math.prod(sizes.values())) > MOST_CELLS:
        raise ScoreError(
            f"BDe: the prior network needs a table of {float(cells):.3g} probabilities over {quoted(sizes)}: too many; "
            "limit the number of parents, or take a sparser prior network"
        )
    axes: tuple[str, ...] = ()
    product = np.ones(())
    for own, table in factors:
        axes_both = axes + tuple(axis for axis in own if axis not in axes)
        order = sorted(range(len(own)), key=lambda i: axes_both.index(own[i]))
        shape = [table.shape[own.index(axis)] if axis in own else 1 for axis in axes_both]
        product = product.reshape(product.shape + (1,) * (len(axes_both) - len(axes))) * table.transpose(order).reshape(
            shape
        )
        axes = axes_both
    return axes, product
