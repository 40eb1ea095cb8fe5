"""The Bayesian Dirichlet equivalent score, with a prior network."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from bnml._arrays import Floats
from bnml._factors import Factor, eliminate_from_factors, plan_factors
from bnml._text import quoted
from bnml.counts import Cells, Counts, FamilyCounts
from bnml.data import Data
from bnml.data.labels import label_text
from bnml.errors import ScoreError, argument
from bnml.graph import DAG
from bnml.nml import log_rising
from bnml.nml.rising import log_rising_real
from bnml.scores.base import Score, Shape, positive
from bnml.scores.predictive import FamilyRows, dirichlet


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


@dataclass(frozen=True)
class BDe(Score):
    """Marginal likelihood under Dirichlet parameters α_ijk = ess · P(X_i = k, Pa_i = j | prior network).

    With a uniform prior network it is BDeu (Heckerman, Geiger & Chickering 1995).

    Parameters
    ----------
    network
        The prior network, a `bnml.BayesianNetwork` over the same variables and states as the data.
    ess
        The equivalent sample size: how many rows the prior network is worth.
    """

    name = "bde"
    equivalent = True
    probability = True
    admits_posterior = True
    prequential = True
    network: Network = field(hash=False)
    ess: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "ess", positive(self.ess, "ess", "BDe"))
        if not all(hasattr(self.network, name) for name in ("dag", "states", "probabilities")):
            raise ScoreError(f"BDe: expected a network as prior, got {type(self.network).__name__}")

    def terms(self, shape: Shape) -> None:
        """Return None: a cell's term depends on its prior probability."""
        return

    def family(self, family: FamilyCounts, counts: Counts) -> float:
        """Return the score of a family; minus infinity if something occurred that the prior network rules out."""
        return self.family_of_parts(family, counts, 1)

    def family_of_parts(self, family: FamilyCounts, counts: Counts, parts: int) -> float:
        """Return the score of a family whose counts are of so many parts to a row (`bnml.scores.fractional`)."""
        variables = (*family.parents, family.child)
        joint = self._prior(variables, counts)
        a_ijk = self.ess * _at(joint, variables, family.joint)
        a_ij = self.ess * _at(joint.sum(axis=-1), family.parents, family.above)
        if (a_ijk <= 0.0).any():
            return -math.inf
        if parts == 1:
            return float(log_rising(a_ijk, family.n_ijk).sum() - log_rising(a_ij, family.n_ij).sum())
        n_ijk, n_ij = family.n_ijk / parts, family.n_ij / parts
        return float(log_rising_real(a_ijk, n_ijk).sum() - log_rising_real(a_ij, n_ij).sum())

    def log_predictive(self, rows: FamilyRows) -> Floats:
        """Return the logarithm of (N_ijk + α_ijk) / (N_ij + α_ij); minus infinity for what the prior rules out."""
        joint = self.ess * self._prior((*rows.parents, rows.child), rows.counts)
        states = rows.states
        with np.errstate(divide="ignore"):
            log_a_ijk, log_a_ij = np.log(joint[states]), np.log(joint.sum(axis=-1)[states[:-1]])
        return dirichlet(rows, log_a_ijk, log_a_ij)

    def _prior(self, variables: Sequence[int], counts: Counts) -> Floats:
        """Return the prior probabilities of some variables, their states in the order of the table."""
        joint = prior_marginal(self.network, [counts.names[v] for v in variables])
        for axis, v in enumerate(variables):
            places = _places(self.network.states[counts.names[v]], counts.states[v])
            if places != sorted(places):
                joint = joint.take(places, axis)
        return joint

    def check(self, data: Data | Counts) -> None:
        """Raise an error unless the prior network has the variables and states of the table."""
        if set(self.network.dag.names) != set(data.names):
            raise ScoreError(
                f"BDe: the prior network is over {quoted(self.network.dag.names)}, the data over {quoted(data.names)}"
            )
        for name, labels in zip(data.names, data.states, strict=True):
            if sorted(map(label_text, self.network.states[name])) != sorted(map(label_text, labels)):
                raise ScoreError(
                    f"BDe: {name!r} has the states {quoted(self.network.states[name])} in the prior network and "
                    f"{quoted(labels)} in the data: read the data with " + argument("states") + " of the network"
                )


def _places(states: Sequence[Any], labels: Sequence[Any]) -> list[int]:
    """Return where each label stands among the states of the prior network."""
    place = {label_text(state): k for k, state in enumerate(states)}
    return [place[label_text(label)] for label in labels]


def _at(table: Floats, variables: Sequence[int], cells: Cells) -> Floats:
    return np.asarray(table[tuple(cells.of(v) for v in variables)], np.float64)


def prior_marginal(network: Network, names: Sequence[str]) -> Floats:
    """Return the joint probabilities of some variables in BDe's prior network, by eliminating their other ancestors."""
    dag = network.dag
    needed = set(names).union(*(dag.ancestors(name) for name in names))
    position = {x: i for i, x in enumerate(dag.names)}
    factors = [
        Factor((*(position[p] for p in dag.parents(x)), position[x]), np.asarray(network.probabilities(x), np.float64))
        for x in dag.names
        if x in needed
    ]
    wanted = [position[name] for name in names]
    sizes = {position[x]: len(network.states[x]) for x in needed}
    forecast = plan_factors([factor.axes for factor in factors], sizes, wanted)
    if forecast.largest > 10_000_000:
        raise ScoreError(
            f"BDe: the prior network needs a table of {forecast.largest:.3g} probabilities for {quoted(names)}: "
            "too many; limit the number of parents, or take a sparser prior network"
        )
    table, scale = eliminate_from_factors(factors, forecast.order, wanted)
    return table * math.exp(scale)
