"""The experiment `prediction`: its pieces against plain versions, and all of it on small tables."""

from __future__ import annotations

import gzip
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

import bnml
from bnml.errors import ArgumentError, DataError
from bnml.experiments import prediction, prediction_tables, registry, reproduce
from bnml.experiments.experiment import Outputs, experiment_generator
from bnml.experiments.prediction import EXPERIMENT, _keeps_rows_per_cell, permutations_of, training_sizes
from bnml.experiments.prediction_tables import (
    PUBLISHED,
    QUANTITIES,
    SCORES,
    compared_predictions,
    prediction_summary,
    prediction_tails,
    rank_table,
    ranked_predictions,
    read_prediction_tables,
    rule_findings,
    rule_table,
    with_regret,
)
from bnml.experiments.uci_tables import TABLES, uci_table_file

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
COLUMNS = {"A": "uvw", "B": "xy", "C": "pqr", "D": "s"}  # "D" has one value, as a variable of heart_hungarian
ROWS = 23
TWICE = 2  # permutations
ALL = (0, 9)  # training parts
ARITIES = dict.fromkeys(TABLES, (3, 2, 3, 1))
TRAINING = dict.fromkeys(TABLES, training_sizes(ROWS))


def table(name: str) -> pd.DataFrame:
    """Return codes in which B follows A; the last state of C is declared but never seen."""
    rng = experiment_generator(5, name)
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
        if uci_table_file(name).endswith(".gz"):
            (sets / f"{name}.csv.gz").write_bytes(gzip.compress(text.encode()))
        else:
            (sets / f"{name}.csv").write_text(text)
        lines = ("\t".join((column, *states)) for column, states in COLUMNS.items())
        (sets / f"{name}.vd").write_text("\n".join(lines) + "\n")
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
         "parameters": int(rng.integers(5, 30)), "ruled_logprob": -3.0, "ruled_parameters": 5}
        for name in TABLES for permutation in range(TWICE) for k, n in enumerate(training_sizes(ROWS))
        for score in prediction.METHODS
    ]  # fmt: skip


@pytest.mark.parametrize("n", [23, 90, 303, 58000])
def test_training_parts_are_whole_folds(n):
    folds = np.array_split(np.arange(n), 10)  # the larger ones first
    assert training_sizes(n) == np.cumsum([len(fold) for fold in folds])[:9].tolist()
    assert training_sizes(303) == [31, 62, 93, 123, 153, 183, 213, 243, 273]


def test_the_published_files_are_complete():
    if not SHARED.is_dir():
        pytest.skip("the published references do not lie beside the repository")
    parts = EXPERIMENT.parts(SHARED, 20)
    assert {part.key[0] for part in parts} == set(TABLES)
    assert max(part.cost for part in parts) <= prediction.LONGEST
    assert max(parts, key=lambda part: part.cost / (part.key[2] - part.key[1])).key[0] == "adult"


def test_ranks():
    rng = np.random.default_rng(0)
    values = -rng.integers(1, 4, (200, 4)) * 1.7
    noisy = values * (1 + 1e-12 * rng.standard_normal(values.shape))  # as if summed in another order
    expected = rankdata(-values, method="average", axis=1)
    assert (ranked_predictions(noisy) == expected).all()
    assert (ranked_predictions(values).sum(axis=1) == 10).all()
    assert ranked_predictions(np.array([[-5.0, -5.0 + 1e-7]])).tolist() == [[2.0, 1.0]]


def test_work_is_learning_and_predicting_row_by_row(folder):
    found = pd.DataFrame(EXPERIMENT.work(folder, ("wine", 1, 2, *ALL), 3))
    frame = table("wine").replace({column: dict(enumerate(states)) for column, states in COLUMNS.items()})
    order = experiment_generator(3, "prediction", "wine", 1).permutation(ROWS)
    states = {column: list(states) for column, states in COLUMNS.items()}
    for k, n in enumerate(training_sizes(ROWS)):
        with pytest.warns(UserWarning, match="only one state"):
            training = bnml.read(frame.iloc[order[:n]], states=states)
        for score, name, estimator in (
            ("BDeu", "bdeu:1", "bpp"), ("BIC", "bic", "snml"), ("fNML", "fnml", "snml"), ("qNML", "qnml", "snml")
        ):  # fmt: skip
            dag = bnml.search.exact(training, name, rows_per_cell=0, threads=1).dag
            network = bnml.fit(dag, training, estimator)
            (row,) = found[(found["rows"] == n) & (found["score"] == score)].to_dict("records")
            assert row["percent"] == 10 * (k + 1)
            assert row["logprob"] == pytest.approx(network.log_prob(frame.iloc[order[n:]]).mean(), rel=1e-12)
            assert row["parameters"] == network.n_parameters
            assert row["parents"] == pytest.approx(len(dag.arcs) / 4)


