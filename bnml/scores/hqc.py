"""Hannan and Quinn's criterion."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bnml.scores.base import Score, Shape, Terms, per_parameter
from bnml.scores.loglik import n_log_n


@dataclass(frozen=True)
class HQC(Score):
    """Hannan-Quinn criterion: log-likelihood - q_i (r_i - 1) · log log N.

    With one or two rows, where log log N is negative, a parameter is free.
    """

    name = "hqc"
    equivalent = True
    regular = True

    def terms(self, shape: Shape) -> Terms:
        """Charge log log N per parameter."""
        price = math.log(max(math.log(max(shape.n_rows, 1)), 1.0))
        return Terms(joint=n_log_n(shape.counts), closed=per_parameter(price))
