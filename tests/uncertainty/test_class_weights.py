"""Members of classes, counted and listed."""

from __future__ import annotations

import numpy as np
import pytest

import bnml
from bnml.errors import ArgumentError
from bnml.graph import DAG, Constraints, Rules
from bnml.scores.priors import ArcProbabilities
from bnml.uncertainty import class_weights
from tests.uncertainty import naive


def members_allowed(n, structure, allowed):
    own = naive.equivalence(structure)
    return sum(naive.equivalence(other) == own and allowed(other) for other in naive.all_structures(n))


@pytest.mark.parametrize(
    ("known", "most", "allowed"),
    [
        (Constraints(), None, lambda s: True),
        (Constraints(forbidden=[("X0", "X1")]), None, lambda s: 0 not in s[1]),
        (Constraints(required=[("X2", "X3")]), None, lambda s: 2 in s[3]),
        (Constraints(), 1, lambda s: max(map(len, s)) <= 1),
    ],
)
def test_by_enumeration(known, most, allowed):
    names = [f"X{i}" for i in range(4)]
    rules = known.compiled(names, most)
    for structure in naive.all_structures(4)[::7]:
        if allowed(structure):
            dag = DAG.from_parent_sets(names, structure)
            assert class_weights.class_weights([dag], rules)[0] == pytest.approx(
                1 / members_allowed(4, structure, allowed)
            )


def test_too_many_to_look_at(monkeypatch):
    monkeypatch.setattr(class_weights, "MOST_MEMBERS", 5)
    chain = DAG.parse("[A][B|A][C|B][D|C][E|D][F|E]")
    assert class_weights.class_weights([chain], Rules.none(chain.names))[0] == pytest.approx(1 / 6)
    with pytest.raises(ArgumentError, match="prior='classes'"):
        class_weights.class_weights([chain], Rules.none(chain.names, 2))


def test_arcs_that_a_structure_prior_rules_out_leave_fewer_members():
    rng = np.random.default_rng(2)
    rows = rng.integers(0, 2, (120, 4))
    rows[:, 1] = np.where(rng.random(120) < 0.75, rows[:, 0], rows[:, 1])
    rows[:, 2] = np.where(rng.random(120) < 0.75, rows[:, 1], rows[:, 2])
    ruled_out = {("X0", "X1"): 0.0, ("X3", "X1"): 0.0, ("X3", "X2"): 0.0, ("X0", "X2"): 0.0}
    asked = {"prior": "classes", "structure_prior": ArcProbabilities(0.5, ruled_out)}
    exact = bnml.posterior(rows, "bdeu", method="exact", **asked)
    found = bnml.posterior(rows, "bdeu", method="sample", samples=2500, **asked)
    want = exact.top(3, classes=True).set_index("structure")
    got = found.top(10, classes=True).set_index("structure").loc[want.index]
    assert got["dags"].tolist() == want["dags"].tolist()
    assert got["probability"].to_numpy() == pytest.approx(want["probability"].to_numpy(), abs=0.02)


def test_classes_too_large_to_count_are_said_at_once_and_stop_no_list(monkeypatch):
    monkeypatch.setattr(class_weights, "MOST_MEMBERS", 0)
    rows = np.random.default_rng(0).integers(0, 2, (60, 4))
    rows[:, 1] = rows[:, 0]
    with pytest.raises(ArgumentError, match="too many to look at"):
        bnml.posterior(rows, "bdeu", method="sample", samples=50, prior="classes", max_parents=1)
    found = bnml.posterior(rows, "bdeu", method="sample", samples=50, max_parents=1)
    assert found.top(1, classes=True)["dags"].isna().all()