@pytest.mark.parametrize("longest", [10.0, 0.05, 1e-9])  # seconds
@pytest.mark.parametrize("repetitions", [2, 25])
def test_everything_is_worked_on_once(folder, repetitions, longest, monkeypatch):
    monkeypatch.setattr(prediction, "LONGEST", longest)
    keys = [part.key for part in EXPERIMENT.parts(folder, repetitions)]
    worked = [
        (name, permutation, k)
        for name, first, stop, smallest, largest in keys
        for permutation in range(first, stop)
        for k in range(smallest, largest)
    ]
    often = {name: permutations_of(name, repetitions) for name in TABLES}
    assert worked == [(name, j, k) for name in TABLES for j in range(often[name]) for k in range(9)]
    assert set(often.values()) == {2, repetitions}


def test_parts_take_as_long_as_they_may(folder, monkeypatch):
    monkeypatch.setattr(prediction, "_seconds", lambda data, size: 0.25)
    found = {part.key[1:] for part in EXPERIMENT.parts(folder, 8) if part.key[0] != "adult"}
    assert found == {(0, 4, *ALL), (4, 8, *ALL)}
    monkeypatch.setattr(prediction, "_seconds", lambda data, size: 2.4)
    parts = EXPERIMENT.parts(folder, 2)
    assert [part.key[1:] for part in parts[:6]] == [(j, j + 1, *k) for j in (0, 1) for k in ((0, 4), (4, 8), (8, 9))]
    assert [part.cost for part in parts[:3]] == pytest.approx([9.6, 9.6, 2.4])


def test_blocks_do_not_matter(folder):
    whole = EXPERIMENT.work(folder, ("adult", 0, 2, *ALL), 0)
    cut = [EXPERIMENT.work(folder, ("adult", k, k + 1, *run), 0) for k in (0, 1) for run in ((0, 5), (5, 6), (6, 9))]
    assert whole == [row for rows in cut for row in rows]


def test_means_and_errors(rows):
    results = prediction_summary(pd.DataFrame(rows), ARITIES)
    assert len(results) == len(TABLES) * 9 * 5
    for row in results.sample(40, random_state=0).to_dict("records"):
        own = [r for r in rows if all(r[key] == row[key] for key in ("data", "percent", "score"))]
        for quantity, least in (("logprob", 0.0), ("parents", 1 / 4), ("parameters", 16 / 12)):  # of (2, 1, 2, 0)
            values = np.array([r[quantity] for r in own])
            assert row[f"{quantity}_mean"] == pytest.approx(values.mean())
            assert row[f"{quantity}_median"] == pytest.approx(np.median(values))
            assert row[f"{quantity}_variance"] == pytest.approx(values.var(ddof=1), abs=1e-12)
            assert row[f"{quantity}_error"] == pytest.approx(
                np.sqrt(max(values.var(ddof=1), least**2 / (TWICE + 2)) / TWICE)
            )


def test_rank_table(rows, folder):
    frame = with_regret(pd.DataFrame(rows), "exact")
    ranks = rank_table(read_prediction_tables(folder, TRAINING), frame)
    assert ranks["data"].unique().tolist() == [*TABLES, "mean", "standard deviation"]
    values = frame.pivot(index=["data", "permutation", "percent"], columns="score", values="logprob")[list(SCORES)]
    plain = pd.DataFrame(rankdata(-values.round(11), axis=1), values.index, values.columns).groupby("data").mean()
    ours = ranks.pivot(index="data", columns="score", values="ours")
    pd.testing.assert_frame_equal(ours.loc[list(TABLES)], plain.loc[list(TABLES)], check_exact=False)
    assert ours.loc["mean"].to_numpy() == pytest.approx(plain.mean())
    assert ours.loc["standard deviation"].to_numpy() == pytest.approx(plain.std(ddof=0))


