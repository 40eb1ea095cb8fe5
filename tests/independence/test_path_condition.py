"""The necessary path condition against its definition."""

from __future__ import annotations

from itertools import chain, combinations

import networkx as nx
import numpy as np
import pytest

from bnml.independence.path_condition import decide
from bnml.independence.skeleton import Found


def supported(links, pair, given):
    """Paths, by networkx, from either of a pair to all that is given, not crossing the other."""
    for start, other in (pair, pair[::-1]):
        graph = nx.Graph([tuple(sorted(link)) for link in links])
        graph.add_nodes_from(range(6))
        graph.remove_node(other)
        if not all(nx.has_path(graph, start, goal) for goal in given):
            return False
    return True


def instance(seed, n=5):
    rng = np.random.default_rng(seed)
    pairs = list(combinations(range(n), 2))
    links = [pair for pair in pairs if rng.random() < 0.8]
    statements = {}
    for x, y in links:
        if rng.random() < 0.7:
            others = [v for v in range(n) if v not in (x, y)]
            sets = {tuple(sorted(rng.choice(others, rng.integers(1, 3), replace=False).tolist())) for _ in range(2)}
            statements[x, y] = [Found(given, -float(rng.random())) for given in sorted(sets)]
    masks = [0] * n
    for x, y in links:
        masks[x] |= 1 << y
        masks[y] |= 1 << x
    return links, statements, masks


@pytest.mark.parametrize("seed", range(60))
def test_all_ways_to_drop_links(seed):
    links, statements, masks = instance(seed)
    decision = decide(masks, statements)
    left = {(x, y) for x, y in links if decision.links[x] >> y & 1}
    gone = set(links) - left
    sure = left - decision.unsure
    assert gone <= set(statements)
    assert decision.unsure <= set(statements)
    for pair in gone:  # what goes is explained by what stays for sure, and the set that is shown is a known one
        assert any(supported(sure, pair, one.given) for one in statements[pair])
        assert decision.accepted[pair] in statements[pair]
        assert supported(left, pair, decision.accepted[pair].given)
    open_pairs = sorted(set(statements) - gone)
    for some in chain.from_iterable(combinations(open_pairs, k) for k in range(len(open_pairs) + 1)):
        rest = left - set(some)
        if all(any(supported(rest, p, one.given) for one in statements[p]) for p in some):
            assert not set(some) & sure  # no way that explains all it drops, besides these, drops a sure link
    for pair in decision.unsure:
        assert any(supported(left - {pair}, pair, one.given) for one in statements[pair])
    in_regions = set().union(*decision.regions)
    assert in_regions <= decision.unsure
    assert bool(in_regions) == bool(decision.unsure)
    assert all(len(region) > 1 for region in decision.regions)


def test_two_links_that_need_each_other():
    masks = [0b110, 0b101, 0b011]
    statements = {(0, 2): [Found((1,), -1.0)], (1, 2): [Found((0,), -2.0)]}
    decision = decide(masks, statements)
    assert decision.regions == (frozenset({(0, 2), (1, 2)}),)
    assert decide(masks, statements, kept=[(0, 2)]).links == (0b110, 0b001, 0b001)
    assert not decide(masks, statements, kept=[(0, 2)]).regions


def test_a_link_that_waits_for_a_region():
    """3 and 4 hang on 0, and 3 ⟂ 4 | 2 needs a path from 0 to 2: over one of the links of the region."""
    masks = [0b11110, 0b00101, 0b00011, 0b10001, 0b01001]
    statements = {(0, 2): [Found((1,), -1.0)], (1, 2): [Found((0,), -2.0)], (3, 4): [Found((2,), -1.0)]}
    decision = decide(masks, statements)
    assert decision.regions == (frozenset({(0, 2), (1, 2)}),)
    assert decision.unsure == {(0, 2), (1, 2), (3, 4)}
    after = decide(masks, statements, kept=[(0, 2)], dropped=[(1, 2)])
    assert not after.unsure
    assert (3, 4) in after.accepted


def test_an_independence_that_nothing_explains():
    """0 and 1 are joined to nothing else: a set that separates them has no paths to it, and the link stays."""
    decision = decide([0b010, 0b001, 0b000], {(0, 1): [Found((2,), -0.1)]})
    assert decision.links == (0b010, 0b001, 0b000)
    assert not decision.unsure
