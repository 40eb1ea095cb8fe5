"""The experiment `prediction`: its pieces against plain versions, and all of it on small tables."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

import bnml
from bnml.errors import ArgumentError, BnmlError
from bnml.experiments import prediction, registry, reproduce, run
from bnml.experiments.experiment import Outcome, generator
from bnml.experiments.prediction import EXPERIMENT, divide, training_sizes
from bnml.experiments.prediction_tables import QUANTITIES, SCORES, compared, rank_table, ranked, summarise
from bnml.experiments.tables import TABLES, file_of

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
COLUMNS = {"A": "uvw", "B": "xy", "C": "pqr", "D": "s"}  # "D" has one value, as a variable of heart_hungarian
ROWS = 23
TWICE = 2  # permutations


def table(name: str) -> pd.DataFrame:
    """Return codes in which B follows A; the last state of C is declared but never seen."""
    rng = generator(5, name)
    a = rng.integers(0, 3, ROWS)
    b = np.where(rng.random(ROWS) < 0.8, a > 0, rng.integers(0, 2, ROWS)).astype(int)
    return pd.DataFrame({"A": a, "B": b, "C": rng.integers(0, 2, ROWS), "D": 0})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder of data in the layout of the real one, with small tables and made-up published numbers."""
    root = tmp_path_factory.mktemp("data")
    sets = root / "uci-discretised"
    sets.mkdir()
    (root / "published").mkdir()
    for name in TABLES:
        text = table(name).to_csv(index=False)
        if file_of(name).endswith(".gz"):
            (sets / f"{name}.csv.gz").write_bytes(gzip.compress(text.encode()))
        else:
            (sets / f"{name}.csv").write_text(text)
        lines = ("\t".join((column, *states)) for column, states in COLUMNS.items())
        (sets / f"{name}.vd").write_text("\n".join(lines) + "\n")
    values = " ".join(str(len(states)) for states in COLUMNS.values())
    summary = {"data": TABLES, "rows": ROWS, "variables": 4, "values_per_variable": values, "distinct_rows": 12}
    pd.DataFrame(summary).to_csv(sets / "summary.csv", index=False)
    ranks = dict(zip(("BDeu_BPP", "BIC_sNML", "fNML_sNML", "qNML_sNML"), (4.0, 3.0, 2.0, 1.0), strict=True))
    write(root, "table1_predictive_ranks", {"data": TABLES, "N": ROWS} | ranks)
    sizes = training_sizes(ROWS)
    write(root, "table2_parameters", {"data": TABLES, "training_rows": sizes[1]} | dict.fromkeys(SCORES, 7))
    keys = [(name, quantity, 10 * k + 10, n) for name in TABLES for quantity in QUANTITIES.values()
            for k, n in enumerate(sizes)]  # fmt: skip
    curves = pd.DataFrame(keys, columns=["data", "quantity", "train_percent", "train_rows"])
    write(root, "uci_curves", curves.assign(**dict.fromkeys(SCORES, 1.5)))
    return root


def write(root: Path, name: str, columns) -> None:
    pd.DataFrame(columns).to_csv(root / "published" / f"qnml_{name}.csv", index=False)


@pytest.fixture(scope="module")
def rows():
    """Return rows as the work gives them, with random numbers; some are equal."""
    rng = np.random.default_rng(7)
    return [
        {"data": name, "permutation": permutation, "percent": 10 * k + 10, "rows": n, "score": score,
         "logprob": -float(rng.integers(20, 30)) / 7, "parents": float(rng.integers(0, 4)) / 4,
         "parameters": int(rng.integers(5, 30))}
        for name in TABLES for permutation in range(TWICE) for k, n in enumerate(training_sizes(ROWS))
        for score in SCORES
    ]  # fmt: skip


