"""The maximised log-likelihood."""

from __future__ import annotations

from dataclasses import dataclass

from bnml.scores.base import Score, Shape, Terms, n_log_n

__all__ = ["LogLikelihood"]


@dataclass(frozen=True)
class LogLikelihood(Score):
    """Maximised log-likelihood: Σ_jk N_ijk log(N_ijk / N_ij). It never prefers the simpler of two nested structures."""

    name = "loglik"
    equivalent = True
    regular = True

    def terms(self, shape: Shape) -> Terms:
        """Return n log n for every cell."""
        return Terms(joint=n_log_n(shape.counts))
