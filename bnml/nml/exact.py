"""The exact regret: three ways, and who goes where.

**The recurrence in r** (fNML paper, eq. 13) climbs from C(n, 1) = 1 and C(n, 2) to C(n, r) in r steps, whatever
n, and passes all smaller r on its way:

    C(n, r+2) = C(n, r+1) + (n/r) C(n, r).

**The sum** (Mononen and Myllymäki 2008; qNML paper, appendix B.3) has n terms, whatever r:

    C(n, r) = Σ_{l=0}^{n-1} t_l,    t_l = (n-1)(n-2)...(n-l) · r (r+1) ... (r+l) / (n^(l+1) l!).

Its terms rise to a peak near l + 1 = m = 2n / (1 + √(1 + 4n/r)) and fall off on both sides like a normal density
of variance n (n-m) / (2n-m). The peak's logarithm is known from `log_rising`, so only the terms within
some ten standard deviations of it are added, all relative to the peak.

**The closed form** of Szpankowski and Weinberger (qNML paper, eq. 7) takes over where both n and r exceed a
million. There it is at most 2e-7 too high in a regret of 8·10^5 or more: better than 1e-12, relative to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from bnml._arrays import Floats
from bnml.nml.approximations import szpankowski_weinberger
from bnml.nml.rising import log_rising

CLOSED_FORM_FROM = 1_000_000
SETUP_COST = 50.0  # the peak of one sum, in terms of the sum
CLIMB_COST = 1 / 64  # one step of the recurrence, in the same unit: it is as long, but serves many r at once
COST_PER_CALL = 1e8  # a kernel call lasts about 0.15 s


def exact_regrets(n: int, rs: Floats) -> Floats:
    """Return log C(n, r) for ascending, finite, distinct rs.

    The way is chosen by n and r alone, so that a regret does not depend on the company it is asked for in.
    """
    if n == 0:
        return np.zeros(rs.shape)
    if n == 1:
        return np.log(rs)
    out = np.empty(rs.shape)
    small = rs <= CLOSED_FORM_FROM
    climb = small & (CLIMB_COST * rs <= exact_sum_cost(float(n), rs))
    add = ~climb & (small | (n <= CLOSED_FORM_FROM))
    closed = ~climb & ~add
    if climb.any():
        out[climb] = regrets_by_recurrence(n, rs[climb])
    if add.any():
        out[add] = regrets_by_sum(np.full(np.count_nonzero(add), float(n)), rs[add])
    if closed.any():
        out[closed] = szpankowski_weinberger(n, rs[closed])
    return out


def regrets_by_recurrence(n: int, rs: Floats) -> Floats:
    """Return log C(n, r) for ascending rs by the recurrence in r."""
    from bnml.nml._kernels import recurrence

    out = np.empty(rs.shape)
    recurrence(float(n), rs.astype(np.int64), out)
    return out


def regrets_by_sum(ns: Floats, rs: Floats) -> Floats:
    """Return log C(n, r) for pairs of n ≥ 1 and r by the sum around its largest term."""
    from scipy.special import gammaln

    from bnml.nml._kernels import sums_around_peak

    l = np.clip(np.rint(_peak(ns, rs)) - 1.0, 0.0, ns - 1.0)  # noqa: E741
    log_peak = log_rising(ns - l, l) + log_rising(rs, l + 1.0) - (l + 1.0) * np.log(ns) - gammaln(l + 1.0)
    finite = np.minimum(rs, 1e200)  # beyond, a single term is left and its ratios would overflow
    rest = np.empty(ns.shape)
    for part in _parts(exact_sum_cost(ns, rs)):
        sums_around_peak(ns[part], finite[part], l[part], rest[part])
    result: Floats = log_peak + rest
    return result


def exact_sum_cost(n: Floats | float, r: Floats) -> Floats:
    """Return what the exact sum costs, in terms: some twenty standard deviations."""
    m = _peak(n, r)
    terms = np.minimum(n, 20.0 + 20.0 * np.sqrt(n * (n - m) / (2.0 * n - m)))
    cost: Floats = SETUP_COST + terms
    return cost


def _peak(n: Floats | float, r: Floats) -> Floats:
    m: Floats = 2.0 * n / (1.0 + np.sqrt(1.0 + 4.0 * n / r))
    return m


def _parts(costs: Floats) -> Iterator[slice]:
    """Cut a list of tasks into slices that cost about ``COST_PER_CALL`` each."""
    edges = np.flatnonzero(np.diff(np.cumsum(costs) // COST_PER_CALL)) + 1
    ends = [0, *edges.tolist(), costs.size]
    return (slice(a, b) for a, b in pairwise(ends) if a < b)