@pytest.mark.parametrize("n", [23, 90, 303, 58000])
def test_training_parts_are_whole_folds(n):
    folds = np.array_split(np.arange(n), 10)  # the larger ones first
    assert training_sizes(n) == np.cumsum([len(fold) for fold in folds])[:9].tolist()
    assert training_sizes(303) == [31, 62, 93, 123, 153, 183, 213, 243, 273]


def test_published_training_parts():
    if not SHARED.is_dir():
        pytest.skip("the published references do not lie beside the repository")
    rows = pd.read_csv(SHARED / "uci-discretised" / "summary.csv").set_index("data")["rows"]
    published = pd.read_csv(SHARED / "published" / "qnml_uci_curves.csv")
    assert set(rows.index) == set(published["data"]) == set(TABLES)
    for (name, _), own in published.groupby(["data", "quantity"]):
        assert own["train_rows"].tolist() == training_sizes(int(rows[name]))
    assert all((SHARED / file).is_file() for file in EXPERIMENT.files)


def test_ranks():
    rng = np.random.default_rng(0)
    values = -rng.integers(1, 4, (200, 4)) * 1.7
    noisy = values * (1 + 1e-12 * rng.standard_normal(values.shape))  # as if summed in another order
    expected = rankdata(-values, method="average", axis=1)
    assert (ranked(noisy) == expected).all()
    assert (ranked(values).sum(axis=1) == 10).all()
    assert ranked(np.array([[-5.0, -5.0 + 1e-7]])).tolist() == [[2.0, 1.0]]


def test_divide():
    frame = table("iris").astype(str)
    data = bnml.read(frame[["A", "B", "C"]])
    order = np.random.default_rng(1).permutation(ROWS)
    training, test = divide(data, order, 9)
    for part, chosen in ((training, order[:9]), (test, order[9:])):
        plain = bnml.read(frame[["A", "B", "C"]].iloc[chosen], states=dict(zip(data.names, data.states, strict=True)))
        assert (part.names, part.states) == (plain.names, plain.states)
        assert (part.codes == plain.codes).all()
        assert (part.weights == plain.weights).all()
        assert part.weights.min() > 0


def test_tables_without_rows_are_refused():
    data = bnml.example()
    bare = bnml.Data(data.names, data.states, data.codes.copy(), data.weights.copy())
    with pytest.raises(BnmlError, match="only frequencies"):
        divide(bare, np.arange(10), 5)


def test_work_is_learning_and_predicting_row_by_row(folder):
    found = pd.DataFrame(EXPERIMENT.work(folder, ("wine", 1, 2), 3))
    frame = table("wine").replace({column: dict(enumerate(states)) for column, states in COLUMNS.items()})
    order = generator(3, "prediction", "wine", 1).permutation(ROWS)
    states = {column: list(states) for column, states in COLUMNS.items()}
    for k, n in enumerate(training_sizes(ROWS)):
        with pytest.warns(UserWarning, match="only one state"):
            training = bnml.read(frame.iloc[order[:n]], states=states)
        for score, name, estimator in (
            ("BDeu", "bdeu:1", "bpp"), ("BIC", "bic", "snml"), ("fNML", "fnml", "snml"), ("qNML", "qnml", "snml")
        ):  # fmt: skip
            dag = bnml.search.exact(training, name, threads=1).dag
            network = bnml.fit(dag, training, estimator)
            (row,) = found[(found["rows"] == n) & (found["score"] == score)].to_dict("records")
            assert row["percent"] == 10 * (k + 1)
            assert row["logprob"] == pytest.approx(network.log_prob(frame.iloc[order[n:]]).mean(), rel=1e-12)
            assert row["parameters"] == network.n_parameters
            assert row["parents"] == pytest.approx(len(dag.arcs) / 4)


@pytest.mark.parametrize("repetitions", [2, 10, 25])
def test_every_table_and_permutation_is_worked_on_once(folder, repetitions):
    keys = [part.key for part in EXPERIMENT.parts(folder, repetitions)]
    worked = sorted((name, k) for name, first, stop in keys for k in range(first, stop))
    assert worked == sorted((name, k) for name in TABLES for k in range(repetitions))


