"""Scores of families and networks against values that other programs computed, on samples of three networks."""

from __future__ import annotations

import pytest

import bnml
from bnml import DAG
from tests.reference import golden_rows, golden_score, golden_table

FAMILIES = {}
for line in golden_rows("family_scores"):
    FAMILIES.setdefault((line["dataset"], line["score"], line["iss"]), []).append(line)
NETWORKS = golden_rows("network_scores")


def test_they_are_all_there():
    scores = {("loglik", ""), ("aic", ""), ("bic", ""), ("k2", ""), ("bdj", ""), ("fnml", ""), ("qnml", "")}
    scores |= {(name, ess) for name in ("bde", "bds") for ess in ("1", "10")}
    tables = {"asia_1000": 48, "sachs_1000": 51, "insurance_1000": 67}
    assert {key: len(lines) for key, lines in FAMILIES.items()} == {
        (table, *score): n for table, n in tables.items() for score in scores
    }
    scores |= {(name, "") for name in ("hqc", "mdl", "mdl+parents", "bd:1", "bd:2", "bdq:0.5", "bdq:1")}
    known = [(line["dataset"], line["score"], line["iss"]) for line in NETWORKS]
    assert set(known) == {(table, *score) for table in tables for score in scores}
    assert len(known) == len(tables) * len(scores)


@pytest.mark.parametrize(("table", "score", "ess"), FAMILIES)
def test_families(table, score, ess):
    data, ours = golden_table(table), golden_score(score, ess)
    for line in FAMILIES[table, score, ess]:
        parents = line["parents"].split(":") if line["parents"] else []
        value = bnml.family_score(line["node"], parents, data, ours)
        assert value == pytest.approx(float(line["value"]), rel=1e-11, abs=1e-9), line


@pytest.mark.parametrize("line", NETWORKS, ids=lambda line: f"{line['dataset']}-{line['score']}{line['iss']}")
def test_networks(line):
    value = bnml.score(
        DAG.parse(line["model"]), golden_table(line["dataset"]), golden_score(line["score"], line["iss"])
    )
    assert value == pytest.approx(float(line["value"]), rel=1e-11, abs=1e-7)
