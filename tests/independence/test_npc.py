"""NPC: the true class from an oracle, ambiguous regions, and their resolution."""

from __future__ import annotations

import pickle
from zlib import crc32

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml import npc, pc
from bnml.errors import BnmlError
from tests.independence import naive
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


@pytest.mark.parametrize("seed", range(100))
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
    with pytest.raises(BnmlError, match=r"drop: .*in no ambiguous region"):
        npc(twins).resolve(drop=wrong)
    with pytest.raises(BnmlError, match="keep must be"):
        npc(twins).resolve("X0")


def test_nothing_named_is_nothing_resolved(twins):
    result = npc(twins)
    assert result.resolve([]) is result
    assert result.resolve(drop=()) is result
    assert result.resolve() is not result


def test_it_can_be_pickled_and_resolved_later(twins):
    again = pickle.loads(pickle.dumps(npc(twins)))
    assert skeleton_of(again.resolve([("X2", "X0")]).pdag) == {frozenset(("X0", "X1")), frozenset(("X0", "X2"))}


def check_paths(result):
    """Every absent link has its paths, by the definition; and the result says so itself."""
    lost = naive.without_paths(result.pdag.names, skeleton_of(result.pdag), result.sepsets)
    assert not lost
    assert result.path_violations == ()
    n = len(result.pdag.names)
    assert len(result.sepsets) + len(skeleton_of(result.pdag)) == n * (n - 1) // 2


def check_all_choices(found, rng):
    """Resolve a result at random, choice by choice, and by strength."""
    check_paths(found)
    done = found.resolve()
    check_paths(done)
    assert not done.ambiguous_regions
    assert not done.undecided
    result = found
    while result.ambiguous_regions:
        links = sorted(sorted(link) for region in result.ambiguous_regions for link in region)
        link = links[rng.integers(len(links))]
        keeps = rng.random() < 0.5
        after = result.resolve(keep=[link]) if keeps else result.resolve(drop=[link])
        check_paths(after)
        assert (frozenset(link) in skeleton_of(after.pdag)) == keeps
        assert skeleton_of(after.pdag) <= skeleton_of(result.pdag)
        before = {*result.undecided}.union(*result.ambiguous_regions)
        left = {*after.undecided}.union(*after.ambiguous_regions)
        assert left < before
        assert skeleton_of(result.pdag) - before <= skeleton_of(after.pdag)
        result = after
    assert not result.undecided


@pytest.mark.parametrize("seed", range(20))
def test_every_absence_is_explained(seed):
    dag = random_dag(np.random.default_rng(seed), 8, 0.4)
    data = sampled(dag, 100, seed)
    found = npc(data, 0.05)
    check_all_choices(found, np.random.default_rng(seed))
    backwards = npc(data.select(data.names[::-1]), 0.05)
    assert backwards.pdag == found.pdag
    assert backwards.ambiguous_regions == found.ambiguous_regions


@pytest.mark.parametrize("seed", range(60))
def test_every_absence_is_explained_whatever_the_oracle_says(seed):
    """An oracle that is often wrong: it denies one in three of the dependences of a random structure."""
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, int(rng.integers(4, 8)), 0.6)

    def oracle(x, y, given):
        words = f"{seed} {sorted((x, y))} {sorted(given)}"
        return dag.d_separated(x, y, given) or crc32(words.encode()) % 3 == 0

    table = pd.DataFrame({name: [0, 1] for name in dag.names})
    check_all_choices(npc(table, oracle=oracle), rng)


def test_the_example_keeps_its_paths():
    """Keeping one link used to drop the eight others of the region, and left 3 to 8 absent links without a path."""
    found = npc(bnml.example(), 0.01)
    (region,) = found.ambiguous_regions
    for link in region:
        for chosen in (found.resolve(keep=[link]), found.resolve(drop=[link])):
            check_paths(chosen)
            check_paths(chosen.resolve())
    rest = found.resolve(keep=[("dysp", "either")])
    assert rest.ambiguous_regions  # the rest stays open
    assert pc(bnml.example(), 0.01).path_violations  # PC asks for no paths


def test_a_choice_that_leaves_an_absent_link_without_a_path(twins):
    found = npc(twins)
    with pytest.raises(BnmlError, match=r"drop: without X1 - X2 the absent link X1 - X2 would have no path") as caught:
        found.resolve(drop=[("X0", "X2"), ("X2", "X1")])
    assert "independent given X0, and nothing would lead from X2 to X0 without X1" in str(caught.value)
    with pytest.raises(BnmlError, match=r"drop: X0 - X2 is also in keep="):
        found.resolve(keep=[("X0", "X2")], drop=[("X2", "X0")])
    assert found.resolve(drop=[("X0", "X2")]).pdag == found.resolve(keep=[("X1", "X2")]).pdag
    assert found.resolve(keep=[("X0", "X2")], drop=[("X1", "X2")]).pdag == found.resolve([("X0", "X2")]).pdag


def test_strength_by_a_score():
    """A test by a score has no p-values; then the score says which independence is the least credible."""
    found = npc(bnml.example(), test="bic")
    check_paths(found.resolve())
    turned = npc(bnml.example().select(bnml.example().names[::-1]), test="bic")
    assert turned.resolve().pdag == found.resolve().pdag


def test_regions_have_colours_and_links_can_be_kept(twins):
    a, b, c = twins.names
    result = npc(twins)
    assert result._repr_html_().lower().count("#d55e00") > 0
    assert "#d55e00" not in pc(twins)._repr_html_().lower()
    for first in (a, b):
        kept = bnml.learn(twins, search="npc", keep=[(c, first)])
        assert skeleton_of(kept.cpdag) == {frozenset((a, b)), frozenset((first, c))}
        assert kept.regions == result.ambiguous_regions
        dropped = bnml.learn(twins, search="npc", drop=[(c, first)])
        assert frozenset((first, c)) not in skeleton_of(dropped.cpdag)
    with pytest.raises(BnmlError, match="no ambiguous region"):
        bnml.learn(twins, search="npc", keep=[(a, b)])
    with pytest.raises(BnmlError, match="would have no path"):
        bnml.learn(twins, search="npc", drop=[(a, c), (b, c)])
