"""What a search asks of scores: the same of those on demand and of those in a list, for any number of variables."""

from __future__ import annotations

import numpy as np
import pytest

import bnml
from bnml.scores import FamilyScorer, FamilyScores, LocalScores

NAMES = [f"V{i}" for i in range(200)]


def wide_table(columns: int) -> bnml.Data:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (40, columns))
    rows[:, columns - 1] = rows[:, columns - 2]
    states = {f"X{i}": [0, 1] for i in range(columns)}
    return bnml.read(rows, states=states)


@pytest.mark.parametrize("score", ["bic", "fnml", "bdeu", "bds"])
def test_local_scores_of_two_hundred_columns(score):
    """Sets are told apart by columns far beyond the bits of a machine's word."""
    data = wide_table(200)
    local = LocalScores(data, score)
    assert isinstance(local, FamilyScorer)
    few = LocalScores(data.select(["X1", "X65", "X198", "X199"]), score)
    sets = [(), (65,), (198,), (1, 65), (1, 65, 198)]
    place = {1: 0, 65: 1, 198: 2}
    wanted = few.families(3, [[place[v] for v in parents] for parents in sets]).tolist()
    assert local.families(199, sets).tolist() == pytest.approx(wanted, rel=1e-12)
    assert [local.family(199, parents) for parents in sets] == local.families(199, sets).tolist()
    added = local.additions(199, [1], np.array([65, 198]))
    assert added.tolist() == [local.family(199, [1, 65]), local.family(199, [1, 198])]
    assert local.family(199, [1]) != local.family(199, [1 + 64])
    dag = bnml.DAG(data.names, [("X198", "X199"), ("X1", "X65")])
    bare = local.score(bnml.DAG(data.names))
    gains = local.family(199, [198]) - local.family(199, []) + local.family(65, [1]) - local.family(65, [])
    assert local.score(dag) == pytest.approx(bare + gains, rel=1e-12)


def test_listed_scores_of_a_hundred_variables():
    names = NAMES[:100]
    parents = [[0] + [1 << j for j in (i - 1, i - 70) if j >= 0] for i in range(100)]
    scores = [[-3.0 - 0.01 * i - k for k in range(len(sets))] for i, sets in enumerate(parents)]
    listed = FamilyScores(names, parents, scores)
    assert isinstance(listed, FamilyScorer)
    assert listed.family(99, [98]) == pytest.approx(-3.99 - 1)
    assert listed.family(99, [29]) == pytest.approx(-3.99 - 2)
    assert listed.family(99, [98 - 64]) == -np.inf
    assert listed.additions(99, [], [98, 29, 5]).tolist() == listed.families(99, [[98], [29], [5]]).tolist()
    dag = bnml.DAG(names, [(names[98], names[99])])
    assert listed.score(dag) == pytest.approx(sum(-3.0 - 0.01 * i for i in range(100)) - 1)
    assert listed.undominated().parents[99] == (0,)
