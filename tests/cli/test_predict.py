"""``bnml predict``, and other commands that take a network and a raw table."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.data.read_like import read_like


@pytest.fixture
def learned(run):
    """Write a raw table with numbers, gaps and a column to leave out, and the network that was learned from it."""
    rng = np.random.default_rng(4)
    age = rng.integers(20, 90, 400)
    frame = pd.DataFrame({"age": age, "ill": np.where(rng.random(400) < np.where(age > 60, 0.8, 0.1), "yes", "no")})
    frame["bmi"] = rng.normal(25, 4, 400).round(1)
    frame.loc[:19, "bmi"] = -9
    frame.loc[30:39, "ill"] = None
    frame["name"] = [f"p{i}" for i in range(400)]
    frame.to_csv("raw.csv", index=False)
    options = ["--drop", "name", "--bins", "age=40,60", "--bins", "auto", "--na-values", "-9", "--missing", "state"]
    assert run("learn", "raw.csv", *options, "-o", "net.json").status == 0
    return bnml.load("net.json")


def test_rows(run, learned):
    shown = run("predict", "net.json", "raw.csv", "--target", "ill")
    assert (shown.status, shown.err) == (0, "")
    frame = pd.read_csv(io.StringIO(shown.out))
    assert list(frame.columns) == ["ill"]
    assert frame["ill"].tolist() == learned.predict("raw.csv", "ill").tolist()
    known = pd.read_csv("raw.csv")["ill"]
    assert (frame["ill"] == known)[known.notna()].mean() > 0.8


def test_probabilities_and_files(run, learned):
    shown = run("predict", "net.json", "raw.csv", "--target", "ill", "--probabilities", "-o", "out.csv.gz")
    assert (shown.status, shown.out) == (0, "out.csv.gz: ill predicted for 400 rows\n")
    frame = pd.read_csv("out.csv.gz")
    assert list(frame.columns) == ["ill", "ill=no", "ill=yes", "ill=?"]
    assert frame.iloc[:, 1:].to_numpy() == pytest.approx(learned.predict_proba("raw.csv", "ill").to_numpy())
    found = json.loads(run("predict", "net.json", "raw.csv", "--target", "ill", "--json").out)
    assert (found["target"], found["rows"], found["file"]) == ("ill", 400, None)
    assert sum(row["count"] for row in found["predicted"]) == 400
    found = json.loads(run("predict", "net.json", "raw.csv", "--target", "age", "--json", "-o", "age.csv").out)
    assert found["file"] == "age.csv"
    assert set(pd.read_csv("age.csv")["age"]) <= {"<=40", "(40, 60]", ">60"}


@pytest.fixture
def certain(folder):
    """Write a network with zeros, and a table in which one row is impossible and one has an unseen label."""
    frame = pd.DataFrame({"a": list("xxyy"), "b": list("xuyu"), "c": list("xuyu")})
    bnml.fit(bnml.DAG.parse("[a][b|a][c|b]"), frame, "mle").save("zeros.json")
    rows = ["007,x,x,1.50", "1.50,x,y,", '"p,q",z,x,NA', '"say ""so""",y,y,?']
    Path("odd.csv").write_text("\n".join(["id,a,c,d", *rows]) + "\n")


def test_rows_that_cannot_be_answered(run, certain):
    shown = run("predict", "zeros.json", "odd.csv", "--target", "b", "--keep", "id", "--keep", "d")
    assert shown.status == 0
    assert shown.out == 'id,d,b\n007,1.50,x\n1.50,,\n"p,q",NA,\n"say ""so""",?,y\n'
    (note,) = shown.err.splitlines()
    assert note.startswith("note: ")
    for part in ("2 of 4 rows", "row 2: 'a=x', 'c=y' has probability zero", "row 3: column 'a' holds 'z'"):
        assert part in note
    alone = run("predict", "zeros.json", "odd.csv", "--target", "b").out
    assert alone == 'b\nx\n""\n""\ny\n'
    shown = run("predict", "zeros.json", "odd.csv", "--target", "b", "--probabilities", "-o", "out.csv")
    assert (shown.status, shown.out) == (0, "out.csv: b predicted for 2 of 4 rows\n")
    assert Path("out.csv").read_text().splitlines()[2:4] == [",,,", ",,,"]
    found = json.loads(run("predict", "zeros.json", "odd.csv", "--target", "b", "--json").out)
    assert (found["rows"], found["unanswered"]) == (4, 2)
    assert {row["label"]: row["count"] for row in found["predicted"]} == {"u": 0, "x": 1, "y": 1}


