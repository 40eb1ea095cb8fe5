"""Minimum description length, as the lecture encodes networks."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bnml._arrays import Floats
from bnml.errors import ScoreError
from bnml.scores.base import Score, Shape, Terms, per_parameter
from bnml.scores.loglik import n_log_n


@dataclass(frozen=True)
class MDL(Score):
    """Minus the description length: log-likelihood - q_i (r_i - 1) / 2 · log N, and - log n per parent if asked for.

    Without the cost of naming the parents it is BIC (Lam & Bacchus 1994).

    Parameters
    ----------
    parent_cost
        Charge log n (n variables) for each parent; ``"mdl+parents"`` as a name.
    """

    name = "mdl"
    equivalent = True
    regular = True
    parent_cost: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.parent_cost, bool):
            raise ScoreError(f"MDL: parent_cost={self.parent_cost!r}: expected True or False")

    @property
    def pays_for_parents(self) -> bool:
        """Whether each parent costs log n."""
        return self.parent_cost

    def terms(self, shape: Shape) -> Terms:
        """Charge for parameters and for parents: s (s - 1) / 2 of them in a set of s, p + 1 of which less p leave p."""
        parameters = per_parameter(0.5 * math.log(max(shape.n_rows, 1)))
        per_parent = math.log(shape.n_variables) if self.parent_cost else 0.0

        def closed(q: Floats, log_q: Floats, size: Floats) -> Floats:
            return parameters(q, log_q, size) - per_parent * size * (size - 1.0) / 2.0

        return Terms(joint=n_log_n(shape.counts), closed=closed)
