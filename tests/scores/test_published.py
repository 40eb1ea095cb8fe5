"""Scores against published ones: BENE's, memobene's and bn's, on the qNML authors' discretised data.

The reference files lie beside the repository and are not part of it; without them these tests are skipped.
"""

from __future__ import annotations

import csv
import gzip
import warnings
from functools import cache
from pathlib import Path

import pytest

import bnml
from bnml import DAG
from bnml.scores import BIC, LocalScores, parse_score

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
PUBLISHED, TABLES = SHARED / "published", SHARED / "uci-discretised"

pytestmark = pytest.mark.skipif(
    not (PUBLISHED.is_dir() and TABLES.is_dir()), reason="the published references do not lie beside the repository"
)

SCORE = {"AIC": "aic", "BIC": "bic", "HQC": "hqc", "fNML": "fnml", "qNML": "qnml", "BDeu": "bdeu", "BDq": "bdq"}


def lines(name):
    content = (PUBLISHED / name).read_bytes()
    text = (gzip.decompress(content) if name.endswith(".gz") else content).decode()
    return list(csv.DictReader(text.splitlines()))


@cache
def data_of(name):
    """Return a table with its declared states, or None where it is not there."""
    for path in (TABLES / f"{name}.csv", TABLES / f"{name}.csv.gz"):
        if path.exists():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # a column of heart_hungarian has one state
                return bnml.read(path, states=TABLES / f"{name}.vd")
    return None


def dag_of(arcs, names):
    return DAG(names, [tuple(arc.split("->")) for arc in arcs.split()])


def score_of(row):
    name = SCORE[row["criterion"]]
    return f"{name}:{row['ess_or_alpha']}" if row["ess_or_alpha"] else name


def test_every_bic_score_of_glass():
    """All 11264 families, ten digits each (memobene)."""
    rows, data = lines("memobene_glass_bic_local_scores.csv.gz"), data_of("glass")
    assert len(rows) == 11264
    assert len({(row["variable"], row["parents"]) for row in rows}) == 11 * 2**10
    children = [data.index(row["variable"]) for row in rows]
    parent_sets = [data.indices(row["parents"].split()) for row in rows]
    found = LocalScores(data, BIC()).families(children, parent_sets)
    assert found == pytest.approx([float(row["BIC"]) for row in rows], rel=2e-9)


def test_every_bdeu_score_of_iris():
    """All 80 families, in full precision (memobene)."""
    rows, data = lines("memobene_iris_bdeu1_local_scores.csv"), data_of("iris")
    assert len(rows) == 80
    for row in rows:
        value = bnml.family_score(row["variable"], row["parents"].split(), data, "bdeu:1")
        assert value == pytest.approx(float(row["BDeu_ess1"]), rel=1e-12), row


def test_optimal_networks_of_bene():
    """27 networks for nine scores on three tables; the leave-one-out rows are a variant of BENE's own."""
    rows = [row for row in lines("bene_expected_optimal_networks.csv") if not row["criterion"].startswith("LOO")]
    assert len(rows) == 27
    for row in rows:
        data = data_of(row["data"])
        value = bnml.score(dag_of(row["arcs"], data.names), data, score_of(row))
        assert value == pytest.approx(float(row["recomputed_score"]), abs=6e-9), row
        assert value == pytest.approx(float(row["published_score"]), abs=6e-4), row


def test_optimal_networks_of_memobene():
    """Iris under BDeu and glass under BIC; the third table is not published."""
    found = 0
    for row in lines("memobene_optimal_networks.csv"):
        data = data_of(row["data"])
        if data is None:
            continue
        by_index = [arc.split("->") for arc in row["arcs_by_column_index"].split()]
        dag = DAG(data.names, [(data.names[int(a)], data.names[int(b)]) for a, b in by_index])
        score = parse_score("bdeu:1" if row["criterion"].startswith("BDeu") else "bic")
        assert bnml.score(dag, data, score) == pytest.approx(float(row["optimal_score"]), rel=1e-11), row
        found += 1
    assert found == 2


def test_greedy_networks_of_bn():
    """17 networks under BDeu, six decimals."""
    rows = lines("bn_greedy_bdeu1_networks.csv")
    assert len(rows) == 17
    for row in rows:
        data = data_of(row["data"])
        value = bnml.score(dag_of(row["arcs"], data.names), data, "bdeu:1")
        assert value == pytest.approx(float(row["BDeu_ess1_recomputed"]), abs=6e-7), row["data"]
