"""Chains visit structures as often as the definition says: every DAG of a few variables with its weight."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import bnml
from bnml.graph import Constraints
from bnml.scores import BDe, LocalScores
from bnml.scores.priors import ArcProbabilities, Distance, StructurePrior
from bnml.search.options import SearchOptions
from bnml.search.problem import bind
from bnml.uncertainty import edge_reversal, sample_structures, scored_families, tempering
from tests.counts.strategies import data_of, random_table
from tests.uncertainty import naive
from tests.uncertainty.strategies import dependent_table

pytestmark = pytest.mark.usefixtures("uniform_prior")

NAMES = [f"X{i}" for i in range(4)]


def sampled_shares(table, prior="uniform", samples=2500, structure_prior=None, **given):
    """Return how often chains kept each structure."""
    options = SearchOptions.checked(None, score="bdeu", rows_per_cell=0, prior=structure_prior, **given)
    problem = bind(options, data_of(table))
    found = sample_structures.sample_structures(problem, prior, 4, samples)
    n = len(table.arities)
    masks = found.parents[..., 0].reshape(-1, n).tolist()
    counts = Counter(tuple(tuple(p for p in range(n) if mask >> p & 1) for mask in masks_) for masks_ in masks)
    return {structure: number / len(masks) for structure, number in counts.items()}


def distance(found, want):
    """Return the total variation distance of two distributions."""
    return sum(abs(found.get(one, 0.0) - want.get(one, 0.0)) for one in {*found, *want}) / 2


def expected(table, prior, before=lambda i, p: 0.0):
    local = LocalScores(data_of(table), "bdeu")
    return naive.probabilities(len(table.arities), lambda i, p: local.family(i, p) + before(i, p), prior)


TABLES = {"noise": random_table(3, 30, [2, 3, 2, 2]), "dependent": dependent_table(5, 60, [2, 2, 3, 2], 0.3)}


@pytest.mark.parametrize("prior", ["uniform", "order"])
@pytest.mark.parametrize("kind", TABLES)
def test_every_dag_as_often_as_its_weight_says(kind, prior):
    want = expected(TABLES[kind], prior)
    assert distance(sampled_shares(TABLES[kind], prior), want) < 0.08  # 543 structures, 10,000 samples


@pytest.mark.parametrize("prior", ["uniform", "order"])
def test_scores_on_demand_do_not_change_that(prior, monkeypatch):
    monkeypatch.setattr(scored_families, "MOST_AT_FIRST", 0)
    want = expected(TABLES["dependent"], prior)
    assert distance(sampled_shares(TABLES["dependent"], prior), want) < 0.08


@pytest.mark.parametrize(("most", "number"), [(4 * 8, 4 * 8), (4 * 8 - 1, 0)])
def test_all_families_are_scored_first_where_they_are_few(most, number, monkeypatch):
    monkeypatch.setattr(scored_families, "MOST_AT_FIRST", most)
    data = data_of(TABLES["noise"])
    problem = bind(SearchOptions.checked(None, score="bdeu", rows_per_cell=0), data)
    table = scored_families.ScoredFamilies(problem.table, problem.columns, 1 << 20)
    table.score_if_few(problem.with_prior, 1)
    children, sets, values, _ = table.arrays
    local = LocalScores(data, "bdeu")
    there = np.flatnonzero(children >= 0)
    assert len(there) == table.scored == number
    for at in there:
        parents = [p for p in range(4) if int(sets[at, 0]) >> p & 1]
        assert values[at] == pytest.approx(local.family(int(children[at]), parents), abs=1e-9)


def test_whole_neighbourhoods_alone_do_not_change_that(monkeypatch):
    """One step in two turns an arc round with its ends' parents: were its acceptance wrong, it would show."""
    monkeypatch.setattr(edge_reversal, "MOST_LISTED", 3)
    want = expected(TABLES["dependent"], "uniform")
    assert distance(sampled_shares(TABLES["dependent"]), want) < 0.08
    monkeypatch.setattr(edge_reversal, "MOST_LISTED", 200)
    assert distance(sampled_shares(TABLES["dependent"], seed=5), want) < 0.08