def test_blocks_do_not_matter(folder):
    whole = EXPERIMENT.work(folder, ("adult", 0, 3), 0)
    assert whole == [row for k in range(3) for row in EXPERIMENT.work(folder, ("adult", k, k + 1), 0)]


def test_large_tables_are_cut_finely(folder, tmp_path):
    (tmp_path / "uci-discretised").mkdir()
    sizes = pd.read_csv(folder / "uci-discretised" / "summary.csv")
    sizes.loc[sizes["data"] == "adult", ["variables", "distinct_rows"]] = (15, 13581)
    sizes.to_csv(tmp_path / "uci-discretised" / "summary.csv", index=False)
    parts = EXPERIMENT.parts(tmp_path, 20)
    assert sum(part.key[0] == "adult" for part in parts) == 20
    assert sum(part.key[0] == "iris" for part in parts) == 2
    assert max(parts, key=lambda part: part.cost).key[0] == "adult"


def test_means_and_errors(rows, folder):
    frame = pd.DataFrame(rows)
    sizes = pd.read_csv(folder / "uci-discretised" / "summary.csv").set_index("data")
    results = summarise(frame, sizes)
    assert len(results) == len(TABLES) * 9 * 4
    for row in results.sample(40, random_state=0).to_dict("records"):
        own = [r for r in rows if all(r[key] == row[key] for key in ("data", "percent", "score"))]
        for quantity, least in (("logprob", 0.0), ("parents", 1 / 4), ("parameters", 16 / 12)):  # of (2, 1, 2, 0)
            values = np.array([r[quantity] for r in own])
            assert row[f"{quantity}_mean"] == pytest.approx(values.mean())
            assert row[f"{quantity}_variance"] == pytest.approx(values.var(ddof=1), abs=1e-12)
            assert row[f"{quantity}_error"] == pytest.approx(
                np.sqrt(max(values.var(ddof=1), least**2 / (TWICE + 2)) / TWICE)
            )


def test_rank_table(rows, folder):
    frame = pd.DataFrame(rows)
    ranks = rank_table(folder, frame)
    assert ranks["data"].unique().tolist() == [*TABLES, "mean", "standard deviation"]
    values = frame.pivot(index=["data", "permutation", "percent"], columns="score", values="logprob")[list(SCORES)]
    plain = pd.DataFrame(rankdata(-values.round(11), axis=1), values.index, values.columns).groupby("data").mean()
    ours = ranks.pivot(index="data", columns="score", values="ours")
    pd.testing.assert_frame_equal(ours.loc[list(TABLES)], plain.loc[list(TABLES)], check_exact=False)
    assert ours.loc["mean"].to_numpy() == pytest.approx(plain.mean())
    assert ours.loc["standard deviation"].to_numpy() == pytest.approx(plain.std(ddof=0))


def test_numbers_that_are_published_as_found_agree(rows, folder, tmp_path):
    frame = pd.DataFrame(rows)
    sizes = pd.read_csv(folder / "uci-discretised" / "summary.csv").set_index("data")
    results = summarise(frame, sizes)
    (tmp_path / "published").mkdir()
    wide = rank_table(folder, frame).pivot(index="data", columns="score", values="ours").loc[list(TABLES), list(SCORES)]
    wide.columns = ["BDeu_BPP", "BIC_sNML", "fNML_sNML", "qNML_sNML"]
    write(tmp_path, "table1_predictive_ranks", wide.round(2).reset_index())
    keys = ["data", "percent", "rows"]
    curves = [
        results.pivot(index=keys, columns="score", values=f"{quantity}_mean").reset_index().assign(quantity=name)
        for quantity, name in QUANTITIES.items()
    ]
    write(tmp_path, "uci_curves", pd.concat(curves).rename(columns={"rows": "train_rows", "percent": "train_percent"}))
    third = curves[-1][curves[-1]["rows"] == training_sizes(ROWS)[1]].rename(columns={"rows": "training_rows"}).round(0)
    write(tmp_path, "table2_parameters", third.drop(columns=["percent", "quantity"]))
    comparison = compared(tmp_path, results, rank_table(tmp_path, frame))
    assert comparison["what"].value_counts().to_dict() == {
        "rank": 80, "table 3": 80, "logprob": 720, "parents": 720, "parameters": 720
    }  # fmt: skip
    assert comparison["within"].all()
    assert (comparison["difference"].abs() <= 0.5).all()
    (tmp_path / "uci-discretised").mkdir()
    sizes.reset_index().to_csv(tmp_path / "uci-discretised" / "summary.csv", index=False)
    findings = EXPERIMENT.outcome(tmp_path, rows, TWICE).findings
    assert findings[0] == "The 80 average ranks correlate with those of Table 2 at 1.000."
    assert "80 of 80 numbers of parameters in Table 3 (100.0%)" in " ".join(findings)
    assert not any("BENE" in finding for finding in findings)


