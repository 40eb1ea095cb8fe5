"""The posterior by hyperparameter: against sums over structures, and from end to end."""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml._bits import masks_without
from bnml.errors import ArgumentError, DataError
from bnml.experiments import alpha_sensitivity, reproduce
from bnml.experiments.alpha_sensitivity import ALPHAS, BENE, EXPERIMENT, VARIABLES, BeneBDq
from bnml.uncertainty.all_structures import all_structures

pytestmark = pytest.mark.usefixtures("uniform_prior")

SHARED = Path(__file__).parents[2].parent / "shared" / "data"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write a table in the layout of the data folder; not all combinations of its values occur."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "uci-discretised").mkdir()
    csv, vd = (folder / file for file in alpha_sensitivity.FILES)
    random = np.random.default_rng(4)
    a = random.integers(3, size=90)
    b = np.where(random.random(90) < 0.3, random.integers(3, size=90), a)
    c = np.minimum(a + b, 2)
    d = np.where(random.random(90) < 0.2, random.integers(3, size=90), c)
    pd.DataFrame({**dict(zip(VARIABLES, (a, b, c, d), strict=True)), "class": a}).to_csv(csv, index=False)
    vd.write_text("".join(f"{name}\tlow\tmiddle\thigh\n" for name in (*VARIABLES, "class")))
    return folder


def table(folder):
    csv, vd = (folder / file for file in alpha_sensitivity.FILES)
    return bnml.read(csv, columns=list(VARIABLES), states=vd)


def rows_of(folder, score, alpha, kind):
    return [row for row in EXPERIMENT.work(folder, (score, alpha), 0) if row["kind"] == kind]


def dags(data):
    """Return all structures of four variables."""
    for masks in all_structures(4).parents.tolist():
        yield bnml.DAG.from_parent_sets(data.names, [[v for v in range(4) if m >> v & 1] for m in masks])


@pytest.mark.parametrize(("score", "alpha", "name"), [("BDq", 0.2, "bdq:0.2"), ("BDeu", 5.0, "bdeu:5")])
def test_all_classes_are_equally_probable_before(folder, score, alpha, name):
    classes = rows_of(folder, score, alpha, "class")
    data = table(folder)
    assert len(classes) == 185
    assert sum(row["dags"] for row in classes) == 543
    scores = np.array([bnml.score(bnml.DAG.parse(row["structure"]), data, name) for row in classes])
    np.testing.assert_allclose([row["log_score"] for row in classes], scores)
    np.testing.assert_allclose([row["probability"] for row in classes], np.exp(scores - np.logaddexp.reduce(scores)))
    assert len({row["cpdag"] for row in classes}) == 185
    for row in classes[:10]:
        assert str(bnml.DAG.parse(row["structure"]).reordered(data.names).cpdag()) == row["cpdag"]


def test_if_dags_are_equally_probable(folder):
    rows = EXPERIMENT.work(folder, ("BDq", 0.3), 0)
    everything = [{**row, "score": s, "alpha": a} for s, alphas in ALPHAS.items() for a in alphas for row in rows]
    results = alpha_sensitivity.EXPERIMENT.outcome(folder, everything, 1).tables["results"]
    listed = bnml.posterior(table(folder), "bdq:0.3", rows_per_cell=0, threads=1).top(185, classes=True)
    other = dict(zip(listed["structure"], listed["probability"], strict=True))
    own = results[(results["score"] == "BDq") & (results["alpha"] == 0.3)]
    for structure, p in zip(own["structure"], own["probability_if_dags_are_uniform"], strict=True):
        assert p == pytest.approx(other[structure], abs=1e-12)


