"""PC: the true class from an oracle, the naive skeleton from data, and what tests contradict."""

from __future__ import annotations

import itertools
import pickle
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import bnml
from bnml import DAG, PDAG, Constraints, pc
from bnml.errors import BnmlError, GraphError
from bnml.independence import G2, X2
from tests.independence import naive
from tests.independence.strategies import random_dag, sampled
from tests.reference import ALARM, golden_table

NETWORKS = Path(__file__).parents[3] / "shared" / "data" / "networks"


def skeleton_of(pdag):
    return {frozenset(edge) for edge in (*pdag.directed, *pdag.undirected)}


# --- with an oracle ---


@pytest.mark.parametrize("seed", range(120))
def test_the_true_class_of_random_structures(seed):
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, int(rng.integers(1, 13)))
    rule = ("sepset", "conservative", "majority")[seed % 3]
    result = pc(None, oracle=dag, stable=seed % 2 == 0, colliders=rule)
    assert result.pdag == dag.cpdag()
    assert not result.conflicts
    assert not result.ambiguous_triples
    assert result.dag.cpdag() == dag.cpdag()
    for pair, given in result.sepsets.items():
        assert dag.d_separated(*pair, given)


@pytest.mark.parametrize("stable", [True, False])
def test_the_lectures_example(stable):
    """A → C ← B, C → D: the causes of C are independent of each other, and C separates D from them."""
    dag = DAG.parse("[A][B][C|A:B][D|C]")
    result = pc(None, oracle=dag, stable=stable)
    assert set(result.pdag.directed) == {("A", "C"), ("B", "C"), ("C", "D")}
    assert not result.pdag.undirected
    separated = {"".join(sorted(pair)): set(given) for pair, given in result.sepsets.items()}
    assert separated == {"AB": set(), "AD": {"C"}, "BD": {"C"}}


def test_alarm():
    assert pc(None, oracle=ALARM).pdag == ALARM.cpdag()


def alarm_sample():
    if not NETWORKS.exists():
        pytest.skip("the networks are not there")
    frame = bnml.load(NETWORKS / "alarm.bif").sample(1500, seed=1)
    return bnml.read(frame[sorted(frame.columns)])


@pytest.mark.parametrize("table", [lambda: golden_table("insurance_1000"), alarm_sample], ids=["insurance", "alarm"])
def test_the_naive_skeleton_of_many_variables(table):
    """Each test counted and summed the plain way."""
    data = table()
    rows, arities = naive.rows_of(data), data.arities

    @cache
    def independent(x, y, given):
        if given and naive.is_sparse(rows, x, y, given):
            return False
        key = np.zeros(len(rows), int)
        for g in given:
            key = np.unique(key * arities[g] + rows[:, g], return_inverse=True)[1]
        cells = np.zeros((key.max() + 1, arities[x], arities[y]))
        np.add.at(cells, (key, rows[:, x], rows[:, y]), 1)
        expected = cells.sum(2, keepdims=True) * cells.sum(1, keepdims=True) / cells.sum((1, 2), keepdims=True)
        there = cells > 0
        statistic = 2 * np.sum(cells[there] * np.log(cells[there] / expected[there]))
        freedom = np.sum(((cells.sum(2) > 0).sum(1) - 1) * ((cells.sum(1) > 0).sum(1) - 1))
        return freedom == 0 or stats.chi2.sf(statistic, freedom) > 0.01

    links, _ = naive.skeleton(len(data.names), lambda x, y, given: independent(min(x, y), max(x, y), given))
    assert skeleton_of(pc(data, 0.01).pdag) == {frozenset(data.names[i] for i in link) for link in links}


def test_a_function_as_oracle():
    dag = DAG.parse("[A][B][C|A:B][D|C]")
    data = bnml.read(np.array([[0, 0, 0, 0], [1, 1, 1, 1]]))
    names = dict(zip(data.names, dag.names, strict=True))

    def independent(x, y, given):
        assert isinstance(given, frozenset)
        return dag.d_separated(names[x], names[y], [names[z] for z in given])

    found = pc(data, oracle=independent).pdag
    assert {(names[a], names[b]) for a, b in found.directed} == set(dag.arcs)


