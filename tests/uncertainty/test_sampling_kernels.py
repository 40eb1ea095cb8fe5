"""Parts of the sampling kernels against plain Python: random numbers, sets, cycles, the table of families, moves."""

from __future__ import annotations

import math
import random

import networkx as nx
import numpy as np
import pytest

from bnml._bits import masks_of_words, words_of_masks
from bnml.graph import Rules
from bnml.uncertainty import _sampling_kernels as kernels
from bnml.uncertainty import chains, edge_reversal, order_moves, single_arcs


@pytest.fixture(autouse=True)
def wrapping():
    with np.errstate(over="ignore"):
        yield


def splitmix(key, step, draw):
    word = (1 << 64) - 1
    z = (key + (step * kernels.DRAWS + draw + 1) * 0x9E3779B97F4A7C15) & word
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & word
    z = (z ^ z >> 27) * 0x94D049BB133111EB & word
    return z ^ z >> 31


def test_random_numbers():
    for key, step, draw in ((0, 0, 0), (12345, 7, 3), ((1 << 64) - 1, 10**12, 7)):
        assert int(kernels.random_bits(np.uint64(key), step, draw)) == splitmix(key, step, draw)
    units = [kernels.random_unit(np.uint64(3), step, 2) for step in range(2000)]
    assert min(units) >= 0
    assert max(units) < 1
    assert np.mean(units) == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize("n", [2, 3, 7])
def test_pairs_are_drawn_alike(n):
    counts = np.zeros((n, n))
    for step in range(3000):
        counts[single_arcs.random_pair(kernels.random_bits(np.uint64(5), step, 0), n)] += 1
    assert (np.diag(counts) == 0).all()
    rest = counts[~np.eye(n, dtype=bool)]
    assert np.abs(rest / 3000 - 1 / rest.size).max() < 5 * math.sqrt(1 / rest.size / 3000)


def random_dag(rng, n):
    order = list(range(n))
    rng.shuffle(order)
    return [sum(1 << order[j] for j in range(order.index(v)) if rng.random() < 2 / n) for v in range(n)]


@pytest.mark.parametrize("n", [5, 64, 70])
def test_sets_and_cycles(n):
    rng = random.Random(n)
    masks = random_dag(rng, n)
    words = words_of_masks(masks, n)
    graph = nx.DiGraph([(p, v) for v in range(n) for p in range(n) if masks[v] >> p & 1])
    graph.add_nodes_from(range(n))
    out, stack, seen = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(words.shape[1], np.uint64)
    assert kernels.number_of_arcs(words) == graph.number_of_edges()
    for v in range(n):
        k = kernels.members_of_words(words[v], out)
        assert out[:k].tolist() == [p for p in range(n) if masks[v] >> p & 1]
        assert kernels.size_of_words(words[v]) == k
    for _ in range(60):
        u, v = rng.sample(range(n), 2)
        assert kernels.has_arc(words, u, v) == graph.has_edge(u, v)
        assert kernels.leads_to(words, u, -1, v, stack, seen) == (v in nx.ancestors(graph, u))
    for u, v in list(graph.edges)[:40]:
        rest = graph.copy()
        rest.remove_edge(u, v)
        assert kernels.leads_to(words, v, u, u, stack, seen) == (u in nx.ancestors(rest, v))


def empty_table(slots, width):
    return np.full(slots, -1, np.int32), np.zeros((slots, width), np.uint64), np.zeros(slots), np.full((0, 1), np.nan)


@pytest.mark.parametrize("n", [6, 70])
def test_the_table_of_families(n):
    rng = random.Random(0)
    masks = random_dag(rng, n)
    parents = words_of_masks(masks, n)[None]
    wanted = [(rng.randrange(n), rng.choice([-1, *range(n)])) for _ in range(40)]
    wanted = [(v, u) for v, u in wanted if u != v]
    asked = np.zeros((1, 60, 2), np.int32)
    asked[0, : len(wanted)] = wanted
    table, entered = empty_table(128, parents.shape[2]), np.empty(60, np.int64)
    number = kernels.enter_wanted(parents, asked, np.array([len(wanted)]), table, entered, 100)
    families = {(v, masks[v] ^ (1 << u if u >= 0 else 0)) for v, u in wanted}
    assert number == len(families)
    found = {(int(table[0][at]), masks_of_words(table[1][[at]])[0]) for at in entered[:number]}
    assert found == families
    table[2][entered[:number]] = range(number)
    larger = empty_table(512, parents.shape[2])
    kernels.rehash(table, larger)
    for v, u in wanted:
        at = kernels.find_family(larger, v, parents[0, v], u)
        assert larger[2][at] == table[2][kernels.find_family(table, v, parents[0, v], u)]
    columns = np.array(rng.sample(range(n), n))
    members, offsets, position = (
        np.empty(n * number, np.int64),
        np.empty(number + 1, np.int64),
        np.empty(number, np.int64),
    )
    kernels.batch_members(table, entered[:number], columns, members, offsets, position)
    for f, at in enumerate(entered[:number].tolist()):
        own = members[offsets[f] : offsets[f + 1]].tolist()
        child, mask = int(table[0][at]), masks_of_words(table[1][[at]])[0]
        assert own == sorted(int(columns[v]) for v in range(n) if mask >> v & 1 or v == child)
        assert own[position[f]] == columns[child]


def all_families(n, seed):
    """Return a table with a random score for each family of n variables."""
    rng = np.random.default_rng(seed)
    table = empty_table(64 * n, 1)
    for v in range(n):
        for mask in range(1 << n):
            if not mask >> v & 1:
                at = -1 - kernels.find_family(table, v, np.array([mask], np.uint64), -1)
                table[0][at], table[1][at, 0], table[2][at] = v, mask, rng.normal() * 2
    return table


