"""The quotient normalised maximum likelihood score."""

from __future__ import annotations

from dataclasses import dataclass

from bnml._arrays import Floats
from bnml.nml import regrets
from bnml.scores.base import ScoreWithRegret, Shape, Terms
from bnml.scores.loglik import n_log_n


@dataclass(frozen=True)
class QNML(ScoreWithRegret):
    """Quotient NML: log-likelihood - (reg(N, q_i r_i) - reg(N, q_i))  (qNML paper, eq. 8 and 10).

    The normalised maximum likelihood of the family, taken as one categorical variable, divided by that of the parents.
    It equals the NML of the whole network when every connected component is complete.
    ``regret`` says how the regret is computed; see `bnml.regret`.
    """

    name = "qnml"
    equivalent = True

    def terms(self, shape: Shape) -> Terms:
        """Charge each set the regret of its number of configurations."""

        def closed(q: Floats, log_q: Floats, size: Floats) -> Floats:
            return -regrets(shape.n_rows, q, log_rs=log_q, method=self.regret)

        return Terms(joint=n_log_n(shape.counts), closed=closed)