# --- from data ---


@pytest.mark.parametrize("rows_per_cell", [0, 5, 20])
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", ["g2", "x2"])
def test_the_naive_skeleton(seed, kind, rows_per_cell):
    """What cannot be tested separates nothing."""
    data = sampled(random_dag(np.random.default_rng(seed), 6, 0.4), 300, seed, states=2 + seed % 2)
    rows, known = naive.rows_of(data), {}

    def independent(x, y, given):
        key = (min(x, y), max(x, y), given)
        if key not in known:
            known[key] = naive.chi_square(rows, *key, kind)[2] > 0.05
        return known[key] and not naive.is_sparse(rows, *key, rows_per_cell)

    for stable in (True, False):
        links, sepsets = naive.skeleton(len(data.names), independent, stable)
        result = pc(data, 0.05, {"g2": G2, "x2": X2}[kind](rows_per_cell), stable=stable)
        expected = {frozenset(data.names[v] for v in link) for link in links}
        assert skeleton_of(result.pdag) == expected
        if not stable:
            named = {
                frozenset(data.names[v] for v in pair): frozenset(data.names[v] for v in given)
                for pair, given in sepsets.items()
            }
            assert dict(result.sepsets) == named


@pytest.mark.parametrize("seed", range(5))
def test_nothing_depends_on_the_order_of_columns_or_on_threads(seed):
    data = sampled(random_dag(np.random.default_rng(seed), 8), 200, seed)
    result = pc(data, 0.1)
    other = pc(data.select(data.names[::-1]), 0.1, threads=1)
    assert other.pdag == result.pdag
    assert other.sepsets == result.sepsets
    assert other.conflicts == result.conflicts
    assert other.dag == result.dag


@pytest.mark.parametrize("test", ["gain:0.02", "bic", "qnml", "g2-permutation"])
def test_other_tests(test):
    dag = DAG.parse("[A][B][C|A:B][D|C]")
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, 3000), rng.integers(0, 2, 3000)
    c = np.where(rng.random(3000) < 0.85, a | b, 1 - (a | b))
    d = np.where(rng.random(3000) < 0.85, c, 1 - c)
    import pandas as pd

    data = bnml.read(pd.DataFrame({"A": a, "B": b, "C": c, "D": d}))
    result = pc(data, 0.01, test)
    assert result.pdag == dag.cpdag()
    assert str(test) in str(result)


def test_at_most_some_conditions():
    dag = DAG.parse("[A][B|A][C|A][D|B:C]")
    result = pc(None, oracle=dag, max_condition=1)
    assert frozenset("AD") in skeleton_of(result.pdag)
    assert set(map(len, result.tests["given"])) == {0, 1}


# --- what is kept ---


def test_every_test_is_kept():
    data = bnml.example()
    result = pc(data, 0.01)
    tests = result.tests
    assert len(tests) == result.n_tests
    rows = naive.rows_of(data)
    for row in tests.sample(20, random_state=0).itertuples():
        given = [data.index(name) for name in row.given]
        known = naive.chi_square(rows, data.index(row.a), data.index(row.b), given)
        assert row.p_value == pytest.approx(known[2], rel=1e-8)
        assert row.independent == (known[2] > 0.01)
    for pair, given in result.sepsets.items():
        hit = tests[[{a, b} == pair and set(g) == given for a, b, g in zip(tests.a, tests.b, tests.given, strict=True)]]
        assert hit["independent"].all()


def test_it_can_be_printed_shown_and_pickled():
    result = pc(bnml.example(), 0.01)
    again = pickle.loads(pickle.dumps(result))
    assert again.pdag == result.pdag
    assert again.sepsets == result.sepsets
    assert len(again.tests) == result.n_tests
    assert max(map(len, str(result).splitlines())) <= 80
    assert "significance level 0.01" in str(result)
    assert "<svg" in result._repr_html_()
    assert repr(result).startswith("<IndependenceResult by pc: 8 variables")
    with pytest.raises(TypeError):
        result.sepsets[frozenset("AB")] = frozenset()
    assert result.resolve() is result
    with pytest.raises(BnmlError, match="no ambiguous region"):
        result.resolve([("asia", "tub")])


