"""The quotient normalised maximum likelihood score."""

from __future__ import annotations

from dataclasses import dataclass

from bnml._arrays import Floats
from bnml.nml import regrets
from bnml.nml.regret import check_regret_method
from bnml.scores.base import Score, Shape, Terms
from bnml.scores.loglik import n_log_n
from bnml.scores.predictive import FamilyRows, sequential_nml

__all__ = ["QNML"]


@dataclass(frozen=True)
class QNML(Score):
    """Quotient NML: log-likelihood - (reg(N, q_i r_i) - reg(N, q_i))  (qNML paper, eq. 8 and 10).

    The normalised maximum likelihood of the family, taken as one categorical variable, divided by that of the parents.
    It equals the NML of the whole network when every connected component is complete.

    Parameters
    ----------
    regret
        How to compute the regret; see `bnml.regret`.
    """

    name = "qnml"
    equivalent = True
    regular = True
    admits_posterior = True
    regret: str = "exact"

    def __post_init__(self) -> None:
        check_regret_method(self.regret)

    def terms(self, shape: Shape) -> Terms:
        """Charge each set the regret of its number of configurations."""

        def closed(q: Floats, log_q: Floats, size: Floats) -> Floats:
            return -regrets(shape.n_rows, q, log_rs=log_q, method=self.regret)

        return Terms(joint=n_log_n(shape.counts), closed=closed)

    def log_predictive(self, rows: FamilyRows) -> Floats:
        """Return sequential NML."""
        return sequential_nml(rows)
