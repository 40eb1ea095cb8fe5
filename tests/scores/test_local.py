"""Local scores: many columns, many rows, kinds of numbers, priors, what is kept."""

from __future__ import annotations

import math
import pickle
from unittest.mock import patch

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings

import bnml
from bnml import DAG, priors
from bnml._jit import JIT
from bnml.counts import batch_of
from bnml.counts import in_memory as sums
from bnml.errors import ArgumentError
from bnml.scores import (
    BIC,
    FNML,
    K2,
    BDeu,
    BDs,
    LocalScores,
    LogLikelihood,
    family_terms,
    local_scores,
    parse_score,
)
from bnml.scores.bde import prior_marginal
from tests import naive
from tests.counts.strategies import data_of, random_table
from tests.nml.naive import by_recurrence
from tests.scores.strategies import LABELS, score_and_twin, structures

PENALISED = ("aic", "bic", "hqc", "mdl", "mdl+parents")  # these charge for parameters that never occur
NAMES = [label for label in LABELS if not label.startswith("bde:") and label != "bde"]


@pytest.mark.parametrize("label", NAMES)
def test_more_configurations_than_a_float_counts(label):
    """700 parents with four states: never NaN; minus infinity only for those that charge for each parameter."""
    table = random_table(1, 10, [4] * 701)
    data, parents = data_of(table), list(range(1, 701))
    scored = LocalScores(data, parse_score(label))
    value = scored.family(0, parents)
    assert value == -math.inf if label in PENALISED else math.isfinite(value)
    assert scored.families(0, [parents, parents[:3]]).tolist() == [value, scored.family(0, parents[:3])]
    assert scored.additions(0, parents[:-1], parents[-1:]).tolist() == [value]
    assert math.isfinite(scored.family(0, parents[:3]))


@pytest.mark.parametrize("label", NAMES)
@pytest.mark.parametrize("n", [1, 2])
def test_one_row_and_more_configurations_than_a_float_counts(label, n):
    """Where a parameter is free, infinitely many cost nothing."""
    data = data_of(random_table(1, n, [4] * 701))
    value = LocalScores(data, parse_score(label)).family(0, range(1, 701))
    assert not math.isnan(value)


@pytest.mark.parametrize("label", ["bic", "qnml", "bdeu", "bdq", "mdl+parents", "aic"])
def test_large_numbers_of_configurations_are_exact_in_any_order(label):
    """Products of 40 arities round differently in different orders; the score must not."""
    rng = np.random.default_rng(2)
    arities = rng.choice([3, 5, 7, 11, 13], 40).tolist()
    table = random_table(2, 30, arities)
    scored = LocalScores(data_of(table), parse_score(label))
    for _ in range(5):
        child, *parents = rng.permutation(40)[:30].tolist()
        value = scored.family(child, parents)
        assert math.isfinite(value)
        assert scored.families(child, [parents]).tolist() == [value]
        assert scored.families(child, [parents[::-1], [], parents])[[0, 2]].tolist() == [value, value]
        assert scored.additions(child, parents[1:], parents[:1]).tolist() == [value]
        assert LocalScores(scored.data, scored.score_function).family(child, parents[::-1]) == value


def test_forty_columns_against_the_formula():
    table = random_table(3, 50, [4] * 40, 3)
    parents = list(range(1, 40))
    fit = math.fsum(c * math.log(c) for c in naive.observed(table, [*parents, 0]).values())
    fit -= math.fsum(c * math.log(c) for c in naive.observed(table, parents).values())
    data = data_of(table)
    assert LocalScores(data, LogLikelihood()).family(0, parents) == pytest.approx(fit, abs=1e-11)
    wanted = fit - 4**39 * 3 * math.log(table.n) / 2
    assert LocalScores(data, BIC()).family(0, parents) == pytest.approx(wanted, rel=1e-14)


