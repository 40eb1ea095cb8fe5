"""The factorised normalised maximum likelihood score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bnml.nml import regret, regret_tables
from bnml.scores.base import ScoreWithRegret, Shape, Terms
from bnml.scores.loglik import n_log_n


@dataclass(frozen=True)
class FNML(ScoreWithRegret):
    """Factorised NML: log-likelihood - Σ_j reg(N_ij, r_i)  (fNML paper, theorem 1).

    Each part of a column that has the same parents is coded with its normalised maximum likelihood.
    ``regret`` says how the regret is computed; see `bnml.regret`.
    """

    name = "fnml"
    probability = True
    pays_for_states = True

    def terms(self, shape: Shape) -> Terms:
        """Add the regret of each parent configuration's part."""
        counts, arities = shape.counts, sorted(set(shape.arities))
        joint = n_log_n(counts)
        if counts.size and counts[-1] == counts.size - 1:  # none is left out
            tables = regret_tables(counts.size - 1, arities, method=self.regret)
        else:
            tables = {r: np.array([regret(n, r, self.regret) for n in counts.tolist()]) for r in arities}
        return Terms(joint=joint, margin={r: joint + table for r, table in tables.items()})
