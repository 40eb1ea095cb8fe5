"""The Bayesian Dirichlet equivalent uniform score."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bnml._arrays import Floats
from bnml.scores.base import Score, Shape, Terms, positive
from bnml.scores.predictive import FamilyRows, dirichlet


@dataclass(frozen=True)
class BDeu(Score):
    """Marginal likelihood under Dirichlet parameters α_ijk = ess / (q_i r_i)  (Buntine 1991).

    Not regular: a useless parent can raise it (Suzuki 2017), and it is sensitive to ``ess``.

    Parameters
    ----------
    ess
        The equivalent sample size.
    """

    name = "bdeu"
    equivalent = True
    probability = True
    admits_posterior = True
    prequential = True
    pays_for_states = True
    parameter = "ess"
    ess: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "ess", positive(self.ess, "ess", "BDeu"))

    def terms(self, shape: Shape) -> Terms:
        """Spread the equivalent sample size over the configurations of each set."""
        return Terms(ess=self.ess)

    def log_predictive(self, rows: FamilyRows) -> Floats:
        """Return the logarithm of (N_ijk + α_ijk) / (N_ij + α_ij); α itself may be too small for a float."""
        log_a_ij = math.log(self.ess) - math.fsum(math.log(rows.counts.arities[p]) for p in rows.parents)
        return dirichlet(rows, log_a_ij - math.log(rows.r), log_a_ij)
