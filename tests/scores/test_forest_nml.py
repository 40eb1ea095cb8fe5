"""The score NML: of networks whose components are trees or complete, and of nothing else."""

from __future__ import annotations

import math
import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml import DAG, priors
from bnml.errors import ScoreError
from bnml.nml import parametric_complexity, stochastic_complexity
from bnml.scores import NML, LocalScores, forest_nml, parse_score
from tests.counts.strategies import data_of, random_table, tables
from tests.naive import table_of
from tests.search.forests import branchings, dag_of

TABLE = np.random.default_rng(1).integers(0, (2, 3, 2, 2), (40, 4))
DATA = bnml.read(TABLE, states={f"X{i}": list(range(r)) for i, r in enumerate((2, 3, 2, 2))})


@settings(max_examples=20, deadline=None)
@given(table=tables(columns=4), drawn=st.data())
def test_likelihood_less_complexity(table, drawn):
    data = data_of(table)
    parents = drawn.draw(st.sampled_from(branchings(len(data.names))))
    dag = dag_of(data.names, parents)
    value = bnml.score(dag, data, "nml")
    complexity = parametric_complexity(list(parents), data.arities, data.n_rows)
    assert value == pytest.approx(bnml.score(dag, data, "loglik") - complexity, rel=1e-11, abs=1e-11)
    assert value == pytest.approx(-stochastic_complexity(dag, data), rel=1e-11, abs=1e-11)


def test_it_equals_qnml_where_all_components_are_complete():
    """Of forests these are the ones of single variables and pairs."""
    for model in ("[X0][X1][X2][X3]", "[X0][X1|X0][X2][X3|X2]", "[X1][X3|X1][X0][X2]"):
        dag = DAG.parse(model)
        assert bnml.score(dag, DATA, "nml") == pytest.approx(bnml.score(dag, DATA, "qnml"), abs=1e-9)
    chain = DAG.parse("[X0][X1|X0][X2|X1][X3]")
    assert abs(bnml.score(chain, DATA, "nml") - bnml.score(chain, DATA, "qnml")) > 1e-3


def test_equivalent_forests_have_the_same_score():
    values = {}
    for parents in branchings(4):
        dag = dag_of(DATA.names, parents)
        values.setdefault(dag.cpdag(), []).append(bnml.score(dag, DATA, "nml"))
    assert max(map(len, values.values())) == 4
    assert all(max(same) - min(same) < 1e-9 for same in values.values())


def test_it_sums_to_one():
    """Over all tables of three rows: it is a distribution."""
    dag, total = DAG.parse("[X0][X1|X0][X2|X1][X3|X2]"), 0.0
    states = {f"X{i}": [0, 1] for i in range(4)}
    rows = list(product(range(2), repeat=4))
    seen = {}
    for sample in product(rows, repeat=3):
        key = tuple(sorted(sample))
        if key not in seen:
            seen[key] = math.exp(bnml.score(dag, bnml.read(np.array(sample), states=states), "nml"))
        total += seen[key]
    assert total == pytest.approx(1.0, abs=1e-10)


def test_orders_do_not_matter():
    dag = DAG.parse("[X0][X1|X0][X2|X1][X3|X1]")
    value = bnml.score(dag, DATA, "nml")
    assert bnml.score(DAG.parse("[X3][X1|X3][X2|X1][X0|X1]"), DATA, NML()) == pytest.approx(value, abs=1e-9)
    assert bnml.score(dag, DATA.select(["X3", "X1", "X0", "X2"]), "nml") == pytest.approx(value, abs=1e-9)


def test_a_prior_is_added():
    dag = DAG.parse("[X0][X1|X0][X2|X1][X3]")
    prior = priors.Distance(DAG(DATA.names), kappa=0.5)
    wanted = bnml.score(dag, DATA, "nml") + prior.log_prob(dag)
    assert bnml.score(dag, DATA, "nml", prior=prior) == pytest.approx(wanted, abs=1e-10)


def test_what_is_known_is_kept_with_the_table(monkeypatch):
    data = bnml.read(TABLE)
    dag = DAG.parse("[X0][X1|X0][X2|X1][X3|X2]")
    value = bnml.score(dag, data, "nml")
    assert forest_nml.forest_score_sums(data).nbytes > 0
    assert forest_nml.forest_score_sums(data) is forest_nml.forest_score_sums(data)
    monkeypatch.setattr(forest_nml, "KEPT_BYTES", 0)  # what is too large is not
    assert bnml.score(dag, data, "nml") == value
    assert forest_nml.forest_score_sums(data).nbytes == 0


