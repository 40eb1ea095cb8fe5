"""Claims: what is said, and the verdict that follows from numbers and their errors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bnml.errors import ArgumentError
from bnml.experiments.claims import (
    CONFIRMED,
    INCONCLUSIVE,
    REFUTED,
    VERDICTS,
    Claim,
    claim_everywhere,
    claim_of_agreement,
    claim_of_count,
    claim_of_fact,
    claim_of_margin,
    claim_of_share,
    claim_usually,
)
from bnml.experiments.comparison import compare_with_published, student_error


def test_a_verdict_is_one_of_three():
    with pytest.raises(ArgumentError, match="verdict 'perhaps'"):
        Claim("a", "b", "perhaps", "1")
    claim = claim_of_fact("a", "b", False, "1")
    assert claim.to_dict() == {
        "text": "a", "where": "b", "verdict": REFUTED, "numbers": "1", "band": "none: nothing in it is random",
        "choice": "", "again": False,
    }  # fmt: skip


def test_a_claim_with_another_choice_says_so():
    claim = claim_of_fact("It rains.", "b", True, "1")
    assert claim.sentence == "It rains."
    other = claim.chosen("in the north", again=True)
    assert (other.sentence, other.again) == ("It rains (in the north).", True)
    said = claim_of_fact("It rains (more than a little).", "b", True, "1").chosen("in the north", again=False)
    assert said.sentence == "It rains (more than a little; in the north)."


@pytest.mark.parametrize(
    ("margin", "verdict"), [(0.31, CONFIRMED), (0.29, INCONCLUSIVE), (-0.29, INCONCLUSIVE), (-0.31, REFUTED)]
)
def test_three_standard_errors_decide(margin, verdict):
    assert claim_of_margin("a", "b", margin, 0.1, "1").verdict == verdict


def test_without_an_error_the_sign_decides():
    assert [claim_of_margin("a", "b", x, 0.0, "1").verdict for x in (0.1, 0.0, -0.1)] == [
        CONFIRMED, INCONCLUSIVE, REFUTED
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("margins", "everywhere", "usually"),
    [
        ([1, 1, 1, 1], CONFIRMED, CONFIRMED),
        ([1, 1, 1, 0.1], INCONCLUSIVE, CONFIRMED),
        ([1, 1, 1, -1], REFUTED, CONFIRMED),
        ([1, 1, 0.1, 0.1], INCONCLUSIVE, INCONCLUSIVE),
        ([-1, -1, -1, 0.1], REFUTED, REFUTED),
        ([1, 1, -1, -1], REFUTED, INCONCLUSIVE),
    ],
)
def test_everywhere_and_usually(margins, everywhere, usually):
    errors = [0.1] * 4
    assert claim_everywhere("a", "b", margins, errors, "1").verdict == everywhere
    assert claim_usually("a", "b", margins, errors, "1").verdict == usually


def test_the_band_is_that_of_the_cell_nearest_to_failing():
    claim = claim_everywhere("a", "b", [9.0, 0.5, 0.4], [0.1, 0.2, 0.01], "1", ["x", "y", "z"])
    assert claim.band == "closest call for y: 0.5 ± 0.6"


@pytest.mark.parametrize(("said", "verdict"), [(1, REFUTED), (2, INCONCLUSIVE), (3, INCONCLUSIVE), (4, REFUTED)])
def test_counts_that_hang_on_what_is_within_its_band(said, verdict):
    assert claim_of_count("a", "b", said, [1, 1, 0.1, -1], [0.1] * 4, "1").verdict == verdict
    assert claim_of_count("a", "b", 2, [1, 1, -1, -1], [0.1] * 4, "1").verdict == CONFIRMED


@pytest.mark.parametrize(("far", "verdict"), [(0, CONFIRMED), (2, CONFIRMED), (30, REFUTED)])
def test_more_disagreements_than_chance_explains(far, verdict):
    """Of 300 numbers about one lies outside of its band by chance."""
    ours = np.where(np.arange(300) < far, 1.17, 1.0)
    table = pd.DataFrame({"ours": ours, "published": 1.0, "ours_error": 0.03, "published_error": 0.04})
    claim = claim_of_agreement("a", "b", compare_with_published(table), "nats")
    assert claim.verdict == verdict
    assert claim.numbers.startswith(f"{300 - far} of 300 agree")
    assert claim.band == "± 0.15 nats at the median (15.0 % of the number), ± 0.15 at most"


@pytest.mark.parametrize(
    ("holds", "verdict"),
    [(100, CONFIRMED), (70, CONFIRMED), (60, INCONCLUSIVE), (40, INCONCLUSIVE), (30, REFUTED), (0, REFUTED)],
)
def test_shares_of_things_that_were_drawn(holds, verdict):
    claim = claim_of_share("a", "b", np.arange(100) < holds, "so")
    assert claim.verdict == verdict
    assert claim.numbers == f"so in {holds} of 100 ({holds}%)"
    assert claim_of_share("a", "b", [True], "").verdict == INCONCLUSIVE


def test_one_number_far_off_is_not_chance_unless_something_is_known_of_it():
    ours = np.where(np.arange(300) < 1, 2.0, 1.0)
    table = pd.DataFrame({"ours": ours, "published": 1.0, "ours_error": 0.03, "published_error": 0.04})
    comparison = compare_with_published(table)
    assert claim_of_agreement("a", "b", comparison).verdict == REFUTED
    known = claim_of_agreement("a", "b", comparison, explained=ours == 2.0, why="was misprinted")
    assert known.verdict == INCONCLUSIVE
    assert known.numbers.endswith("; of those that do not agree 1 was misprinted")
    assert claim_of_agreement("a", "b", comparison, explained=ours == 1.0, why="x").verdict == REFUTED


def test_few_repetitions_excuse_numbers_but_do_not_confirm_them():
    """With five repetitions one number in 25 is three standard errors off by chance, with many one in 400."""
    ours = np.where(np.arange(300) < 20, 1.15, 1.0)
    table = pd.DataFrame({"ours": ours, "published": 1.0, "ours_error": 0.03, "published_error": 0.0})
    comparison = compare_with_published(table)
    verdicts = [claim_of_agreement("a", "b", comparison, repetitions=n).verdict for n in (2, 3, 5, 100, None)]
    assert verdicts == [INCONCLUSIVE, INCONCLUSIVE, INCONCLUSIVE, REFUTED, REFUTED]


def test_numbers_with_too_few_repetitions_are_not_judged():
    table = pd.DataFrame({"ours": [1.0, 1.0, 9.0], "published": 1.0, "ours_error": 0.1, "published_error": 0.0})
    comparison = compare_with_published(table)
    assert claim_of_agreement("a", "b", comparison, repetitions=[150, 150, 15]).verdict == REFUTED
    claim = claim_of_agreement("a", "b", comparison, repetitions=[150, 150, 2])
    assert claim.verdict == CONFIRMED
    assert "1 are not judged" in claim.numbers
    assert claim_of_agreement("a", "b", comparison.assign(errors=np.nan), repetitions=150).verdict == INCONCLUSIVE
    alike = compare_with_published(table.assign(ours_error=0.0))
    assert [claim_of_agreement("a", "b", alike, repetitions=n).verdict for n in (150, None)] == [INCONCLUSIVE, REFUTED]


SIMULATIONS, NUMBERS = 100, 80


def simulated(repetitions, shifts):
    """Return how often each verdict comes out of means of normal numbers, shifted by so many true standard errors."""
    rng, verdicts = np.random.default_rng(repetitions), []
    for _ in range(SIMULATIONS):
        values = rng.standard_normal((NUMBERS, repetitions)) + np.reshape(shifts, (-1, 1)) / np.sqrt(repetitions)
        errors = values.std(axis=1, ddof=1) / np.sqrt(repetitions)
        table = pd.DataFrame({"ours": values.mean(axis=1), "published": 0.0, "ours_error": errors})
        comparison = compare_with_published(table, errors=["ours_error"])
        verdicts.append(claim_of_agreement("a", "b", comparison, repetitions=repetitions).verdict)
    return {verdict: verdicts.count(verdict) / SIMULATIONS for verdict in VERDICTS}


@pytest.mark.parametrize(("repetitions", "confirmed"), [(2, 0), (3, 0), (5, 0.05), (20, 0.9), (150, 0.98)])
def test_numbers_that_agree_are_not_refuted(repetitions, confirmed):
    """By Bonferroni's bound and the binomial distribution one claim in 500 is."""
    shares = simulated(repetitions, np.zeros(NUMBERS))
    assert shares[REFUTED] <= 0.01
    assert shares[CONFIRMED] >= confirmed
    assert repetitions > 3 or shares[INCONCLUSIVE] == 1


