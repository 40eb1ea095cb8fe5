"""EM: the parameters of greatest likelihood where values are missing.

The E-step asks the network for the counts that are to be expected of each family, by exact inference in a junction
tree, for each distinct row of what was observed; the M-step takes relative frequencies of these. Each step raises the
likelihood of what was observed, or leaves it (Dempster, Laird & Rubin 1977; Lauritzen 1995). It assumes that values are
missing at random: whether one is missing may depend on what was observed, not on the value itself. Where variables were
set, a family is counted in the rows in which its variable was not, and the likelihood is that given what was set.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from bnml._arrays import Floats
from bnml.counts import counts_of
from bnml.counts.counts import counts_for_tests
from bnml.data import Data
from bnml.data.gap_rows import rows_split_by_gaps
from bnml.errors import NetworkError
from bnml.graph import DAG
from bnml.network.estimators import estimate
from bnml.network.gap_groups import gap_groups
from bnml.network.inference import network_factors
from bnml.network.junction_tree import JunctionTree
from bnml.network.network import BayesianNetwork

MOST_STEPS = 2000
LEAST_GAIN = 1e-9  # of the log-likelihood, in nats for each row; a smaller step is the last


def fit_by_em(
    dag: DAG,
    data: Data,
    start: BayesianNetwork | None = None,
    *,
    steps: int = MOST_STEPS,
    threads: int | None = None,
) -> BayesianNetwork:
    """Return the network with this structure whose parameters have the greatest likelihood, as far as EM finds.

    Parameters
    ----------
    dag, data
        The structure, and a table over the same variables, gaps as they are.
    start
        A network to begin with; by default `observed_network`.
    steps
        How many steps to take at most; it ends before that where a step gains next to nothing.
    threads
        How many threads may be used; the result does not depend on it.

    Raises
    ------
    NetworkError
        If the junction tree would be too large, or a row is impossible in the network to begin with.
    """
    before = -np.inf
    network = start
    for number, (found, value) in enumerate(em_steps(dag, data, start, threads=threads)):
        network = found
        if value - before <= LEAST_GAIN * data.n_rows + 1e-13 * abs(value) or number >= steps:  # with the rounding
            break
        before = value
    assert network is not None
    return network


def em_steps(
    dag: DAG,
    data: Data,
    start: BayesianNetwork | None = None,
    *,
    threads: int | None = None,
    most_work: float = math.inf,
) -> Iterator[tuple[BayesianNetwork, float]]:
    """Yield one network after the other, each with the log-likelihood of the data: it never falls, up to rounding.

    ``most_work``: how many numbers a step may look at, if less than is allowed in any case.
    """
    network = observed_network(dag, data) if start is None else start
    rows = _Rows(dag, data)
    trees = rows.trees(network, most_work)
    while True:
        counts, value = rows.expected(network, trees, threads)
        yield network, value
        tables = {x: estimate(counts[x], "em") for x in dag.names}
        network = BayesianNetwork(dag, network.states, tables, data.cuts, data.reading)
        trees = rows.refilled(trees, network)


def estimate_at_expected_counts(
    network: BayesianNetwork, data: Data, estimator: str, ess: float = 1.0, *, threads: int | None = None
) -> BayesianNetwork:
    """Return a network re-estimated, once, from the counts that it expects of incomplete data."""
    counts, _ = expected_counts(network, data, threads=threads)
    tables = {x: estimate(counts[x], estimator, ess) for x in network.names}
    return BayesianNetwork(network.dag, network.states, tables, network.cuts, network.reading)


def expected_counts(
    network: BayesianNetwork, data: Data, *, threads: int | None = None
) -> tuple[dict[str, Floats], float]:
    """Return the counts of each family that a network expects of a table with gaps, and the log-likelihood.

    Where a variable was set, its family is not counted. The axes of a table of counts are those of
    ``network.probabilities``.
    """
    rows = _Rows(network.dag, data)
    return rows.expected(network, rows.trees(network), threads)


def observed_network(dag: DAG, data: Data) -> BayesianNetwork:
    """Return parameters from the rows in which a family is observed as a whole, and a prior worth one row."""
    counts, states = counts_for_tests(data), {x: data.states[data.index(x)] for x in dag.names}
    tables = {}
    for x in dag.names:
        own = counts.for_child(data.index(x)).table(_family(dag, x, data))
        tables[x] = estimate(own.astype(np.float64), "bpp")
    return BayesianNetwork(dag, states, tables, data.cuts, data.reading)


def _family(dag: DAG, x: str, data: Data) -> list[int]:
    """Return the columns of a variable's parents and its own, in the order of its table."""
    return [data.index(v) for v in (*dag.parents(x), x)]


class _Rows:
    """The rows of a table: those without gaps are counted once, the others are asked of the network at every step."""

    def __init__(self, dag: DAG, data: Data) -> None:
        self.dag = dag
        whole, rows = rows_split_by_gaps(data)
        shapes = {x: [data.arities[v] for v in _family(dag, x, data)] for x in dag.names}
        self.whole = {
            x: np.zeros(shapes[x])
            if whole is None
            else counts_of(whole).for_child(data.index(x)).table(_family(dag, x, data)).astype(np.float64)
            for x in dag.names
        }
        self.groups = gap_groups(data, rows)
        self.columns = [
            {i: rows.columns[data.index(x)][group.places] for i, x in enumerate(dag.names)} for group in self.groups
        ]
        self.times = [rows.times[group.places].astype(np.float64) for group in self.groups]

    def trees(self, network: BayesianNetwork, most_work: float = math.inf) -> list[JunctionTree]:
        """Return the junction trees of a network, one for each group of rows with gaps."""
        return [group.tree(network, most_work) for group in self.groups]

    def refilled(self, trees: list[JunctionTree], network: BayesianNetwork) -> list[JunctionTree]:
        """Return these trees with the parameters of another network."""
        return [tree.refilled(group.factors(network)) for tree, group in zip(trees, self.groups, strict=True)]

    def expected(
        self, network: BayesianNetwork, trees: list[JunctionTree], threads: int | None
    ) -> tuple[dict[str, Floats], float]:
        """Return the expected counts of each family, and the log-likelihood of all rows."""
        counts = {x: table.copy() for x, table in self.whole.items()}
        value = sum(_log_likelihood(table, network.probabilities(x)) for x, table in counts.items())
        for group, tree, columns, times in zip(self.groups, trees, self.columns, self.times, strict=True):
            sums, totals = tree.expected(columns, times, threads)
            if np.isneginf(totals).any():
                raise NetworkError("a row of the table has probability zero under the network that EM begins with")
            for factor, x in zip(network_factors(network), self.dag.names, strict=True):
                if len(network.states[x]) > 1 and x not in group.shares:  # of one state the parameter is 1
                    counts[x] += tree.marginal_of(sums, factor.axes).reshape(counts[x].shape)
            value += float(times @ totals)
        return counts, value


def _log_likelihood(counts: Floats, parameters: Floats) -> float:
    """Return Σ n log θ over the cells that occur."""
    there = counts > 0.0
    with np.errstate(divide="ignore"):
        return float(counts[there] @ np.log(parameters[there]))
