"""Search over orders of listed families."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bnml._bits import masks_of_words
from bnml._watch import Watch
from bnml.search.cuts import search_orders
from bnml.search.cuts.family_arrays import arrays_of_families
from bnml.search.cuts.order_search import OrderSearch
from tests.search.cuts.naive import best_score, is_structure, random_families, random_links


def arrays(families, links):
    return arrays_of_families(families.parents, families.scores, links, [-math.inf] * len(families.names))


@pytest.mark.parametrize("seed", range(20))
def test_small_lists_are_solved(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    families = random_families(rng, n, 25, bool(seed % 2))
    links = random_links(rng, n, seed % 3 if n > 1 else 0)
    problem = arrays(families, links)
    score, chosen = search_orders(problem, None, 200, seed, Watch())
    best = best_score(families, links)
    assert score == pytest.approx(best, abs=1e-6)
    if best > -math.inf:
        assert is_structure(families, links, masks_of_words(problem.sets[chosen]))
        assert problem.scores[chosen].sum() == pytest.approx(score)
        assert search_orders(problem, None, 200, seed, Watch())[1].tolist() == chosen.tolist()
    else:
        assert (chosen == -1).any()


@pytest.mark.parametrize("seed", range(10))
def test_no_single_move_is_left(seed):
    """The slow twin of the kernel: every variable at every place."""
    rng = np.random.default_rng(100 + seed)
    families = random_families(rng, 7, 30, False)
    search = OrderSearch(arrays(families, [0] * 7))

    def total(order):
        score, before = 0.0, 0
        for x in order:
            fitting = zip(families.parents[x], families.scores[x], strict=True)
            score += next(value for mask, value in fitting if mask & ~before == 0)
            before |= 1 << int(x)
        return score

    begin = rng.permutation(7)
    score, order, _ = search.improve(begin)
    assert score == pytest.approx(total(order))
    assert score >= total(begin) - 1e-9
    for here in range(7):
        for there in range(7):
            moved = order.tolist()
            moved.insert(there, moved.pop(here))
            assert total(moved) <= score + 1e-6
