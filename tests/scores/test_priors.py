"""Structure priors against their formulas, and what they refuse."""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from itertools import combinations, pairwise, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml import DAG, priors
from bnml.counts import batch_of
from bnml.errors import ArgumentError
from bnml.scores.local import PriorTerms
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


# --- priors that keep equivalent structures equivalent ---


def data_with(n, constant=0, rows=40, seed=0):
    """Return a table of n binary columns, the last few of which have one value."""
    table = np.random.default_rng(seed).integers(0, 2, (rows, n))
    table[:, n - constant :] = 0
    table[0, : n - constant], table[1, : n - constant] = 0, 1  # whatever the seed, the others vary
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # columns with one state
        return bnml.read(table)


@pytest.mark.parametrize("parents", [0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 60])
def test_sparse_by_its_formula(n, parents):
    p = min(0.5, parents / (n - 1)) if n > 1 else 0.5
    names = [f"v{i}" for i in range(n)]
    dag = DAG(names, list(pairwise(names)))
    prior = priors.Sparse(parents)
    assert prior.log_prob(dag) == pytest.approx(-(n - 1) * math.log((1 - p) / p), abs=1e-12)
    assert prior.log_prob(DAG(names)) == 0.0
    there, absent = prior.arc_terms(names)
    assert absent.tolist() == np.zeros((n, n)).tolist()
    assert there == pytest.approx(-prior.arc_cost(names) * (1 - np.eye(n)))


