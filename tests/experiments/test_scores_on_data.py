"""The highest scores of tables, on small tables and on published ones."""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml import DAG
from bnml.errors import ArgumentError, DataError, GraphError
from bnml.experiments import reproduce
from bnml.experiments import scores_on_data as experiment
from bnml.experiments.uci_tables import TABLES, read_uci_table

from .. import naive

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
SMALL = {"iris": (2, 3, 2), "liver": (3, 2, 2), "ecoli": (2, 2)}  # three of the twenty, with other content


def rows_of(name):
    arities = SMALL[name]
    rng = np.random.default_rng(len(name))
    first = rng.integers(0, arities[0], 40)
    others = [(first + (rng.random(40) < 0.3)) % r for r in arities[1:]]
    return np.stack([first, *others], axis=1).tolist()


def write(folder, name, rows, arities):
    names = [f"X{i}" for i in range(len(arities))]
    text = "\n".join([",".join(names), *(",".join(map(str, row)) for row in rows)]) + "\n"
    (folder / f"{name}.csv").write_text(text)
    declared = ["\t".join([x, *"abc"[:r]]) + "\n" for x, r in zip(names, arities, strict=True)]
    (folder / f"{name}.vd").write_text("".join(declared))


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Return a folder of the layout that is wanted, for an experiment with three tables."""
    monkeypatch.setattr(experiment, "TABLES", tuple(SMALL))  # not seen by other processes: parts say which they are
    folder = tmp_path / "data"
    for file in (*experiment.EXPERIMENT.files, *experiment.EXPERIMENT.published):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).touch()
    for name, arities in SMALL.items():
        write(folder / "uci-discretised", name, rows_of(name), arities)
    publish(folder)
    read_uci_table.cache_clear()
    yield folder
    read_uci_table.cache_clear()


WANTED = [
    (name, score, "" if alpha is None else f"{alpha}")
    for name in experiment.SOLVED
    for score, alpha in experiment.SOLVED_SCORES
]


def publish(folder, scores=(), greedy=()):
    """Publish some scores, and wrong ones in place of the others."""
    header = "data,criterion,ess_or_alpha,published_score\n"
    scores = dict.fromkeys(WANTED, 1.0) | dict(scores)
    (folder / experiment.OPTIMA).write_text(header + "".join(f"{','.join(k)},{v:.3f}\n" for k, v in scores.items()))
    lines = "".join(f"{name},{value:.6f}\n" for name, value in (dict.fromkeys(SMALL, -1e3) | dict(greedy)).items())
    (folder / experiment.GREEDY).write_text("data,BDeu_ess1_recomputed\n" + lines)


def highest(name, family, *parameters):
    """Return the highest score of all structures, from the definition."""
    arities = SMALL[name]
    table, n = naive.table_of(rows_of(name), arities), len(arities)
    names = [str(x) for x in range(n)]
    pairs, found = [(x, y) for x in range(n) for y in range(n) if x != y], []
    for chosen in product((False, True), repeat=len(pairs)):
        arcs = [pair for pair, taken in zip(pairs, chosen, strict=True) if taken]
        try:
            DAG(names, [(names[x], names[y]) for x, y in arcs])
        except GraphError:
            continue
        found.append(naive.score(table, arcs, lambda *key: family(*key, *parameters)))
    return max(found)


@pytest.mark.parametrize("name", SMALL)
def test_the_highest_scores(data, name):
    """One search for each score and some hyperparameters, against all structures."""
    cases = [("fNML", 0, naive.fnml), ("qNML", 0, naive.qnml)]
    cases += [("BDeu", at, naive.bdeu) for at in (0, 6, -1)] + [("BDq", at, naive.bdq) for at in (0, -1)]
    for score, at, family in cases:
        alphas = experiment.ALPHAS[score]
        at %= len(alphas)
        (row,) = experiment.EXPERIMENT.work(data, (name, score, at, at + 1), 0)
        parameters = () if alphas[at] is None else (alphas[at],)
        assert row["highest"] == pytest.approx(highest(name, family, *parameters), rel=1e-9)
        assert (row["data"], row["score"], row["alpha"]) == (name, score, alphas[at])


def test_hyperparameters():
    """Every whole number as far as promised, and ten a decade elsewhere."""
    bdeu, bdq = experiment.ALPHAS["BDeu"], experiment.ALPHAS["BDq"]
    assert bdeu[: experiment.WHOLE] == tuple(range(1, experiment.WHOLE + 1))
    for grid in (bdeu[experiment.WHOLE - 1 :], bdq):
        steps = np.array(grid[1:]) / np.array(grid[:-1])
        assert (steps > 1.05).all()
        assert (steps < 1.34).all()
    assert (bdeu[-1], bdq[0], bdq[-1]) == (10_000, 0.001, 1.0)


def test_parts_cover_every_search_once(data):
    rows = np.random.default_rng(0).integers(0, 2, (300, 20)).tolist()
    write(data / "uci-discretised", "iris", rows, (2,) * 20)  # large enough to be cut
    parts = experiment.EXPERIMENT.parts(data, 1)
    done = [(name, score, at) for name, score, first, last in (part.key for part in parts) for at in range(first, last)]
    assert len(set(done)) == len(done) == sum(map(len, experiment.ALPHAS.values())) * len(SMALL)
    assert len([part for part in parts if part.key[:2] == ("iris", "BDeu")]) > 10
    assert len([part for part in parts if part.key[:2] == ("liver", "BDeu")]) == 1
    assert max(part.cost for part in parts) <= experiment.PART_SECONDS


def test_one_peak():
    single = experiment._single_peak
    assert all(single(pd.Series(values)) for values in ([1.0], [1.0, 2.0, 2.0, 1.0], [3.0, 1.0], [1.0, 4.0]))
    assert not single(pd.Series([1.0, 2.0, 1.0, 1.5]))


def test_what_it_comes_to(data, tmp_path, coarse_pictures):
    """The best of each, the claims, and what others published: right, wrong, and unknown."""
    right = {("iris", "fNML", ""): highest("iris", naive.fnml), ("iris", "BDeu", "2.0"): highest("iris", naive.bdeu, 2)}
    near = {("liver", "qNML", ""): highest("liver", naive.qnml) + 0.002}
    others = {("iris", "BDeu", "0.5"): -1.0, ("abalone", "fNML", ""): -1.0, ("iris", "LOO", "1.0"): -1.0}
    publish(data, right | near | others, [("iris", -1.0), ("abalone", -1.0)])
    done = reproduce("scores-on-data", data, threads=1, out=tmp_path)
    results, curves = done.outcome.tables["results"].set_index("data"), done.outcome.tables["curves"]
    assert list(results.index) == list(SMALL)
    assert results.loc["iris", "BDeu(1)"] == pytest.approx(highest("iris", naive.bdeu, 1))
    for name, row in results.iterrows():
        bdeu = curves[(curves["data"] == name) & (curves["score"] == "BDeu")].set_index("alpha")["highest"]
        assert row["BDeu(alpha*)"] == bdeu.max() == bdeu[row["alpha*"]]
        assert row[row["best"]] == max(row["fNML"], row["BDeu(1)"], row["BDeu(alpha*)"])
    assert results.loc["iris", ["N", "m", "values"]].tolist() == [40, 3, pytest.approx(7 / 3)]
    comparison = done.outcome.tables["comparison"]
    assert comparison["data"].tolist() == ["all"] * 2 + [name for name, *_ in WANTED] + list(SMALL)
    agree = [(row["data"], row["what"]) for row in comparison[2:].to_dict("records") if row["within"]]
    greedy = "BDeu(1) of a greedy search"
    assert agree == [("iris", "highest fNML"), ("iris", "highest BDeu(2)"), ("liver", greedy), ("ecoli", greedy)]
    assert comparison["ours"].tolist()[0] == (results["best"] == "fNML").sum()
    findings = done.outcome.findings
    assert "2 of 15 published highest scores are ours to the last digit." in findings
    assert findings[-1].endswith("reached the highest score on 0 of 3 tables, and was above it on 1.")
    assert [row["what"] for row in comparison[2:4].to_dict("records")] == ["highest fNML", "highest qNML"]


def contents(done):
    return {file.name: file.read_bytes() for file in done.files}


def test_interruptions_do_not_change_the_files(data, tmp_path, coarse_pictures):
    whole = contents(reproduce("scores-on-data", data, threads=1, out=tmp_path / "whole"))
    told = []

    def interrupted(*step):
        told.append(step)
        if len(told) == 5:  # the first time nothing is done yet
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce("scores-on-data", data, threads=1, out=tmp_path / "out", progress=interrupted)
    done = reproduce("scores-on-data", data, threads=1, out=tmp_path / "out")
    assert done.resumed == 4
    assert contents(done) == whole


def test_work_outlives_other_published_numbers(data, tmp_path, monkeypatch):
    monkeypatch.setattr("bnml.experiments.reproduction.PICTURES", ())  # they take most of the time
    monkeypatch.setattr(experiment, "ALPHAS", {score: alphas[:3] for score, alphas in experiment.ALPHAS.items()})
    before = reproduce("scores-on-data", data, threads=1, out=tmp_path)
    publish(data, {("ecoli", "fNML", ""): highest("ecoli", naive.fnml)})
    after = reproduce("scores-on-data", data, threads=1, out=tmp_path)
    assert after.resumed == after.parts
    one, other = (done.outcome.tables["comparison"].set_index(["what", "data"])["within"] for done in (before, after))
    assert one.index[one != other].tolist() == [("highest fNML", "ecoli")]


def test_a_file_that_is_not_there(data, tmp_path):
    (data / "uci-discretised" / "adult.vd").unlink()
    with pytest.raises(ArgumentError, match=r"lacks 'uci-discretised/adult\.vd'"):
        reproduce("scores-on-data", data, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def refusal(data, tmp_path):
    """Return what is wrong with the files, which is said before anything is made."""
    with pytest.raises(DataError) as refused:
        reproduce("scores-on-data", data, threads=1, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    return str(refused.value)


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        (experiment.OPTIMA, lambda table: table.drop(columns="data"), "lacks the column 'data'"),
        (experiment.OPTIMA, lambda table: table.drop(columns="ess_or_alpha"), "lacks the column 'ess_or_alpha'"),
        (experiment.OPTIMA, lambda table: table[:0], "has no lines"),
        (experiment.OPTIMA, lambda table: table[1:-1], "lacks the highest 'fNML of iris', 'BDq(1) of ecoli'"),
        (experiment.OPTIMA, lambda table: table.replace("qNML", "qnml"), "lacks the highest 'qNML of iris', 'qNML of"),
        (experiment.OPTIMA, lambda table: pd.concat([table, table[:1]]), ", line 17: fNML of iris comes twice"),
        (experiment.OPTIMA, lambda table: pd.concat([table, table[2:3]]), ", line 17: BDeu(1) of iris comes twice"),
        (
            experiment.OPTIMA,
            lambda table: table.assign(published_score="high"),
            ", line 2: column 'published_score' holds 'high', not a number",
        ),
        (
            experiment.OPTIMA,
            lambda table: table.replace({"ess_or_alpha": {2.0: "two"}}),
            ", line 5: column 'ess_or_alpha' holds 'two', not a number",
        ),
        (experiment.GREEDY, lambda table: table.drop(columns="data"), "lacks the column 'data'"),
        (experiment.GREEDY, lambda table: table[:0], "has no lines"),
        (experiment.GREEDY, lambda table: table[1:], "lacks 'iris'"),
        (experiment.GREEDY, lambda table: pd.concat([table, table[:1]]), ", line 5: iris comes twice"),
        (
            experiment.GREEDY,
            lambda table: table.replace({"BDeu_ess1_recomputed": {-1e3: "low"}}),
            ", line 2: column 'BDeu_ess1_recomputed' holds 'low', not a number",
        ),
    ],
)
def test_published_numbers_that_are_wrong_are_refused(data, tmp_path, file, change, message):
    change(pd.read_csv(data / file).astype(object)).to_csv(data / file, index=False)
    refused = refusal(data, tmp_path)
    assert refused.startswith(repr(file))
    assert message in refused


@pytest.mark.parametrize("content", [b"", b"\x00\x80\xff\n"])
@pytest.mark.parametrize(
    "file", [experiment.OPTIMA, experiment.GREEDY, "uci-discretised/liver.csv", "uci-discretised/ecoli.vd"]
)
def test_files_that_are_something_else_are_refused(data, tmp_path, file, content):
    (data / file).write_bytes(content)
    assert repr(file) in refusal(data, tmp_path)


def test_published_highest_scores():
    """BENE's, on the tables themselves."""
    if not SHARED.is_dir():
        pytest.skip("the published references do not lie beside the repository")
    found = 0
    with (SHARED / experiment.OPTIMA).open(newline="") as file:
        for line in csv.DictReader(file):
            score, alpha = line["criterion"], float(line["ess_or_alpha"]) if line["ess_or_alpha"] else None
            if alpha in experiment.ALPHAS.get(score, ()):
                at = experiment.ALPHAS[score].index(alpha)
                (row,) = experiment.EXPERIMENT.work(SHARED, (line["data"], score, at, at + 1), 0)
                assert row["highest"] == pytest.approx(float(line["published_score"]), abs=5.1e-4)
                found += 1
    assert found == 15
    read_uci_table.cache_clear()


