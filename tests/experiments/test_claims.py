"""Claims: what is said, and the verdict that follows from numbers and their errors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bnml.errors import ArgumentError
from bnml.experiments.claims import (
    CONFIRMED,
    NOT_CONFIRMED,
    UNTOLD,
    Claim,
    claim_everywhere,
    claim_of_agreement,
    claim_of_count,
    claim_of_fact,
    claim_of_margin,
    claim_of_share,
    claim_usually,
)
from bnml.experiments.comparison import compare_with_published


def test_a_verdict_is_one_of_three():
    with pytest.raises(ArgumentError, match="verdict 'perhaps'"):
        Claim("a", "b", "perhaps", "1")
    claim = claim_of_fact("a", "b", False, "1")
    assert claim.to_dict() == {
        "text": "a", "where": "b", "verdict": NOT_CONFIRMED, "numbers": "1", "band": "none: nothing in it is random",
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
    ("margin", "verdict"), [(0.31, CONFIRMED), (0.29, UNTOLD), (-0.29, UNTOLD), (-0.31, NOT_CONFIRMED)]
)
def test_three_standard_errors_decide(margin, verdict):
    assert claim_of_margin("a", "b", margin, 0.1, "1").verdict == verdict


def test_without_an_error_the_sign_decides():
    assert [claim_of_margin("a", "b", x, 0.0, "1").verdict for x in (0.1, 0.0, -0.1)] == [
        CONFIRMED, UNTOLD, NOT_CONFIRMED
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("margins", "everywhere", "usually"),
    [
        ([1, 1, 1, 1], CONFIRMED, CONFIRMED),
        ([1, 1, 1, 0.1], UNTOLD, CONFIRMED),
        ([1, 1, 1, -1], NOT_CONFIRMED, CONFIRMED),
        ([1, 1, 0.1, 0.1], UNTOLD, UNTOLD),
        ([-1, -1, -1, 0.1], NOT_CONFIRMED, NOT_CONFIRMED),
        ([1, 1, -1, -1], NOT_CONFIRMED, UNTOLD),
    ],
)
def test_everywhere_and_usually(margins, everywhere, usually):
    errors = [0.1] * 4
    assert claim_everywhere("a", "b", margins, errors, "1").verdict == everywhere
    assert claim_usually("a", "b", margins, errors, "1").verdict == usually


def test_the_band_is_that_of_the_cell_nearest_to_failing():
    claim = claim_everywhere("a", "b", [9.0, 0.5, 0.4], [0.1, 0.2, 0.01], "1", ["x", "y", "z"])
    assert claim.band == "closest call for y: 0.5 ± 0.6"


@pytest.mark.parametrize(("said", "verdict"), [(1, NOT_CONFIRMED), (2, UNTOLD), (3, UNTOLD), (4, NOT_CONFIRMED)])
def test_counts_that_hang_on_what_is_within_its_band(said, verdict):
    assert claim_of_count("a", "b", said, [1, 1, 0.1, -1], [0.1] * 4, "1").verdict == verdict
    assert claim_of_count("a", "b", 2, [1, 1, -1, -1], [0.1] * 4, "1").verdict == CONFIRMED


@pytest.mark.parametrize(("far", "verdict"), [(0, CONFIRMED), (2, CONFIRMED), (30, NOT_CONFIRMED)])
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
    [(100, CONFIRMED), (70, CONFIRMED), (60, UNTOLD), (40, UNTOLD), (30, NOT_CONFIRMED), (0, NOT_CONFIRMED)],
)
def test_shares_of_things_that_were_drawn(holds, verdict):
    claim = claim_of_share("a", "b", np.arange(100) < holds, "so")
    assert claim.verdict == verdict
    assert claim.numbers == f"so in {holds} of 100 ({holds}%)"
    assert claim_of_share("a", "b", [True], "").verdict == UNTOLD


def test_one_number_far_off_is_not_chance_unless_something_is_known_of_it():
    ours = np.where(np.arange(300) < 1, 2.0, 1.0)
    table = pd.DataFrame({"ours": ours, "published": 1.0, "ours_error": 0.03, "published_error": 0.04})
    comparison = compare_with_published(table)
    assert claim_of_agreement("a", "b", comparison).verdict == NOT_CONFIRMED
    known = claim_of_agreement("a", "b", comparison, explained=ours == 2.0, why="was misprinted")
    assert known.verdict == UNTOLD
    assert known.numbers.endswith("; of those that do not agree 1 was misprinted")
    assert claim_of_agreement("a", "b", comparison, explained=ours == 1.0, why="x").verdict == NOT_CONFIRMED


def test_with_few_repetitions_more_numbers_lie_outside():
    """With two repetitions one number in five is three standard errors off by chance, with many one in 400."""
    ours = np.where(np.arange(300) < 30, 2.0, 1.0)
    table = pd.DataFrame({"ours": ours, "published": 1.0, "ours_error": 0.03, "published_error": 0.0})
    comparison = compare_with_published(table)
    verdicts = [claim_of_agreement("a", "b", comparison, repetitions=n).verdict for n in (2, 3, 100, None)]
    assert verdicts == [CONFIRMED, CONFIRMED, NOT_CONFIRMED, NOT_CONFIRMED]
