"""What the paper says of predictions: verdicts on results that are made up, so that the answer is known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bnml.experiments import prediction_claims as claims
from bnml.experiments.comparison import student_error
from bnml.experiments.prediction_claims import PredictionTables
from bnml.experiments.prediction_tables import SCORES

CONFIRMED, REFUTED, INCONCLUSIVE = "confirmed", "refuted", "inconclusive"


def made(numbers, quantity, tables=("breast_cancer", "iris"), permutations=20, noise=0.01):
    """Return results in which each score has a number of its own on each table, and permutations differ a little.

    All scores share what is special about a permutation, as they do in earnest.
    """
    random, rows = np.random.default_rng(0), []
    for name in tables:
        for permutation in range(permutations):
            common = random.normal(0, 1)
            for percent, n in ((10, 30), (50, 150), (90, 270)):
                for score in SCORES:
                    value = numbers(name, percent)[score] + common + random.normal(0, noise)
                    row = {"data": name, "permutation": permutation, "percent": percent, "rows": n, "score": score}
                    rows.append(row | {"logprob": -5.0, "parameters": 100.0} | {quantity: value})
    return pd.DataFrame(rows)


def only(found, text):
    (claim,) = [claim for claim in found if text in claim.text]
    return claim


def numbers(**own):
    return lambda *_: dict(zip(SCORES, (0.0,) * 4, strict=True)) | own


def test_what_permutations_share_does_not_count():
    """Log-probabilities vary by 1 from one permutation to the next, and scores differ by less on each of them."""
    single = made(numbers(fNML=0.1), "logprob").groupby(["data", "permutation", "score"])["logprob"].mean().unstack()
    margins, errors = claims._ahead(-single, "fNML", ["BDeu", "BIC", "qNML"])
    assert (margins.between(0.08, 0.11)).all()
    assert (errors < 0.01).all()
    assert single["fNML"].groupby("data").agg(student_error).min() > 0.1


@pytest.mark.parametrize(("qnml", "verdict"), [(0.5, CONFIRMED), (-0.5, REFUTED), (1.5, REFUTED)], ids=str)
def test_between_the_others(qnml, verdict):
    table = made(numbers(BIC=0.0, fNML=1.0, qNML=qnml, BDeu=-3.0), "logprob")
    assert claims._between(table).verdict == verdict
    sized = claims._by_size(claims._single_ranks(table), {"breast_cancer": 286, "iris": 150})
    assert only(sized, "usually between").verdict == verdict


def test_two_permutations_with_the_same_ranks_decide_nothing():
    table = made(numbers(BIC=0.0, fNML=1.0, qNML=0.5, BDeu=-3.0), "logprob", permutations=2, noise=0.0)
    assert claims._between(table).verdict == INCONCLUSIVE
    sized = claims._by_size(claims._single_ranks(table), {"breast_cancer": 286, "iris": 150})
    assert {claim.verdict for claim in sized} == {INCONCLUSIVE}


def test_small_and_large_tables():
    names = [f"t{i}" for i in range(8)]
    rows = {name: 100 * 2**i for i, name in enumerate(names)}

    def worse_and_worse(name, _):
        return {"BDeu": 0.5, "fNML": 1.0, "qNML": 0.7, "BIC": 2.0 - 0.3 * names.index(name)}

    found = claims._by_size(claims._single_ranks(made(worse_and_worse, "logprob", names)), rows)
    assert only(found, "BIC often wins").verdict == CONFIRMED
    assert "on 4 of 4 tables" in only(found, "BIC often wins").numbers
    half, quarter = [claim for claim in found if claim.text.startswith("BIC performs worst")]
    assert (half.verdict, half.again) == (REFUTED, False)
    assert (quarter.verdict, quarter.again) == (CONFIRMED, True)
    assert only(found, "fNML is good").verdict == CONFIRMED


def test_more_parameters_with_fewer_rows():
    def shrinking(_, percent):
        return {"BDeu": 50.0, "BIC": 40.0, "fNML": 300.0 - 2 * percent, "qNML": 60.0}

    strange, simple = claims._strange(made(shrinking, "parameters"))
    assert (strange.verdict, strange.band) == (CONFIRMED, "69% to 100%")
    assert (simple.verdict, simple.numbers) == (CONFIRMED, "for 3 of 3 numbers of rows")
    strange, simple = claims._strange(made(numbers(fNML=100.0, qNML=200.0), "parameters", noise=3.0))
    assert strange.verdict == INCONCLUSIVE
    assert simple.verdict == REFUTED


@pytest.mark.parametrize(("qnml", "verdict"), [(-0.01, CONFIRMED), (-0.05, INCONCLUSIVE), (-0.2, REFUTED)])
def test_as_good_as_the_best_but_for_a_little(qnml, verdict):
    table = made(numbers(qNML=qnml, BDeu=-1.0), "logprob")
    third = pd.DataFrame({"what": "table 3", "data": ["breast_cancer", "iris"], "rows": 30})
    found = claims._competitive(PredictionTables(table, table, table, third))
    assert only(found, "competitive").verdict == verdict
    assert only(found, "superior to BDeu").verdict == CONFIRMED
    assert "on 2 of 2 tables" in only(found, "superior to BDeu").numbers


def test_no_score_is_the_best_in_every_way():
    third = pd.DataFrame({"what": "table 3", "data": ["breast_cancer", "iris"], "rows": 30})
    good = made(numbers(fNML=2.0, qNML=1.0, BIC=-1.0), "logprob")
    size = made(numbers(fNML=900.0, qNML=500.0, BIC=100.0, BDeu=950.0), "parameters")
    either = good.assign(parameters=size["parameters"])
    assert claims._in_no_aspect(PredictionTables(either, either, either, third)).verdict == CONFIRMED
    both = good.assign(
        parameters=made(numbers(fNML=10.0, qNML=500.0, BIC=100.0, BDeu=950.0), "parameters")["parameters"]
    )
    claim = claims._in_no_aspect(PredictionTables(both, both, both, third))
    assert claim.verdict == REFUTED  # fNML is ahead of all others in both