def test_numbers_that_are_published_as_found_agree(rows, folder, tmp_path):
    frame = with_regret(pd.DataFrame(rows), "exact")
    results = prediction_summary(frame, ARITIES)
    (tmp_path / "published").mkdir()
    ranks = rank_table(read_prediction_tables(folder, TRAINING), frame)
    wide = ranks.pivot(index="data", columns="score", values="ours").loc[list(TABLES), list(SCORES)]
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
    published = read_prediction_tables(tmp_path, TRAINING)
    comparison = compared_predictions(published, results, rank_table(published, frame))
    assert comparison["what"].value_counts().to_dict() == {
        "rank": 80, "table 3": 80, "logprob": 720, "parents": 720, "parameters": 720
    }  # fmt: skip
    assert comparison["within"].all()
    assert (comparison["difference"].abs() <= 0.5).all()
    shutil.copytree(folder / "uci-discretised", tmp_path / "uci-discretised")
    outcome = EXPERIMENT.outcome(tmp_path, rows, TWICE, regret="exact")
    findings = outcome.findings
    assert findings[:2] == [
        "Regret of qNML: exact.",
        "The 80 average ranks correlate with those of Table 2 at 1.000.",
    ]
    verdicts = {claim.text: claim for claim in reversed(outcome.claims) if "equation 7, but" not in claim.choice}
    for what in ("average ranks of Table 2", "numbers of parameters of Table 3", "curves of the log-probability"):
        agreement = verdicts[f"The published {what} are reproduced."]
        assert agreement.verdict == "inconclusive"  # with two permutations
        assert re.match(r"(\d+) of \1 agree; \1 are not judged", agreement.numbers)
    used = verdicts["The experiments use equation 7 for the regret of qNML."]
    assert "lie 0.00 ±" in used.numbers  # what is published is what the exact regret gives
    other = EXPERIMENT.outcome(tmp_path, rows, TWICE, regret="eq7")
    assert other.findings[0] == "Regret of qNML: eq7."
    assert [claim.to_dict() for claim in other.claims] == [claim.to_dict() for claim in outcome.claims]
    means = [one.tables["results"].set_index("score")["logprob_mean"] for one in (outcome, other)]
    assert (means[0]["BIC"].to_numpy() == means[1]["BIC"].to_numpy()).all()
    assert (means[0]["qNML"].to_numpy() != means[1]["qNML"].to_numpy()).any()
    assert "80 of 80 numbers of parameters in Table 3 (100.0%)" in " ".join(findings)
    assert not any("BENE" in finding or " differ" in finding.replace(" difference", "") for finding in findings)


def test_all_files(folder, rows, tmp_path, monkeypatch, coarse_pictures):
    def known(data, key, seed):
        return [row for row in rows if row["data"] == key[0] and key[1] <= row["permutation"] < key[2]]

    monkeypatch.setattr(registry, "find_experiment", lambda name: replace(EXPERIMENT, work=known))
    done = reproduce("prediction", folder, repetitions=TWICE, threads=1, out=tmp_path)
    pages = [f"page_{name}" for name in TABLES]
    names = ("figure", "ranks", "logprob", "parameters", *pages)
    pictures = {f"{name}{suffix}" for name in names for suffix in (".png", ".svg")}
    assert {file.name for file in done.files} == pictures | {
        "results.csv",
        "ranks.csv",
        "rule.csv",
        "comparison.csv",
        "findings.txt",
        "claims.csv",
        *(f"{page}.csv" for page in pages),
    }
    page = done.outcome.tables["page_wine"]
    assert len(page) == 9 * 4
    assert (page["parameters_published"] == 1.5).all()
    assert len(pd.read_csv(tmp_path / "prediction" / "comparison.csv")) == 80 + 80 + 3 * 720
    ranks, findings = done.outcome.tables["ranks"], done.outcome.findings
    mean = ranks[ranks["data"] == "mean"].set_index("score")["ours"]
    (claim,) = [finding for finding in findings if finding.startswith("fNML has the best average rank")]
    assert ("not so here" in claim) == (mean.idxmin() != "fNML")
    differ = ~done.outcome.tables["comparison"]["within"]  # what is published is made up
    far = [finding for finding in findings if finding.startswith("  ") and finding.endswith("standard errors)")]
    assert len(far) == differ[:160].sum() + prediction_tables.MOST
    assert any(
        finding.startswith("  and ") and finding.endswith("more, in the table of the comparison")
        for finding in findings
    )


def few(folder, repetitions):
    return EXPERIMENT.parts(folder, repetitions)[:4]


def plain_outcome(folder, rows, repetitions, regret):
    return Outputs({"results": pd.DataFrame(rows)}, {}, ["done"])


def test_interruptions_do_not_matter(folder, tmp_path, monkeypatch):
    calls = []

    def failing(*arguments):
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(arguments)
        return EXPERIMENT.work(*arguments)

    def reproduced(out, work=EXPERIMENT.work):
        some = replace(EXPERIMENT, parts=few, outcome=plain_outcome, work=work)
        monkeypatch.setattr(registry, "find_experiment", lambda name: some)
        done = reproduce("prediction", folder, repetitions=2, threads=1, out=tmp_path / out)
        return done.resumed, (tmp_path / out / "prediction" / "results.csv").read_bytes()

    _, one = reproduced("one")
    with pytest.raises(KeyboardInterrupt):
        reproduced("broken", failing)
    assert reproduced("broken") == (2, one)


