"""Tests of independence where values are missing: each takes the rows in which its variables are observed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.counts.counts import counts_for_tests
from bnml.counts.observed import ObservedCounts
from bnml.independence import independence_test
from bnml.search import polytree


def with_gaps(seed, rows=300, share=0.2):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, rows)
    b = np.where(rng.random(rows) < 0.8, a, 1 - a)
    c = np.where(rng.random(rows) < 0.8, b, rng.integers(0, 3, rows))
    d = rng.integers(0, 3, rows)
    frame = pd.DataFrame({"a": a, "b": b, "c": c, "d": d}).astype(str)
    return frame.mask(rng.random(frame.shape) < share)


STATES = {"a": ["0", "1"], "b": ["0", "1"], "c": ["0", "1", "2"], "d": ["0", "1", "2"]}


@pytest.mark.parametrize("test", ["g2", "x2", "g2-permutation"])
@pytest.mark.parametrize("rows", [40, 300])
@settings(deadline=None, max_examples=8)
@given(seed=st.integers(0, 1000), given_=st.sampled_from([(), ("b",), ("b", "d")]))
def test_a_test_is_that_of_the_rows_without_gaps_in_its_variables(test, rows, seed, given_):
    frame = with_gaps(seed, rows)
    data = bnml.read(frame, states=STATES, missing="em")
    kept = frame[["a", "c", *given_]].dropna()
    whole = bnml.read(kept, states={x: STATES[x] for x in kept.columns})
    ours, theirs = (independence_test(table, "a", "c", given_, test=test) for table in (data, whole))
    if np.isnan(ours.p_value):  # the rows are too few to test, which the table of these rows alone cannot tell
        assert theirs.p_value == 1.0
        assert not ours.independent
    elif ours.sparse != theirs.sparse:  # rows per cell are those of the states that occur in the whole table
        assert ours.sparse
        assert any(frame[x].nunique() > kept[x].nunique() for x in kept)
        assert ours[1:3] == pytest.approx(theirs[1:3])
    else:
        assert ours == pytest.approx(theirs, nan_ok=True)


def test_dependences():
    frame = with_gaps(1)
    table = bnml.dependences(bnml.read(frame, states=STATES, missing="em")).set_index(["a", "b"])
    for (a, b), row in table.iterrows():
        kept = bnml.read(frame[[a, b]].dropna(), states={x: STATES[x] for x in (a, b)})
        wanted = bnml.dependences(kept).iloc[0]
        for column in ("mutual_information", "g2", "degrees_of_freedom", "p_value", "sparse"):
            assert row[column] == pytest.approx(wanted[column])


def test_pc_npc_and_polytrees():
    data = bnml.read(with_gaps(2, 1000, 0.1), states=STATES, missing="em")
    for found in (bnml.pc(data, alpha=0.01), bnml.npc(data, alpha=0.01)):
        links = {frozenset(link) for link in (*found.pdag.directed, *found.pdag.undirected)}
        assert links == {frozenset("ab"), frozenset("bc")}
    for search in ("pc", "npc"):
        result = bnml.learn(data, search=search, alpha=0.01)
        assert result.tested.pdag == getattr(bnml, search)(data, alpha=0.01).pdag
    tree = polytree(data, alpha=0.01)
    assert {frozenset(arc) for arc in tree.dag.arcs} == {frozenset("ab"), frozenset("bc")}


def test_a_threshold_in_bits_is_one_of_the_rows_that_are_there():
    frame = with_gaps(3, 400, 0.4)
    data = bnml.read(frame, states=STATES, missing="em")
    kept = bnml.read(frame[["a", "b"]].dropna(), states={x: STATES[x] for x in ("a", "b")})
    bits = bnml.dependences(kept)["mutual_information"].iloc[0] / np.log(2)
    from bnml.independence import Gain

    assert not independence_test(data, "a", "b", test=Gain(0.99 * bits)).independent
    outcome = independence_test(data, "a", "b", test=Gain(1.01 * bits))
    assert outcome.independent
    assert outcome.statistic == pytest.approx(bits)


def test_counts_of_what_is_observed():
    frame = with_gaps(4, 60)
    data = bnml.read(frame, states=STATES, missing="em")
    counts = counts_for_tests(data)
    assert isinstance(counts, ObservedCounts)
    kept = frame[["a", "c"]].dropna()
    assert counts.n_observed([0, 2]) == len(kept)
    assert (
        counts.table([0, 2]).tolist()
        == pd.crosstab(kept["a"], kept["c"]).reindex(columns=STATES["c"], fill_value=0).to_numpy().tolist()
    )
    assert counts.cells([0, 2]).counts.sum() == len(kept)
    assert not isinstance(counts_for_tests(bnml.example()), ObservedCounts)
    apart = pd.DataFrame({"a": ["x", "y", None], "b": [None, None, "u"]})
    nothing = bnml.read(apart, states={"b": ["u", "v"]}, missing="em")
    assert bnml.dependences(nothing)["p_value"].isna().tolist() == [True]


def never_together(rows=300):
    """Return a table that lacks a in the first half of the rows, b in the other; c depends on both."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, rows))
    c = np.where(rng.random(rows) < 0.9, a | b, 1 - (a | b))
    frame = pd.DataFrame({"a": a, "b": b, "c": c}).astype(str)
    frame.loc[: rows // 2 - 1, "a"], frame.loc[rows // 2 :, "b"] = None, None
    return bnml.read(frame, missing="em")


@pytest.mark.parametrize("test", ["g2", "x2", "g2-permutation", "gain", bnml.independence.G2(rows_per_cell=0)])
def test_no_rows_are_no_independence(test):
    data = never_together()
    for given_ in ((), ("c",)):
        outcome = independence_test(data, "a", "b", given_, test=test)
        assert not outcome.independent
        assert np.isnan(outcome.p_value)
    for find in (bnml.pc, bnml.npc):
        found = find(data, test=test)
        assert frozenset("ab") in {frozenset(link) for link in (*found.pdag.directed, *found.pdag.undirected)}
        assert frozenset("ab") in found.untested
        assert frozenset("ab") not in found.sepsets
        assert found.tests[(found.tests["a"] == "a") & (found.tests["b"] == "b")].empty


@pytest.mark.parametrize("test", ["g2", "x2", "g2-permutation"])
def test_pairs_without_rows_have_no_p_value(test):
    table = bnml.dependences(never_together(), test=test, adjust="bh").set_index(["a", "b"])
    assert table["rows"].to_dict() == {("a", "b"): 0, ("a", "c"): 150, ("b", "c"): 150}
    assert table[["p_value", "adjusted_p_value"]].isna().to_numpy().tolist() == [[True] * 2, [False] * 2, [False] * 2]
    tested = table["p_value"].iloc[1:].sort_values().to_numpy()
    assert table["adjusted_p_value"].iloc[1:].min() == pytest.approx(min(2 * tested[0], tested[1]))
    assert bnml.select_features(never_together(), "a", test=test) == ["c"]
    assert "rows" not in bnml.dependences(bnml.example())


def test_untested_are_columns_that_vary_but_not_in_the_rows_that_have_both():
    frame = pd.DataFrame({"a": ["0", "1"] * 20, "b": ["0", "0", "1", "1"] * 10, "one": ["x"] * 40})
    frame["copy"] = frame["a"]
    frame.loc[frame["a"] == "1", "b"] = None  # b is observed only where a is 0
    data = bnml.read(frame, missing="em", states={"one": ["x", "y"]})
    counts = counts_for_tests(data)
    at = {name: i for i, name in enumerate(counts.names)}
    asked = [("a", "b", []), ("a", "one", []), ("a", "copy", []), ("a", "one", ["copy"]), ("b", "one", ["copy"])]
    found = [counts.lacks_rows(at[x], at[y], [at[z] for z in given_]) for x, y, given_ in asked]
    assert found == [True, False, False, False, False]
    assert np.isnan(independence_test(data, "a", "b").p_value)
    assert independence_test(data, "a", "one").independent


def test_a_polytree_has_no_collider_for_want_of_rows():
    arcs = set(polytree(never_together(), alpha=0.01).dag.arcs)
    assert {frozenset(arc) for arc in arcs} == {frozenset("ac"), frozenset("bc")}
    assert not {("a", "c"), ("b", "c")} <= arcs


NEVER_TOGETHER = {
    "one-row-each": {"a": ["x", None], "b": [None, "u"]},
    "no-constant": {"a": ["x", "y", None, None] * 5, "b": [None, None, "u", "v"] * 5},
    "one-constant": {"a": ["x", "x", None, None] * 5, "b": [None, None, "u", "v"] * 5, "c": list("pqqp") * 5},
    "all-constant": {"a": ["x", "x", None, None] * 5, "b": [None, None, "u", "u"] * 5, "c": ["p", "p", "p", None] * 5},
}


@pytest.mark.filterwarnings("ignore:.*only one state")
@pytest.mark.parametrize("columns", NEVER_TOGETHER.values(), ids=NEVER_TOGETHER)
def test_columns_without_common_rows_cannot_be_tested(columns):
    data = bnml.read(pd.DataFrame(columns), missing="em")
    pairs = bnml.dependences(data).set_index(["a", "b"])
    assert np.isnan(pairs.loc[("a", "b"), ["mutual_information", "p_value"]].astype(float)).all()
    dag = bnml.DAG(data.names, [("a", "b"), *([("c", "b")] if "c" in data.names else [])])
    arcs = bnml.strength(dag, data).set_index(["from", "to"])
    assert np.isnan(arcs.loc[("a", "b"), "p_value"])
    for result in (bnml.learn(data), bnml.learn(data, search="polytree")):
        assert not {("a", "b"), ("b", "a")} & set(result.dag.arcs)
    for result in (bnml.pc(data), bnml.pc(data, test="x2"), bnml.npc(data)):
        assert frozenset("ab") in result.untested
