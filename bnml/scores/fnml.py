"""The factorised normalised maximum likelihood score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bnml._arrays import Floats
from bnml.nml import regret, regret_tables
from bnml.nml.regret import check_regret_method
from bnml.scores.base import Score, Shape, Terms
from bnml.scores.loglik import n_log_n
from bnml.scores.predictive import FamilyRows, sequential_nml

__all__ = ["FNML"]


@dataclass(frozen=True)
class FNML(Score):
    """Factorised NML: log-likelihood - Σ_j reg(N_ij, r_i)  (fNML paper, theorem 1).

    Each part of a column that has the same parents is coded with its normalised maximum likelihood.

    Parameters
    ----------
    regret
        How to compute the regret; see `bnml.regret`.
    """

    name = "fnml"
    regular = True
    admits_posterior = True
    probability = True
    pays_for_states = True
    regret: str = "exact"

    def __post_init__(self) -> None:
        check_regret_method(self.regret)

    def terms(self, shape: Shape) -> Terms:
        """Add the regret of each parent configuration's part."""
        counts, arities = shape.counts, sorted(set(shape.arities))
        joint = n_log_n(counts)
        if counts.size and counts[-1] == counts.size - 1:  # none is left out
            tables = regret_tables(counts.size - 1, arities, method=self.regret)
        else:
            tables = {r: np.array([regret(n, r, self.regret) for n in counts.tolist()]) for r in arities}
        return Terms(joint=joint, margin={r: joint + table for r, table in tables.items()})

    def log_predictive(self, rows: FamilyRows) -> Floats:
        """Return sequential NML."""
        return sequential_nml(rows)