# --- constraints ---


@pytest.mark.parametrize("seed", range(10))
def test_constraints_hold(seed):
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, 6, 0.4)
    data = sampled(dag, 150, seed)
    names = data.names
    known = Constraints(
        required=[(names[0], names[1])],
        required_links=[(names[2], names[3])],
        forbidden_links=[(names[4], names[5])],
        forbidden=[(names[3], names[5])],
        tiers=[[names[0], names[2]], [names[1], names[4]]],
    )
    for find in (pc, bnml.npc):
        result = find(data, 0.1, constraints=known)
        arcs = set(result.pdag.directed)
        assert (names[0], names[1]) in arcs
        links = skeleton_of(result.pdag)
        assert frozenset((names[2], names[3])) in links
        assert frozenset((names[4], names[5])) not in links
        barred = {(names[3], names[5]), (names[1], names[0]), (names[4], names[0]), (names[1], names[2])}
        assert not arcs & barred
        assert not {frozenset(a) for a in barred} & {frozenset(e) for e in result.pdag.undirected}
        assert result.dag is not None
        assert known.allows(result.dag)


def test_true_constraints_only_direct_more():
    for seed in range(20):
        dag = random_dag(np.random.default_rng(seed), 7)
        order = dag.topological_order()
        known = Constraints(tiers=[order[:4], order[4:]])
        result = pc(None, oracle=dag, constraints=known)
        assert skeleton_of(result.pdag) == {frozenset(arc) for arc in dag.arcs}
        assert set(dag.cpdag().directed) <= set(result.pdag.directed) <= set(dag.arcs)


def members_meeting(known, dag):
    """Return what is common to all members of the class of a DAG that meet constraints, by listing them."""
    pdag = dag.cpdag()
    arcs = list(pdag.directed)
    met = []
    for turned in itertools.product(*(((a, b), (b, a)) for a, b in pdag.undirected)):
        try:
            member = DAG(dag.names, [*arcs, *turned])
        except GraphError:  # a cycle
            continue
        if member.is_equivalent(dag) and known.allows(member):
            met.append(set(member.arcs))
    common = set.intersection(*met)
    free = {frozenset(arc) for arc in dag.arcs} - {frozenset(arc) for arc in common}
    return PDAG(dag.names, common, [tuple(sorted(link)) for link in free])


def true_constraints(rng, dag):
    """Return constraints of every kind that a DAG meets."""
    arcs, names = set(dag.arcs), dag.names
    apart = [(a, b) for a, b in itertools.combinations(names, 2) if not {(a, b), (b, a)} & arcs]
    absent = [(a, b) for a, b in itertools.permutations(names, 2) if (a, b) not in arcs]
    some = lambda pairs, share: [pair for pair in pairs if rng.random() < share]  # noqa: E731
    order = dag.topological_order()
    cut = int(rng.integers(1, len(order)))
    kind = int(rng.integers(0, 6))
    both_ways = [arc for a, b in some(apart, 0.5) for arc in ((a, b), (b, a))]
    return Constraints(
        forbidden_links=some(apart, 0.5) if kind in (0, 5) else [],
        forbidden=both_ways if kind == 1 else some(absent, 0.4) if kind in (2, 5) else [],
        tiers=[order[:cut], order[cut:]] if kind in (2, 3) else [],
        required=some(sorted(arcs), 0.3) if kind in (3, 4, 5) else [],
        required_links=some(sorted(arcs), 0.3) if kind in (4, 5) else [],
    )


