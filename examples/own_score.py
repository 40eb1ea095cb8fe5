"""A score of one's own: the log-likelihood less three for each parameter, in every search that goes by scores."""

from __future__ import annotations

from dataclasses import dataclass

import bnml
from bnml.scores import Score, Shape, Terms
from bnml.scores.base import per_parameter
from bnml.scores.loglik import n_log_n


@dataclass(frozen=True)
class ThreePerParameter(Score):
    """Log-likelihood - 3 per parameter."""

    name = "three"
    equivalent = True
    regular = True

    def terms(self, shape: Shape) -> Terms:
        """Charge 3 per parameter."""
        return Terms(joint=n_log_n(shape.counts), closed=per_parameter(3.0))


if __name__ == "__main__":
    for search in ("exact", "climb", "ges"):
        result = bnml.learn(bnml.example(), ThreePerParameter(), search)
        print(f"{search:6} {result.score:.3f} {result.dag}")
