"""Counts as others see them: kept with the table, by columns and states, without rows."""

from __future__ import annotations

import numpy as np
import pytest

import bnml
from bnml.counts import Counts, Questions, Verdict, chi_square_statistic, counts_of
from bnml.counts.in_memory import InMemory
from bnml.errors import ArgumentError
from tests.counts.strategies import data_of, random_table


def test_they_are_kept_with_the_table():
    data = bnml.example()
    counts = counts_of(data)
    assert isinstance(counts, Counts)
    assert counts_of(data) is counts is counts_of(counts)
    assert bnml.LocalScores(data, "bic").counts is counts
    assert (counts.names, counts.states, counts.arities) == (data.names, data.states, data.arities)
    assert (counts.n_rows, counts.n_distinct, counts.nbytes) == (data.n_rows, data.n_distinct, data.codes.nbytes)


@pytest.mark.parametrize("ask", [lambda counts: counts.cells([2]), lambda counts: counts.table([0, -1])])
def test_columns_that_are_not_there(ask):
    with pytest.raises(ArgumentError, match="there is no column"):
        ask(counts_of(data_of(random_table(0, 5, [2, 2]))))


def test_nothing_but_counts_is_asked_of_a_table():
    """Scores, tests, forests and measures work with the counts of a table whose rows are gone."""
    data = data_of(random_table(1, 200, [2, 3, 2, 3]))
    wanted = _everything(data)
    bare = bnml.Data(data.names, data.states, np.empty((0, 4), np.uint8, order="F"), np.empty(0, np.int64))
    bare.__dict__["n_rows"] = data.n_rows
    bare.memo["counts"] = InMemory(data)
    assert _everything(bare) == wanted


def _everything(data):
    dag = bnml.DAG.parse("[X0][X1|X0][X2|X1][X3|X1]")
    prior = bnml.fit(dag, data)
    scores = ("bic", "bdeu", "fnml", "qnml", "bds", "nml", bnml.scores.BDe(prior))
    found = [bnml.score(dag, data, score) for score in scores]
    found += [bnml.learn(data, "qnml", search=search).score for search in ("exact", "climb", "order", "chow-liu")]
    found += [str(bnml.pc(data).pdag), bnml.information.entropy(data, ["X0", "X3"]), bnml.posterior(data).log_evidence]
    found += [bnml.nml.stochastic_complexity(dag, data), bnml.dependences(data)["g2"].tolist()]
    found += [bnml.strength(dag, data)["p_value"].tolist(), bnml.information.kl_divergence(data, data)]
    return [*found, bnml.fit(dag, data).probabilities("X2").tolist()]


@pytest.mark.parametrize("pearson", [False, True])
def test_statistics_from_cells_are_those_of_the_kernel(pearson, monkeypatch):
    counts = counts_of(data_of(random_table(3, 300, [3, 2, 4, 2, 3], 3)))
    sets = np.array([[1, 2], [2, 4], [1, 4], [1, 2]])
    questions = Questions(np.array([0, 3]), np.array([3, 4]), np.array([0, 3, 4]), sets)
    results, made = counts.statistics(questions, Verdict(pearson))
    for (x, y), some, found in zip([(0, 3)] * 3 + [(3, 4)], sets.tolist(), results, strict=True):
        cells = counts.cells(sorted((x, y, *some)))
        assert chi_square_statistic(cells, x, y, some, pearson=pearson) == pytest.approx(found[:2].tolist(), rel=1e-12)
    monkeypatch.setattr("bnml.counts.pair_tests.pair_tests_fit", lambda rows, questions: False)
    again, as_many = counts.statistics(questions, Verdict(pearson))
    assert again == pytest.approx(results, rel=1e-9)
    assert made.tolist() == as_many.tolist() == [3, 1]
    for verdict in (Verdict(pearson, -np.inf), Verdict(pearson, least=1e9)):  # every test finds independence
        assert counts.statistics(questions, verdict)[1].tolist() == [1, 1]
