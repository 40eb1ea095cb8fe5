"""Which of several best networks is meant, from listed families, against all best networks one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import bnml
from bnml._bits import bits
from bnml.errors import BnmlError
from bnml.search.read_back_tied import read_back_tied

NAMES = "abcd"


def best_structures(families, links):
    """Return the total of the best networks, and these."""
    found = []
    for chosen in product(*families):
        try:
            dag = bnml.DAG.from_parent_sets(NAMES, [list(bits(mask)) for mask, _ in chosen])
        except BnmlError:  # a cycle
            continue
        linked = [{*dag.parents(x), *dag.children(x)} for x in NAMES]
        if all(NAMES[j] in linked[i] for i, mask in enumerate(links) for j in bits(mask)):
            found.append((sum(score for _, score in chosen), dag))
    best = max((total for total, _ in found), default=None)
    return best, [dag for total, dag in found if total == best]


@pytest.mark.parametrize("seed", range(60))
def test_random_families(seed):
    """Scores are small whole numbers, so that many networks share the highest total."""
    rng = np.random.default_rng(seed)
    families = []
    for i in range(4):
        sets = [int(mask) for mask in rng.permutation(16) if not mask >> i & 1][: int(rng.integers(2, 6))]
        families.append([(mask, float(rng.integers(0, 3))) for mask in dict.fromkeys([0, *sets])])
    links = [0, 0, 0, 0]
    if seed % 3 == 0:
        links[0], links[2] = 4, 1
    best, every = best_structures(families, links)
    if best is None:
        return
    some = every[int(rng.integers(len(every)))]
    given = [sum(1 << NAMES.index(y) for y in some.parents(x)) for x in NAMES]
    by_text = read_back_tied(families, links, given, by_model_string=True)
    orders = {order: dag for dag in every for order in topological_orders(dag)}
    first = min(orders)
    dag = bnml.DAG.from_parent_sets(NAMES, [list(bits(mask)) for mask in by_text])
    assert dag in every
    assert min(topological_orders(dag)) == first
    by_names = read_back_tied(families, links, given, by_model_string=False)
    dag = bnml.DAG.from_parent_sets(NAMES, [list(bits(mask)) for mask in by_names])
    assert dag in every
    assert max(order[::-1] for order in topological_orders(dag)) == max(order[::-1] for order in orders)


def topological_orders(dag, placed=()):
    """Yield all orders in which parents come first."""
    if len(placed) == len(NAMES):
        yield placed
    for x in NAMES:
        if x not in placed and set(dag.parents(x)) <= set(placed):
            yield from topological_orders(dag, (*placed, x))


@pytest.mark.parametrize("n", [5, 20])
def test_a_ring(n):
    """Each can follow the one before it; the last name is to come last, and the first one first."""
    ring = [[(0, 0.0), (1 << (i - 1) % n, 1.0)] for i in range(n)]
    chain = [0, *(1 << (i - 1) for i in range(1, n))]
    turned = [*(1 << (i - 1) % n for i in range(n - 1)), 0]
    assert read_back_tied(ring, [0] * n, turned, by_model_string=True) == chain
    assert read_back_tied(ring, [0] * n, turned, by_model_string=False) == chain
