"""The Bayesian Dirichlet quotient score."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

import numpy as np

from bnml._arrays import Floats
from bnml.counts import Counts
from bnml.data import Data
from bnml.errors import ScoreError, argument
from bnml.nml import log_rising
from bnml.scores.base import Score, Shape, Terms, positive
from bnml.scores.predictive import FamilyRows, dirichlet

WATANABE_ROOS = "watanabe-roos"


@dataclass(frozen=True)
class BDq(Score):
    """Suzuki's quotient of two marginal likelihoods  (Suzuki 2017; qNML paper, appendix D).

    log P(D_{X ∪ Pa}) - log P(D_Pa), each set of columns taken as one categorical variable with Dirichlet(α, …, α)
    parameters. No violation of regularity was seen for α ≤ 1/2; for α = 1 there are some.

    Parameters
    ----------
    alpha
        The hyperparameter: a number (1/2 is Jeffreys' prior, 1/3 Jääsaari et al. 2018), or ``"watanabe-roos"`` for
        1/2 - log 2 / (2 log N).
    """

    name = "bdq"
    equivalent = True
    admits_posterior = True
    alpha: float | str = 0.5

    def __post_init__(self) -> None:
        if not isinstance(self.alpha, str) or self.alpha != WATANABE_ROOS:
            object.__setattr__(self, "alpha", positive(self.alpha, "alpha", "BDq"))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read ``bdq:0.33``, ``bdq:1/3`` or ``bdq:watanabe-roos``."""
        alpha: float | str = text
        above, slash, below = text.partition("/")
        if slash:
            with suppress(ValueError, ZeroDivisionError):
                alpha = float(above) / float(below)
        return cls(alpha=alpha)

    def check(self, data: Data | Counts) -> None:
        """Raise an error if Watanabe and Roos' α is not positive for so few rows."""
        if self.alpha == WATANABE_ROOS and data.n_rows < 3:
            raise ScoreError(
                "BDq with " + argument("alpha", WATANABE_ROOS) + f" needs at least 3 rows; there are {data.n_rows}"
            )

    def alpha_for(self, n_rows: int) -> float:
        """Return the hyperparameter for a table of this length."""
        if self.alpha == WATANABE_ROOS:
            return 0.5 - math.log(2) / (2 * math.log(n_rows))
        return float(self.alpha)

    def terms(self, shape: Shape) -> Terms:
        """Γ(α + n) / Γ(α) for a cell, Γ(q α) / Γ(q α + N) for a set."""
        alpha, n = self.alpha_for(shape.n_rows), shape.n_rows

        def closed(q: Floats, log_q: Floats, size: Floats) -> Floats:
            with np.errstate(over="ignore"):
                a = alpha * q
            finite = np.isfinite(a)  # where it is not, all N factors of the rising factorial are q α
            return -np.where(finite, log_rising(np.where(finite, a, 1.0), n), n * (log_q + math.log(alpha)))

        return Terms(joint=log_rising(alpha, shape.counts), closed=closed)

    def log_predictive(self, rows: FamilyRows) -> Floats:
        """Return the logarithm of (N_ijk + α) / (N_ij + r α), of the family's table alone."""
        log_a_ij = math.log(rows.r * self.alpha_for(rows.counts.n_rows))
        return dirichlet(rows, log_a_ij - math.log(rows.r), log_a_ij)
