"""The list of candidate families against all families."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

import bnml
from bnml._bits import members
from bnml.counts import _parent_set_kernels as kernels
from bnml.graph import Constraints, Rules
from bnml.nml import regret, regrets
from bnml.scores import LocalScores, candidates_by_bounds
from bnml.scores.candidates_by_bounds import list_by_bounds
from bnml.scores.lattice import allowed_sets, listable_by_bounds, undominated_families
from tests.search.tables import random_prior, random_rules, random_table

SCORES = ("bic", "aic", "hqc", "mdl", "qnml", "fnml", "bdeu", "bdeu:10", "k2", "bdj", "bd:3", "loglik")
TIE = 1e-7


def fits(rules):
    return all(rules.fits(i, must) for i, must in enumerate(rules.must))


def differences(found, full):
    """Return what a list misses, and what it has too much; sets that tie with a subset may be in either or not."""
    wrong = []
    for i, (masks, scores) in enumerate(zip(full.parents, full.scores, strict=True)):
        listed = dict(zip(found.parents[i], found.scores[i].tolist(), strict=True))
        for mask, score in zip(masks, scores.tolist(), strict=True):
            best = max((value for other, value in listed.items() if not other & ~mask), default=-math.inf)
            if best < score - TIE:
                wrong.append(("missing", i, members(mask), score - best))
        known = dict(zip(masks, scores.tolist(), strict=True))
        for mask, score in listed.items():
            best = max((value for other, value in known.items() if not other & ~mask), default=-math.inf)
            if score > best + TIE:
                wrong.append(("too good", i, members(mask), score - best))
    return wrong


@pytest.mark.parametrize("seed", range(24))
def test_all_families_that_matter_and_no_others(seed):
    rng = np.random.default_rng(seed)
    data = random_table(rng, 9)
    for score in SCORES:
        local = LocalScores(data, score, random_prior(rng, data))
        rules = random_rules(rng, data)
        if fits(rules):
            found = list_by_bounds(local, rules, threads=1)
            assert found.complete
            assert found.families.complete_to == min(rules.most, len(data.names) - 1)
            assert differences(found.families, undominated_families(local, rules)) == [], (score, rules)


@pytest.mark.parametrize("score", ["bic", "qnml", "fnml", "bdeu"])
def test_twelve_columns(score):
    data = random_table(np.random.default_rng(5), 12, fewest=12)
    local, rules = LocalScores(data, score), Rules.none(data.names)
    found = list_by_bounds(local, rules)
    assert differences(found.families, undominated_families(local, rules)) == []
    assert found.visited < 12 * 2**11


@pytest.mark.parametrize("only", ["dominance", "entropy", "pairs", "none"])
@pytest.mark.parametrize("seed", range(12))
def test_each_bound_by_itself(only, seed, monkeypatch):
    """A bound that is switched off closes fewer sets; none of them closes one that matters."""
    rng = np.random.default_rng(100 + seed)
    data = random_table(rng, 8, fewest=4)
    rules = Rules.none(data.names)
    whole = candidates_by_bounds._CostsOf.kernel.func

    def changed(costs):
        kernel = whole(costs)
        least = kernel.least
        if only != "entropy":
            least = least - 1e9  # as if everything were unknown of each member
        return kernel._replace(least=least, mode=kernel.mode if only != "none" else 0)

    monkeypatch.setattr(candidates_by_bounds._CostsOf, "kernel", property(changed))
    if only != "pairs":
        monkeypatch.setattr("bnml.counts.parent_sets.ParentSets._match", lambda sets, pairs: None)
    for score in ("bic", "aic", "qnml", "mdl"):
        local = LocalScores(data, score, random_prior(rng, data))
        found = list_by_bounds(local, rules, threads=1)
        assert differences(found.families, undominated_families(local, rules)) == [], score


def test_bounds_save_work():
    data = random_table(np.random.default_rng(11), 10, fewest=10)
    for score in ("bic", "qnml"):
        assert list_by_bounds(LocalScores(data, score), Rules.none(data.names)).visited < 10 * 2**9


@pytest.mark.parametrize("score", SCORES[:-1])
@pytest.mark.parametrize("seed", range(6))
def test_what_is_not_listed_has_a_bound(score, seed):
    """A list that ends early is whole up to a size; no parent set beyond scores higher than the bound says."""
    rng = np.random.default_rng(200 + seed)
    data = random_table(rng, 8, fewest=5)
    local = LocalScores(data, score, random_prior(rng, data))
    rules = random_rules(rng, data)
    if not fits(rules):
        rules = Rules.none(data.names)
    ended = [list_by_bounds(local, rules, most_sets=sets) for sets in (0, 30, 200)]
    for looks in (0, 3, 12, 25, 40):  # at the clock, before the time is over: within a level, too
        left = iter(range(looks))
        ended.append(list_by_bounds(local, rules, 1, lambda left=left: next(left, None) is None))
    for found in ended:
        families = found.families
        for i in range(len(data.names)):
            allowed = [int(mask) for mask in allowed_sets(rules, i)]
            scores = dict(zip(allowed, local.families(i, [members(m) for m in allowed]).tolist(), strict=True))
            for mask, value in scores.items():
                smaller = [s for s in families.parents[i] if not s & ~mask]
                best = max((local.family(i, members(s)) for s in smaller), default=-math.inf)
                small = mask.bit_count() <= families.complete_to
                assert value <= max(best, -math.inf if small else found.unlisted[i]) + TIE


def test_the_time_may_end_while_families_are_scored(monkeypatch):
    """By a clock that goes on only while families are scored: no more than those of one variable come too late."""
    data = random_table(np.random.default_rng(6), 9, fewest=9)
    local, rules = LocalScores(data, "k2"), Rules.none(data.names)
    numbers, families = [], LocalScores.families

    def counted(scores, child, candidates, threads=None):
        numbers.append(len(candidates))
        return families(scores, child, candidates, threads)

    monkeypatch.setattr(LocalScores, "families", counted)
    assert list_by_bounds(local, rules, 1).complete
    limit = sum(numbers) / 2
    numbers.clear()
    assert not list_by_bounds(local, rules, 1, lambda: sum(numbers) > limit).complete
    assert sum(numbers[:-1]) <= limit


def test_threads_and_columns_make_no_difference():
    data = random_table(np.random.default_rng(3), 9, fewest=9)
    turned = data.select(data.names[::-1])
    for score in ("qnml", "bdeu"):
        one, two = (list_by_bounds(LocalScores(data, score), Rules.none(data.names), t) for t in (1, 2))
        assert one.families == two.families
        assert one.visited == two.visited
        other = list_by_bounds(LocalScores(turned, score), Rules.none(turned.names)).families
        for x in data.names:
            own, its = data.names.index(x), turned.names.index(x)
            named = {tuple(sorted(data.names[j] for j in members(m))) for m in one.families.parents[own]}
            assert named == {tuple(sorted(turned.names[j] for j in members(m))) for m in other.parents[its]}


def test_required_links_have_lists_of_their_own():
    """A set with the linked variable does not compete with a better one without it."""
    rng = np.random.default_rng(0)
    data = bnml.read(rng.integers(0, 2, (200, 4)))
    rules = Constraints(required_links=[("X0", "X1")]).compiled(data.names)
    families = list_by_bounds(LocalScores(data, "bic"), rules).families
    assert {0, 0b10} <= set(families.parents[0])
    assert {0, 0b01} <= set(families.parents[1])


def test_scores_that_pay_for_states():
    """BDeu, BD and fNML charge log r for each state that occurs with a configuration of the parents."""
    data = random_table(np.random.default_rng(8), 6, fewest=6)
    for score in ("bdeu", "bdeu:0.01", "bdeu:100", "k2", "bdj", "bd:20", "fnml"):
        local = LocalScores(data, score)
        assert local.score_function.pays_for_states
        for i, r in enumerate(data.arities):
            for k in range(4):
                for parents in combinations([j for j in range(6) if j != i], k):
                    filled = local.counts.cells([i, *parents]).counts.size
                    assert local.family(i, parents) <= -filled * math.log(r) + 1e-9


def test_normalised_maximum_likelihood_pays_for_states():
    """C(r, n) / P(x) >= r^m for the most probable sequence of n with m states: one of them n - m + 1 times."""
    for r in (2, 3, 4, 7, 12, 40):
        for m in range(1, r + 1):
            for n in {m, m + 1, m + 2, m + 5, 2 * m, 10 * m, 300}:
                if n >= m:
                    often = n - m + 1
                    cost = n * math.log(n) - often * math.log(often) + regret(n, r)
                    assert cost >= m * math.log(r) - 1e-9


@pytest.mark.parametrize("n_rows", [20, 300, 10_000])
def test_the_growth_of_prices_rises_and_falls(n_rows):
    """What is looked up at run time for qNML does hold: so the least growth of a range is at one of its ends."""
    for r in (2, 3, 6):
        for s in (2, 3, 5):
            q = np.unique(np.floor(1.3 ** np.arange(60)))
            price = [regrets(n_rows, k * q * r) - regrets(n_rows, k * q) for k in (1.0, float(s))]
            growth = price[1] - price[0]
            assert np.array_equal(candidates_by_bounds._least_ahead(growth.copy(), growth.size), growth)
    falls_and_rises = np.array([3.0, 1.0, 2.0])
    assert candidates_by_bounds._least_ahead(falls_and_rises, 3).tolist() == [1.0, 1.0, 2.0]


def test_what_cannot_be_listed():
    data = random_table(np.random.default_rng(2), 6, fewest=6)
    assert listable_by_bounds(LocalScores(data, "bic"), Rules.none(data.names))
    assert not listable_by_bounds(LocalScores(data, "bds"), Rules.none(data.names))


def test_bits_are_counted():
    for word in (0, 1, 0x3FFFFFFFFFFFFFFF, 0x2AAAAAAAAAAAAAAA, 12345678901234567):
        assert kernels._ones(word) == word.bit_count()
