"""Several best networks: a report is silent about the arcs on which they disagree, and names the score."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml import Constraints
from bnml.graph import DAG

pytestmark = pytest.mark.usefixtures("uniform_prior")


def plain(result) -> str:
    return " ".join(str(result).split())


@pytest.fixture(scope="module")
def parity():
    """Return three columns of which each is decided by the other two: any of them can be the common effect."""
    x, y = np.array([[0, 0, 1, 1], [0, 1, 0, 1]]).repeat(50, axis=1)
    return bnml.read(pd.DataFrame({"x": x, "y": y, "z": x ^ y}))


@pytest.fixture(scope="module")
def twins():
    """Return two copies of a cause, another cause, and their effect."""
    rng = np.random.default_rng(0)
    a, d, noise = rng.integers(0, 2, (3, 400))
    c = np.where(rng.random(400) < 0.9, a | d, noise)
    return bnml.read(pd.DataFrame({"a": a, "copy": a, "c": c, "d": d}))


def test_another_best_network_turns_an_arc_round(parity):
    result = bnml.learn(parity)
    assert result.directions.directed == (("x", "z"), ("y", "z"))
    assert result.disputed == (("x", "z"), ("y", "z"))
    assert result.shared_directions.directed == ()
    assert result.to_dict()["disputed"] == [["x", "z"], ["y", "z"]]
    text = plain(result)
    assert "that the data direct" not in text
    assert "Arcs that another network with the same score turns round or does without (2): x -> z y -> z" in text
    assert "Arrows:" not in result._repr_html_()
    assert "direction from the data" not in result._repr_html_()


def test_another_best_network_does_without_an_arc(twins):
    result = bnml.learn(twins)
    assert set(result.directions.directed) == {("a", "c"), ("d", "c")}
    assert result.disputed == (("a", "c"),)
    text = plain(result)
    assert "Arcs that the data direct by qnml, the same in every best network (1): d -> c" in text
    assert "turns round or does without (1): a -> c" in text
    assert "Arrows: arcs that the data direct by qnml" in result._repr_html_()
    decided = bnml.learn(twins, constraints=Constraints(forbidden_links=[("copy", "c")]))
    assert decided.disputed == ()


@pytest.mark.parametrize("score", ["bic", "bdeu:10", "fnml", "qnml"])
def test_the_score_is_named(score):
    text = plain(bnml.learn(bnml.example(), score, search="exact"))
    assert f"Arcs that the data direct by {score}, the same in every best network" in text
    climbed = plain(bnml.learn(bnml.example(), score, search="climb"))
    assert f"Arcs that the data direct by {score}, in the network that was found" in climbed
    assert "every best network" not in climbed


def structures(names):
    """Yield all DAGs of few variables."""
    pairs = list(itertools.combinations(names, 2))
    for choice in itertools.product((None, 0, 1), repeat=len(pairs)):
        arcs = [pair[:: 1 - 2 * way] for pair, way in zip(pairs, choice, strict=True) if way is not None]
        try:
            yield DAG(names, arcs)
        except bnml.BnmlError:
            continue


FORBIDDEN = Constraints(forbidden=[("b", "a")])


@pytest.mark.parametrize("constraints", [None, FORBIDDEN])
@pytest.mark.parametrize("score", ["qnml", "bic", "fnml", "aic"])
@pytest.mark.parametrize("seed", range(6))
def test_all_structures_one_by_one(seed, score, constraints):
    """Few rows of few states, where several structures share the highest score."""
    rng = np.random.default_rng(seed)
    few = rng.integers(0, 2, (4, 3 + seed // 2))
    table = np.concatenate([few, few ^ [[1], [0], [1], [0]], few ^ [[0], [1], [1], [1]]], axis=1).repeat(7, axis=1)
    data = bnml.read(pd.DataFrame(dict(zip("abcd", table, strict=True))))
    limits = {"max_parents": 2, "rows_per_cell": 2} if seed % 2 else {"rows_per_cell": 0}
    result = bnml.learn(data, score, search="exact", constraints=constraints, **limits)
    cells = data.n_rows / limits["rows_per_cell"] if limits["rows_per_cell"] else np.inf
    most = limits.get("max_parents", 3)
    allowed = [
        dag
        for dag in structures(data.names)
        if all(len(dag.parents(x)) <= most for x in dag.names)
        and all(2 ** (1 + len(dag.parents(x))) <= cells for x in dag.names if dag.parents(x))
        and (constraints is None or constraints.allows(dag))
    ]
    best = [dag for dag in allowed if bnml.score(dag, data, score) >= result.score - 1e-7]
    assert result.dag in best
    shared = set.intersection(*(set(dag.arcs) for dag in best))
    assert set(result.disputed) == set(result.directions.directed) - shared
    assert set(result.shared_directions.directed) == set(result.directions.directed) & shared


def test_not_looked_for_where_it_would_take_long(parity):
    assert bnml.learn(parity, search="tabu").disputed is None
    assert bnml.learn(parity, constraints=Constraints(required_links=[("x", "z")])).disputed is None
    rng = np.random.default_rng(0)
    wide = bnml.learn(pd.DataFrame(rng.integers(0, 2, (60, 15))), max_parents=1)
    assert wide.optimal
    assert wide.disputed is None
    assert bnml.learn(parity, "bds").disputed is None, "a score without terms of subsets"


@pytest.mark.parametrize("names", [["x"], ["x", "y"]])
def test_few_variables(parity, names):
    assert bnml.learn(parity.select(names)).disputed == ()
    required = Constraints(required=[("x", "y")])
    assert names == ["x"] or bnml.learn(parity.select(names), constraints=required).disputed == ()
