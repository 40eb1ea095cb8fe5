"""Branching, where inequalities leave a gap."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bnml._watch import Watch
from bnml.search.cuts import cutting as cutting_module
from bnml.search.cuts import relaxation as relaxation_module
from bnml.search.cuts.cutting import Cutting, Incumbent
from bnml.search.cuts.family_arrays import arrays_of_families
from bnml.search.cuts.relaxation import Relaxation
from bnml.search.cuts.rows import link_row, pair_rows
from bnml.search.cuts.tree import Tree
from tests.search.cuts.naive import best_score, random_families, random_links


@pytest.fixture
def weak(monkeypatch):
    """Leave out the inequalities that close most gaps."""
    monkeypatch.setattr(cutting_module, "zero_half", lambda *arguments: [])
    monkeypatch.setattr(cutting_module, "separate_by_program", lambda *arguments: [])


def tree_of(families, links, unlisted=None):
    n = len(families.names)
    problem = arrays_of_families(families.parents, families.scores, links, unlisted or [-math.inf] * n)
    bounds = []
    cutting = Cutting(Relaxation(problem, Watch()), Incumbent(problem), Watch(), bounds.append)
    cutting.root()
    tree = Tree(cutting)
    tree.run()
    return tree, bounds


@pytest.mark.usefixtures("weak")
@pytest.mark.parametrize("links", [0, 2])
def test_against_the_recursion(links):
    """Without a structure to start with, and with few inequalities, some must be branched on."""
    nodes = 0
    for seed in range(15):
        rng = np.random.default_rng(seed)
        families = random_families(rng, 8, 40, bool(seed % 2))
        linked = random_links(rng, 8, links)
        best = best_score(families, linked)
        tree, bounds = tree_of(families, linked)
        assert tree.cutting.incumbent.score == pytest.approx(best, abs=1e-6)
        assert all(bound >= best - 1e-9 for bound in bounds)
        assert best - 1e-9 <= tree.bound <= best + 1e-5 or best == -math.inf
        nodes += tree.nodes
    assert nodes > 15


def test_required_links_stay_while_other_inequalities_go(monkeypatch):
    """They are not looked for again."""
    monkeypatch.setattr(relaxation_module, "IDLE", -1)
    rng = np.random.default_rng(0)
    families = random_families(rng, 6, 30, False)
    links = random_links(rng, 6, 3)
    problem = arrays_of_families(families.parents, families.scores, links, [-math.inf] * 6)
    relaxation = Relaxation(problem, Watch())
    relaxation.add([*(link_row(problem, i, j) for i, j in problem.linked), *pair_rows(problem)])
    assert relaxation.solve()
    relaxation.drop_idle()
    assert sum(row.lasting for row in relaxation.rows) == len(problem.linked)
    assert len(relaxation.rows) < len(problem.linked) + len(pair_rows(problem))


@pytest.mark.usefixtures("weak")
def test_sets_that_are_not_listed_bound_what_is_left_open():
    for seed in range(10):
        rng = np.random.default_rng(100 + seed)
        families = random_families(rng, 6, 30, False)
        unlisted = [float(own[0]) - rng.exponential(3.0) for own in families.scores]
        tree, _ = tree_of(families, [0] * 6, unlisted)
        assert tree.cutting.incumbent.score == pytest.approx(best_score(families, [0] * 6), abs=1e-6)
        assert tree.bound >= sum(unlisted)
