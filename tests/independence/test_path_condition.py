"""The necessary path condition against its definition."""

from __future__ import annotations

from itertools import chain, combinations

import networkx as nx
import numpy as np
import pytest

from bnml.independence.path_condition import (
    accepted_statements,
    drop_link,
    keep_links,
    links_without,
    settle_path_condition,
    unexplained,
    unsure_regions,
)
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


def links_of(masks):
    return {(i, j) for i, mask in enumerate(masks) for j in range(i + 1, len(masks)) if mask >> j & 1}


def explained(links, pair, statements):
    return any(supported(links, pair, one.given) for one in statements[pair])


def check_standing(standing, statements, masks):
    """Check that what is decided is explained, and that all the rest is open."""
    left = links_of(standing.possible)
    gone = links_of(masks) - left
    sure = left - standing.unsure
    assert sure == links_of(standing.sure)
    assert gone <= set(statements)
    assert standing.unsure <= set(statements)
    shown = accepted_statements(standing, masks, statements)
    for pair in gone:
        assert shown[pair] in statements[pair]
        assert supported(left, pair, shown[pair].given)
    for pair in gone - standing.dropped:  # what goes without being asked for is explained by what stays for sure
        assert explained(sure, pair, statements)
    for pair in standing.unsure:
        assert explained(left - {pair}, pair, statements)
        assert not explained(sure, pair, statements)
        assert all(explained(left - {pair}, other, statements) for other in standing.dropped)
    found = unsure_regions(standing, statements)
    assert set().union(*found) <= standing.unsure
    assert bool(found) == bool(standing.unsure)
    assert all(len(region) > 1 for region in found)


@pytest.mark.parametrize("seed", range(60))
def test_all_ways_to_drop_links(seed):
    _, statements, masks = instance(seed)
    standing = settle_path_condition(masks, statements)
    check_standing(standing, statements, masks)
    left = links_of(standing.possible)
    sure = links_of(standing.sure)
    open_pairs = sorted(set(statements) & left)
    for some in chain.from_iterable(combinations(open_pairs, k) for k in range(len(open_pairs) + 1)):
        rest = left - set(some)
        if all(explained(rest, p, statements) for p in some):
            assert not set(some) & sure  # no way that explains all it drops, besides these, drops a sure link


@pytest.mark.parametrize("seed", range(150))
def test_choices_one_by_one(seed):
    """Whatever is chosen in whatever order: nothing is taken back, and every absent link has its paths."""
    rng = np.random.default_rng(seed)
    _, statements, masks = instance(seed, 6)
    standing = settle_path_condition(masks, statements)
    while standing.unsure:
        pair = sorted(standing.unsure)[rng.integers(len(standing.unsure))]
        before = standing
        rest = links_of(standing.possible) - {pair}
        lost = [p for p in sorted(standing.dropped | {pair}) if not explained(rest, p, statements)]
        assert unexplained(links_without(standing.possible, pair), statements, standing.dropped | {pair}) == lost
        assert not lost  # an open link can be chosen either way
        if rng.random() < 0.5:
            standing = drop_link(standing, statements, pair)
            assert pair not in links_of(standing.possible)
        else:
            standing = keep_links(standing, statements, [pair])
            assert pair in links_of(standing.sure)
        assert links_of(before.sure) <= links_of(standing.sure)
        assert links_of(standing.possible) <= links_of(before.possible)
        assert standing.unsure < before.unsure
        check_standing(standing, statements, masks)
    for pair in standing.dropped:
        assert explained(links_of(standing.sure), pair, statements)


def test_two_links_that_need_each_other():
    masks = [0b110, 0b101, 0b011]
    statements = {(0, 2): [Found((1,), -1.0)], (1, 2): [Found((0,), -2.0)]}
    standing = settle_path_condition(masks, statements)
    assert unsure_regions(standing, statements) == (frozenset({(0, 2), (1, 2)}),)
    for after in (keep_links(standing, statements, [(0, 2)]), drop_link(standing, statements, (1, 2))):
        assert after.possible == after.sure == (0b110, 0b001, 0b001)
        assert not after.unsure
    assert settle_path_condition(masks, statements, kept=[(0, 2)]).possible == (0b110, 0b001, 0b001)


def test_a_link_that_waits_for_a_region():
    """3 and 4 hang on 0, and 3 ⟂ 4 | 2 needs a path from 0 to 2: over one of the links of the region."""
    masks = [0b11110, 0b00101, 0b00011, 0b10001, 0b01001]
    statements = {(0, 2): [Found((1,), -1.0)], (1, 2): [Found((0,), -2.0)], (3, 4): [Found((2,), -1.0)]}
    standing = settle_path_condition(masks, statements)
    assert unsure_regions(standing, statements) == (frozenset({(0, 2), (1, 2)}),)
    assert standing.unsure == {(0, 2), (1, 2), (3, 4)}
    after = keep_links(standing, statements, [(0, 2)])
    assert not after.unsure
    assert (3, 4) in accepted_statements(after, masks, statements)


def test_a_link_that_a_choice_needs():
    """0 - 1 was dropped and 2 explains it; 0 - 3 could go, but then no path would lead from 0 to 2 without 1."""
    masks = [0b1010, 0b1101, 0b1010, 0b0111]
    statements = {(0, 1): [Found((2,), -1.0)], (0, 3): [Found((1,), -1.0)]}
    standing = settle_path_condition(masks, statements)
    assert standing.unsure == {(0, 1), (0, 3)}
    after = drop_link(standing, statements, (0, 1))
    assert links_of(after.sure) == {(0, 3), (1, 2), (1, 3), (2, 3)}
    assert not after.unsure


def test_an_independence_that_nothing_explains():
    """0 and 1 are joined to nothing else: a set that separates them has no paths to it, and the link stays."""
    standing = settle_path_condition([0b010, 0b001, 0b000], {(0, 1): [Found((2,), -0.1)]})
    assert standing.possible == (0b010, 0b001, 0b000)
    assert not standing.unsure
