"""Scores of parts of rows: of whole rows they are the scores themselves, between them what the formulas say."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.data.resampling import redrawn
from bnml.errors import ScoreError
from bnml.nml.rising import log_rising_real
from bnml.scores import LocalScores, parse_score
from bnml.scores.expected import ExpectedScores
from bnml.scores.fractional import Fractional, TimesPrior, times_prior
from bnml.scores.priors import ArcProbabilities
from bnml.search import exact
from tests import naive
from tests.counts.strategies import data_of, families, random_table

SCORES = (
    "loglik",
    "aic",
    "bic",
    "hqc",
    "mdl",
    "mdl+parents",
    "k2",
    "bd:0.7",
    "bdj",
    "bdeu",
    "bdeu:5",
    "bdq",
    "fnml",
    "qnml",
)


def times(table, parts):
    """Return a table in which every row is so many times there."""
    return naive.table_of(table.rows, table.arities, [parts * w for w in table.weights])


@pytest.mark.parametrize("name", SCORES)
@settings(deadline=None, max_examples=25)
@given(families(), st.sampled_from([1, 2, 16]))
def test_of_whole_rows_it_is_so_many_times_the_score(name, family, parts):
    table, child, parents = family
    score = parse_score(name)
    whole = LocalScores(data_of(table), score).family(child, parents)
    scaled = LocalScores(data_of(times(table, parts)), Fractional(score, parts))
    assert scaled.family(child, parents) == pytest.approx(parts * whole, rel=1e-9, abs=1e-7 * parts)


def cells(table, variables, parts):
    return [n / parts for n in naive.observed(table, variables).values()]


def naive_bic(table, child, parents, parts):
    joint, above = cells(table, (*parents, child), parts), cells(table, parents, parts)
    fit = sum(n * math.log(n) for n in joint) - sum(n * math.log(n) for n in above)
    q, r = math.prod(table.arities[p] for p in parents), table.arities[child]
    return fit - 0.5 * q * (r - 1) * math.log(table.n / parts)


def naive_bdeu(table, child, parents, parts, ess=1.0):
    q, r = math.prod(table.arities[p] for p in parents), table.arities[child]

    def total(counts, a):
        return sum(math.lgamma(a + n) - math.lgamma(a) for n in counts)

    return total(cells(table, (*parents, child), parts), ess / (q * r)) - total(cells(table, parents, parts), ess / q)


@pytest.mark.parametrize(("name", "twin"), [("bic", naive_bic), ("bdeu", naive_bdeu)])
@settings(deadline=None, max_examples=40)
@given(families())
def test_parts_of_rows_by_the_formula(name, twin, family):
    table, child, parents = family
    parts = 4
    if table.n % parts:  # the number of rows is whole
        table = naive.table_of(
            table.rows, table.arities, [table.weights[0] + parts - table.n % parts, *table.weights[1:]]
        )
    local = LocalScores(data_of(table), Fractional(parse_score(name), parts))
    wanted = parts * twin(table, child, parents, parts)
    assert local.family(child, parents) == pytest.approx(wanted, rel=1e-9, abs=1e-7)
    others = [c for c in range(len(table.arities)) if c not in (child, *parents)]
    if others:
        added = parts * np.array([twin(table, child, (*parents, c), parts) for c in others])
        assert local.additions(child, parents, others) == pytest.approx(added, rel=1e-9, abs=1e-7)


@pytest.mark.parametrize("name", ["bic", "bdeu", "fnml", "qnml", "k2"])
def test_exact_search_finds_the_same_of_whole_rows(name):
    data = data_of(random_table(5, 60, (2, 3, 2, 4, 2)))
    scaled = data_of(times(random_table(5, 60, (2, 3, 2, 4, 2)), 8))
    whole = exact(data, name, prior="uniform")
    found = exact(scaled, Fractional(parse_score(name), 8), rows_per_cell=40, prior="uniform")
    assert found.score == pytest.approx(8 * whole.score)
    assert found.dag.is_equivalent(whole.dag) or name in ("fnml", "k2")
    assert found.optimal


@pytest.mark.parametrize("name", ["bic", "bdeu", "fnml"])
def test_both_ways_of_exact_search_agree_on_parts_of_rows(name):
    rng = np.random.default_rng(1)
    data = redrawn(data_of(random_table(3, 200, (2, 3, 2, 3), most_weight=3)), rng)
    odd = replace(data, weights=data.weights + np.where(np.arange(data.n_distinct) == 0, -data.n_rows % 4, 0))
    score = Fractional(parse_score(name), 4)
    lattice = exact(odd, score, method="lattice", rows_per_cell=0)
    listed = exact(odd, score, method="cuts", rows_per_cell=0) if name != "bdeu" else lattice
    local = LocalScores(odd, score)
    assert lattice.score == pytest.approx(local.score(lattice.dag))
    assert listed.score == pytest.approx(lattice.score)


def test_prior():
    prior = ArcProbabilities(0.2)
    names = ("A", "B", "C")
    scaled = TimesPrior(prior, 3)
    assert scaled.family(names, 0, (1,)) == pytest.approx(3 * prior.family(names, 0, (1,)))
    for ours, theirs in zip(scaled.arc_terms(names), prior.arc_terms(names), strict=True):
        assert ours[~np.isnan(theirs)] == pytest.approx(3 * theirs[~np.isnan(theirs)])
    assert times_prior(None, 3) is None
    assert times_prior(prior, 3) == scaled


def test_scores_at_expected_counts_are_per_row():
    table = random_table(2, 40, (2, 3, 2))
    prior = ArcProbabilities(0.3)
    plain = LocalScores(data_of(table), "qnml", prior)
    expected = ExpectedScores(data_of(times(table, 8)), parse_score("qnml"), prior, 8)
    dag = bnml.DAG.parse("[X0][X1|X0][X2|X0:X1]")
    assert expected.score(dag) == pytest.approx(plain.score(dag))
    assert expected.parts(2, (0, 1)) == pytest.approx(plain.parts(2, (0, 1)))
    assert expected.families(2, [(), (0,), (0, 1)]) == pytest.approx(plain.families(2, [(), (0,), (0, 1)]))
    assert expected.additions(2, (0,), [1]) == pytest.approx(plain.additions(2, (0,), [1]))
    again = pickle.loads(pickle.dumps(expected))
    assert again.score(dag) == expected.score(dag)


@pytest.mark.parametrize("name", ["bds", "nml"])
def test_scores_that_are_not_offered_for_fractions_are_refused(name):
    data = data_of(random_table(2, 40, (2, 2)))
    with pytest.raises(ScoreError, match=f"score='{name}' is not offered for expected counts.*missing='em'"):
        LocalScores(data, Fractional(parse_score(name), 4))


def prior_network(data, seed):
    """Return a network with random probabilities over the columns of a table, the last of which hangs on the first."""
    names, rng = data.names, np.random.default_rng(seed)
    states = dict(zip(names, data.states, strict=True))
    dag = bnml.DAG(names, [(names[0], names[-1])] if len(names) > 1 else [])
    shapes = {x: [len(states[v]) for v in (*dag.parents(x), x)] for x in names}
    return bnml.BayesianNetwork(dag, states, {x: rng.dirichlet(np.ones(s[-1]), s[:-1]) for x, s in shapes.items()})


@settings(deadline=None, max_examples=25)
@given(families(), st.integers(0, 100))
def test_of_whole_rows_it_is_so_many_times_bde(family, seed):
    table, child, parents = family
    data, many = data_of(table), data_of(times(table, 4))
    score = bnml.scores.BDe(prior_network(data, seed), 2.0)
    whole = LocalScores(data, score).family(child, parents)
    scaled = LocalScores(many, Fractional(score, 4)).family(child, parents)
    assert scaled == pytest.approx(4 * whole, rel=1e-9, abs=1e-7)


@settings(deadline=None, max_examples=25)
@given(families(), st.sampled_from([2, 3, 16]))
def test_bde_of_a_uniform_network_is_bdeu_between_whole_rows_too(family, parts):
    table, child, parents = family
    data = data_of(times(table, 5))
    if data.n_rows % parts:
        data = data_of(times(table, parts))
    states = dict(zip(data.names, data.states, strict=True))
    uniform = bnml.BayesianNetwork(
        bnml.DAG(data.names), states, {x: np.full(len(own), 1 / len(own)) for x, own in states.items()}
    )
    values = [
        LocalScores(data, Fractional(score, parts)).family(child, parents)
        for score in (bnml.scores.BDe(uniform), parse_score("bdeu"))
    ]
    assert values[0] == pytest.approx(values[1], rel=1e-9, abs=1e-7)


@given(st.floats(1e-6, 1e8), st.integers(0, 50))
def test_rising_factorials_between_whole_numbers(x, n):
    from bnml.nml import log_rising

    assert float(log_rising_real(x, n)) == pytest.approx(float(log_rising(x, n)), rel=1e-9, abs=1e-9)