def test_columns_are_kept_as_they_are_written(run, learned):
    text = Path("raw.csv").read_text()
    shown = run(
        "predict", "net.json", "raw.csv", "--target", "ill", "--keep", "name", "--keep", "bmi", "--keep", "name"
    )
    rows = [line.split(",") for line in text.splitlines()]
    assert shown.out.splitlines()[0] == "name,bmi,ill"
    assert [line.rsplit(",", 1)[0] for line in shown.out.splitlines()[1:]] == [f"{r[3]},{r[2]}" for r in rows[1:]]
    plain = run("predict", "net.json", "raw.csv", "--target", "ill").out.split()
    assert [line.rsplit(",", 1)[1] for line in shown.out.splitlines()] == plain
    pd.read_csv("raw.csv").to_parquet("raw.parquet")
    assert run("predict", "net.json", "raw.parquet", "--target", "ill", "--keep", "name").out.split()[1:3] == [
        f"p0,{plain[1]}",
        f"p1,{plain[2]}",
    ]


@pytest.mark.parametrize("command", [("predict", "zeros.json", "odd.csv", "--target", "b")])
def test_the_table_is_not_replaced_unless_that_is_asked_for(run, certain, command):
    before = Path("odd.csv").read_bytes()
    Path("link.csv").symlink_to("odd.csv")
    Path("twin.csv").hardlink_to("odd.csv")
    for name in ("odd.csv", "./odd.csv", str(Path("odd.csv").resolve()), "link.csv", "twin.csv"):
        shown = run(*command, "-o", name)
        assert (shown.status, shown.out, Path("odd.csv").read_bytes()) == (2, "", before)
        assert "--force" in shown.err
    assert run(*command, "-o", "odd.csv", "--force").status == 0
    assert Path("odd.csv").read_text() == 'b\nx\n""\n""\ny\n'


def test_columns_that_are_not_there(run, learned):
    pd.read_csv("raw.csv").drop(columns=["ill", "name", "bmi"]).to_csv("some.csv", index=False)
    assert run("predict", "net.json", "some.csv", "--target", "ill").err == ""
    pd.read_csv("raw.csv")[["name"]].to_csv("other.csv", index=False)
    shown = run("predict", "net.json", "other.csv", "--target", "ill")
    assert shown.status == 0
    assert "every row gets the same probabilities" in shown.err


def test_the_example_runs(run, learned):
    Path("new.csv").write_text("smoke\nyes\nno\n")
    assert run("fit", "net.bif", "two.csv", "-o", "survey.json").status == 0
    shown = run("predict", "survey.json", "new.csv", "--target", "lung", "--probabilities", "-o", "predicted.csv")
    assert (shown.status, shown.err) == (0, "")
    assert len(pd.read_csv("predicted.csv")) == 2


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (["net.json", "raw.csv"], "--target"),
        (["net.json", "raw.csv", "--target", "il"], "Did you mean 'ill'"),
        (["none.json", "raw.csv", "--target", "ill"], "none.json"),
        (["raw.csv", "raw.csv", "--target", "ill"], "raw.csv"),
        (["net.json", "none.csv", "--target", "ill"], "none.csv"),
        (["net.json", "duckdb://none.ddb?table=t", "--target", "ill"], "there is no file 'none.ddb'"),
        (["net.json"], "DATA"),
        (["net.json", "raw.csv", "--target", "ill", "-o", "x.xlsx"], "must end in .csv"),
        (["net.json", "raw.csv", "--target", "ill", "-o", "no/such/x.csv"], "there is no folder 'no/such'"),
        (["net.json", "wrong.csv", "--target", "bmi"], "'maybe', which is not one of its states"),
        (["net.json", "wrong.csv", "--target", "bmi", "-o", "out.csv"], "no row of 'wrong.csv' can be answered"),
        (["net.json", "raw.csv", "--target", "ill", "--keep", "nam"], "--keep: there is no column 'nam'"),
        (["net.json", "raw.csv", "--target", "ill", "--keep", "nam"], "Did you mean 'name'"),
        (["net.json", "raw.csv", "--target", "ill", "--keep", "ill"], "--keep 'ill': a column of the predictions"),
        (["net.json", "two.csv", "--target", "ill", "-o", "./two.csv"], "this is DATA itself"),
    ],
)
def test_wrong_uses(run, learned, arguments, fragment):
    Path("wrong.csv").write_text("ill\nperhaps\nmaybe\n")
    shown = run("predict", *arguments)
    assert (shown.status, shown.out) == (2, "")
    assert fragment in shown.err
    assert "Traceback" not in shown.err