@pytest.mark.parametrize(("repetitions", "refuted"), [(2, 0), (3, 0), (5, 0), (20, 0.9), (150, 1)])
@pytest.mark.parametrize("shifts", [[12.0] + [0.0] * 79, [5.0] * 20 + [0.0] * 60], ids=["one far off", "many off"])
def test_numbers_that_do_not_agree_are_not_confirmed(repetitions, refuted, shifts):
    shares = simulated(repetitions, shifts)
    assert shares[CONFIRMED] == 0
    assert shares[REFUTED] >= refuted


@pytest.mark.parametrize("repetitions", [2, 3, 5, 20, 150])
def test_differences_and_shares_that_are_chance_are_not_decided(repetitions):
    """One in 370 is, at three standard errors either way."""
    rng, decided = np.random.default_rng(repetitions), 0
    for _ in range(1000):
        values = pd.Series(rng.standard_normal(repetitions))
        margin = claim_of_margin("a", "b", float(values.mean()), student_error(values), "1")
        share = claim_of_share("a", "b", values > 0, "1")
        decided += sum(claim.verdict != INCONCLUSIVE for claim in (margin, share))
    assert decided <= 10


@pytest.mark.parametrize("error", [np.nan, np.inf])
def test_without_a_known_error_nothing_is_decided(error):
    claims = [
        claim_of_margin("a", "b", 0.2, error, "1"),
        claim_everywhere("a", "b", [0.2, 0.3], [0.01, error], "1"),
        claim_usually("a", "b", [0.2, 0.3], [0.01, error], "1"),
        claim_of_count("a", "b", 2, [0.2, 0.3], [0.01, error], "1"),
    ]
    assert [claim.verdict for claim in claims] == [INCONCLUSIVE] * 4
    assert [claim.band for claim in claims[:2]] == ["0.2 ± n/a", "closest call: 0.3 ± n/a"]
    assert not any(word in claim.band for claim in claims for word in ("nan", "inf"))
