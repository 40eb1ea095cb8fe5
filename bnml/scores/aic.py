"""Akaike's information criterion."""

from __future__ import annotations

from dataclasses import dataclass

from bnml.scores.base import Score, Shape, Terms, per_parameter
from bnml.scores.loglik import n_log_n


@dataclass(frozen=True)
class AIC(Score):
    """Akaike's criterion: log-likelihood - q_i (r_i - 1)  (Akaike 1973)."""

    name = "aic"
    equivalent = True
    regular = True

    def terms(self, shape: Shape) -> Terms:
        """Charge 1 per parameter."""
        return Terms(joint=n_log_n(shape.counts), closed=per_parameter(1.0))