def test_sparse_counts_the_variables_that_vary():
    data = data_with(9, constant=2)
    assert priors.Sparse().bind(data) == priors.Sparse(variables=7)
    assert priors.Sparse(variables=201).bind(data) == priors.Sparse(variables=201)
    assert priors.Sparse().bind(data_with(3)) is None
    frame = pd.DataFrame({f"c{i}": ["a", "b", None] for i in range(5)} | {"one": ["a", None, "a"]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the column with one state
        gaps = bnml.read(frame, missing="em")
    assert priors.Sparse().bind(gaps) == priors.Sparse(variables=5)
    declared = bnml.read(pd.DataFrame({f"c{i}": [0, 1] for i in range(5)} | {"d": [0, 0]}), states={"d": [0, 1]})
    assert priors.Sparse().bind(declared) == priors.Sparse(variables=5), "a state that never occurs does not vary"


def equivalent_priors(names):
    middle = len(names) // 2
    arcs = [(names[0], x) for x in names[1:middle]]
    return [
        priors.Sparse(),
        priors.Sparse(0.5, variables=30),
        priors.LinkProbabilities({(names[0], names[-1]): 0.9, (names[1], names[0]): 0.05}),
        priors.LinkProbabilities({(names[0], names[-1]): 0.9}, default=0.3),
        priors.LinkProbabilities({(names[0], names[-1]): 0.0}),
        priors.Distance(DAG(names, arcs).cpdag(), 0.2),
        priors.Uniform(),
    ]


@pytest.mark.parametrize("number", range(7))
def test_equivalent_structures_are_equally_probable(number):
    names = ["A", "B", "C", "D"]
    prior = equivalent_priors(names)[number]
    assert prior.equivalent(names)
    by_class = defaultdict(list)
    for arcs in all_dags(names):
        dag = DAG(names, arcs)
        by_class[dag.cpdag()].append(prior.log_prob(dag))
    for values in by_class.values():
        assert values == pytest.approx([values[0]] * len(values), abs=1e-12)


@pytest.mark.parametrize(
    "prior",
    [
        priors.ArcProbabilities(0.5, {("A", "B"): 0.9}),
        priors.ArcProbabilities(0.5, {("A", "B"): 1.0}),
        priors.Distance(DAG.parse("[A][B|A][C]")),
    ],
)
def test_some_priors_prefer_a_direction(prior):
    assert not prior.equivalent(["A", "B", "C"])


def test_link_probabilities_by_their_definition():
    names, p = ["A", "B", "C"], {("A", "B"): 0.9, ("C", "B"): 0.2}
    prior = priors.LinkProbabilities(p, default=0.4)
    base = prior.log_prob(DAG(names))

    def wanted(dag):
        total = 0.0
        for a, b in combinations(names, 2):
            own = p.get((a, b), p.get((b, a), 0.4))
            linked = (a, b) in dag.arcs or (b, a) in dag.arcs
            total += math.log(own / 2 if linked else 1 - own)
        return total

    for arcs in all_dags(names):
        dag = DAG(names, arcs)
        assert prior.log_prob(dag) - base == pytest.approx(wanted(dag) - wanted(DAG(names)), abs=1e-12)


def test_links_that_are_not_named_are_sparse():
    data = data_with(12)
    prior = priors.LinkProbabilities({("X0", "X1"): 0.8}).bind(data)
    names = list(data.names)
    arc = prior.log_prob(DAG(names, [("X2", "X3")])) - prior.log_prob(DAG(names))
    assert arc == pytest.approx(-priors.Sparse().bind(data).arc_cost(names))


def test_distance_from_a_class_counts_links():
    prior = priors.Distance(DAG.parse("[A][B|A][C|B]").cpdag(), 0.1)
    same, turned, fewer, other = map(DAG.parse, ("[A][B|A][C|B]", "[C][B|C][A|B]", "[A][B|A][C]", "[A][B][C|A:B]"))
    assert prior.log_prob(same) == pytest.approx(prior.log_prob(turned))
    assert prior.log_prob(same) - prior.log_prob(fewer) == pytest.approx(-math.log(0.1))
    assert prior.log_prob(same) - prior.log_prob(other) == pytest.approx(-2 * math.log(0.1))


@PROPERTIES
@given(structures(rows=12), st.integers(0, 8), st.integers(0, 2**31))
def test_prior_terms_of_many_families(drawn, number, seed):
    """However families are asked for, their log-priors are those of one at a time."""
    table, _ = drawn
    n = len(table.arities)
    names = [f"X{i}" for i in range(n)]
    if n < 3:
        return
    rng = np.random.default_rng(seed)
    chosen = [
        *equivalent_priors(names),
        priors.ArcProbabilities(0.3, {("X0", "X1"): 1.0, ("X2", "X1"): 0.0}),
        priors.Distance(DAG(names, [("X0", "X1")]), 0.4),
    ][number]
    terms = PriorTerms(chosen, names)
    children = rng.integers(0, n, 12).tolist()
    sets = [[v for v in range(n) if v != c and rng.random() < 0.5] for c in children]
    wanted = [chosen.family(names, c, p) for c, p in zip(children, sets, strict=True)]
    assert terms.families(children, sets) == pytest.approx(wanted, abs=1e-9)
    assert terms.batch(batch_of(children, sets), np.array(children)) == pytest.approx(wanted, abs=1e-9)
    assert [terms.family(c, p) for c, p in zip(children, sets, strict=True)] == pytest.approx(wanted, abs=1e-9)
    child, parents = children[0], sets[0]
    others = np.array([v for v in range(n) if v != child and v not in parents], np.int64)
    added = np.broadcast_to(terms.additions(child, parents, others), others.shape)
    assert added == pytest.approx([chosen.family(names, child, [*parents, v]) for v in others.tolist()], abs=1e-9)


def test_links_of_a_file(tmp_path):
    file = tmp_path / "links.csv"
    file.write_text('a,b,probability\nX0,X1,0.9\n"X,2",X0,0.1\n', encoding="utf-8")
    assert priors.LinkProbabilities.read(file).links == {("X0", "X1"): 0.9, ("X,2", "X0"): 0.1}
    for text, message in [
        ("A,B\n", "line 1"),
        ("A,B,x\n", "line 1"),
        ("A,B,0.5\nB,A,0.4\n", "two probabilities"),
        ("A,B,1.5\n", "is 1.5"),
        ("A,A,0.5\n", "two different variables"),
        ("A,B,0.5,0.6\n", "line 1"),
        ("A,B,0.5\nA,B,0.6\n", "line 2"),
    ]:
        file.write_text(text, encoding="utf-8")
        with pytest.raises(bnml.BnmlError, match=message):
            priors.LinkProbabilities.read(file)
    with pytest.raises(bnml.BnmlError, match="cannot be read"):
        priors.LinkProbabilities.read(tmp_path / "none.csv")


@pytest.mark.parametrize("arguments", [(0,), (-1,), (math.nan,), (True,), ("1",), (math.inf,), (1.0, -1), (1.0, 2.5)])
def test_bad_sparse_priors(arguments):
    with pytest.raises(ArgumentError):
        priors.Sparse(*arguments)


@pytest.mark.parametrize("prior", ["dense", 1, priors.Sparse])
def test_what_is_no_prior(prior):
    with pytest.raises(ArgumentError, match="prior="):
        bnml.learn(data_with(4), prior=prior)
