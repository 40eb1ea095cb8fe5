"""Branch and cut against optima that other programs proved, from lists of all families."""

from __future__ import annotations

import math

import pytest

from bnml._bits import members
from bnml._watch import Watch
from bnml.graph import Rules
from bnml.scores import FamilyScores, LocalScores
from bnml.scores.lattice import allowed_sets
from bnml.search.cuts import solve_by_cuts
from tests.reference import golden_rows, golden_score, golden_table

OPTIMA = [line for line in golden_rows("exact_optima") if line["dataset"] == "sachs_1000"]


@pytest.mark.parametrize("line", OPTIMA, ids=lambda line: line["score"] + line["ess"])
def test_the_optimum(line):
    data = golden_table("sachs_1000")
    local = LocalScores(data, golden_score(line["score"], line["ess"]))
    n, rules = len(local.names), Rules.none(local.names)
    sets = [allowed_sets(rules, i).tolist() for i in range(n)]
    scores = [local.families(i, [members(mask) for mask in own]) for i, own in enumerate(sets)]
    result = solve_by_cuts(FamilyScores(local.names, sets, scores), [0] * n, None, [-math.inf] * n, Watch())
    assert result.score == pytest.approx(float(line["value"]), abs=1e-6)
    assert result.bound - result.score < 1e-6
