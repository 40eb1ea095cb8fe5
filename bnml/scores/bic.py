"""Schwarz's Bayesian information criterion."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bnml.scores.base import Score, Shape, Terms, per_parameter
from bnml.scores.loglik import n_log_n


@dataclass(frozen=True)
class BIC(Score):
    """Bayesian information criterion: log-likelihood - q_i (r_i - 1) / 2 · log N  (Schwarz 1978)."""

    name = "bic"
    equivalent = True
    regular = True

    def terms(self, shape: Shape) -> Terms:
        """Charge half a log N per parameter."""
        return Terms(joint=n_log_n(shape.counts), closed=per_parameter(0.5 * math.log(max(shape.n_rows, 1))))
