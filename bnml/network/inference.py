"""Exact inference: a junction tree that serves all questions, or, where it is too large, elimination for one of them.

What a question needs is known before any work is done, and what needs too much is refused with a number. Evidence is a
likelihood for each state of a variable: one and zeros where it is observed, likelihoods where it is not certain.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats
from bnml._factors import EliminationPlan, Factor, eliminate_from_factors, plan_factors
from bnml._text import quoted
from bnml.errors import NetworkError, argument
from bnml.network.junction_tree import JunctionTree
from bnml.network.network import BayesianNetwork

LARGEST_TABLE = 2.0**26  # numbers; half a gigabyte, and as much again for each of two copies
LARGEST_WORK = 2.0**31
LARGEST_TREE = 2.0**21  # numbers in all tables of a junction tree that is kept
MOST_ROW_WORK = 2.0**32  # numbers to look at for rows with gaps, all together; some ten seconds
MOST_TREES = 8  # that a network keeps, for as many sets of variables that are set from outside

Likelihoods = Mapping[str, Floats]


class _Question(NamedTuple):
    """The factors that matter for a question, the number of states of each variable, and the states of those fixed."""

    factors: list[Factor]
    sizes: dict[int, int]
    fixed: dict[int, int]


def joint(
    network: BayesianNetwork, names: Sequence[str], likelihoods: Likelihoods | None = None, do: Collection[str] = ()
) -> tuple[Floats, float]:
    """Return P(names, evidence): an axis for each of ``names``, and the logarithm of a factor that belongs to it.

    Parameters
    ----------
    network
        The network.
    names
        The variables that are asked for.
    likelihoods
        Evidence: for each variable with some the likelihoods of its states, for those that are set, too.
    do
        The variables that are set from outside, whatever their parents are.

    Raises
    ------
    NetworkError
        If a table on the way would be too large.
    """
    given = dict(likelihoods or {})
    position = _positions(network)
    wanted = [position[x] for x in names]
    tree = _kept_tree(network, do)
    if tree is not None and (not wanted or tree.clique_of(wanted) is not None):
        placed = {position[x]: likelihood for x, likelihood in given.items()}
        if not wanted:
            return np.ones(()), tree.log_mass(placed)
        table, total = tree.joint(wanted, placed)
        mass = float(table.sum())
        return (table / mass, total) if mass > 0.0 and total > -np.inf else (np.zeros_like(table), 0.0)
    question = _question(network, (*names, *given), names, given, do)
    forecast = plan_factors([factor.axes for factor in question.factors], question.sizes, wanted)
    _check_affordable(forecast, names)
    return eliminate_from_factors(question.factors, forecast.order, wanted)


def log_mass(network: BayesianNetwork, likelihoods: Likelihoods, do: Collection[str] = ()) -> float:
    """Return the logarithm of the probability of evidence; -inf where it is impossible."""
    table, scale = joint(network, (), likelihoods, do)
    value = float(table)
    return float(np.log(value)) + scale if value > 0.0 else -np.inf


def all_marginals(
    network: BayesianNetwork, likelihoods: Likelihoods, do: Collection[str] = ()
) -> tuple[dict[str, Floats], float]:
    """Return P(variable | evidence) for every variable, and the logarithm of the probability of the evidence.

    Raises
    ------
    NetworkError
        If a table on the way would be too large.
    """
    tree, position = _kept_tree(network, do), _positions(network)
    if tree is None:
        total = log_mass(network, likelihoods, do)
        if total == -np.inf:
            return {}, total
        tables = {x: joint(network, [x], likelihoods, do)[0] for x in network.names}
    else:
        found, total = tree.marginals({position[x]: likelihood for x, likelihood in likelihoods.items()})
        tables = {x: found[i] for x, i in position.items()}
    return ({x: table / table.sum() for x, table in tables.items()} if total > -np.inf else {}), total


def most_probable_states(
    network: BayesianNetwork, likelihoods: Likelihoods, do: Collection[str] = ()
) -> tuple[dict[str, int], float]:
    """Return the likeliest states of all variables together with the evidence, and the logarithm of that probability.

    Raises
    ------
    NetworkError
        If a table on the way would be too large.
    """
    position = _positions(network)
    question = _question(network, network.names, (), likelihoods, do)
    forecast = plan_factors([factor.axes for factor in question.factors], question.sizes, ())
    _check_affordable(forecast, ())
    found, total = JunctionTree(question.factors, question.sizes, forecast).likeliest()
    if total == -np.inf:
        return {}, total
    return {x: found[i] if i in found else question.fixed[i] for x, i in position.items()}, total


def infer_rows(
    network: BayesianNetwork, codes: Mapping[str, npt.NDArray[np.int32]], target: str | None = None
) -> tuple[Floats, Floats]:
    """Infer the log-probability of each row, gaps summed out, and P(target | row).

    Parameters
    ----------
    network
        The network.
    codes
        For each variable the states, row by row, -1 for a gap.
    target
        The variable whose probabilities are asked for; nothing is said of its own column.

    Raises
    ------
    NetworkError
        If a table on the way would be too large.
    """
    tree, position = _kept_tree(network, ()), _positions(network)
    names = [x for x in codes if x != target]
    rows = np.stack([codes[x] for x in names]) if names else np.empty((0, 1), np.int32)
    distinct, index = np.unique(rows, axis=1, return_inverse=True)
    n = distinct.shape[1]
    if tree is not None:
        known = {position[x]: column for x, column in zip(names, distinct, strict=True)}
        totals, shares = tree.rows(n, known, None if target is None else position[target])
    else:
        totals, shares = np.empty(n), np.zeros((n, 0 if target is None else len(network.states[target])))
        for i, row in enumerate(distinct.T.tolist()):
            likelihoods = {x: certain_likelihoods(network, x, k) for x, k in zip(names, row, strict=True) if k >= 0}
            totals[i] = log_mass(network, likelihoods)
            if target is not None and totals[i] > -np.inf:
                shares[i] = joint(network, [target], likelihoods)[0]
    with np.errstate(invalid="ignore"):
        shares /= shares.sum(axis=1, keepdims=True)
    return totals[index.ravel()], shares[index.ravel()]


def certain_likelihoods(network: BayesianNetwork, name: str, code: int) -> Floats:
    """Return what inference is told of a variable of which one state is observed: its likelihoods."""
    likelihoods = np.zeros(len(network.states[name]))
    likelihoods[code] = 1.0
    return likelihoods


def inference_size(network: BayesianNetwork) -> int | None:
    """Return how many numbers inference in a network keeps: those of its junction tree; None if these are too many."""
    tree = _kept_tree(network, ())
    return None if tree is None else tree.size


def inference_tree(
    network: BayesianNetwork, n_rows: int, most_work: float = math.inf, do: Collection[str] = ()
) -> JunctionTree:
    """Return the junction tree for inference about so many rows; ``most_work`` may be less than allowed.

    ``do``: the variables that were set in these rows.

    Raises
    ------
    NetworkError
        If it is too large for them.
    """
    tree = _kept_tree(network, do)
    if tree is not None and tree.size * n_rows <= min(MOST_ROW_WORK, most_work):
        return tree
    factors = network_factors(network, do)
    size = plan_factors([factor.axes for factor in factors], _sizes(network), ()).total if tree is None else tree.size
    raise NetworkError(
        f"to fill gaps or to expect counts, exact inference would need tables of {size:.2g} numbers for each "
        f"of {n_rows:,} rows with gaps: take a structure with fewer links or parents, or read the data with "
        + argument("missing", "state")
        + " or "
        + argument("missing", "drop")
    )


def network_factors(network: BayesianNetwork, do: Collection[str] = ()) -> list[Factor]:
    """Return the factors of a network, one for each variable; variables by their place in ``network.names``.

    Those of variables that are set from outside (``do``) are one for every state.
    """
    return _factors(network, network.names, do)


def _positions(network: BayesianNetwork) -> dict[str, int]:
    return {x: i for i, x in enumerate(network.names)}


def _factors(network: BayesianNetwork, names: Collection[str], do: Collection[str]) -> list[Factor]:
    """Return the factors of some variables; those that are set have none of their own."""
    position, states = _positions(network), {x: len(labels) for x, labels in network.states.items()}
    factors = []
    for x in names:
        alone = x in do or states[x] == 1
        axes = [] if alone else [p for p in network.dag.parents(x) if states[p] > 1]  # one state is no axis
        table = np.ones(states[x]) if alone else network.probabilities(x)
        axes.append(x)
        factors.append(Factor(tuple(position[v] for v in axes), table.reshape([states[v] for v in axes])))
    return factors


def _sizes(network: BayesianNetwork) -> dict[int, int]:
    return {i: len(network.states[x]) for x, i in _positions(network).items()}


def _question(
    network: BayesianNetwork,
    about: Collection[str],
    kept: Collection[str],
    likelihoods: Likelihoods,
    do: Collection[str],
) -> _Question:
    """Return the factors that matter for a question about some variables: those of their ancestors.

    What is observed is fixed in them, unless it is to be kept. So they fall into parts that share no variable; a part
    without any that is kept is one number.
    """
    dag, position = network.dag, _positions(network)
    needed = set(about)
    left = list(needed)
    while left:
        x = left.pop()
        if x not in do:
            left += [p for p in dag.parents(x) if p not in needed]
            needed.update(dag.parents(x))
    factors = _factors(network, [x for x in network.names if x in needed], do)
    factors += [Factor((position[x],), likelihood) for x, likelihood in likelihoods.items()]
    certain = {x: np.flatnonzero(likelihood) for x, likelihood in likelihoods.items() if x not in kept}
    fixed = {position[x]: int(states[0]) for x, states in certain.items() if states.size == 1}
    return _Question([factor.given(fixed) for factor in factors], _sizes(network), fixed)


def _check_affordable(forecast: EliminationPlan, names: Sequence[str]) -> None:
    """Refuse a question whose tables are too large."""
    if forecast.largest > LARGEST_TABLE or forecast.total > LARGEST_WORK:
        asked = f" of {quoted(names)}" if names else ""
        advice = "observe more variables" if len(names) < 2 else "observe more variables, or ask for fewer at a time"
        raise NetworkError(
            f"exact inference{asked} would need a table of {forecast.largest:.2g} numbers "
            f"({forecast.total:.2g} in all): {advice}"
        )


def _kept_tree(network: BayesianNetwork, do: Collection[str]) -> JunctionTree | None:
    """Return the junction tree of a network in which some variables are set from outside; None if it is too large.

    Trees are kept with the network.
    """
    kept: dict[frozenset[str], JunctionTree | None] = network.__dict__.setdefault("_trees", {})
    key = frozenset(do)
    if key not in kept:
        factors, sizes = _factors(network, network.names, key), _sizes(network)
        forecast = plan_factors([factor.axes for factor in factors], sizes, ())
        small = forecast.total <= LARGEST_TREE
        while len(kept) >= MOST_TREES:
            kept.pop(next(iter(kept)))
        kept[key] = JunctionTree(factors, sizes, forecast) if small else None
    return kept[key]