class Sparse(StructurePrior):
    """A prior that is no sum over arcs."""

    def family(self, names, child, parents):
        return -0.5 * len(parents) ** 2

    def check(self, names):
        pass


@pytest.mark.parametrize("prior", ["uniform", "order"])
@pytest.mark.parametrize(
    "given",
    [
        Sparse(),
        ArcProbabilities(0.3, {("X0", "X1"): 0.9, ("X2", "X1"): 0.0, ("X3", "X0"): 1.0}),
        Distance(bnml.DAG.parse("[X0][X1|X0][X2|X1][X3]"), 0.3),
    ],
    ids=lambda given: type(given).__name__,
)
def test_structure_priors(prior, given):
    want = expected(TABLES["noise"], prior, lambda i, p: given.family(NAMES, i, p))
    assert distance(sampled_shares(TABLES["noise"], prior, structure_prior=given), want) < 0.08


@pytest.mark.parametrize("prior", ["uniform", "order"])
def test_constraints_and_most_parents(prior):
    known = Constraints(required=[("X0", "X2")], forbidden=[("X1", "X0")], tiers=[["X3"], ["X1"]])

    def before(i, p):
        allowed = len(p) <= 2 and (i != 2 or 0 in p) and not (i == 0 and 1 in p) and not (i == 3 and 1 in p)
        return 0.0 if allowed else -math.inf

    want = expected(TABLES["noise"], prior, before)
    found = sampled_shares(TABLES["noise"], prior, constraints=known, max_parents=2)
    assert all(want[one] > 0 for one in found)
    assert distance(found, want) < 0.05


@pytest.mark.parametrize("prior", ["uniform", "order"])
def test_required_links(prior):
    known = Constraints(required_links=[("X0", "X1"), ("X1", "X2")])
    weights = naive.log_weights(4, lambda i, p: LocalScores(data_of(TABLES["noise"]), "bdeu").family(i, p), prior)
    allowed = {s: w for s, w in weights.items() if (0 in s[1] or 1 in s[0]) and (1 in s[2] or 2 in s[1])}
    total = naive.log_sum(allowed.values())
    want = {s: math.exp(w - total) for s, w in allowed.items()}
    assert distance(sampled_shares(TABLES["noise"], prior, constraints=known), want) < 0.05


def test_rows_per_cell():
    table = TABLES["noise"]
    problem = bind(SearchOptions.checked(None, score="bdeu"), data_of(table))
    problem = replace(problem, rules=replace(problem.rules, arities=table.arities, cells=6.0))
    found = sample_structures.sample_structures(problem, "uniform", 2, 500)
    for structure in found.parents[..., 0].reshape(-1, 4).tolist():
        for child, mask in enumerate(structure):
            cells = math.prod(table.arities[v] for v in range(4) if mask >> v & 1 or v == child)
            assert mask == 0 or cells <= 6


def test_scores_without_tables():
    """BDe and BDs are scored family by family."""
    data = data_of(TABLES["noise"])
    for score in ("bds", BDe(bnml.fit(bnml.DAG(data.names), data), 2.0)):
        exact = bnml.posterior(data, score, method="exact").arc_probabilities
        found = bnml.posterior(data, score, method="sample", samples=1000).arc_probabilities
        assert np.abs(found - exact).to_numpy().max() < 0.05


def test_the_table_begins_anew_when_it_is_full(monkeypatch):
    """What a chain does depends on scores, not on whether they were forgotten in between."""
    data = data_of(random_table(1, 50, [2] * 7))
    problem = bind(SearchOptions.checked(None, score="bdeu", rows_per_cell=0), data)
    want = sample_structures.sample_structures(problem, "order", 2, 50)
    monkeypatch.setattr("bnml.uncertainty.scored_families.FIRST_SLOTS", 64)
    monkeypatch.setattr(sample_structures, "TABLE_SHARE", 0.0)
    problem = bind(SearchOptions.checked(None, score="bdeu", rows_per_cell=0), data)
    found = sample_structures.sample_structures(problem, "order", 2, 50)
    assert np.array_equal(found.parents, want.parents)
    assert found.families > want.families


