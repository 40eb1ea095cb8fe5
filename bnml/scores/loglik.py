"""The maximised log-likelihood."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bnml.scores.base import Score, Shape, Terms


@dataclass(frozen=True)
class LogLikelihood(Score):
    """Maximised log-likelihood: Σ_jk N_ijk log(N_ijk / N_ij). It never prefers the simpler of two nested structures."""

    name = "loglik"
    equivalent = True
    regular = True

    def terms(self, shape: Shape) -> Terms:
        """Return n log n for every cell."""
        return Terms(joint=n_log_n(shape.counts))


def n_log_n(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return n log n, and 0 for 0: what a cell adds to the maximised log-likelihood, with which scores begin."""
    from scipy.special import xlogy

    return np.asarray(xlogy(counts, counts), np.float64)
