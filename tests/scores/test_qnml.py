"""qNML: the networks for which it is the NML, and numbers of configurations beyond the floats."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml import DAG
from bnml.errors import ArgumentError
from bnml.scores import QNML, LocalScores
from tests import naive
from tests.counts.strategies import data_of, families, random_table, tables
from tests.graph.naive import all_dags
from tests.scores.strategies import dag_of


def components(arcs, n):
    """Return the connected components as sorted lists."""
    part = {i: {i} for i in range(n)}
    for a, b in arcs:
        part |= dict.fromkeys(part[a] | part[b], part[a] | part[b])
    return sorted({tuple(sorted(members)) for members in part.values()})


def has_complete_components(arcs, n):
    joined = {frozenset(arc) for arc in arcs}
    return all(frozenset(pair) in joined for part in components(arcs, n) for pair in combinations(part, 2))


ALL_ON_FOUR = [frozenset((int(a), int(b)) for a, b in arcs) for arcs in all_dags("0123")]
COMPLETE = [arcs for arcs in ALL_ON_FOUR if has_complete_components(arcs, 4)]


def test_how_many_networks_have_complete_components():
    """73 of the 543 on four nodes (qNML paper, appendix C; OEIS A000262)."""
    assert len(ALL_ON_FOUR) == bnml.count_dags(4) == 543
    assert len(COMPLETE) == 73


def test_it_is_the_nml_of_these():
    """Against the sum over all tables of two rows (theorem 3), and the product of the collapsed components."""
    small = naive.table_of([(0, 1, 0, 1), (1, 1, 0, 0)], [2, 2, 2, 2])
    large = random_table(3, 40, [2, 3, 2, 4], 3)
    for arcs in COMPLETE:
        dag = dag_of(arcs, 4)
        assert bnml.score(dag, data_of(small), "qnml") == pytest.approx(naive.network_nml(small, arcs), rel=1e-11)
        wanted = math.fsum(naive.collapsed_nml(large, part) for part in components(arcs, 4))
        assert bnml.score(dag, data_of(large), "qnml") == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("arcs", [[(0, 1), (1, 2)], [(1, 0), (1, 2)], [(0, 1), (2, 1)]], ids=str)
def test_it_is_not_the_nml_of_others(arcs):
    table = naive.table_of([(0, 1, 0), (1, 1, 0), (1, 0, 1)], [2, 2, 2])
    assert abs(bnml.score(dag_of(arcs, 3), data_of(table), "qnml") - naive.network_nml(table, arcs)) > 1e-3


@settings(max_examples=30, deadline=None)
@given(tables(), st.data())
def test_a_complete_network_is_one_variable(table, drawn):
    """In any order of the columns: the NML of all of them as one categorical variable."""
    order = drawn.draw(st.permutations(range(len(table.arities))))
    dag = dag_of(list(combinations(order, 2)), len(order))
    wanted = naive.collapsed_nml(table, range(len(order)))
    assert bnml.score(dag, data_of(table), "qnml") == pytest.approx(wanted, rel=1e-11, abs=1e-11)


@settings(max_examples=40, deadline=None)
@given(families())
def test_penalty(family):
    """reg(N, q r) - reg(N, q)  (qNML paper, eq. 10)."""
    table, child, parents = family
    _, penalty = bnml.family_score(f"X{child}", [f"X{p}" for p in parents], data_of(table), "qnml", parts=True)
    q = math.prod(table.arities[p] for p in parents)
    wanted = bnml.regret(table.n, q * table.arities[child]) - bnml.regret(table.n, q)
    assert penalty == pytest.approx(wanted, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize(("arity", "n"), [(4, 40), (3, 650), (4, 513), (4, 701)], ids=str)
def test_more_configurations_than_a_float_counts(arity, n):
    """From 10^24 configurations to 4^701, exactly: finite, and the same to the last bit however it is asked."""
    table = random_table(n, 12, [arity] * n)
    parents = list(range(1, n))
    fit = naive.observed(table, parents), naive.observed(table, [*parents, 0])
    wanted = math.fsum(c * math.log(c) for c in fit[1].values()) - math.fsum(c * math.log(c) for c in fit[0].values())
    wanted -= naive.regret(12, arity**n) - naive.regret(12, arity ** (n - 1))
    scored = LocalScores(data_of(table), QNML())
    value = scored.family(0, parents)
    assert value == pytest.approx(wanted, rel=1e-11)
    assert scored.families(0, [parents]).tolist() == [value]
    assert scored.additions(0, parents[1:], parents[:1]).tolist() == [value]


@pytest.mark.parametrize("method", ["szpankowski", "szpankowski-weinberger"])
def test_approximations(method):
    data = data_of(random_table(5, 500, [3, 2, 2]))
    exact, approximate = (LocalScores(data, QNML(regret)).family(0, [1, 2]) for regret in ("exact", method))
    assert approximate == pytest.approx(exact, abs=0.05)
    assert approximate != exact


def test_bad_method():
    with pytest.raises(ArgumentError, match="'stirling'"):
        QNML(regret="stirling")


def test_the_empty_network_is_coded_column_by_column():
    table = random_table(6, 30, [2, 3, 4])
    wanted = math.fsum(naive.collapsed_nml(table, [i]) for i in range(3))
    assert bnml.score(DAG(["X0", "X1", "X2"]), data_of(table), "qnml") == pytest.approx(wanted, rel=1e-12)
    assert bnml.score(DAG(["X0", "X1", "X2"]), data_of(table), "fnml") == pytest.approx(wanted, rel=1e-12)