def test_tails():
    """19 networks have 10 parameters and one has 1,000: 100 times the median, among 119 medians in all."""
    sizes = {"few": [10] * 19 + [1000], "even": [30] * 20}
    frame = pd.concat(
        pd.DataFrame({"data": "iris", "percent": 10, "score": score, "parameters": own}) for score, own in sizes.items()
    )
    shares = prediction_tails(frame.reset_index(drop=True))
    assert shares.to_dict() == pytest.approx({"few": 100 / 119, "even": 1 / 20})


def cells(what, **columns):
    """Return lines of a comparison, far off unless they say otherwise."""
    lines = pd.DataFrame({"what": what, "data": "iris", "rows": 15} | columns)
    lines = lines.assign(ours=lines["published"] + lines["difference"], errors=5 * np.sign(lines["difference"]))
    return lines.assign(within=lines["difference"] == 0, band=1.0)


@pytest.mark.parametrize("share", [0.05, 0.5])
def test_differences_are_traced_to_tails_if_there_are_any(share):
    shares = pd.Series(0.05, SCORES) + pd.Series({"BDeu": share - 0.05}).reindex(SCORES, fill_value=0.0)
    third = cells("table 3", score=["BDeu", "BDeu", "qNML"], published=9.0, difference=[-4.0, 4.0, -4.0])
    said = prediction_tables._tail(third, shares, 20)
    assert "BDeu 50%, BIC 5%" in said[0] or share == 0.05
    assert ("Of the 3 in Table 3 that differ, 1 are of this kind" in said[-1]) == (share == 0.5)
    assert ("No tail is long" in said[-1]) == (share == 0.05)
    parents = cells("parents", score=["BDeu", "fNML"], published=2.0, difference=[-1.0, 0.0])
    parameters = cells("parameters", score=["BDeu", "BIC", "fNML"], published=9.0, difference=[-4.0, -4.0, 4.0])
    by_what = {"logprob": parents.assign(within=True), "parents": parents, "parameters": parameters}
    said = prediction_tables._curves(by_what, shares, 20)
    (line,) = [finding for finding in said if "other numbers" in finding]
    assert line.startswith(
        "Of the 5 other numbers of parents and parameters 4 differ: 2 are numbers of parameters below"
    )
    assert ("1 of them under BDeu, whose tails are long" in line) == (share == 0.5)
    (left,) = [finding for finding in said if "are left" in finding]
    assert left.startswith(f"  {3 if share == 0.5 else 4} are left. By chance alone about 0 would differ")
    assert left.endswith(", but none by as much as the first of these.")  # five standard errors


@pytest.mark.parametrize("sign", [-1, 1])
def test_the_slip_of_bene_is_named_only_if_it_can_be_the_reason(sign):
    far = cells("parameters", score=["fNML"] * 3, published=9.0, difference=[4.0 * sign, 4.0 * sign, 0.0], data="adult")
    far["rows"] = 3000
    by_what = {"logprob": far, "parents": far.assign(within=True), "parameters": far}
    said = prediction_tables._curves(by_what, pd.Series(0.05, SCORES), 20)
    (line,) = [finding for finding in said if "more than 2,000 rows, " in finding]
    assert f"2 differ, {2 if sign < 0 else 0} of them below the published ones: on adult." in line
    assert any("BENE" in finding for finding in said) == (sign < 0)


def test_claims_name_the_tables():
    numbers = {"iris": ((9, 1, 5, 4), (9, 1, 4, 5)), "wine": ((9, 1, 4, 5), (9, 1, 5, 4)), "adult": ((1, 1, 9, 4),) * 2}
    third = pd.DataFrame(
        [
            {"data": name, "score": score, "ours": a, "ours_error": 0.0, "published": b}
            for name, (ours, published) in numbers.items()
            for score, a, b in zip(SCORES, ours, published, strict=True)
        ]
    )
    said = prediction_tables._parsimony(third)
    assert said[0] == (
        "qNML has fewer parameters than fNML on 2 of 3 tables, not on iris (Table 3): here on 2 of 3 tables, not on "
        "wine."
    )
    assert [line.split(":")[0] for line in said[1:3]] == ["  iris", "  wine"]
    assert said[3:] == [
        "fNML has the most parameters of all on 1 of 3 tables, on adult (Table 3): so here, on the same tables."
    ]


