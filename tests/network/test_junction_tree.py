"""What a junction tree is: every factor in a clique, and the cliques of each variable connected."""

from __future__ import annotations

import numpy as np
import pytest

from bnml._factors import Factor, plan_factors
from bnml.network.junction_tree import JunctionTree


def random_tree(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    sizes = {v: int(rng.integers(2, 4)) for v in range(n)}
    factors = [Factor((v,), rng.random(sizes[v])) for v in range(n)]
    for _ in range(int(rng.integers(0, 8))):
        axes = tuple(rng.permutation(n)[: rng.integers(1, min(n, 4) + 1)].tolist())
        factors.append(Factor(axes, rng.random([sizes[v] for v in axes])))
    return factors, sizes, JunctionTree(factors, sizes, plan_factors([factor.axes for factor in factors], sizes, ()))


@pytest.mark.parametrize("seed", range(100))
def test_it_is_a_junction_tree(seed):
    factors, sizes, tree = random_tree(seed)
    after = tree.arrays.next.tolist()
    assert all(parent == -1 or parent > clique for clique, parent in enumerate(after))
    assert all(tree.clique_of(factor.axes) is not None for factor in factors)
    sets = [set(clique) for clique in tree.cliques]
    assert not any(a <= b for i, a in enumerate(sets) for j, b in enumerate(sets) if i != j), "cliques are maximal"
    for v in sizes:
        held = [c for c, clique in enumerate(sets) if v in clique]
        tops = [c for c in held if after[c] not in held]
        assert len(tops) == 1, "the cliques of a variable hang together"
    for c, clique in enumerate(tree.cliques):
        shared = [v for v in clique if after[c] >= 0 and v in sets[after[c]]]
        assert list(clique[: len(shared)]) == shared, "what is shared comes first"


@pytest.mark.parametrize("seed", range(60))
def test_sums_of_products(seed):
    factors, sizes, tree = random_tree(seed)
    rng = np.random.default_rng(seed)
    weights = {v: rng.random(sizes[v]) for v in sizes if rng.random() < 0.4}
    operands = [part for factor in factors for part in (factor.table, list(factor.axes))]
    operands += [part for v, weight in weights.items() for part in (weight, [v])]
    want = float(np.einsum(*operands, []))
    assert tree.log_mass(weights) == pytest.approx(np.log(want))
    marginals, total = tree.marginals(weights)
    assert total == pytest.approx(np.log(want))
    for v, table in marginals.items():
        assert table / table.sum() == pytest.approx(np.einsum(*operands, [v]) / want)
    for clique in tree.cliques:
        asked = rng.permutation(clique)[: rng.integers(1, len(clique) + 1)].tolist()
        table, _ = tree.joint(asked, weights)
        assert table / table.sum() == pytest.approx(np.einsum(*operands, asked) / want)


@pytest.mark.parametrize("seed", range(60))
def test_the_largest_product(seed):
    factors, sizes, tree = random_tree(seed)
    operands = [part for factor in factors for part in (factor.table, list(factor.axes))]
    whole = np.einsum(*operands, list(sizes))
    states, log = tree.likeliest()
    assert log == pytest.approx(np.log(whole.max()))
    assert whole[tuple(states[v] for v in sizes)] == pytest.approx(whole.max())
