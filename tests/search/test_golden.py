"""Exact search against optima that other programs proved, on samples of two networks; no other search is above them."""

from __future__ import annotations

import pytest

import bnml
from bnml.search import exact, ges, hill_climb, order, tabu
from tests.reference import golden_rows, golden_score, golden_table

pytestmark = pytest.mark.usefixtures("uniform_prior")

OPTIMA = golden_rows("exact_optima")
each_optimum = pytest.mark.parametrize(
    "line", OPTIMA, ids=lambda line: f"{line['dataset']}-{line['score']}{line['ess']}"
)


def test_they_are_all_there():
    assert [line["dataset"] for line in OPTIMA] == ["sachs_1000"] * 7 + ["child15_1000"] * 4


@each_optimum
def test_the_optimum(line):
    data, score = golden_table(line["dataset"]), golden_score(line["score"], line["ess"])
    result = exact(data, score)
    assert result.optimal
    assert result.score == pytest.approx(float(line["value"]), abs=1e-6)
    assert bnml.score(result.dag, data, score) == pytest.approx(result.score, abs=1e-8)


@pytest.mark.parametrize("line", OPTIMA[:7], ids=lambda line: line["score"] + line["ess"])
def test_heuristics_come_near_and_not_above(line):
    data, score = golden_table("sachs_1000"), golden_score(line["score"], line["ess"])
    best = float(line["value"])
    found = {search.__name__: search(data, score).score for search in (hill_climb, tabu, order)}
    if score.equivalent:
        found["ges"] = ges(data, score).score
    assert max(found.values()) <= best + 1e-6
    assert found["order"] == pytest.approx(best, abs=1e-6)
    assert min(found.values()) > best - 100