def test_all_files_are_there():
    if not SHARED.is_dir():
        pytest.skip("the published references do not lie beside the repository")
    files = (*experiment.EXPERIMENT.files, *experiment.EXPERIMENT.published)
    assert all((SHARED / file).is_file() for file in files)
    names = pd.read_csv(SHARED / "uci-discretised/summary.csv")["data"]
    assert tuple(names) == TABLES
    optima, greedy = experiment._read_optima(SHARED), experiment._read_greedy(SHARED)
    computed = [key for key in optima if key[2] in experiment.ALPHAS.get(key[1], ())]
    assert computed == [(name, *score) for name in experiment.SOLVED for score in experiment.SOLVED_SCORES]
    assert {*greedy, *experiment.NOT_SEARCHED} == {*TABLES}


def test_the_slip_of_bene_is_a_penalty_beyond_2000_rows():
    """Without parents a family has one part, and the slip takes 4.5 log π from it once."""
    rng = np.random.default_rng(0)
    few, many = (
        bnml.read(rng.integers(0, 3, (n, 2)), states={x: [0, 1, 2] for x in ("X0", "X1")}) for n in (2000, 2001)
    )
    empty, linked = bnml.DAG(["X0", "X1"]), bnml.DAG.parse("[X0][X1|X0]")
    slip = 4.5 * np.log(np.pi)
    for data, dag, parts in ((few, empty, 0), (many, empty, 2), (many, linked, 1)):
        right, wrong = (bnml.score(dag, data, score) for score in (experiment.FNML(), experiment.BeneFNML()))
        assert right - wrong == pytest.approx(parts * slip)