@pytest.mark.parametrize("label", ["bic", "bds"])
def test_numbers_of_any_kind(label):
    """NumPy's integers are as good as Python's, beyond the 63rd column too."""
    data = data_of(random_table(4, 30, [2] * 140))
    scored = LocalScores(data, parse_score(label))
    empty = scored.family(0, [])
    for v in (1, 62, 63, 64, 70, 127, 128, 139):
        wanted = LocalScores(data, parse_score(label)).family(0, [v])
        assert wanted != empty
        assert scored.family(np.int64(0), np.array([v])) == wanted
        assert scored.family(0, (np.uint8(v),)) == wanted
        assert scored.families(np.int64(0), np.array([[v]])).tolist() == [wanted]
        assert scored.families(np.array([0]), [range(v, v + 1)]).tolist() == [wanted]
    assert scored.family(np.int64(70), np.array([64])) == LocalScores(data, parse_score(label)).family(70, [64])


@pytest.mark.parametrize("label", [label for label in LABELS if label != "k2"])
def test_billions_of_rows(label):
    """More rows than any lookup table could have entries."""
    rows = [(x, y, z) for x in range(2) for y in range(3) for z in range(2)]
    weights = [10**9 + 7, 3, 10**6, 10**10, 5, 2**31, 2**20 - 1, 2**20, 2**20 + 1, 1, 12345, 10**8]
    table = naive.table_of(rows, [2, 3, 2], weights)
    score, _ = score_and_twin(label, table)
    scored = LocalScores(data_of(table), score)
    value = scored.family(0, [1, 2])
    assert scored.families(0, [[2, 1]]).tolist() == scored.additions(0, [1], [2]).tolist() == [value]
    assert value == pytest.approx(with_many_digits(label, table, score), rel=1e-12)


def with_many_digits(label, table, score):
    """Return the score of X0 given X1 and X2 from its formula in 40 digits."""
    n, (r, q) = table.n, (2, 6)
    joint, margin = naive.observed(table, [1, 2, 0]), naive.observed(table, [1, 2])
    name = label.partition(":")[0]
    with mpmath.workdps(40):
        log = mpmath.log
        fit = sum(c * log(c) for c in joint.values()) - sum(c * log(c) for c in margin.values())
        prices = {"loglik": 0, "aic": 1, "bic": log(n) / 2, "hqc": log(log(n)), "mdl": log(n) / 2}
        if name in prices:
            return float(fit - q * (r - 1) * prices[name])
        if name == "mdl+parents":
            return float(fit - q * (r - 1) * log(n) / 2 - 2 * log(3))
        if name == "fnml":
            return float(fit - sum(by_recurrence(c, [r])[r] for c in margin.values()))
        if name == "qnml":
            regrets = by_recurrence(n, [q * r, q])
            return float(fit - regrets[q * r] + regrets[q])

        def rising(a, c):
            return mpmath.loggamma(a + c) - mpmath.loggamma(a)

        if name == "bdq":
            a = mpmath.mpf(score.alpha)
            terms = sum(rising(a, c) for c in joint.values()) - sum(rising(a, c) for c in margin.values())
            return float(terms - rising(q * r * a, n) + rising(q * a, n))
        if name == "bde":
            probability = prior_marginal(score.network, ["X1", "X2", "X0"])
            a_ijk = {cell: score.ess * probability[cell] for cell in joint}
            a_ij = {cell: score.ess * probability[cell].sum() for cell in margin}
        else:
            each = {"bd": getattr(score, "alpha", 0), "bdj": 0.5}.get(name) or score.ess / (q * r)
            a_ijk, a_ij = dict.fromkeys(joint, each), dict.fromkeys(margin, each * r)
        total = sum(rising(mpmath.mpf(float(a_ijk[cell])), c) for cell, c in joint.items())
        return float(total - sum(rising(mpmath.mpf(float(a_ij[cell])), c) for cell, c in margin.items()))


