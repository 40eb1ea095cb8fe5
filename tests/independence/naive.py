"""Slow, obvious versions straight from the definitions; they share no code with bnml."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy import stats


def rows_of(data):
    """Return every row of a table, repetitions included."""
    return np.repeat(np.asarray(data.codes), np.asarray(data.weights), axis=0).astype(int)


def chi_square(rows, x, y, given=(), kind="g2"):
    """Return statistic, degrees of freedom and p-value, stratum by stratum with scipy."""
    statistic, freedom = 0.0, 0
    strata = {}
    for row in rows:
        strata.setdefault(tuple(row[list(given)]), []).append((row[x], row[y]))
    for pairs in strata.values():
        cells = np.array(pairs)
        xs, ys = np.unique(cells[:, 0]), np.unique(cells[:, 1])
        table = np.array([[np.sum((cells[:, 0] == a) & (cells[:, 1] == b)) for b in ys] for a in xs])
        if len(xs) > 1 and len(ys) > 1:
            name = "log-likelihood" if kind == "g2" else "pearson"
            found = stats.chi2_contingency(table, correction=False, lambda_=name)
            statistic += found.statistic
            freedom += found.dof
    return statistic, freedom, stats.chi2.sf(statistic, freedom) if freedom else 1.0


def is_sparse(rows, x, y, given, rows_per_cell=5):
    """Tell whether the table of some columns has too few rows for its cells."""
    cells = 1
    for v in (x, y, *given):
        cells *= len(set(rows[:, v]))
    return cells * rows_per_cell > len(rows)


def skeleton(n, independent, stable=True):
    """Do the lecture's first step, or its stable form; ``independent(x, y, given)`` answers."""
    links = {(i, j) for i in range(n) for j in range(n) if i != j}
    sepsets = {}
    size = 0
    while any(len(around(links, i) - {j}) >= size for i, j in links):
        before = set(links)
        for i, j in sorted(links):
            if (i, j) not in links:
                continue
            near = around(before if stable else links, i) - {j}
            for given in combinations(sorted(near), size):
                if independent(i, j, given):
                    links -= {(i, j), (j, i)}
                    sepsets[frozenset((i, j))] = frozenset(given)
                    break
        size += 1
    return {frozenset(link) for link in links}, sepsets


def without_paths(names, links, sepsets):
    """Return the absent links for whose separating set the graph has a path too few, from the definition."""
    import networkx as nx

    lost = set()
    for pair, given in sepsets.items():
        for start, other in (sorted(pair), sorted(pair)[::-1]):
            graph = nx.Graph([tuple(sorted(link)) for link in links if other not in link])
            graph.add_nodes_from(set(names) - {other})
            lost |= {pair for goal in given if not nx.has_path(graph, start, goal)}
    return lost


def around(links, i):
    return {b for a, b in links if a == i}