def test_other_commands_read_the_raw_table_as_the_network_did(run, learned):
    data = read_like("raw.csv", learned.states, learned.cuts, learned.reading)
    assert dict(data.cuts) == dict(learned.cuts)
    assert bnml.fit(learned.dag, data) == learned
    found = json.loads(run("score", "net.json", "raw.csv", "--json").out)
    assert found["rows"] == 400
    assert found["score"] == pytest.approx(bnml.score(learned.dag, data))
    shown = run("strength", "net.json", "raw.csv")
    assert (shown.status, shown.err) == (0, "")
    assert run("fit", "net.json", "raw.csv", "-o", "again.json").status == 0
    assert bnml.load("again.json") == learned


def test_options_go_before_what_the_network_knows(run, learned):
    bnml_read = bnml.read("raw.csv", drop=["name"], bins={"age": [50], "bmi": learned.cuts["bmi"]}, na_values=[-9],
                          missing="drop")  # fmt: skip
    given = ["--bins", "age=50", "--missing", "drop"]
    found = json.loads(run("score", "net.json", "raw.csv", *given, "--json").out)
    assert found["rows"] == bnml_read.n_rows
    assert found["score"] == pytest.approx(bnml.score(learned.dag, bnml_read))
    Path("x.toml").write_text('missing = "drop"\n[bins]\nage = [50]\n')
    assert json.loads(run("score", "net.json", "raw.csv", "--config", "x.toml", "--json").out) == found


@pytest.mark.parametrize("command", [("score",), ("strength",), ("fit", "-o", "again.json")])
def test_the_memory_limit_holds_where_a_network_says_how_to_read(run, learned, monkeypatch, command):
    name, *options = command
    monkeypatch.setattr("bnml.data.engine_sources.machine_memory", lambda: 4)  # no file fits into a quarter of it
    opened = []
    monkeypatch.setattr("bnml.data.engine_sources._of_text", lambda *arguments: opened.append(arguments))
    assert run(name, "net.json", "raw.csv", *options, "--memory-limit", "1GB").status == 0
    assert opened == []
    assert run(name, "net.json", "raw.csv", *options).status == 0
    assert len(opened) == 1


def test_networks_of_other_formats_name_the_columns(run, learned):
    """Cuts they have not, but columns that are none of their variables are not looked at."""
    assert run("score", "net.bif", "survey.csv").status == 0
    assert run("strength", "net.bif", "survey.csv").status == 0


def test_rows_that_were_dropped_are_dropped(run, learned):
    options = ["--drop", "name", "--bins", "auto", "--na-values", "-9", "--missing", "drop"]
    assert run("learn", "raw.csv", *options, "-o", "less.json").status == 0
    found = json.loads(run("score", "less.json", "raw.csv", "--json").out)
    assert found["rows"] == 370
    assert len(run("predict", "less.json", "raw.csv", "--target", "ill").out.splitlines()) == 401


def test_states_stay_those_of_the_network(run, learned):
    """A table in which a bin and a label do not occur."""
    frame = pd.read_csv("raw.csv")
    frame[(frame.age > 40) & (frame.ill == "no")].assign(n=2).to_csv("part.csv", index=False)
    part = read_like("part.csv", learned.states, learned.cuts, learned.reading, weights="n")
    assert part.states == tuple(learned.states.values())
    assert part.n_rows == 2 * ((frame.age > 40) & (frame.ill == "no")).sum()
    shown = run("score", "net.json", "part.csv", "--weights", "n", "--json")
    assert json.loads(shown.out)["rows"] == part.n_rows
    with pytest.raises(bnml.BnmlError, match="no column 'bmi'"):
        read_like(frame.drop(columns="bmi"), learned.states, learned.cuts, learned.reading)
    with pytest.raises(bnml.BnmlError, match="no rows"):
        read_like(frame[:0], learned.states, learned.cuts, learned.reading)
