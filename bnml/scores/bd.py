"""Bayesian Dirichlet scores with the same hyperparameter in every cell: BD, K2 and BDJ.

They are regular: for counts n, log B(α + t n) is convex in t, so that splitting a parent configuration into parts with
the same proportions never gains.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bnml._arrays import Floats
from bnml.nml import log_rising
from bnml.scores.base import Score, Shape, Terms, positive
from bnml.scores.predictive import FamilyRows, dirichlet


class _SameInEveryCell(Score):
    """Marginal likelihood under Dirichlet(α, …, α) parameters."""

    regular = True
    probability = True
    admits_posterior = True
    prequential = True
    pays_for_states = True
    alpha: float

    def terms(self, shape: Shape) -> Terms:
        """Γ(α + n) / Γ(α) for a cell, Γ(rα) / Γ(rα + n) for a parent configuration; unobserved ones add nothing."""
        counts = shape.counts
        return Terms(
            joint=log_rising(self.alpha, counts),
            margin={r: log_rising(r * self.alpha, counts) for r in sorted(set(shape.arities))},
        )

    def log_predictive(self, rows: FamilyRows) -> Floats:
        """Return the logarithm of (N_ijk + α) / (N_ij + r α)."""
        log_a_ij = math.log(rows.r * self.alpha)
        return dirichlet(rows, log_a_ij - math.log(rows.r), log_a_ij)


@dataclass(frozen=True)
class BD(_SameInEveryCell):
    """Marginal likelihood under Dirichlet(α, …, α) parameters  (Heckerman, Geiger & Chickering 1995).

    Σ_j [log Γ(r α) - log Γ(r α + N_ij)] + Σ_jk [log Γ(α + N_ijk) - log Γ(α)]

    Parameters
    ----------
    alpha
        The hyperparameter of every cell.
    """

    name = "bd"
    parameter = "alpha"
    alpha: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", positive(self.alpha, "alpha", "BD"))


@dataclass(frozen=True)
class K2(_SameInEveryCell):
    """Cooper and Herskovits' score: BD with α = 1  (1992)."""

    name = "k2"
    alpha = 1.0


@dataclass(frozen=True)
class BDJ(_SameInEveryCell):
    """Marginal likelihood under Jeffreys' prior: BD with α = 1/2."""

    name = "bdj"
    alpha = 0.5
