"""What scores claim of themselves: equivalent, regular, a distribution."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import bnml
from bnml.scores import LocalScores
from tests import naive
from tests.counts.strategies import data_of, random_table, tables
from tests.scores.strategies import LABELS, dag_of, score_and_twin, structures

CLOSE = {"rel": 1e-11, "abs": 1e-11}


def named(flag):
    """Return the labels of the scores that claim something."""
    table = random_table(0, 5, [2, 2])
    return [label for label in LABELS if getattr(score_and_twin(label, table)[0], flag)]


def test_the_claims():
    """What the documents prove, and nothing else."""
    quotients = ["loglik", "aic", "bic", "hqc", "mdl", "mdl+parents", "bdeu", "bdeu:7.5", "bdq", "bdq:1/3", "qnml"]
    assert named("equivalent") == [*quotients, "bde", "bde:5"]
    dirichlet = ["k2", "bd:1", "bd:0.3", "bdj"]  # log B(α + t n) is convex in t
    assert named("regular") == ["loglik", "aic", "bic", "hqc", "mdl", "mdl+parents", *dirichlet, "fnml", "qnml"]
    distributions = ["k2", "bd:1", "bd:0.3", "bdj", "bdeu", "bdeu:7.5", "bds", "bds:3", "fnml"]
    assert named("probability") == [*distributions, "bde", "bde:5"]


@pytest.mark.parametrize("label", named("equivalent"))
@settings(max_examples=30, deadline=None)
@given(drawn=structures(rows=12))
def test_equivalent_structures_have_equal_scores(label, drawn):
    """Covered arcs are reversed one by one; every structure of the class is reached so (Chickering 1995)."""
    table, arcs = drawn
    dag = dag_of(arcs, len(table.arities))
    assume(dag.covered_arcs())
    score, _ = score_and_twin(label, table)
    data = data_of(table)
    value = bnml.score(dag, data, score)
    for _ in range(4):
        dag = dag.reverse(dag.covered_arcs()[-1])
        assert bnml.score(dag, data, score) == pytest.approx(value, **CLOSE)


@pytest.mark.parametrize("label", [label for label in LABELS if label not in named("equivalent")])
def test_others_tell_equivalent_structures_apart(label):
    """X0 → X1 and X0 ← X1; two and four states, one of which does not occur."""
    table = naive.table_of([(0, 0), (0, 1), (1, 1), (1, 2), (1, 2), (0, 0), (0, 1)], [2, 4])
    score, _ = score_and_twin(label, table)
    forward, backward = (bnml.score(bnml.DAG.parse(g), data_of(table), score) for g in ("[X0][X1|X0]", "[X1][X0|X1]"))
    assert abs(forward - backward) > 1e-3


@st.composite
def useless_parents(draw):
    """Draw a table whose last column tells nothing of the first beyond what those between tell."""
    table = draw(tables(columns=3, rows=10, arity=4))
    kind = draw(st.sampled_from(["function of the parents", "child is a function of the parents", "independent"]))
    r = draw(st.integers(1, 4))
    rows, weights = list(table.rows), list(table.weights)
    if kind == "independent":
        rows, weights = [(*row, v) for row in rows for v in range(r)], [w for w in weights for _ in range(r)]
    elif kind == "function of the parents":
        value = {row[1:]: draw(st.integers(0, r - 1)) for row in rows}
        rows = [(*row, value[row[1:]]) for row in rows]
    else:
        value = {row[1:]: draw(st.integers(0, table.arities[0] - 1)) for row in rows}
        rows = [(value[row[1:]], *row[1:], draw(st.integers(0, r - 1))) for row in rows]
    return naive.table_of(rows, [*table.arities, r + draw(st.integers(0, 1))], weights)


@pytest.mark.parametrize("label", named("regular"))
@settings(max_examples=40, deadline=None)
@given(table=useless_parents())
def test_a_useless_parent_does_not_help(label, table):
    """Regularity: where H(X | Y') = H(X | Y), Y' ⊂ Y, the score prefers Y'  (qNML paper, definition 1)."""
    score, _ = score_and_twin(label, table)
    scored = LocalScores(data_of(table), score)
    *parents, useless = range(1, len(table.arities))
    same = naive.conditional_entropy(table, [0], parents), naive.conditional_entropy(table, [0], [*parents, useless])
    assert same[0] == pytest.approx(same[1], abs=1e-12)
    value = scored.family(0, parents)
    assert value >= scored.family(0, [*parents, useless]) - 1e-11 * max(1.0, abs(value))


def all_samples(arities, n):
    """Yield every multiset of n rows with the number of its orders."""
    for rows in combinations_with_replacement(list(product(*map(range, arities))), n):
        repeats = naive.observed(naive.table_of(rows, arities), range(len(arities))).values()
        yield naive.table_of(rows, arities), math.factorial(n) // math.prod(map(math.factorial, repeats))


SMALL = [
    ([3], ["[X0]"]),
    ([2, 3], ["[X0][X1]", "[X0][X1|X0]", "[X1][X0|X1]"]),
    ([2, 2, 2], ["[X0][X1|X0][X2|X1]", "[X0][X1][X2|X0:X1]", "[X0][X1|X0][X2|X0:X1]"]),
]


def totals(label, arities, models):
    """Return the sum of the exponentials of a score over all tables with three rows, for each structure."""
    total = dict.fromkeys(models, 0.0)
    for table, orders in all_samples(arities, 3):
        data = data_of(table)
        score = label if label == "nml" else score_and_twin(label, table)[0]
        for model in models:
            total[model] += orders * math.exp(bnml.score(bnml.DAG.parse(model), data, score))
    return total


@pytest.mark.parametrize("label", named("probability"))
@pytest.mark.parametrize(("arities", "models"), SMALL, ids=str)
def test_it_is_a_distribution(label, arities, models):
    """The exponentials of the scores of all tables with three rows add up to one."""
    assert totals(label, arities, models) == pytest.approx(dict.fromkeys(models, 1.0), rel=1e-12)


@pytest.mark.parametrize("label", [label for label in LABELS if label not in named("probability")])
def test_others_are_not_distributions(label):
    total = totals(label, *SMALL[1]) | totals(label, *SMALL[2])
    assert max(abs(value - 1.0) for value in total.values()) > 1e-3


def test_exact_nml_is_a_distribution():
    assert bnml.scores.NML.probability
    models = [model for _, some in SMALL[1:] for model in some if "X0:X1" not in model]
    for model in models:
        arities = [2] * model.count("[")
        assert totals("nml", arities, [model])[model] == pytest.approx(1.0, rel=1e-9)
