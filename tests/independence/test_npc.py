"""NPC: the true class from an oracle, ambiguous regions, and their resolution."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import bnml
from bnml import npc, pc
from bnml.errors import BnmlError
from tests.independence.strategies import random_dag, sampled
from tests.reference import ALARM


def skeleton_of(pdag):
    return {frozenset(edge) for edge in (*pdag.directed, *pdag.undirected)}


@pytest.fixture(scope="module")
def twins():
    """X and Y are all but copies, T hangs on both, U on T."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 500)
    y = np.where(np.arange(500) < 4, 1 - x, x)
    t = np.where(rng.random(500) < 0.8, x, 1 - x)
    t[:4] = [x[0], y[1], x[2], y[3]]
    return bnml.read(np.stack([x, y, t], axis=1))


@pytest.mark.parametrize("seed", range(200))
def test_the_true_class_of_random_structures(seed):
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, int(rng.integers(1, 13)))
    result = npc(None, oracle=dag)
    assert result.pdag == dag.cpdag()
    assert not result.ambiguous_regions
    assert not result.undecided


def test_alarm():
    result = npc(None, oracle=ALARM)
    assert result.pdag == ALARM.cpdag()
    assert not result.ambiguous_regions


def test_a_region_and_its_resolution(twins):
    a, b, c = twins.names
    assert skeleton_of(pc(twins).pdag) == {frozenset((a, b))}
    result = npc(twins)
    region = frozenset((frozenset((a, c)), frozenset((b, c))))
    assert result.ambiguous_regions == (region,)
    assert set(map(frozenset, result.pdag.undirected)) >= region
    assert "region 1" in str(result)
    assert "not all can go" in str(result)
    for link in region:
        chosen = result.resolve([sorted(link)])
        assert skeleton_of(chosen.pdag) == {frozenset((a, b)), link}
        assert not chosen.ambiguous_regions
        (dropped,) = region - {link}
        assert chosen.sepsets[dropped] == frozenset((a, b, c)) - dropped
    both = result.resolve(region)
    assert skeleton_of(both.pdag) == {frozenset((a, b)), *region}
    assert result.ambiguous_regions == (region,)  # a result does not change


def test_the_strongest_link_stays(twins):
    result = npc(twins)
    chosen = result.resolve()
    tests = result.tests
    tests = tests[tests["independent"]]
    weakest = min(tests["log_p"])
    kept = {frozenset((row.a, row.b)) for row in tests.itertuples() if row.log_p == weakest}
    assert skeleton_of(chosen.pdag) & frozenset().union(*result.ambiguous_regions) <= kept
    assert len(skeleton_of(chosen.pdag)) == 2


@pytest.mark.parametrize("wrong", [[("X0", "X1")], [("X0", "nobody")], [("X0", "X2"), ("X0", "X1")]])
def test_links_outside_every_region_are_refused(twins, wrong):
    with pytest.raises(BnmlError, match="in no ambiguous region"):
        npc(twins).resolve(wrong)
    with pytest.raises(BnmlError, match="links_to_keep"):
        npc(twins).resolve("X0")


def test_nothing_named_is_nothing_resolved(twins):
    result = npc(twins)
    assert result.resolve([]) is result


def test_it_can_be_pickled_and_resolved_later(twins):
    again = pickle.loads(pickle.dumps(npc(twins)))
    assert skeleton_of(again.resolve([("X2", "X0")]).pdag) == {frozenset(("X0", "X1")), frozenset(("X0", "X2"))}


@pytest.mark.parametrize("seed", range(10))
def test_every_absence_is_explained(seed):
    """After the default resolution, paths lead to all members of each separating set."""
    import networkx as nx

    dag = random_dag(np.random.default_rng(seed), 8, 0.4)
    data = sampled(dag, 100, seed)
    found = npc(data, 0.05)
    result = found.resolve()
    assert not result.ambiguous_regions
    assert not result.undecided
    graph = nx.Graph(map(tuple, skeleton_of(result.pdag)))
    graph.add_nodes_from(data.names)
    for pair, given in result.sepsets.items():
        for start, other in (sorted(pair), sorted(pair)[::-1]):
            around = graph.subgraph(set(graph) - {other})
            assert all(nx.has_path(around, start, goal) for goal in given)
    backwards = npc(data.select(data.names[::-1]), 0.05)
    assert backwards.pdag == found.pdag
    assert backwards.ambiguous_regions == found.ambiguous_regions


def test_regions_have_colours_and_links_can_be_kept(twins):
    a, b, c = twins.names
    result = npc(twins)
    assert result._repr_html_().lower().count("#d55e00") > 0
    assert "#d55e00" not in pc(twins)._repr_html_().lower()
    for first in (a, b):
        kept = bnml.learn(twins, search="npc", keep=[(c, first)])
        assert skeleton_of(kept.cpdag) == {frozenset((a, b)), frozenset((first, c))}
        assert kept.regions == result.ambiguous_regions
    with pytest.raises(BnmlError, match="no ambiguous region"):
        bnml.learn(twins, search="npc", keep=[(a, b)])
