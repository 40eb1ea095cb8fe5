"""The same questions to every score: what it is called, what it is, what it may depend on, how it may be asked."""

from __future__ import annotations

import math
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml import scores
from bnml.counts import batches as tails
from bnml.errors import ScoreError
from bnml.scores import SCORES, BDe, LocalScores, Score, parse_score
from bnml.scores import family_terms as term_cache
from bnml.scores.lattice import has_lattice, score_all_families
from tests import naive
from tests.counts.strategies import data_of, families, random_table, tables
from tests.scores.strategies import LABELS, dag_of, score_and_twin, structures

FEW = settings(max_examples=20, deadline=None)
CLOSE = {"rel": 1e-11, "abs": 1e-11}

pytestmark = pytest.mark.parametrize("label", LABELS)


# --- what it is called ---


def test_name_and_repr(label):
    score, _ = score_and_twin(label, random_table(0, 5, [2, 2]))
    assert isinstance(score, Score)
    assert score.name == label.partition(":")[0].removesuffix("+parents")
    assert repr(score).startswith(f"{type(score).__name__}(")
    if not isinstance(score, BDe):
        assert type(score) is SCORES[score.name]
        assert eval(repr(score), vars(scores)) == score == parse_score(label)
        assert hash(score) == hash(parse_score(label))
    assert parse_score(score) is score
    assert score.__doc__


# --- what it is ---


@FEW
@given(family=families())
def test_it_is_its_formula(label, family):
    table, child, parents = family
    score, twin = score_and_twin(label, table)
    value = LocalScores(data_of(table), score).family(child, parents)
    assert math.isfinite(value)
    assert value == pytest.approx(twin(table, child, parents), **CLOSE)


@FEW
@given(family=families())
def test_parts(label, family):
    """Log-likelihood less penalty (fNML paper, eq. 4)."""
    table, child, parents = family
    score, twin = score_and_twin(label, table)
    names = [f"X{p}" for p in parents]
    fit, penalty = bnml.family_score(f"X{child}", names, data_of(table), score, parts=True)
    assert fit == pytest.approx(naive.loglik(table, child, parents), **CLOSE)
    assert fit - penalty == pytest.approx(twin(table, child, parents), **CLOSE)
    assert penalty >= -1e-11 * max(1.0, abs(fit))


@FEW
@given(drawn=structures())
def test_it_is_decomposable(label, drawn):
    """A structure's score is the sum of its families' scores (fNML paper, eq. 3)."""
    table, arcs = drawn
    score, twin = score_and_twin(label, table)
    data, dag = data_of(table), dag_of(arcs, len(table.arities))
    value = bnml.score(dag, data, score)
    assert value == math.fsum(bnml.family_score(x, dag.parents(x), data, score) for x in dag.names)
    assert value == pytest.approx(naive.score(table, arcs, twin), **CLOSE)


@FEW
@given(family=families(columns=3))
def test_it_is_the_sum_of_its_terms(label, family):
    """J(X ∪ Pa) - M(Pa): from the tables and the closed form themselves, and through `subsets`."""
    table, child, parents = family
    score, _ = score_and_twin(label, table)
    scored = LocalScores(data_of(table), score)
    if scored.terms is None:
        assert isinstance(score, scores.BDs | BDe)
        with pytest.raises(ScoreError, match=score.name):
            scored.subsets([parents])
        return
    value, r = scored.family(child, parents), table.arities[child]
    joint, margin = scored.subsets([[*parents, child]]), scored.subsets([parents], arity=r)
    assert value == pytest.approx(float(joint[0] - margin[0]), **CLOSE)
    assert scored.quotient == (not scored.terms.margin)
    if scored.terms.ess:
        return
    tables_of = scored.terms.joint, scored.terms.margin.get(r, scored.terms.joint)
    sets = [*parents, child], parents
    term = [
        math.fsum(lookup[n] for n in naive.observed(table, variables).values())
        for lookup, variables in zip(tables_of, sets, strict=True)
    ]
    if scored.terms.closed is not None:
        q = np.array([math.prod(table.arities[v] for v in variables) for variables in sets], np.float64)
        term = term + scored.terms.closed(q, np.log(q), np.array([len(s) for s in sets], np.float64))
    assert value == pytest.approx(float(term[0] - term[1]), **CLOSE)


# --- what it may depend on ---


