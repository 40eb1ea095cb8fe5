"""The Bayesian Dirichlet sparse score."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bnml._arrays import Floats
from bnml.counts import Counts, FamilyCounts
from bnml.nml import log_rising
from bnml.scores.base import Score, Shape, positive
from bnml.scores.predictive import FamilyRows, dirichlet


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
    probability = True
    admits_posterior = True
    parameter = "ess"
    ess: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "ess", positive(self.ess, "ess", "BDs"))

    def terms(self, shape: Shape) -> None:
        """Return None: the terms depend on the other cells."""
        return

    def family(self, family: FamilyCounts, counts: Counts) -> float:
        """Return the score of a family."""
        a_ij = self.ess / max(family.n_ij.size, 1)
        return float(log_rising(a_ij / family.r, family.n_ijk).sum() - log_rising(a_ij, family.n_ij).sum())

    def log_predictive(self, rows: FamilyRows) -> Floats:
        """Return what BDeu predicts where the parents' configuration occurred; elsewhere states are as probable."""
        assert rows.table is not None
        log_a_ij = math.log(self.ess) - math.log(max(rows.table.occurring, 1))
        value = dirichlet(rows, log_a_ij - math.log(rows.r), log_a_ij)
        return np.where(rows.n_ij > 0, value, -math.log(rows.r))