def test_bdeu_predicts_with_posterior_means(folder):
    data = table(folder)
    new = pd.DataFrame(list(product(*data.states)), columns=list(data.names))
    rows = rows_of(folder, "BDeu", 2.0, "prediction")
    best = rows_of(folder, "BDeu", 2.0, "class")[0]["structure"]
    own = bnml.fit(bnml.DAG.parse(best), data, "bpp", ess=2.0).log_prob(new)
    np.testing.assert_allclose([row["best"] for row in rows], np.exp(own))
    classes = {row["cpdag"]: row["probability"] / row["dags"] for row in rows_of(folder, "BDeu", 2.0, "class")}
    average = np.zeros(81)
    for dag in dags(data):
        average += classes[str(dag.cpdag())] * np.exp(bnml.fit(dag, data, "bpp", ess=2.0).log_prob(new))
    np.testing.assert_allclose([row["average"] for row in rows], average)
    assert sum(row["rows"] for row in rows) == 90
    (members,) = rows_of(folder, "BDeu", 2.0, "members")
    assert members["distance"] == pytest.approx(0, abs=1e-12)  # equivalent structures predict the same


def test_bdq_predicts_with_the_tables_of_families(folder):
    alpha, data = 0.3, table(folder)
    frame = pd.DataFrame([[s[c] for s, c in zip(data.states, row, strict=True)] for row in data.codes[data.row_index]])
    frame.columns = list(data.names)
    dag = bnml.DAG.parse(rows_of(folder, "BDq", alpha, "class")[0]["structure"])
    rows = rows_of(folder, "BDq", alpha, "prediction")
    assert sum(row["best"] for row in rows) == pytest.approx(1)
    assert sum(row["average"] for row in rows) == pytest.approx(1)
    for row in rows[::9]:
        expected = 1.0
        for x in data.names:
            above = np.all([frame[p] == row[p] for p in dag.parents(x)], axis=0) & np.ones(90, bool)
            expected *= (np.sum(above & (frame[x] == row[x])) + alpha) / (np.sum(above) + 3 * alpha)
        assert row["best"] == pytest.approx(expected)


def test_slips_are_those_of_bene(folder):
    """BDq with every count spelt out, as that program has it: lgamma(α) off for all cells, on for those it lists."""
    alpha, data = 0.2, table(folder)
    codes = data.codes[data.row_index].astype(int)
    own, right = bnml.LocalScores(data, BeneBDq(alpha)), bnml.LocalScores(data, f"bdq:{alpha}")
    slips = []
    for child in range(4):
        for mask in masks_without(4, child).tolist():
            parents = [v for v in range(4) if mask >> v & 1]
            q, n = 3 ** len(parents), len(codes)
            score = math.lgamma(3 * q * alpha) + math.lgamma(n + q * alpha)
            score -= math.lgamma(q * alpha) + math.lgamma(n + 3 * q * alpha)
            for above in {tuple(row) for row in codes[:, parents].tolist()}:
                mine = codes[(codes[:, parents] == above).all(axis=1), child]
                score += sum(math.lgamma(alpha + np.sum(mine == k)) for k in range(3)) - math.lgamma(alpha + len(mine))
            score -= 2 * q * math.lgamma(alpha)
            assert own.family(child, parents) == pytest.approx(score)
            slips.append(right.family(child, parents) - score)
            one = bnml.LocalScores(data, BeneBDq(1.0)).family(child, parents)
            assert one == pytest.approx(bnml.LocalScores(data, "bdq:1").family(child, parents))
    assert min(slips) > -1e-9
    assert max(slips) > 0.1


def test_runs_of_the_same_network():
    lines = alpha_sensitivity._runs({0.1: "A", 0.2: "B", 0.3: "B", 0.5: "B", 1.0: "A"})
    assert lines == ["  α = 0.1: A", "  α = 0.2 to 0.5: B", "  α = 1: A"]


