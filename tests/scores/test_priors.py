"""Structure priors against their formulas, and what they refuse."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml import DAG, priors
from bnml.errors import ArgumentError
from tests import naive
from tests.graph.naive import all_dags
from tests.scores.strategies import dag_of, structures

PROPERTIES = settings(max_examples=40, deadline=None)
PROBABILITIES = st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0])


@PROPERTIES
@given(structures(rows=1), PROBABILITIES, st.data())
def test_arc_probabilities(drawn, default, more):
    table, arcs = drawn
    n = len(table.arities)
    pairs = list(permutations(range(n), 2))
    of = more.draw(st.dictionaries(st.sampled_from(pairs), PROBABILITIES)) if pairs else {}
    prior = priors.ArcProbabilities(default, {(f"X{a}", f"X{b}"): p for (a, b), p in of.items()})
    wanted = naive.arc_probabilities(n, arcs, default, of)
    assert prior.log_prob(dag_of(arcs, n)) == pytest.approx(wanted, rel=1e-12)


@PROPERTIES
@given(structures(rows=1), st.data(), st.sampled_from([0.01, 0.5, 1.0]))
def test_distance(drawn, more, kappa):
    table, arcs = drawn
    n = len(table.arities)
    pairs = list(permutations(range(n), 2))
    kept = more.draw(st.sets(st.sampled_from([p for p in pairs if p[0] < p[1]]))) if n > 1 else set()
    prior = priors.Distance(dag_of(kept, n), kappa)
    wanted = naive.distance(arcs, kept, kappa)
    assert prior.log_prob(dag_of(arcs, n)) == pytest.approx(wanted, abs=1e-12)


@PROPERTIES
@given(structures(rows=1))
def test_uniform(drawn):
    table, arcs = drawn
    assert priors.Uniform().log_prob(dag_of(arcs, len(table.arities))) == 0.0


def test_one_half_for_each_arc_is_uniform():
    values = [priors.ArcProbabilities().log_prob(DAG(list("ABC"), arcs)) for arcs in all_dags("ABC")]
    assert values == pytest.approx([6 * math.log(0.5)] * 25)


def test_the_order_of_names_does_not_matter():
    dag = DAG.parse("[A][B|A][C|A:B]")
    for prior in (priors.Distance(DAG.parse("[C][A|C][B]"), 0.3), priors.ArcProbabilities(0.3, {("A", "B"): 0.9})):
        assert prior.log_prob(dag) == pytest.approx(prior.log_prob(dag.reordered(["C", "B", "A"])))


def test_arcs_cannot_be_changed_from_outside():
    arcs = {("A", "B"): 0.9}
    prior = priors.ArcProbabilities(0.5, arcs)
    arcs["A", "B"] = 0.1
    assert prior == priors.ArcProbabilities(0.5, {("A", "B"): 0.9})
    assert hash(prior) == hash(priors.ArcProbabilities(0.5, {("A", "B"): 0.9}))


@pytest.mark.parametrize("value", [np.float32(0.5), np.float64(0.25), 0, 1, np.int64(1)])
def test_numbers_of_any_kind(value):
    prior = priors.ArcProbabilities(value, {("A", "B"): value})
    assert prior == priors.ArcProbabilities(float(value), {("A", "B"): float(value)})
    assert math.exp(prior.log_prob(DAG.parse("[A][B|A]"))) == pytest.approx(float(value) * (1 - float(value)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-0.1,), "default is -0.1"),
        ((1.5,), "default is 1.5"),
        ((math.nan,), "default is nan"),
        ((True,), "default is True"),
        (("0.5",), "default is '0.5'"),
        ((0.5, {("A", "B"): 2}), r"\('A', 'B'\) is 2"),
        ((0.5, {("A", "B"): None}), r"\('A', 'B'\) is None"),
        ((0.5, {"AB": 0.5}), "'AB' is no arc"),
        ((0.5, {("A", "B", "C"): 0.5}), r"\('A', 'B', 'C'\) is no arc"),
        ((0.5, {("A", "A"): 0.5}), r"\('A', 'A'\) is no arc"),
        ((0.5, [("A", "B")]), r"arcs=\[\('A', 'B'\)\]: expected a mapping"),
    ],
)
def test_bad_arc_probabilities(arguments, message):
    with pytest.raises(ArgumentError, match=f"ArcProbabilities: {message}"):
        priors.ArcProbabilities(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("[A][B]",), r"dag='\[A\]\[B\]': expected a DAG"),
        ((None,), "dag=None"),
        ((DAG(["A"]), 0), "kappa=0"),
        ((DAG(["A"]), 1.1), "kappa=1.1"),
        ((DAG(["A"]), math.nan), "kappa=nan"),
        ((DAG(["A"]), "x"), "kappa='x'"),
    ],
)
def test_bad_distances(arguments, message):
    with pytest.raises(ArgumentError, match=f"Distance: {message}"):
        priors.Distance(*arguments)


def test_other_variables():
    dag = DAG(["A", "B"])
    with pytest.raises(ArgumentError, match=r"arc \('A', 'Bb'\): there is no variable 'Bb'. Did you mean 'B'"):
        priors.ArcProbabilities(0.5, {("A", "Bb"): 0.5}).log_prob(dag)
    with pytest.raises(ArgumentError, match="the prior graph is over 'A', 'C', not over 'A', 'B'"):
        priors.Distance(DAG(["A", "C"])).log_prob(dag)
    with pytest.raises(ArgumentError, match="expected a DAG, got str"):
        priors.Uniform().log_prob("[A]")