def open_rules(n):
    free = np.ones((n, n), np.uint8) - np.eye(n, dtype=np.uint8)
    return free, np.zeros((n, n), np.uint8), np.zeros((n, n), np.uint8), n - 1, np.ones(n), math.inf


class Replica:
    """A replica that starts without arcs, and what its steps are handed."""

    def __init__(self, n, table):
        self.table, self.rules, self.n = table, open_rules(n), n
        self.parents, self.order = chains.first_structure(Rules.none([f"X{i}" for i in range(n)]))
        self.place = np.argsort(self.order)
        places = [kernels.find_family(table, v, self.parents[v], -1) for v in range(n)]
        self.own, self.near = table[2][places], np.full((n, n), np.nan)
        self.need, self.scratch, self.stack = np.empty(4, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
        self.seen, self.words, self.weights = np.empty(1, np.uint64), np.empty((2, 1), np.uint64), np.empty(300)
        self.key = np.uint64(77)

    def single_arc(self, at, beta=1.0, gamma=0.0):
        arrays = (self.parents, self.own, self.near, self.rules[2], self.need, self.stack, self.seen)
        return single_arcs.single_arc_step(at, True, self.key, beta, gamma, *arrays)

    def with_order(self, at):
        arrays = (self.parents, self.own, self.near, self.rules[2], self.need, self.order, self.place)
        return order_moves.order_move_step(at, True, self.key, 1.0, 0.0, *arrays)

    def neighbourhood(self, at, lists, beta=1.0, gamma=0.0):
        arrays = (self.parents, self.own, self.near, self.rules, lists)
        return edge_reversal.edge_reversal_step(
            at, self.key, beta, gamma, *arrays, self.scratch, self.seen, self.words, self.weights
        )

    def taken(self, step, at):
        """Take a step; what it needs is looked up."""
        while (done := step(at)) < 0:
            for k in (0, 2):
                v, u = self.need[k : k + 2]
                if v < 0:
                    break
                self.near[v, u] = self.table[2][kernels.find_family(self.table, v, self.parents[v], u)]
        return done


def run_chain(replica, steps, step):
    """Return how often a chain visited each structure."""
    seen: dict = {}
    for at in range(steps):
        replica.taken(step, at)
        key = tuple(replica.parents[:, 0].tolist())
        seen[key] = seen.get(key, 0) + 1 / steps
        for v in range(replica.n):
            place = kernels.find_family(replica.table, v, replica.parents[v], -1)
            assert replica.own[v] == replica.table[2][place]
    return seen


def exact(n, table, orders=False):
    from tests.uncertainty import naive

    weight = {(int(v), int(s)): x for v, s, x in zip(table[0], table[1][:, 0], table[2], strict=True) if v >= 0}
    found = naive.probabilities(n, lambda i, p: weight[i, sum(1 << q for q in p)], "order" if orders else "uniform")
    return {tuple(sum(1 << q for q in p) for p in s): chance for s, chance in found.items()}


def distance(found, want):
    return sum(abs(found.get(one, 0.0) - want.get(one, 0.0)) for one in {*found, *want}) / 2


def test_single_arcs_have_the_right_limit():
    table = all_families(3, 0)
    replica = Replica(3, table)
    assert distance(run_chain(replica, 12_000, replica.single_arc), exact(3, table)) < 0.06


def test_hot_chains_have_the_right_limit():
    """Weights are exp(β score - γ arcs)."""
    table = all_families(3, 3)
    replica = Replica(3, table)
    found = run_chain(replica, 12_000, lambda at: replica.single_arc(at, 0.4, 0.7))
    sizes = np.array([mask.bit_count() for mask in table[1][:, 0].tolist()])
    cooled = (*table[:2], 0.4 * table[2] - 0.7 * sizes)
    assert distance(found, exact(3, cooled)) < 0.06


def test_orders_have_the_right_limit():
    table = all_families(3, 1)
    replica = Replica(3, table)
    found = run_chain(replica, 15_000, replica.with_order)
    assert distance(found, exact(3, table, orders=True)) < 0.07
    assert replica.order[replica.place].tolist() == [0, 1, 2]


@pytest.mark.parametrize("hot", [False, True])
@pytest.mark.parametrize("most", [3, 100])
def test_whole_neighbourhoods_have_the_right_limit(most, hot, monkeypatch):
    """By turns with single arcs, with all parent sets listed and with few of them."""
    monkeypatch.setattr(edge_reversal, "MOST_LISTED", most)
    table = all_families(3, 2)
    replica, lists, moved = Replica(3, table), edge_reversal.reversal_lists(table, 3), 0
    weights = (0.5, 0.6) if hot else (1.0, 0.0)

    def step(at):
        nonlocal moved
        if at % 3:
            done = replica.neighbourhood(at, lists, *weights)
            moved += done
            return done
        return replica.single_arc(at, *weights)

    found = run_chain(replica, 12_000, step)
    sizes = np.array([mask.bit_count() for mask in table[1][:, 0].tolist()])
    cooled = (*table[:2], weights[0] * table[2] - weights[1] * sizes)
    assert distance(found, exact(3, cooled)) < 0.08
    assert moved > 10


def test_a_score_that_is_not_known_is_asked_for():
    table = all_families(3, 0)
    replica = Replica(3, table)
    assert replica.single_arc(0) == -1
    u, v = single_arcs.random_pair(kernels.random_bits(np.uint64(77), 0, 0), 3)
    assert replica.need[:3].tolist() == [v, u, -1]