def test_the_same_for_any_number_of_threads_and_order_of_columns():
    data = data_of(dependent_table(4, 200, [2, 3, 2, 2, 3, 2, 2]))
    runs = [bnml.posterior(data, method="sample", samples=50, threads=t).chains.parents for t in (1, 2, 5)]
    assert all(np.array_equal(run, runs[0]) for run in runs)
    turned = data.select(data.names[::-1])
    assert np.array_equal(bnml.posterior(turned, method="sample", samples=50).chains.parents, runs[0])
    other = bnml.posterior(data, method="sample", samples=50, seed=1).chains.parents
    assert not np.array_equal(other, runs[0])


def test_more_than_64_variables(monkeypatch):
    monkeypatch.setattr(sample_structures, "LEAST_WARM_UP", 48)
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (100, 70))
    x[:, 69] = x[:, 0] ^ (rng.random(100) < 0.1)
    found = bnml.posterior(x, "bdeu", method="sample", chains=2, samples=4, max_parents=2)
    assert found.link_probabilities.loc["X0", "X69"] > 0.9
    assert found.arc_probabilities.loc["X1", "X68"] < 0.5


def test_one_and_two_variables():
    rows = np.array([[0], [1], [1]])
    alone = bnml.posterior(rows, method="sample", samples=10)
    assert alone.converged is False or alone.effective_size > 0
    assert alone.arc_probabilities.to_numpy().tolist() == [[0.0]]
    pair = np.repeat(np.array([[0, 0], [1, 1], [1, 0]]), 4, axis=0)
    exact = bnml.posterior(pair, method="exact", rows_per_cell=0).arc_probabilities
    found = bnml.posterior(pair, method="sample", rows_per_cell=0).arc_probabilities
    assert np.abs(found - exact).to_numpy().max() < 0.03


def test_time_is_over_at_once():
    rows = np.random.default_rng(0).integers(0, 3, (300, 12))
    bnml.posterior(rows, method="sample", samples=4)  # machine code is loaded
    found = bnml.posterior(rows, method="sample", samples=100_000, time_limit=0.3)
    assert found.chains.ended == "time"
    assert found.seconds < 5
    assert "the time was over" in " ".join(str(found).split())
    at_once = bnml.posterior(rows, method="sample", samples=100, time_limit=1e-6)
    assert at_once.n_samples == 4
    assert not at_once.converged


def test_an_interrupt_keeps_what_there_is():
    def stop(stage, fraction):
        if stage == "structures are sampled" and fraction > 0.7:
            raise KeyboardInterrupt

    rows = np.random.default_rng(0).integers(0, 2, (100, 10))
    found = bnml.posterior(rows, method="sample", samples=2000, progress=stop)
    assert found.chains.ended == "interrupted"
    assert 0 < found.chains.log_weights.shape[1] < 2000

    def at_once(stage, fraction):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bnml.posterior(rows, method="sample", progress=at_once)


def test_progress_grows():
    told = []
    rows = np.random.default_rng(0).integers(0, 2, (60, 6))
    bnml.posterior(rows, method="sample", samples=50, progress=lambda stage, part: told.append((stage, part)))
    parts = [part for _, part in told]
    assert parts == sorted(parts)
    assert parts[-1] == 1.0
    assert {stage for stage, _ in told} >= {"chains warm up", "structures are sampled"}


def test_the_ladder():
    """Rungs end with rejection rates that are alike, if the barrier is where it was seen."""
    first = tempering.first_tempering_ladder(5)
    assert first[0] == 1.0
    assert first[-1] == pytest.approx(tempering.HOTTEST)
    betas = np.array([1.0, 0.7, 0.3, 0.0])
    moved = tempering.tempering_ladder_for(betas, np.array([0.9, 0.3, 0.0]), 5)
    assert moved[0] == 1.0
    assert moved[-1] == 0.0
    assert (np.diff(moved) < 0).all()
    assert np.interp(moved[1], betas[::-1], [1.2, 1.2, 0.9, 0.0]) == pytest.approx(0.3, abs=0.01)
    assert tempering.tempering_ladder_for(betas, np.array([0.9, 0.9, 0.9])).size == 8
    assert tempering.tempering_ladder_for(betas, np.zeros(3)).size == tempering.FEWEST_RUNGS