def test_from_end_to_end(folder, tmp_path, coarse_pictures):
    done = reproduce("alpha-sensitivity", folder, threads=1, out=tmp_path)
    tables = done.outcome.tables
    number = sum(map(len, ALPHAS.values()))
    assert (done.repetitions, done.parts) == (None, number)
    assert len(tables["results"]) == 185 * number
    assert len(tables["best"]) == number
    assert len(tables["predictions"]) == 81 * (number - len(ALPHAS[BENE]))
    assert list(tables["comparison"]["published"]) == [3, 3, 3]
    data = table(folder)
    for row in tables["best"][tables["best"]["score"] != BENE].itertuples():
        score = f"{row.score.lower()}:{row.alpha:g}"
        found = bnml.search.exact(data, score, rows_per_cell=0, threads=1).score
        assert bnml.score(bnml.DAG.parse(row.structure), data, score) == pytest.approx(found)
    journal = (tmp_path / "alpha-sensitivity" / "journal.jsonl").read_text().splitlines()
    for line in map(json.loads, journal[1::16]):  # what is kept is what is done again
        assert line["rows"] == EXPERIMENT.work(folder, tuple(line["part"]), 0)


@pytest.mark.parametrize("file", alpha_sensitivity.FILES)
@pytest.mark.parametrize("content", [b"", b"\x00\x80\xff\n", b"ATT1\tlow\tlow\n"])
def test_files_that_are_something_else_are_refused(folder, tmp_path, file, content):
    for source in alpha_sensitivity.FILES:
        (tmp_path / source).parent.mkdir(exist_ok=True)
        (tmp_path / source).write_bytes(content if source == file else (folder / source).read_bytes())
    with pytest.raises(DataError, match=repr(file)):
        reproduce("alpha-sensitivity", tmp_path, threads=1, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_column_that_is_not_there(folder, tmp_path):
    csv, vd = (tmp_path / file for file in alpha_sensitivity.FILES)
    csv.parent.mkdir()
    pd.read_csv(folder / alpha_sensitivity.FILES[0]).drop(columns=["ATT2", "ATT4"]).to_csv(csv, index=False)
    vd.write_text("".join(f"{name}\tlow\tmiddle\thigh\n" for name in ("ATT1", "ATT3", "class")))
    with pytest.raises(DataError, match=r"^'uci-discretised/iris\.csv' lacks the columns 'ATT2', 'ATT4'$"):
        reproduce("alpha-sensitivity", tmp_path, threads=1, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_claim_may_hold_for_each_or_neither(folder):
    """What is said of the program of the authors follows from its own numbers."""
    rows = EXPERIMENT.work(folder, ("BDq", 0.3), 0)
    everything = [{**row, "score": s, "alpha": a} for s, alphas in ALPHAS.items() for a in alphas for row in rows]
    tables = alpha_sensitivity.EXPERIMENT.outcome(folder, everything, 1).tables
    results, best, comparison = (tables[name] for name in ("results", "best", "comparison"))
    for own, bene, text in ((True, True, "it is:"), (True, False, "it is not:"), (False, False, "it is not either:")):
        told = alpha_sensitivity._findings(results, best, comparison.assign(agrees=[own, False, bene]))
        assert any(line.startswith("With log Γ(α)") and line.endswith(f", {text}") for line in told)
        assert any(line.endswith("This is so." if own else "This is not so for BDq as it defines it.") for line in told)


def test_wrong_arguments(folder, tmp_path):
    with pytest.raises(ArgumentError, match="lacks"):
        reproduce("alpha-sensitivity", tmp_path, out=tmp_path / "out")
    with pytest.raises(ArgumentError, match="nothing in it is random"):
        reproduce("alpha-sensitivity", folder, repetitions=3, out=tmp_path / "out")


@pytest.mark.skipif(not SHARED.is_dir(), reason="the iris data are not there")
def test_the_iris_data_are_the_ones_of_the_paper():
    data = table(SHARED)
    assert (data.n_rows, data.arities) == (150, (3, 3, 3, 3))
    for alpha in ALPHAS["BDq"]:
        best = rows_of(SHARED, "BDq", alpha, "class")[0]
        found = bnml.search.exact(data, f"bdq:{alpha}", rows_per_cell=0, threads=1)
        assert found.score == pytest.approx(best["log_score"])
        assert str(found.dag.cpdag()) == best["cpdag"]
