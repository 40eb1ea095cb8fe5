"""The marginal likelihood of forests under Jeffreys' prior, which NML approaches as rows are added.

Jeffreys' prior is proportional to the root of the determinant of the Fisher information. Of a Bayesian network that
matrix has a block for each variable i and configuration j of its parents, the information of a multinomial times the
probability that the configuration occurs (Kontkanen et al. 2000):

    π(θ) ∝ Π_ij P(pa_i = j | θ)^((r_i - 1) / 2) Π_k θ_ijk^(-1/2).

In a tree P(pa_i = j) is the marginal of one variable. That of the root is a parameter of its own, so a tree of which
one variable is the neighbour of all others, with that variable as its root, has a Dirichlet prior: 1/2 everywhere, and
for the root m_x more, with m_x as below. For every other tree the prior is a product of Dirichlet distributions times

    g(θ) = Π over inner variables x but the root, Π over their values v of P(x = v | θ)^m_x,
    m_x = Σ over the children c of x of (r_c - 1) / 2,

so that the marginal likelihood is that of the Dirichlet distributions times E[g | data] / E[g]. The two expectations
are computed by Gauss-Jacobi quadrature from the leaves to the root: what lies below an inner variable depends on what
is above only by the marginal of its parent. Inner variables must be binary then, so that this is one number.

The prior is the same however the tree is directed, and so is the marginal likelihood.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from bnml._arrays import Floats
from bnml.errors import ScoreError
from bnml.nml.forest import ForestRows, forest_links, rows_of_forest

POINTS = 48  # of quadrature for each parameter
GRID = 65  # points between which the expectation below an inner variable is interpolated


def jeffreys_evidence(forest: Any, data: Any, arities: Sequence[int] | Mapping[str, int] | None = None) -> float:
    """Return the log marginal likelihood of data given a forest, under Jeffreys' prior of the parameters.

    Parameters
    ----------
    forest, data, arities
        As for `bnml.nml.stochastic_complexity`.

    Returns
    -------
    float
        In nats. Exact for trees of which one variable is the neighbour of all others; otherwise by numerical
        integration, to about six digits.

    Raises
    ------
    ArgumentError
        If arguments do not go together.
    ScoreError
        If a variable has more than one parent, or a tree has several inner variables that are not all binary.

    Notes
    -----
    Wettig, Kontkanen & Myllymäki (2007) name it as what NML is asymptotically equivalent to, and as difficult to
    compute in practice. The two come together if the maximum likelihood parameters keep away from 0 and 1.

    Examples
    --------
    >>> import numpy
    >>> from bnml.nml import jeffreys_evidence, stochastic_complexity
    >>> rows = numpy.random.default_rng(0).integers(0, 2, (500, 4))
    >>> chain = [None, 0, 1, 2]
    >>> round(jeffreys_evidence(chain, rows, [2] * 4), 2), round(-stochastic_complexity(chain, rows, [2] * 4), 2)
    (-1398.57, -1398.79)
    """
    rows = rows_of_forest(forest, data, arities)
    links = forest_links(rows.parents)
    return float(sum(_tree_evidence(rows, links, root) for root in _roots(links, rows.arities)))


def _roots(links: Sequence[Sequence[int]], arities: Sequence[int]) -> list[int]:
    """Return a root for each tree: an inner variable where there is one.

    Raises
    ------
    ScoreError
        If the integral has too many dimensions.
    """
    roots, seen = [], set[int]()
    for start in range(len(links)):
        if start in seen:
            continue
        tree = [start]
        for x in tree:
            tree += [y for y in links[x] if y not in tree]
        seen |= set(tree)
        inner = [x for x in tree if len(links[x]) > 1]
        if len(inner) > 1 and any(arities[x] != 2 for x in inner):
            raise ScoreError(
                "Jeffreys' prior of a tree is integrated where one variable is the neighbour of all others, or all "
                "variables with several neighbours have two values",
                argument="forest",
                hint="take the score nml",
            )
        roots.append(inner[0] if inner else start)
    return roots


def _tree_evidence(rows: ForestRows, links: Sequence[Sequence[int]], root: int) -> float:
    """Return the log marginal likelihood of the tree that hangs from a root."""
    below = _children(links, root)
    priors: dict[int, Floats] = {
        x: np.full((1 if x == root else rows.arities[above], rows.arities[x]), 0.5) for x, above in below
    }
    children: dict[int, list[int]] = {x: [y for y, above in below if above == x != y] for x, _ in below}
    weights = {x: sum((rows.arities[y] - 1) / 2 for y in own) for x, own in children.items()}
    priors[root] += weights[root]
    counts = {x: rows.table([x] if x == root else [above, x]).reshape(priors[x].shape) for x, above in below}
    posteriors: dict[int, Floats] = {x: priors[x] + counts[x] for x in priors}
    closed = [_log_beta(posteriors[x]) - _log_beta(priors[x]) for x in priors]
    return (
        math.fsum(closed)
        + _log_expectation(posteriors, children, weights, root)
        - _log_expectation(priors, children, weights, root)
    )


def _children(links: Sequence[Sequence[int]], root: int) -> list[tuple[int, int]]:
    """Return the variables of a tree with their parents, from the root on; the root is its own."""
    found = [(root, root)]
    for x, above in found:
        found += [(y, x) for y in links[x] if y != above]
    return found


def _log_beta(alpha: Floats) -> float:
    """Return the logarithm of the product of multivariate beta functions, one for each row."""
    from scipy.special import gammaln

    return float(gammaln(alpha).sum() - gammaln(alpha.sum(axis=1)).sum())


def _log_expectation(
    alpha: Mapping[int, Floats], children: Mapping[int, Sequence[int]], weights: Mapping[int, float], root: int
) -> float:
    """Return log E[g] for parameters from Dirichlet distributions.

    ``weights[x]`` is m_x. Let t be the probability that the parent of x has its second value; then x has its own second
    value with the probability s = t θ_1 + (1 - t) θ_0, and what lies below x is, as a function of t, the expectation of
    (s (1 - s))^m_x times what lies below the children of x, at s.
    """
    inner = {x: [y for y in own if children[y]] for x, own in children.items()}
    if not inner[root]:
        return 0.0
    grid, barycentric = _chebyshev_points()

    def below(x: int) -> Floats:
        """Return what lies below x, on the grid."""
        further = [below(y) for y in inner[x]]
        (first, first_weight), (second, second_weight) = (_beta_points(*alpha[x][k]) for k in (0, 1))
        found = np.empty(GRID)
        for k, t in enumerate(grid):
            s = ((1.0 - t) * first[:, None] + t * second[None, :]).ravel()
            values = (s * (1.0 - s)) ** weights[x]
            for own in further:
                values = values * _interpolated(own, s, grid, barycentric)
            found[k] = first_weight @ values.reshape(POINTS, POINTS) @ second_weight
        return found

    points, weight = _beta_points(*alpha[root][0])
    values = np.ones(POINTS)
    for y in inner[root]:
        values *= _interpolated(below(y), points, grid, barycentric)
    return float(np.log(weight @ values))


def _beta_points(low: float, high: float) -> tuple[Floats, Floats]:
    """Return points and weights for expectations over the probability of a second value, given both hyperparameters.

    Gauss-Jacobi quadrature on [0, 1], from the eigenvectors of the recurrence (Golub & Welsch 1969), which does not
    overflow, however many rows are counted.
    """
    from scipy.linalg import eigh_tridiagonal

    a, b = low - 1.0, high - 1.0  # exponents of 1 - t and of t
    k = np.arange(1.0, POINTS)
    both = 2.0 * k + a + b
    diagonal = np.concatenate([[(b - a) / (a + b + 2.0)], (b * b - a * a) / (both * (both + 2.0))])
    squares = 4.0 * (1.0 + a) * (1.0 + b) / ((2.0 + a + b) ** 2 * (3.0 + a + b)) * np.ones(POINTS - 1)
    k, both = k[1:], both[1:]
    squares[1:] = 4.0 * k * (k + a) * (k + b) * (k + a + b) / (both**2 * (both**2 - 1.0))
    points, vectors = eigh_tridiagonal(diagonal, np.sqrt(squares))
    return np.clip((1.0 + points) / 2.0, 0.0, 1.0), vectors[0] ** 2


@cache
def _chebyshev_points() -> tuple[Floats, Floats]:
    """Return points in [0, 1], dense at its ends, and their weights for barycentric interpolation."""
    k = np.arange(GRID)
    weights = np.where(k % 2, -1.0, 1.0)
    weights[[0, -1]] /= 2.0
    return (1.0 - np.cos(np.pi * k / (GRID - 1))) / 2.0, weights


def _interpolated(values: Floats, at: Floats, grid: Floats, barycentric: Floats) -> Floats:
    """Return the polynomial through values on the grid, at other points."""
    apart = at[:, None] - grid[None, :]
    same = apart == 0.0
    terms = barycentric / np.where(same, 1.0, apart)
    found: Floats = (terms @ values) / terms.sum(axis=1)
    hits = same.any(axis=1)
    found[hits] = values[same[hits].argmax(axis=1)]
    return found
