"""Chow and Liu's tree: nearest to the data of all trees, whatever the score; roots, ties, constraints."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.errors import BnmlError
from bnml.graph import Constraints, canonical_extension
from bnml.search import chow_liu
from tests import naive
from tests.counts.strategies import data_of
from tests.counts.strategies import tables as weighted_tables
from tests.search.forests import branchings, dag_of, trees
from tests.search.strategies import constraints, tables


def divergence(table, parents):
    """Return the Kullback-Leibler divergence of the data from a tree with their own conditional probabilities."""
    n = len(parents)
    joint = naive.probabilities(table, range(n))
    pairs = {(a, x): naive.probabilities(table, [a, x]) for x, a in enumerate(parents) if a is not None}
    single = [naive.probabilities(table, [x]) for x in range(n)]

    def one(row, x):
        a = parents[x]
        return single[x][row[x],] if a is None else pairs[a, x][row[a], row[x]] / single[a][row[a],]

    return naive.kl_divergence(joint, {row: math.prod(one(row, x) for x in range(n)) for row in joint})


@settings(max_examples=40, deadline=None)
@given(weighted_tables(columns=5, arity=3))
def test_no_tree_is_nearer_to_the_data(table):
    result = chow_liu(data_of(table))
    found = tuple(above[0] if above else None for above in result.dag.parent_sets)
    assert found in trees(len(found))
    nearest = min(divergence(table, parents) for parents in trees(len(found)) if parents[0] is None)
    assert divergence(table, found) == pytest.approx(nearest, abs=1e-11)


def information(data):
    n = len(data.names)
    pairs = itertools.permutations(range(n), 2)
    return {(a, b): bnml.information.mutual_information(data, data.names[a], data.names[b]) for a, b in pairs}


@settings(max_examples=60, deadline=None)
@given(data=tables(columns=4), drawn=st.data())
def test_constraints(data, drawn):
    known = drawn.draw(constraints(data.names))
    most = drawn.draw(st.sampled_from([None, 1, 0]))
    weight = information(data)

    def worth(parents):
        links = [(a, x) for x, a in enumerate(parents) if a is not None]
        return len(links), sum(weight[link] for link in links)

    every = [parents for parents in branchings(len(data.names)) if known.allows(dag_of(data.names, parents))]
    allowed = [parents for parents in every if most != 0 or set(parents) == {None}]
    if not allowed:
        with pytest.raises(BnmlError):
            chow_liu(data, constraints=known, max_parents=most)
        return
    result = chow_liu(data, constraints=known, max_parents=most)
    assert known.allows(result.dag)
    found = worth([above[0] if above else None for above in result.dag.parent_sets])
    wanted = max(map(worth, allowed))
    assert found == (wanted[0], pytest.approx(wanted[1], abs=1e-10))
    assert result.info["mutual_information"] == pytest.approx(wanted[1], abs=1e-10)
    assert result.constraints == known


@settings(max_examples=30, deadline=None)
@given(data=tables(columns=5), random=st.randoms(use_true_random=False))
def test_neither_score_nor_columns_nor_threads_decide(data, random):
    result = chow_liu(data)
    assert result.dag == canonical_extension(result.cpdag)
    assert result.info["roots"] == (min(data.names),)
    assert chow_liu(data, "loglik").dag == result.dag
    assert chow_liu(data.select(random.sample(data.names, len(data.names))), threads=2).dag == result.dag
    assert result.score == pytest.approx(bnml.score(result.dag, data), abs=1e-8)
    root = random.choice(data.names)
    rooted = chow_liu(data, root=root)
    assert rooted.dag.is_equivalent(result.dag)
    assert rooted.dag.parents(root) == ()
    assert rooted.info["roots"] == (root,)


def test_ties_go_by_name():
    rows = list(itertools.product([0, 1], repeat=4))  # all are independent of each other
    data = bnml.read(np.array(rows))
    assert str(chow_liu(data).dag) == "[X0][X1|X0][X2|X0][X3|X0]"
    copies = bnml.read(np.repeat(np.arange(6)[:, None] % 3, 4, axis=1))
    assert str(chow_liu(copies.select(["X3", "X1", "X0", "X2"])).dag.reordered(copies.names)) == str(chow_liu(data).dag)


def test_what_the_result_says():
    seen = []
    data = bnml.example()
    result = chow_liu(data, "bic", progress=lambda stage, share: seen.append(share))
    assert (result.search, result.optimal, result.score_name) == ("chow-liu", False, "bic")
    assert (result.info["moves"], result.info["pairs"], result.info["families"]) == (7, 28, 8 * 8)
    assert result.within is None
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert result == bnml.learn(data, "bic", search="chow-liu")
    prior = bnml.priors.Distance(bnml.DAG(data.names), 0.1)
    scored = chow_liu(data, "bic", prior=prior)
    assert scored.dag == result.dag
    assert scored.score == pytest.approx(result.score + 7 * math.log(0.1))


def test_one_variable_and_constant_columns():
    assert chow_liu(np.array([[0], [1]])).dag.arcs == ()
    with pytest.warns(UserWarning, match="only one state"):
        data = bnml.read(np.array([[0, 0, 1], [0, 1, 1], [0, 1, 0]]))
    assert chow_liu(data).info["roots"] == ("X0",)


def test_wrong_arguments():
    data = bnml.example()
    known = Constraints(required=[("asia", "tub"), ("smoke", "tub")])
    for arguments, message in (
        ({"root": "nobody"}, "root='nobody'"),
        ({"constraints": known}, "'tub' must have the parents"),
        ({"constraints": "asia>tub"}, "constraints="),
        ({"constraints": Constraints(required=[("asia", "nobody")])}, "nobody"),
        ({"max_parents": -1}, "max_parents=-1"),
        ({"prior": 5}, "prior=5"),
        ({"threads": 0}, "threads=0"),
        ({"time_limit": -1}, "time_limit=-1"),
    ):
        with pytest.raises(BnmlError, match=message):
            chow_liu(data, **arguments)
    with pytest.raises(BnmlError, match=r"did not end within time_limit=1e-09 .*columns"):
        chow_liu(data, time_limit=1e-9)
