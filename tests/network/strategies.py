"""Small random networks."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from bnml.graph import DAG
from bnml.network.network import BayesianNetwork


def random_network(seed: int, n: int, *, zeros: bool = False) -> BayesianNetwork:
    rng = np.random.default_rng(seed)
    names = [f"V{i}" for i in range(n)]
    arcs = [(names[i], names[j]) for j in range(n) for i in range(j) if rng.random() < 0.5]
    order = rng.permutation(n)
    shuffled = {name: names[k] for name, k in zip(names, order, strict=True)}
    dag = DAG(names, [(shuffled[a], shuffled[b]) for a, b in arcs])
    states = {x: [f"{x}s{k}" for k in range(rng.integers(1, 4))] for x in names}
    tables = {}
    for x in names:
        shape = [len(states[p]) for p in dag.parents(x)]
        table = rng.dirichlet(np.ones(len(states[x])), size=shape)
        if zeros:
            table = np.where(table < 0.2, 0.0, table)
            table[table.sum(axis=-1) == 0] = 1.0
            table /= table.sum(axis=-1, keepdims=True)
        tables[x] = table
    return BayesianNetwork(dag, states, tables)


@st.composite
def networks(draw, largest: int = 5, zeros: bool = False):
    return random_network(draw(st.integers(0, 2**32 - 1)), draw(st.integers(1, largest)), zeros=zeros)
