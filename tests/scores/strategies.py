"""Every score beside its naive twin, and random structures and prior networks for hypothesis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product

import numpy as np
from hypothesis import strategies as st

from bnml import DAG, BayesianNetwork
from bnml.scores import BDe, Score, parse_score
from tests import naive
from tests.counts.strategies import tables
from tests.naive import Row, Table

Naive = Callable[[Table, int, Sequence[int]], float]
Arcs = frozenset[tuple[int, int]]

LABELS = (*naive.SCORES, "bde", "bde:5")


def score_and_twin(label: str, table: Table) -> tuple[Score, Naive]:
    """Return a score for a table and the function of `tests.naive` that it must agree with."""
    if not label.startswith("bde:") and label != "bde":
        return parse_score(label), naive.SCORES[label]
    ess = float(label.partition(":")[2] or 1)
    network, joint = prior_network(table.arities)
    return BDe(network, ess), lambda t, x, pa: naive.bde(t, x, pa, joint, ess)


def prior_network(arities: Sequence[int], seed: int = 0) -> tuple[BayesianNetwork, dict[Row, float]]:
    """Return a random network over columns of these arities, and the probability of each of their configurations."""
    rng = np.random.default_rng([seed, *arities])
    n = len(arities)
    order = rng.permutation(n)
    arcs = [(int(order[a]), int(order[b])) for a, b in combinations(range(n), 2) if rng.random() < 0.6]
    sets = naive.parent_sets(n, arcs)
    arrays = [rng.dirichlet([1.0] * r, [arities[p] for p in pa]) for r, pa in zip(arities, sets, strict=True)]
    dag = dag_of(arcs, n)
    states = {f"X{i}": list(range(r)) for i, r in enumerate(arities)}
    tables_ = [
        {j: array[j] for j in product(*(range(arities[p]) for p in pa))} for array, pa in zip(arrays, sets, strict=True)
    ]
    network = BayesianNetwork(dag, states, {f"X{i}": array for i, array in enumerate(arrays)})
    return network, naive.network_joint(arities, sets, tables_)


def prior_of(
    dag: DAG, states: Mapping[str, Sequence[object]], tables: Mapping[str, object] | None = None
) -> BayesianNetwork:
    """Return a network in which a variable without a table is uniform."""
    shapes = {x: [len(states[v]) for v in (*dag.parents(x), x)] for x in dag.names}
    uniform = {x: np.full(shape, 1.0 / shape[-1]) for x, shape in shapes.items()}
    return BayesianNetwork(dag, states, uniform | dict(tables or {}))


def dag_of(arcs: naive.Arcs, n: int) -> DAG:
    """Return arcs between columns as a graph of their names."""
    return DAG([f"X{i}" for i in range(n)], [(f"X{a}", f"X{b}") for a, b in arcs])


@st.composite
def structures(draw: st.DrawFn, **limits: int) -> tuple[Table, Arcs]:
    """Draw a table and an acyclic set of arcs between its columns."""
    table = draw(tables(**limits))
    pairs = list(combinations(draw(st.permutations(range(len(table.arities)))), 2))
    kept = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return table, frozenset(pair for pair, keep in zip(pairs, kept, strict=True) if keep)