def test_true_constraints_give_the_true_class():
    """A pair whose link is forbidden is not tested for the skeleton; its colliders are found all the same."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        dag = random_dag(rng, int(rng.integers(2, 8)), float(rng.choice([0.3, 0.5, 0.8])))
        known = true_constraints(rng, dag)
        expected = members_meeting(known, dag)
        for rule, find in itertools.product(("sepset", "conservative", "majority"), (pc, bnml.npc)):
            result = find(None, oracle=dag, constraints=known, colliders=rule)
            assert result.pdag == expected, (dag, known, find, rule)
            assert not result.conflicts
            assert not result.ambiguous_triples


def test_colliders_under_forbidden_links_in_data():
    dag = DAG.parse("[A][B][C|A:B]")
    data = sampled(dag, 10_000, 3)
    for known in (Constraints(forbidden_links=[("A", "B")]), Constraints(forbidden=[("A", "B"), ("B", "A")])):
        for find in (pc, bnml.npc):
            assert find(data, constraints=known).pdag == dag.cpdag()


# --- contradictions ---


def test_conflicts_are_reported():
    """A - B - C - D with A ⟂ C and B ⟂ D but nothing in between: B - C is asked for both ways."""
    said = {
        (frozenset("AC"), frozenset()), (frozenset("BD"), frozenset()),
        (frozenset("AD"), frozenset()),
    }  # fmt: skip
    data = bnml.read(np.array([[0, 0, 0, 0], [1, 1, 1, 1]]))
    names = dict(zip(data.names, "ABCD", strict=True))
    result = pc(data, oracle=lambda x, y, given: (frozenset((names[x], names[y])), given) in said)
    assert len(result.conflicts) == 1
    (conflict,) = result.conflicts
    assert "asked for by another collider" in conflict.reason
    assert "conflicts" in str(result)


def test_no_network_fits():
    """An undirected square: each pair of opposite corners is separated by the other two."""
    data = bnml.read(np.array([[0, 0, 0, 0], [1, 1, 1, 1]]))
    a, b, c, d = data.names
    answers = {frozenset((a, c)): {b, d}, frozenset((b, d)): {a, c}}
    oracle = lambda x, y, given: answers.get(frozenset((x, y))) == given  # noqa: E731
    result = pc(data, oracle=oracle)
    assert len(result.pdag.undirected) == 4
    assert result.dag is None
    assert "none has exactly these" in str(result)


def test_ambiguous_triples():
    """X and Z are separated by {} and by {Y}: not a collider for sure, nor a passage."""
    data = bnml.read(np.array([[0, 0, 0], [1, 1, 1]]))
    a, _, c = data.names
    oracle = lambda x, y, given: {x, y} == {a, c}  # noqa: E731
    assert len(pc(data, oracle=oracle).pdag.directed) == 2
    for rule in ("conservative", "majority"):
        result = pc(data, oracle=oracle, colliders=rule)
        assert not result.pdag.directed
        assert result.ambiguous_triples == (data.names,)


# --- what is refused ---


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"alpha": 0}, "alpha=0"),
        ({"alpha": 1.5}, "alpha=1.5"),
        ({"alpha": "x"}, "alpha='x'"),
        ({"alpha": True}, "alpha=True"),
        ({"test": "chi-by-eye"}, "chi-by-eye"),
        ({"colliders": "sepsets"}, "Did you mean 'sepset'"),
        ({"max_condition": -1}, "max_condition=-1"),
        ({"constraints": []}, "constraints="),
        ({"constraints": Constraints(required=[("lung", "nobody")])}, "nobody"),
        ({"oracle": 5}, "oracle=5"),
        ({"oracle": DAG(["A"])}, "same variables"),
        ({"threads": 0}, "threads"),
        ({"progress": 1}, "progress"),
    ],
)
@pytest.mark.parametrize("find", [pc, bnml.npc])
def test_refused(find, wrong, message):
    with pytest.raises(BnmlError, match=message):
        find(bnml.example(), **wrong)


def test_no_table_and_no_names():
    with pytest.raises(BnmlError, match="oracle"):
        pc(None, oracle=lambda x, y, given: True)


def test_progress():
    told = []
    pc(bnml.example(), progress=lambda stage, share: told.append(share))
    assert told == sorted(told)
    assert told[-1] == 1.0
