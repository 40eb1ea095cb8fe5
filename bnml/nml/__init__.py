"""The price of fitting: normalised maximum likelihood for one categorical variable.

A model with free parameters can be scored by the probability it gives the data once its parameters are fitted
to those same data. That is too good to be true: the probabilities of all possible data sets, each with its own
best parameters, add up to more than one. *Normalised maximum likelihood* (NML) divides by that sum:

    P_NML(D) = P(D | θ̂(D)) / C(n, r),      C(n, r) = Σ over all D' in {1..r}^n of P(D' | θ̂(D')),

for n observations of a variable with r values. The logarithm of the normaliser is the **regret**

    reg(n, r) = log C(n, r) = log P(D | θ̂(D)) - log P_NML(D).

It is the same for every data set, and it is what one pays, in nats, for not having known the best parameters
beforehand; no code can pay less in the worst case. It grows with the number of values and, more and more
slowly, with the number of observations, about (r - 1)/2 · log n for large n. So it penalises a complex model
as BIC does, but it is right for small samples too, and it has nothing to tune. The scores fNML and qNML are
log-likelihoods minus sums and differences of regrets.

As a sum over data sets, C has r^n terms. Grouped by counts it is (fNML paper, eq. 9)

    C(n, r) = Σ over k_1 + ... + k_r = n of n! / (k_1! ... k_r!) · Π (k_j / n)^k_j,

and it is never computed so: a recurrence in r, a sum of which some √n terms matter, and a closed form for
large n and r share the plane of all (n, r) between them, see `bnml.nml.regret`.

==============================  ==========================================================================
:func:`bnml.regret`             one value, any n and r
:func:`regrets`                 one sample size, many numbers of values (qNML)
:func:`regret_table`            all sample sizes 0, 1, ..., n_max for one number of values (fNML)
:func:`regret_tables`           the same for several numbers of values, in one pass
:func:`log_rising`              log of x (x+1) ... (x+n-1), accurate for all x: the Dirichlet scores need it
:func:`nml_histogram`           the histogram that describes a column of numbers best, its bins priced with the regret
:func:`nml_partition`           the cuts of a column that describe other variables best, priced in the same way
:func:`parametric_complexity`   log C of a forest of variables, also called its :func:`minimax_regret`
:func:`stochastic_complexity`   -log P_NML of data given a forest
:func:`complexity_forecast`     what that will take
:func:`jeffreys_evidence`       the log marginal likelihood of data given a forest, under Jeffreys' prior
==============================  ==========================================================================

The order of the arguments is always the sample size n first, then the number of values r.
"""

from bnml.nml.forest import complexity_forecast, minimax_regret, parametric_complexity, stochastic_complexity
from bnml.nml.histogram import Histogram, nml_histogram
from bnml.nml.jeffreys import jeffreys_evidence
from bnml.nml.partition import Partition, nml_partition
from bnml.nml.regret import regret, regrets
from bnml.nml.rising import log_rising
from bnml.nml.tables import regret_table, regret_tables

__all__ = [
    "Histogram",
    "Partition",
    "complexity_forecast",
    "jeffreys_evidence",
    "log_rising",
    "minimax_regret",
    "nml_histogram",
    "nml_partition",
    "parametric_complexity",
    "regret",
    "regret_table",
    "regret_tables",
    "regrets",
    "stochastic_complexity",
]
