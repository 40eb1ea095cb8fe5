"""The factorised normalised maximum likelihood score."""

from __future__ import annotations

from dataclasses import dataclass

from bnml.nml import regret_tables
from bnml.nml.regret import check_method
from bnml.scores.base import Score, Shape, Terms, n_log_n

__all__ = ["FNML"]


@dataclass(frozen=True)
class FNML(Score):
    """Factorised NML: log-likelihood - Σ_j reg(N_ij, r_i)  (000, theorem 1).

    Each part of a column that has the same parents is coded with its normalised maximum likelihood.

    Parameters
    ----------
    regret
        How to compute the regret; see `bnml.regret`.
    """

    name = "fnml"
    regular = True
    probability = True
    regret: str = "exact"

    def __post_init__(self) -> None:
        check_method(self.regret)

    def terms(self, shape: Shape) -> Terms:
        """Add the regret of each parent configuration's part."""
        joint = n_log_n(shape.counts)
        tables = regret_tables(shape.n_rows, sorted(set(shape.arities)), method=self.regret)
        return Terms(joint=joint, margin={r: joint + table for r, table in tables.items()})