def test_all_files(folder, rows, tmp_path, monkeypatch):
    def known(data, key, seed):
        return [row for row in rows if row["data"] == key[0] and key[1] <= row["permutation"] < key[2]]

    def coarse(figure, path):
        if path.suffix == ".png":
            figure.savefig(path, format="png", dpi=20)
        path.touch()

    monkeypatch.setattr(registry, "find", lambda name: replace(EXPERIMENT, work=known))
    monkeypatch.setattr(run, "_save", coarse)
    done = reproduce("prediction", folder, repetitions=TWICE, threads=1, out=tmp_path)
    names = ("figure", "ranks", "logprob", "parameters")
    pictures = {f"{name}{suffix}" for name in names for suffix in (".png", ".svg")}
    assert {file.name for file in done.files} == pictures | {
        "results.csv",
        "ranks.csv",
        "comparison.csv",
        "findings.txt",
    }
    assert len(pd.read_csv(tmp_path / "prediction" / "comparison.csv")) == 80 + 80 + 3 * 720
    ranks, findings = done.outcome.tables["ranks"], done.outcome.findings
    mean = ranks[ranks["data"] == "mean"].set_index("score")["ours"]
    (claim,) = [finding for finding in findings if finding.startswith("fNML has the best average rank")]
    assert ("not confirmed" in claim) == (mean.idxmin() != "fNML")
    far = [finding for finding in findings if finding.startswith("  ") and "difference" in finding]
    assert len(far) == (~done.outcome.tables["comparison"]["within"][:160]).sum() > 0  # what is published is made up


def few(folder, repetitions):
    return EXPERIMENT.parts(folder, repetitions)[:4]


def plain_outcome(folder, rows, repetitions):
    return Outcome({"results": pd.DataFrame(rows)}, {}, ["done"])


def test_processes_and_interruptions_do_not_matter(folder, tmp_path, monkeypatch):
    calls = []

    def failing(*arguments):
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(arguments)
        return prediction.work(*arguments)

    def reproduced(out, threads, work=prediction.work):
        some = replace(EXPERIMENT, parts=few, outcome=plain_outcome, work=work)
        monkeypatch.setattr(registry, "find", lambda name: some)
        done = reproduce("prediction", folder, repetitions=2, threads=threads, out=tmp_path / out)
        return done.resumed, (tmp_path / out / "prediction" / "results.csv").read_bytes()

    _, one = reproduced("one", 1)
    assert reproduced("two", 2) == (0, one)
    with pytest.raises(KeyboardInterrupt):
        reproduced("broken", 1, failing)
    assert reproduced("broken", 1) == (2, one)


def test_wrong_folders(folder, tmp_path):
    with pytest.raises(ArgumentError, match="needs data="):
        reproduce("prediction", out=tmp_path)
    (tmp_path / "published").mkdir()
    with pytest.raises(ArgumentError, match=r"lacks 'uci-discretised/summary\.csv'"):
        reproduce("prediction", tmp_path, out=tmp_path)