@settings(max_examples=20, deadline=None)
@given(structures())
def test_priors_are_added(drawn):
    """To one family, to a batch and to additions alike."""
    table, arcs = drawn
    data, n = data_of(table), len(table.arities)
    prior = priors.ArcProbabilities(0.2)
    plain, weighed = LocalScores(data, K2()), LocalScores(data, K2(), prior)
    for child, parents in enumerate(naive.parent_sets(n, arcs)):
        wanted = plain.family(child, parents) + len(parents) * math.log(0.2) + (n - 1 - len(parents)) * math.log(0.8)
        value = weighed.family(child, parents)
        assert value == pytest.approx(wanted, rel=1e-12, abs=1e-12)
        assert weighed.families(child, [parents]).tolist() == [value]
        if parents:
            assert weighed.additions(child, parents[1:], parents[:1]).tolist() == [value]
        fit, penalty = weighed.parts(child, parents)
        assert fit - penalty == pytest.approx(value, rel=1e-12, abs=1e-12)


def test_a_prior_that_does_not_fit_is_refused_at_once():
    data = data_of(random_table(5, 10, [2, 2]))
    with pytest.raises(ArgumentError, match="'Y'"):
        LocalScores(data, BIC(), priors.Distance(DAG(["X0", "Y"])))


def test_local_scores_are_kept_with_the_table():
    data = data_of(random_table(6, 10, [2, 3]))
    assert local_scores(data, BDeu(2)).known is local_scores(data, BDeu(2.0)).known
    assert local_scores(data, BDeu(2)).known is not local_scores(data, BDeu(3)).known
    assert local_scores(data, K2()).known is not local_scores(data, BIC()).known
    assert local_scores(data, BIC(), priors.Uniform()).known is local_scores(data, BIC()).known, "it is without priors"


def test_what_is_kept_is_not_counted_again():
    data = data_of(random_table(7, 50, [2, 3, 2]))
    for score in (BIC(), FNML(), BDeu(), BDs()):
        scored = LocalScores(data, score)
        values = [scored.family(0, [1]), scored.family(1, [])]
        with patch.object(sums, "family_sums", None), patch.object(family_terms, "family_counts", None):
            assert [scored.family(0, [1]), scored.family(1, [])] == values


@pytest.mark.skipif(not JIT, reason="millions of steps: too many without the compiler")
@pytest.mark.parametrize("label", ["bic", "qnml", "bdeu", "fnml"])
def test_one_thread_or_more(label):
    """Enough work for several threads, hashed and dense: the same bits."""
    table = random_table(8, 3000, [3] * 12)
    rng = np.random.default_rng(9)
    families = [rng.permutation(12)[: rng.integers(1, 12)].tolist() for _ in range(400)]
    children, parent_sets = [f[0] for f in families], [f[1:] for f in families]
    scored = LocalScores(data_of(table), parse_score(label))
    with patch.object(sums, "WORTH_A_THREAD", 1000):
        one, two, three, all_ = (scored.families(children, parent_sets, threads=t).tolist() for t in (1, 2, 3, None))
    assert one == two == three == all_
    assert one == [scored.family(c, p) for c, p in zip(children, parent_sets, strict=True)]


def test_empty_batches():
    scored = LocalScores(data_of(random_table(10, 10, [2, 3])), parse_score("qnml"))
    for label in NAMES:
        scored = LocalScores(scored.data, parse_score(label))
        assert scored.families(0, []).shape == (0,)
        assert scored.families([], []).shape == (0,)
        assert scored.additions(0, [1], []).shape == (0,)
    assert LocalScores(scored.data, BIC()).subsets([]).shape == (0,)
    assert LocalScores(scored.data, BIC()).subsets([()]).tolist() == pytest.approx([10 * math.log(10)])


def test_repr():
    assert repr(LocalScores(data_of(random_table(11, 10, [2, 3])), BIC())) == "LocalScores(BIC(), 2 columns, 10 rows)"


