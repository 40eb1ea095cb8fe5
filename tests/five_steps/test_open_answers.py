"""How far answers hang on open directions, against the answers of all members of a class."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import bnml
from bnml.five_steps.open_answers import MOST_WAYS, open_answer
from bnml.graph import apply_meek_rules

NAMES = [f"X{i}" for i in range(5)]


def table(seed: int) -> tuple[bnml.DAG, bnml.Data]:
    """Return a random structure of five variables, and rows from it."""
    rng = np.random.default_rng(seed)
    truth = bnml.DAG(NAMES, [pair for pair in combinations(NAMES, 2) if rng.random() < 0.45])
    codes = np.zeros((3000, 5), int)
    for j, name in enumerate(NAMES):
        above = [NAMES.index(p) for p in truth.parents(name)]
        chances = rng.uniform(0.1, 0.9, 2 ** len(above))
        codes[:, j] = rng.random(3000) < chances[codes[:, above] @ (2 ** np.arange(len(above)))]
    return truth, bnml.read(codes.astype(str))


def by_frequencies(dag: bnml.DAG, data: bnml.Data) -> bnml.BayesianNetwork:
    """Equivalent structures then have the same distribution, to the last bits."""
    return bnml.fit(dag, data, "mle")


@pytest.mark.parametrize("seed", range(10))
def test_the_range_is_that_of_all_members(seed):
    truth, data = table(seed)
    graph = truth.cpdag()
    if seed % 2 and graph.undirected:
        graph = apply_meek_rules(graph, background=[graph.undirected[0]])
    members = [by_frequencies(dag, data) for dag in graph.members()]
    network = members[-1]
    for given in [*([x] for x in NAMES), *combinations(NAMES, 2)]:
        do = dict.fromkeys(given, "1")
        for evidence in ({}, {next(x for x in NAMES if x not in do): "0"}):
            found = open_answer(network, graph, data, evidence, do, by_frequencies)
            free = {frozenset(link) for link in graph.undirected}
            assert {frozenset(link) for link in found.links} == {
                link for link in free if len(link & do.keys()) == 1 and link - do.keys()
            }
            assert set(found.links) <= set(network.dag.arcs)
            answers = [member.marginals(evidence, do) for member in members]
            if not found.links:
                assert found.low is found.high is None
            assert found.low is not None or not found.links
            for x in NAMES:
                values = np.stack([answer[x].to_numpy() for answer in answers])
                own = network.marginals(evidence, do)[x].to_numpy()
                low, high = (own, own) if found.low is None else (found.low[x], found.high[x])
                assert low == pytest.approx(values.min(axis=0), abs=1e-9)
                assert high == pytest.approx(values.max(axis=0), abs=1e-9)


def test_too_many_ways_are_left_alone():
    """Of a clique with k variables every set of the others can be the parents of one: 2^(k - 1) ways."""
    rng = np.random.default_rng(0)
    data = bnml.read(rng.integers(0, 2, (200, 6)).astype(str))
    dag = bnml.DAG(data.names, list(combinations(data.names, 2)))
    network, last = bnml.fit(dag, data), data.names[-1]
    assert MOST_WAYS < 2**5
    found = open_answer(network, dag.cpdag(), data, {}, {last: "1"})
    assert (len(found.links), found.low, found.high) == (5, None, None)
    smaller = bnml.DAG(data.names, list(combinations(data.names[:4], 2)))
    assert open_answer(bnml.fit(smaller, data), smaller.cpdag(), data, {}, {data.names[0]: "1"}).low is not None


def test_what_is_set_on_both_sides_hangs_on_nothing():
    truth, data = table(3)
    for a, b in truth.cpdag().undirected:
        found = open_answer(bnml.fit(truth, data), truth.cpdag(), data, {}, {a: "1", b: "0"})
        assert {a, b} not in map(set, found.links)
