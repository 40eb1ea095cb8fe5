"""The Kullback-Leibler divergence of a network from another one, or from a table."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bnml._text import quoted
from bnml.counts import information
from bnml.data.labels import label_text
from bnml.errors import ArgumentError
from bnml.network.inference import joint
from bnml.network.network import BayesianNetwork


def kl_divergence(p: Any, q: Any) -> float:
    """Return Σ p log(p / q) in nats; infinite where q rules out what p allows.

    Of two networks both logarithms are sums over families, so only p's probabilities of the families of p and of q are
    needed, never the joint table of all variables.

    Parameters
    ----------
    p
        A network; or a table, whose rows are then the distribution.
    q
        A network; or a table, if p is one. See `bnml.information.kl_divergence` for tables.

    Raises
    ------
    BnmlError
        If the two differ in variables or states, a family is too large for exact inference, or a table is to stand for
        a network.

    Examples
    --------
    >>> import bnml
    >>> states = {"A": ["x", "y"], "B": ["u", "v"]}
    >>> half, strong = [0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]]
    >>> tied = bnml.BayesianNetwork(bnml.DAG.parse("[A][B|A]"), states, {"A": half, "B": strong})
    >>> free = bnml.BayesianNetwork(bnml.DAG.parse("[A][B]"), states, {"A": half, "B": half})
    >>> round(bnml.kl_divergence(tied, free), 4)
    0.3681
    >>> round(bnml.kl_divergence(bnml.example(), bnml.learn(bnml.example()).network), 4)
    0.0082
    """
    if not isinstance(p, BayesianNetwork):
        return information.kl_divergence(p, q)
    if not isinstance(q, BayesianNetwork):
        raise ArgumentError(
            "kl_divergence: p is a network, and q is none; fit one to the table (bnml.fit), or give the table first"
        )
    if set(p.names) != set(q.names):
        raise ArgumentError(f"kl_divergence: the networks differ in {quoted(sorted(set(p.names) ^ set(q.names)))}")
    for x in p.names:
        if {label_text(s) for s in p.states[x]} != {label_text(s) for s in q.states[x]}:
            raise ArgumentError(
                f"kl_divergence: the states of {x!r} differ: {quoted(p.states[x])}, {quoted(q.states[x])}"
            )
    total = math.fsum(_expected_log(p, p, x) for x in p.names) - math.fsum(_expected_log(p, q, x) for x in p.names)
    return max(0.0, total)


def _expected_log(p: BayesianNetwork, of: BayesianNetwork, x: str) -> float:
    """Return the expectation under p of log P(x | parents) in another network."""
    family = [*of.dag.parents(x), x]
    table, scale = joint(p, family)
    weights = table * math.exp(scale)
    for axis, v in enumerate(family):  # p's order of states may be another
        order = [p.code(v, label) for label in of.states[v]]
        weights = weights.take(order, axis=axis)
    with np.errstate(divide="ignore"):
        logs = np.log(of.probabilities(x))
    possible = weights > 0
    return float((weights[possible] * logs[possible]).sum())
