"""Tests in batches, against definitions stratum by stratum."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.counts import chi_square_statistic, counts_of
from bnml.independence import G2, X2, Gain, Scored
from bnml.independence.independence_test import independence_test
from bnml.independence.oracles import DataJudge, Questions
from tests.independence import naive


def table(seed, rows=60, arities=(2, 3, 2, 4)):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 2, rows)
    columns = [np.where(rng.random(rows) < 0.5, first % r, rng.integers(0, r, rows)) for r in arities]
    states = {f"X{i}": list(range(r + 1)) for i, r in enumerate(arities)}  # the last state never occurs
    return bnml.read(np.stack(columns, axis=1), states=states)


def batch_of(questions):
    """One set for each pair; all sets of one size."""
    xs, ys, sets = zip(*questions, strict=True)
    return Questions(
        np.array(xs), np.array(ys), np.arange(len(xs) + 1), np.array(sets, np.int64).reshape(len(sets), -1)
    )


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["g2", "x2"]), st.integers(0, 2))
def test_statistics_are_those_of_the_definition(seed, kind, size):
    data = table(seed)
    rows = naive.rows_of(data)
    questions = [
        (x, y, some)
        for x, y in combinations(range(4), 2)
        for some in combinations(sorted(set(range(4)) - {x, y}), size)
    ]
    judge = DataJudge(data, data.names, {"g2": G2(rows_per_cell=0), "x2": X2(rows_per_cell=0)}[kind], 0.05)
    answers = judge.decide(batch_of(questions))
    for (x, y, some), found, independent in zip(questions, answers.results, answers.independent, strict=True):
        statistic, freedom, p = naive.chi_square(rows, x, y, some, kind)
        assert found[0] == pytest.approx(statistic, abs=1e-9)
        assert found[1] == freedom
        assert np.exp(found[2]) == pytest.approx(p, rel=1e-9)
        assert independent == (p > 0.05)
        cells = counts_of(data).cells([x, y, *some])
        large = chi_square_statistic(cells, x, y, some, pearson=kind == "x2")
        assert large == pytest.approx((statistic, freedom), abs=1e-9)


def test_g2_is_twice_n_times_the_information():
    data = table(3)
    found = DataJudge(data, data.names, G2(rows_per_cell=0), 0.05).decide(batch_of([(0, 1, (2, 3))])).results[0, 0]
    information = bnml.information.mutual_information(data, "X0", "X1", ("X2", "X3"))
    assert found == pytest.approx(2 * data.n_rows * information)


def test_a_pair_is_left_at_the_first_set_that_separates_it():
    data = table(1, 400)
    sets = np.array([[2], [3], [2]])
    judge = DataJudge(data, data.names, G2(), 1e-12)
    answers = judge.decide(Questions(np.array([0]), np.array([1]), np.array([0, 3]), sets))
    assert answers.made.tolist() == [1]
    assert answers.independent.tolist() == [True, False, False]
    assert judge.decide(Questions(np.array([0]), np.array([1]), np.array([0, 3]), sets), stop=False).made.tolist() == [
        3
    ]


def test_large_tables_take_the_other_path():
    rng = np.random.default_rng(0)
    data = bnml.read(rng.integers(0, 40, (300, 5)))
    rows = naive.rows_of(data)
    answers = DataJudge(data, data.names, G2(rows_per_cell=0), 0.05).decide(batch_of([(0, 1, (2, 3))]))
    statistic, freedom, p = naive.chi_square(rows, 0, 1, (2, 3))
    assert answers.results[0, :2] == pytest.approx((statistic, freedom))
    assert np.exp(answers.results[0, 2]) == pytest.approx(p)
    assert answers.made.tolist() == [1]


def test_threads_change_nothing():
    rng = np.random.default_rng(0)
    data = bnml.read(rng.integers(0, 3, (20_000, 12)))
    questions = [(x, y, (z,)) for x, y in combinations(range(12), 2) for z in range(12) if z not in (x, y)]
    one, two = (DataJudge(data, data.names, G2(), 0.05, t).decide(batch_of(questions)) for t in (1, 3))
    assert (one.results == two.results).all()


def test_the_gain_in_bits():
    data = table(5, 300)
    bits = bnml.information.mutual_information(data, "X0", "X1") / np.log(2)
    for threshold, independent in ((bits * 1.01, True), (bits * 0.99, False)):
        judge = DataJudge(data, data.names, Gain(threshold), 0.05)
        assert judge.decide(batch_of([(0, 1, ())])).independent[0] == independent


@pytest.mark.parametrize("score", ["qnml", "bdeu:2", "bic"])
def test_scores_decide(score):
    data = table(6, 300)
    judge = DataJudge(data, data.names, Scored(score), 0.05)
    for x, y, some in ((0, 1, ()), (0, 3, (1,)), (1, 2, (0, 3))):
        names = [data.names[v] for v in some]
        without, gained = (
            bnml.family_score(data.names[x], parents, data, score) for parents in (names, [*names, data.names[y]])
        )
        answers = judge.decide(batch_of([(x, y, some)]))
        assert answers.independent[0] == (gained <= without)
        turned = judge.decide(batch_of([(y, x, some)]))
        assert turned.results[0, 0] == pytest.approx(answers.results[0, 0], abs=1e-8)


def test_statistics_that_tests_decide_by():
    """Each test reports its own statistic, with its unit, and a p-value only where it has one."""
    data = table(7, 400)
    g2, x2 = (independence_test(data, "X0", "X1", "X2", test=name) for name in ("g2", "x2"))
    bits = bnml.information.mutual_information(data, "X0", "X1", "X2") / np.log(2)
    improvement = bnml.family_score("X0", ["X2", "X1"], data, "bic") - bnml.family_score("X0", ["X2"], data, "bic")
    expected = {
        "g2-permutation": (g2.statistic, "", False),
        "x2-permutation": (x2.statistic, "", False),
        "gain:0.01": (bits, "bits", True),
        "bic": (improvement, "nats", True),
    }
    for test, (statistic, unit, without_p) in expected.items():
        outcome = independence_test(data, "X0", "X1", "X2", test=test)
        assert outcome.statistic == pytest.approx(statistic)
        assert outcome.unit == unit
        assert np.isnan([outcome.p_value, outcome.log_p]).tolist() == [without_p] * 2
        assert np.isnan(outcome.degrees_of_freedom)
        row = bnml.pc(data, test=test).tests.set_index(["a", "b", "given"]).loc[("X0", "X1", ())]
        single = independence_test(data, "X0", "X1", test=test)
        np.testing.assert_allclose(row[["statistic", "p_value"]].astype(float), [single.statistic, single.p_value])
    assert (g2.unit, x2.unit) == ("", "")
    assert g2.statistic == pytest.approx(2 * data.n_rows * np.log(2) * bits)


@pytest.mark.parametrize("search", [bnml.pc, bnml.npc])
def test_oracles_have_no_statistics(search):
    dag = bnml.DAG.parse("[A][B|A][C|B][D|B]")
    pairs = [("A", "C"), ("A", "D"), ("C", "D")]
    statements = [(x, y, {"B", *more}) for x, y in pairs for more in ((), {*"ACD"} - {x, y})]
    for asked in ({"oracle": dag}, {"oracle": statements, "variables": dag.names}):
        result = search(None, **asked)
        assert result.pdag == dag.cpdag()
        assert result.tests[["statistic", "degrees_of_freedom", "p_value", "log_p"]].isna().all(axis=None)
        assert result.tests["independent"].any()


@pytest.mark.parametrize(("test", "unit"), [("gain:0.01", "bits"), ("bic", "nats"), ("g2", ""), ("x2", "")])
def test_tables_of_tests_name_the_unit(test, unit):
    assert bnml.pc(bnml.example(), test=test).tests.attrs["unit"] == unit
    assert bnml.pc(None, oracle=bnml.DAG.parse("[A][B|A]")).tests.attrs["unit"] == ""