def test_name_and_object():
    assert parse_score("nml") == NML() == pickle.loads(pickle.dumps(NML()))
    assert repr(NML()) == "NML()"
    assert parse_score(NML()) == NML()
    with pytest.raises(ScoreError, match="nml takes no parameter"):
        parse_score("nml:3")


@pytest.mark.parametrize(
    "use",
    [
        lambda: bnml.family_score("X0", ["X1"], DATA, "nml"),
        lambda: LocalScores(DATA, "nml"),
        lambda: bnml.LocalScores(DATA, NML()),
        lambda: NML().family(None, DATA),
        lambda: bnml.search.forecast(DATA, "nml"),
    ],
)
def test_there_are_no_family_scores(use):
    with pytest.raises(ScoreError, match=r"score='nml'.*not a sum over families.*nml-forest.*qnml"):
        use()
    assert NML().terms(None) is None


def test_other_uses_are_refused():
    with pytest.raises(ScoreError, match="nml"):
        bnml.prequential(DAG.parse("[X0][X1][X2][X3]"), DATA, "nml")
    with pytest.raises(ScoreError, match="nml"):
        bnml.posterior(DATA, "nml")


def test_several_parents_are_refused():
    with pytest.raises(ScoreError, match=r"'X1' has 2 parents.*one parent at most.*qnml comes nearest"):
        bnml.score(DAG.parse("[X0][X2][X3][X1|X0:X2]"), DATA, "nml")


def test_what_is_too_much_is_refused_before_any_work():
    rng = np.random.default_rng(0)
    data = bnml.read(rng.integers(0, 9, (2000, 4)))
    with pytest.raises(ScoreError, match=r"too much: more than 10\^.* weights.*take qnml"):
        bnml.score(DAG.parse("[X0][X1|X0][X2|X1][X3|X2]"), data, "nml")
    star = DAG.parse("[X0][X1|X0][X2|X0][X3|X0]")
    assert bnml.score(star, data, "nml") < bnml.score(star, data, "loglik")


@pytest.mark.parametrize(
    "structure", ["[X0][X1|X0][X2|X0:X1][X3]", "[X2][X0|X2][X3|X0:X2][X1|X0:X2:X3]", "[X0][X1|X0][X2][X3|X2]"]
)
def test_complete_components_are_quotients(structure):
    """There qNML is the NML of the network (qNML paper, theorem 9)."""
    data, dag = data_of(random_table(3, 25, [2, 3, 2, 2])), DAG.parse(structure)
    assert bnml.score(dag, data, "nml") == pytest.approx(bnml.score(dag, data, "qnml"), rel=1e-12)


def test_complete_components_beside_trees():
    """The normaliser of a network is the product of those of its components."""
    data = data_of(random_table(4, 20, [2, 3, 2, 2, 3, 2]))
    dag = DAG.parse("[X0][X1|X0][X2|X0:X1][X3][X4|X3][X5|X3]")
    parts = [("[X0][X1|X0][X2|X0:X1]", ["X0", "X1", "X2"]), ("[X3][X4|X3][X5|X3]", ["X3", "X4", "X5"])]
    want = sum(bnml.score(DAG.parse(text), data.select(names), "nml") for text, names in parts)
    assert bnml.score(dag, data, "nml") == pytest.approx(want, rel=1e-12)
    with pytest.raises(ScoreError, match="all variables are linked"):
        bnml.score(DAG.parse("[X0][X1][X2|X0:X1][X3][X4][X5]"), data, "nml")


def test_the_normaliser_of_a_complete_component():
    """Against the sum over all tables of three rows."""
    dag, arities, n = DAG.parse("[X0][X1|X0][X2|X0:X1]"), [2, 2, 2], 3
    cells = list(product(*map(range, arities)))
    samples = [data_of(table_of(rows, arities)) for rows in product(cells, repeat=n)]
    total = math.log(math.fsum(math.exp(bnml.score(dag, data, "loglik")) for data in samples))
    assert forest_nml.forest_score_complexity(samples[0], [(), (0,), (0, 1)]) == pytest.approx(total, rel=1e-12)