@pytest.mark.parametrize(
    "ask",
    [
        lambda local: local.family(0, [0]),
        lambda local: local.family(-1, [0]),
        lambda local: local.family(0, [1, 1]),
        lambda local: local.family(0, [99]),
        lambda local: local.families(0, [[10**9]]),
        lambda local: local.families(-1, [[0]]),
        lambda local: local.families(0, [[1, 1]]),
        lambda local: local.families(0, [[0]]),
        lambda local: local.families([0, 1], [[2]]),
        lambda local: local.subsets([[-1]]),
        lambda local: local.subsets([[0, 0]]),
        lambda local: local.subsets([[0]], arity=9),
        lambda local: local.additions(0, [], [0]),
        lambda local: local.additions(0, [1], [1, 2]),
        lambda local: local.additions(0, [], [50]),
    ],
)
@pytest.mark.parametrize("score", ["bic", "fnml", "bds"])
def test_columns_that_are_not_there(ask, score):
    """Wrong numbers of columns are refused, in a batch too: a kernel would read past the end of an array."""
    local = bnml.LocalScores(bnml.example(), score)
    local.families(0, [[1], [2]])
    with pytest.raises(bnml.BnmlError):
        ask(local)


def test_the_door_takes_tables_and_names():
    table = np.array([[0, 0], [0, 0], [1, 1], [1, 1], [1, 0]])
    assert bnml.LocalScores(table, "bic").family(1, [0]) == bnml.family_score("X1", ["X0"], table, "bic")
    for wrong in ({"score": "bicc"}, {"score": 3}, {"score": "bic", "prior": 0.5}, {"score": "bic", "data": 7}):
        with pytest.raises(bnml.BnmlError):
            bnml.LocalScores(**{"data": table, **wrong})


def test_terms_of_batches_are_remembered(monkeypatch):
    """What a batch has counted is not counted again, alone or in another batch."""
    local = bnml.LocalScores(bnml.example(), "bic")
    first = local.families([1, 0, 3], [[0], [1], [2, 4]])
    more = local.additions(5, [1], [0, 3])

    def fail(*arguments):
        raise AssertionError("counted again")

    monkeypatch.setattr("bnml.counts.in_memory.family_sums", fail)
    monkeypatch.setattr("bnml.counts.in_memory.addition_sums", fail)
    assert (local.families([1, 0, 3], [[0], [1], [4, 2]]) == first).all()
    assert local.family(0, [1]) == first[1]
    assert (local.additions(5, [1], [0, 3]) == more).all()
    assert local.family(5, [3, 1]) == more[1]


def test_pickling():
    local = bnml.LocalScores(bnml.example(), "bic", priors.ArcProbabilities(0.2))
    value = local.family(1, [0])
    assert pickle.loads(pickle.dumps(local)).family(1, [0]) == value


@pytest.mark.parametrize("label", ["bic", "bdeu", "qnml", "fnml", "k2", "bds"])
@pytest.mark.parametrize(
    "prior",
    [
        None,
        priors.ArcProbabilities(0.2, {("X0", "X1"): 0.9, ("X2", "X1"): 0.0, ("X3", "X0"): 1.0}),
        priors.Distance(DAG.parse("[X0][X1|X0][X2|X1][X3]"), 0.3),
    ],
    ids=["none", "arcs", "distance"],
)
def test_a_batch_is_the_same_as_its_families(label, prior):
    """However families are asked for; those that a prior rules out too."""
    local = LocalScores(data_of(random_table(1, 60, [2, 3, 2, 2])), label, prior)
    children = [0, 1, 1, 2, 3, 0, 0]
    sets = [[], [0], [0, 2], [0, 1, 3], [], [3], [1, 3]]
    want = [local.family(child, parents) for child, parents in zip(children, sets, strict=True)]
    found = local.batch(batch_of(children, sets), 1)
    assert found == pytest.approx(np.array(want), rel=1e-12, abs=1e-9)
    if prior is None:
        assert found.tolist() == want
