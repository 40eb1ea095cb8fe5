"""Branch and cut, against the recursion over all subsets."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bnml._bits import members, permuted_masks
from bnml._watch import Watch
from bnml.errors import SearchError
from bnml.scores import FamilyScores
from bnml.search.cuts import solve_by_cuts
from tests.search.cuts.naive import best_score, is_structure, random_families, random_links

COMPLETE = -math.inf


def solved(families, links=None, start=None, unlisted=None, watch=None):
    """Solve, and check that every bound on the way is one."""
    n = len(families.names)
    links = [0] * n if links is None else links
    told = []
    result = solve_by_cuts(
        families, links, start, [COMPLETE] * n if unlisted is None else unlisted, watch or Watch(),
        lambda stage, lower, upper: told.append((lower, upper)),
    )  # fmt: skip
    assert is_structure(families, links, result.parents)
    assert result.score == math.fsum(families.family(i, members(p)) for i, p in enumerate(result.parents))
    best = best_score(families, links) if n < 12 else result.score
    for lower, upper in [*told, (result.score, result.bound)]:
        assert lower <= best + 1e-9
        assert upper >= best - 1e-9
    return result, best


@pytest.mark.parametrize("seed", range(60))
def test_against_the_recursion(seed):
    rng = np.random.default_rng(seed)
    families = random_families(rng, int(rng.integers(1, 9)), int(rng.integers(1, 30)), bool(seed % 2))
    result, best = solved(families)
    assert result.score == pytest.approx(best, abs=1e-6)
    assert result.bound == pytest.approx(best, abs=1e-4)


@pytest.mark.parametrize("seed", range(40))
def test_required_links_and_lists_without_the_empty_set(seed):
    rng = np.random.default_rng(1000 + seed)
    n = int(rng.integers(2, 8))
    families = random_families(rng, n, int(rng.integers(5, 40)), bool(seed % 2), empty=seed % 4 > 0)
    links = random_links(rng, n, int(rng.integers(0, 4)))
    if best_score(families, links) == -math.inf:
        with pytest.raises(SearchError, match="no structure"):
            solve_by_cuts(families, links, None, [COMPLETE] * n, Watch())
        return
    result, best = solved(families, links)
    assert result.score == pytest.approx(best, abs=1e-6)
    assert result.bound == pytest.approx(best, abs=1e-4)


@pytest.mark.parametrize("seed", range(40))
def test_sets_that_are_not_listed(seed):
    """The bound is one for all sets, the structure the best of those listed."""
    rng = np.random.default_rng(2000 + seed)
    n = int(rng.integers(2, 7))
    every = random_families(rng, n, 30, bool(seed % 2))
    links = random_links(rng, n, seed % 3)
    kept, unlisted = [], []
    for masks, scores in zip(every.parents, every.scores, strict=True):
        keep = rng.random(len(masks)) < 0.6
        keep[[k for k, mask in enumerate(masks) if mask == 0]] = True
        kept.append(([m for m, k in zip(masks, keep, strict=True) if k], scores[keep]))
        unlisted.append(float(scores[~keep].max(initial=-math.inf)))
    listed = FamilyScores(every.names, [m for m, _ in kept], [s for _, s in kept])
    if best_score(listed, links) == -math.inf:
        return
    result = solve_by_cuts(listed, links, None, unlisted, Watch())
    assert is_structure(listed, links, result.parents)
    assert result.bound >= best_score(every, links) - 1e-9
    assert result.score == pytest.approx(best_score(listed, links), abs=1e-6)


@pytest.mark.parametrize("seed", range(15))
def test_the_order_of_variables_does_not_matter(seed):
    rng = np.random.default_rng(3000 + seed)
    families = random_families(rng, 7, 25, True)
    links = random_links(rng, 7, seed % 2)
    if best_score(families, links) == -math.inf:
        return
    one = solve_by_cuts(families, links, None, [COMPLETE] * 7, Watch())
    order = rng.permutation(7).tolist()
    place = {old: new for new, old in enumerate(order)}

    def renamed(mask):
        return sum(1 << place[j] for j in members(mask))

    other = FamilyScores(
        [families.names[i] for i in order],
        [[renamed(mask) for mask in families.parents[i]] for i in order],
        [families.scores[i] for i in order],
    )
    two = solve_by_cuts(other, permuted_masks(links, order), None, [COMPLETE] * 7, Watch())
    assert permuted_masks(one.parents, order) == list(two.parents)
    assert (one.score, one.bound) == (two.score, two.bound)


@pytest.mark.parametrize("seed", range(10))
def test_a_structure_to_start_with(seed):
    rng = np.random.default_rng(4000 + seed)
    families = random_families(rng, 6, 20, False)
    best, _ = solved(families)
    for start in (best.parents, (0,) * 6):
        assert solved(families, start=start)[0].score == pytest.approx(best.score, abs=1e-6)


def test_no_time():
    rng = np.random.default_rng(5)
    families = random_families(rng, 8, 30, False)
    result, best = solved(families, watch=Watch(time_limit=0.0))
    assert result.bound >= best


def test_hundred_variables_in_pairs():
    """Each of two has the other as a parent: one of them gives way, whichever loses less."""
    rng = np.random.default_rng(6)
    n = 100
    gains = rng.random(n)
    families = FamilyScores(
        [f"V{k:03d}" for k in range(n)], [[0, 1 << (k ^ 1)] for k in range(n)], [[0.0, gains[k]] for k in range(n)]
    )
    result, _ = solved(families)
    assert result.score == pytest.approx(sum(max(gains[k], gains[k + 1]) for k in range(0, n, 2)), abs=1e-9)
    assert result.bound == pytest.approx(result.score, abs=1e-4)


def test_a_ring_of_seventy():
    """Sets that need two words: each has the one before it as a parent, and one must do without."""
    rng = np.random.default_rng(7)
    n = 70
    gains = rng.random(n)
    families = FamilyScores(
        [f"V{k:03d}" for k in range(n)], [[0, 1 << ((k + 1) % n)] for k in range(n)], [[0.0, g] for g in gains]
    )
    result, _ = solved(families)
    assert result.score == pytest.approx(gains.sum() - gains.min(), abs=1e-9)
    assert result.bound == pytest.approx(result.score, abs=1e-4)


@pytest.mark.parametrize("told", range(1, 12))
def test_interrupted_with_what_it_has(told):
    """On Ctrl-C the best structure so far is returned with the bound by then, as when the time is over."""
    families = random_families(np.random.default_rng(6), 8, 30, False)
    stages = []

    def done(stage, lower, upper):
        stages.append(stage)
        if len(stages) == told:
            raise KeyboardInterrupt

    result = solve_by_cuts(families, [0] * 8, None, [COMPLETE] * 8, Watch(), done)
    best = best_score(families, [0] * 8)
    assert result.interrupted == (len(stages) >= told)
    assert stages[0] == "first structure"
    assert is_structure(families, [0] * 8, result.parents)
    assert result.score <= best + 1e-9
    assert result.bound >= best - 1e-9


def test_interrupted_before_there_is_a_structure(monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("bnml.search.cuts.branch_and_cut.search_orders", interrupt)
    families = random_families(np.random.default_rng(6), 8, 30, False)
    with pytest.raises(KeyboardInterrupt):
        solve_by_cuts(families, [0] * 8, None, [COMPLETE] * 8, Watch())