@FEW
@given(family=families(), seed=st.randoms(use_true_random=False))
def test_orders_do_not_matter(label, family, seed):
    """The order of the parents, of the rows and of the columns."""
    table, child, parents = family
    score, _ = score_and_twin(label, table)
    data = data_of(table)
    value = LocalScores(data, score).family(child, parents)
    assert LocalScores(data, score).family(child, parents[::-1]) == value
    lines = list(zip(table.rows, table.weights, strict=True))
    seed.shuffle(lines)
    shuffled = naive.table_of([row for row, _ in lines], table.arities, [weight for _, weight in lines])
    assert LocalScores(data_of(shuffled), score).family(child, parents) == value
    names = list(data.names)
    seed.shuffle(names)
    turned = bnml.family_score(f"X{child}", [f"X{p}" for p in parents], data.select(names), score)
    assert turned == pytest.approx(value, **CLOSE)


@FEW
@given(family=families())
def test_weights_are_repetitions(label, family):
    table, child, parents = family
    score, _ = score_and_twin(label, table)
    repeated = naive.table_of(table.repeated, table.arities)
    value = LocalScores(data_of(table), score).family(child, parents)
    assert LocalScores(data_of(repeated), score).family(child, parents) == value


@pytest.mark.parametrize(
    ("rows", "arities"),
    [
        ([(0, 1, 0)], [2, 2, 2]),
        ([(0, 0, 0)], [1, 1, 1]),
        ([(0, 1, 0), (0, 0, 0), (0, 1, 0)], [1, 2, 1]),
        ([(0, 1, 2), (1, 0, 0)], [5, 4, 3]),
        ([(4, 1, 2)] * 50, [5, 4, 3]),
    ],
    ids=["one row", "one state each", "one-state columns", "unseen states", "one row repeated"],
)
def test_small_tables(label, rows, arities):
    table = naive.table_of(rows, arities)
    score, twin = score_and_twin(label, table)
    scored = LocalScores(data_of(table), score)
    for child, parents in ((0, []), (1, [0]), (2, [0, 1]), (0, [1, 2])):
        value = scored.family(child, parents)
        assert value == pytest.approx(twin(table, child, parents), **CLOSE)
        if arities[child] == 1 and label != "mdl+parents":
            assert value == pytest.approx(0.0, abs=1e-12)


# --- however it is asked ---


@FEW
@given(table=tables(columns=4))
def test_alone_in_a_batch_and_as_an_addition(label, table):
    """The same to the last bit, for every family, whatever was asked before."""
    score, _ = score_and_twin(label, table)
    data, n = data_of(table), len(table.arities)
    pairs = [
        (x, [p for p in range(n) if mask >> p & 1]) for x in range(n) for mask in range(1 << n) if not mask >> x & 1
    ]
    children, parent_sets = [x for x, _ in pairs], [pa for _, pa in pairs]
    batch = LocalScores(data, score).families(children, parent_sets).tolist()
    kept = LocalScores(data, score)
    assert [kept.family(x, pa) for x, pa in pairs] == batch
    assert [kept.family(x, pa) for x, pa in pairs] == batch
    assert [LocalScores(data, score).family(x, pa) for x, pa in pairs] == batch
    assert [LocalScores(data, score).families(x, [pa])[0] for x, pa in pairs] == batch
    known = {(x, tuple(pa)): value for (x, pa), value in zip(pairs, batch, strict=True)}
    for x, pa in pairs:
        others = [c for c in range(n) if c != x and c not in pa]
        wanted = [known[x, tuple(sorted((*pa, c)))] for c in others]
        assert kept.additions(x, pa, others).tolist() == wanted
        assert kept.additions(x, pa, np.array(others, np.int64)).tolist() == wanted
    with patch.object(term_cache, "MOST_CACHED", 3):
        forgetful = LocalScores(data, score)
        assert [forgetful.family(x, pa) for x, pa in pairs] == batch


@pytest.mark.parametrize("arities", [(2, 3), (4, 2, 3)])
def test_large_counts_need_no_entries(label, arities):
    """With an entry for small counts only, families, additions and the lattice of all families say the same."""
    table = random_table(1, 40, arities, most_weight=30_000)
    score, _ = score_and_twin(label, table)
    n = len(arities)
    wanted = LocalScores(data_of(table), score)
    with patch.object(tails, "DIRECT", 1 << 12):
        found = LocalScores(data_of(table), score)
        outline = found.outline
        assert outline is None or outline.ess > 0.0 or found.terms.joint.size == 1 << 12
        for child in range(n):
            others = [v for v in range(n) if v != child]
            sets = [[], others[:1], others]
            want = wanted.families(child, sets)
            assert found.families(child, sets) == pytest.approx(want, rel=1e-13)
            assert [found.family(child, some) for some in sets] == found.families(child, sets).tolist()
            assert found.additions(child, [], others) == pytest.approx(wanted.additions(child, [], others), rel=1e-13)
        if has_lattice(wanted):
            all_found = score_all_families(found, 1, lambda share: None)
            assert all_found == pytest.approx(score_all_families(wanted, 1, lambda share: None), rel=1e-12)
