"""Bayesian Dirichlet scores with the same hyperparameter in every cell: BD, K2 and BDJ.

They are regular: for counts n, log B(α + t n) is convex in t, so that splitting a parent configuration into parts with
the same proportions never gains.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Self

from bnml._arrays import Floats
from bnml.nml import log_rising
from bnml.scores.base import Score, Shape, Terms, positive
from bnml.scores.predictive import FamilyRows, dirichlet

__all__ = ["BD", "BDJ", "K2"]


def _terms(alpha: float, shape: Shape) -> Terms:
    """Γ(α + n) / Γ(α) for a cell, Γ(rα) / Γ(rα + n) for a parent configuration; unobserved ones add nothing."""
    counts = shape.counts
    return Terms(
        joint=log_rising(alpha, counts),
        margin={r: log_rising(r * alpha, counts) for r in sorted(set(shape.arities))},
    )


def _log_predictive(alpha: float, rows: FamilyRows) -> Floats:
    log_a_ij = math.log(rows.r * alpha)
    return dirichlet(rows, log_a_ij - math.log(rows.r), log_a_ij)


@dataclass(frozen=True)
class BD(Score):
    """Marginal likelihood under Dirichlet(α, …, α) parameters  (Heckerman, Geiger & Chickering 1995).

    Σ_j [log Γ(r α) - log Γ(r α + N_ij)] + Σ_jk [log Γ(α + N_ijk) - log Γ(α)]

    Parameters
    ----------
    alpha
        The hyperparameter of every cell.
    """

    name = "bd"
    regular = True
    probability = True
    admits_posterior = True
    prequential = True
    pays_for_states = True
    alpha: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", positive(self.alpha, "alpha", "BD"))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read ``bd:0.5``."""
        return cls(alpha=text)  # type: ignore[arg-type]  # a text that is no number is refused there

    def terms(self, shape: Shape) -> Terms:
        """Return the Dirichlet tables."""
        return _terms(self.alpha, shape)

    def log_predictive(self, rows: FamilyRows) -> Floats:
        """Return the logarithm of (N_ijk + α) / (N_ij + r α)."""
        return _log_predictive(self.alpha, rows)


@dataclass(frozen=True)
class K2(Score):
    """Cooper and Herskovits' score: BD with α = 1  (1992)."""

    name = "k2"
    regular = True
    probability = True
    admits_posterior = True
    prequential = True
    pays_for_states = True
    alpha: ClassVar[float] = 1.0

    def terms(self, shape: Shape) -> Terms:
        """Return the Dirichlet tables."""
        return _terms(self.alpha, shape)

    def log_predictive(self, rows: FamilyRows) -> Floats:
        """Return the logarithm of (N_ijk + α) / (N_ij + r α)."""
        return _log_predictive(self.alpha, rows)


@dataclass(frozen=True)
class BDJ(Score):
    """Marginal likelihood under Jeffreys' prior: BD with α = 1/2."""

    name = "bdj"
    regular = True
    probability = True
    admits_posterior = True
    prequential = True
    pays_for_states = True
    alpha: ClassVar[float] = 0.5

    def terms(self, shape: Shape) -> Terms:
        """Return the Dirichlet tables."""
        return _terms(self.alpha, shape)

    def log_predictive(self, rows: FamilyRows) -> Floats:
        """Return the logarithm of (N_ijk + α) / (N_ij + r α)."""
        return _log_predictive(self.alpha, rows)