def test_wrong_folders(folder, tmp_path):
    with pytest.raises(ArgumentError, match="needs data="):
        reproduce("prediction", out=tmp_path)
    (tmp_path / "published").mkdir()
    with pytest.raises(ArgumentError, match=r"lacks 'uci-discretised/post_operative\.csv'"):
        reproduce("prediction", tmp_path, out=tmp_path)


def refused(data, out, message):
    """Check that an experiment is refused before there is anything of it."""
    with pytest.raises(DataError, match=message):
        reproduce("prediction", data, repetitions=2, threads=1, out=out)
    assert not out.exists()


@pytest.fixture
def own(folder, tmp_path):
    return shutil.copytree(folder, tmp_path / "data")


@pytest.mark.parametrize("file", PUBLISHED)
def test_wrong_published_files(own, tmp_path, file):
    path, out = own / file, tmp_path / "out"
    content = pd.read_csv(path, dtype=str)
    last = content.columns[-1]

    def broken(content, message):
        content.to_csv(path, index=False)
        refused(own, out, f"{file}'.*{message}")

    broken(content.drop(columns=last), f"lacks the column '{last}'")
    broken(content[:0], "has no lines")
    broken(content.assign(**{last: ["?", *content[last][1:]]}), f"line 2: column '{last}'")
    broken(content.assign(**{last: [*content[last][:-1], "inf"]}), f"line {len(content) + 1}: column '{last}'")
    broken(content[1:], f"lacks line '{content['data'][0]}")
    broken(pd.concat([content, content[4:5]]), f"line {len(content) + 2}: .* comes? twice")
    broken(pd.concat([content, content[:1].assign(data="other")]), "has the unknown line 'other")
    path.write_bytes(b"")
    refused(own, out, f"{file}' cannot be read")


def test_wrong_training_parts(own, tmp_path):
    file = "published/qnml_table2_parameters.csv"
    pd.read_csv(own / file).assign(training_rows=4).to_csv(own / file, index=False)
    refused(own, tmp_path / "out", f"{file}': 'post_operative' with 4 training rows; expected one of 3, 6")


def test_wrong_tables(own, tmp_path):
    (own / "uci-discretised" / "wine.vd").write_text("A\tu\tv\nB\tx\ty\nC\tp\tq\tr\nD\ts\n")  # A has 2
    refused(own, tmp_path / "out", "'uci-discretised/wine.csv' with 'uci-discretised/wine.vd'")


def test_tables_without_a_row_for_each_fold(own, tmp_path):
    table("yeast")[:9].to_csv(own / "uci-discretised" / "yeast.csv", index=False)
    refused(own, tmp_path / "out", "'uci-discretised/yeast.csv' has 9 rows")


def test_mended_published_numbers_keep_the_work(own, tmp_path, monkeypatch):
    some = replace(EXPERIMENT, work=lambda *arguments: [{"done": 1}], outcome=plain_outcome)
    monkeypatch.setattr(registry, "find_experiment", lambda name: some)

    def resumed():
        done = reproduce("prediction", own, repetitions=2, threads=1, out=tmp_path / "out")
        return done.resumed / done.parts

    assert resumed() == 0
    for file in PUBLISHED:
        content = pd.read_csv(own / file)
        content.assign(**{content.columns[-1]: 1.25}).to_csv(own / file, index=False)
    assert resumed() == 1
    table("wine").to_csv(own / "uci-discretised" / "iris.csv", index=False)
    with pytest.raises(ArgumentError, match="other data"):
        resumed()


def test_with_rows_per_cell_and_without():
    rng = np.random.default_rng(0)
    rows = [
        {"data": name, "permutation": k, "percent": part, "score": score, "logprob": -rng.random(), "parameters": 10,
         "ruled_logprob": -rng.random(), "ruled_parameters": 5}
        for name in ("iris", "wine") for k in range(3) for part in (10, 20) for score in SCORES
    ]  # fmt: skip
    rule = rule_table(pd.DataFrame(rows))
    assert len(rule) == 2 * len(SCORES)
    for name, own in rule.groupby("data"):
        assert own["rank"].sum() == pytest.approx(10.0), name
        assert own["ruled_rank"].sum() == pytest.approx(10.0)
    said = rule_findings(rule)
    assert len(said) == 1 + len(SCORES)
    assert all("50% of the parameters" in line for line in said[1:])


def test_which_networks_keep_the_rule():
    data = bnml.read(np.random.default_rng(0).integers(0, 3, (100, 3)))
    assert _keeps_rows_per_cell(bnml.DAG.parse("[X0][X1|X0][X2]"), data)
    assert not _keeps_rows_per_cell(bnml.DAG.parse("[X0][X1][X2|X0:X1]"), data)
