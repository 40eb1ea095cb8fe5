"""Random structures and tables."""

from __future__ import annotations

import numpy as np

import bnml


def random_dag(rng, n, density=None):
    """Return a random DAG whose names are not in topological order."""
    names = [f"V{i}" for i in rng.permutation(n)]
    p = rng.uniform(0.1, 0.6) if density is None else density
    arcs = [(names[i], names[j]) for i in range(n) for j in range(i + 1, n) if rng.random() < p]
    return bnml.DAG(sorted(names), arcs)


def sampled(dag, rows, seed, states=2):
    """Return a table drawn from a DAG with random parameters."""
    rng = np.random.default_rng(seed)
    columns = {}
    for x in dag.topological_order():
        index = np.zeros(rows, int)
        for parent in dag.parents(x):
            index = index * states + columns[parent]
        table = rng.dirichlet([0.5] * states, states ** len(dag.parents(x)))
        columns[x] = (rng.random(rows)[:, None] > table.cumsum(axis=1)[index]).sum(axis=1).clip(0, states - 1)
    declared = {x: list(range(states)) for x in dag.names}
    import pandas as pd

    return bnml.read(pd.DataFrame({x: columns[x] for x in dag.names}), states=declared)
