"""The Bayesian Dirichlet sparse score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from bnml.counts import FamilyCounts
from bnml.data import Data
from bnml.nml import log_rising
from bnml.scores.base import Score, Shape, positive

__all__ = ["BDs"]


@dataclass(frozen=True)
class BDs(Score):
    """BDeu with the equivalent sample size spread over the parent configurations that occur only (Scutari 2016).

    α_ijk = ess / (r_i q̃_i), with q̃_i the number of observed parent configurations. It depends on the other cells
    through q̃_i, so it is not a difference of two terms and takes the family form.

    Parameters
    ----------
    ess
        The equivalent sample size.
    """

    name = "bds"
    ess: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "ess", positive(self.ess, "ess", "BDs"))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read ``bds:10``."""
        return cls(ess=text)  # type: ignore[arg-type]  # a text that is no number is refused there

    def terms(self, shape: Shape) -> None:
        """Return None: the terms depend on the other cells."""
        return

    def family(self, counts: FamilyCounts, data: Data) -> float:
        """Return the score of a family."""
        a_ij = self.ess / counts.n_ij.size
        return float(log_rising(a_ij / counts.r, counts.n_ijk).sum() - log_rising(a_ij, counts.n_ij).sum())
