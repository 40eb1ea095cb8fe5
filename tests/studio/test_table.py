"""The table: what is shown of it, how it is read otherwise, what cuts gain, uploads."""

from __future__ import annotations

import gzip
import importlib.util
import sys
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest

import bnml
from bnml.data.overview import overview
from bnml.data.read import read_draft
from bnml.errors import DataError
from bnml.studio.app import _bare_name
from bnml.studio.cut_gain import CutGains
from bnml.studio.desk import _table_suffix
from bnml.studio.read_tables import offered_suffixes
from bnml.studio.session import TableChoices, TableEntry
from bnml.studio.table_look import advised_choices, table_look


def column(session, name):
    return next(one for one in session["table"]["columns"] if one["name"] == name)


def test_what_is_shown_is_what_bnml_info_says(studio, clinic):
    table = studio.get("api/session")["table"]
    seen = overview(clinic, bins="auto")
    assert (table["name"], table["rows"], table["readable"]) == ("clinic.csv", 600, True)
    assert [one["name"] for one in table["columns"]] == [one.name for one in seen.columns]
    for shown, own in zip(table["columns"], seen.columns, strict=True):
        assert (shown["kind"], shown["distinct"], shown["missing"]) == (own.kind, own.distinct, own.missing)
    first = [line.split(",") for line in clinic.read_text().splitlines()[1:21]]
    assert table["preview"] == first
    data = bnml.read(clinic, bins="auto", drop=["id"])
    assert column({"table": table}, "age")["cuts"] == list(data.cuts["age"])
    assert column({"table": table}, "age")["histogram"]["counts"] == list(seen.columns[-2].histogram[2])


def test_advice_is_followed_at_first(studio):
    session = studio.get("api/session")
    assert not column(session, "id")["used"]
    assert "switch it off" in column(session, "id")["advice"]
    assert column(session, "age")["advice"] is None  # it is cut already


def test_columns_are_switched_and_cut_and_that_is_undone(studio):
    before = studio.get("api/session")
    used = [one["name"] for one in before["table"]["columns"] if one["name"] not in ("id", "asia")]
    session = studio.done("PUT", "api/table", {"used": used, "cuts": {"age": [40, 55.5]}, "target": "lung"})
    assert column(session, "asia") == {**column(before, "asia"), "used": False, "states": None, "counts": None}
    age = column(session, "age")
    assert (age["cuts"], age["by_hand"], len(age["states"])) == ([40, 55.5], True, 3)
    assert session["table"]["target"] == "lung"
    status, undone = studio.call("POST", "api/undo")
    assert (status, undone["table"], undone["can_redo"]) == (200, before["table"], True)
    status, redone = studio.call("POST", "api/redo")
    assert (status, redone["table"]) == (200, session["table"])
    session = studio.done("PUT", "api/table", {"cuts": {"age": None}, "used": [*used, "asia"]})
    assert column(session, "age") == column(before, "age")
    assert session["table"]["target"] == "lung"
    session = studio.done("PUT", "api/table", {"used": [name for name in used if name != "lung"]})
    assert session["table"]["target"] is None
    studio.done("PUT", "api/table", {"used": [*used, "asia"]})


@pytest.mark.parametrize(
    ("asked", "about", "message"),
    [
        ({"used": []}, "columns", "at least one"),
        ({"used": ["nothing"]}, "columns", "at least one"),
        ({"missing": "maybe"}, "missing", "one of error, drop, state"),
        ({"cuts": {"age": ["x"]}}, "cuts", "a number"),
        ({"cuts": {"age": [3, 2]}}, "cuts", "increase"),
        ({"cuts": {"nothing": [3]}}, "cuts", "there is no column"),
        ({"target": "nothing"}, "target", "switched off, or no column"),
        ({"target": 3}, "target", "a text"),
        ({"na_values": "NA"}, "na_values", "a list"),
    ],
)
def test_wrong_choices_are_refused(studio, asked, about, message):
    before = studio.get("api/session")["revision"]
    status, found = studio.call("PUT", "api/table", asked)
    assert (status, found["argument"]) == (400, about)
    assert message in found["error"]
    assert studio.get("api/session")["revision"] == before


def test_a_table_that_cannot_be_read_so_says_why(studio):
    session = studio.done("PUT", "api/table", {"bins": "width:3", "used": ["smoke", "lung", "age", "id"]})
    assert session["table"]["readable"]
    session = studio.done("PUT", "api/table", {"na_values": ["yes"], "missing": "error"})
    assert session["table"]["readable"] is False
    assert "“Missing values”: drop the rows" in session["table"]["reason"]
    assert studio.call("POST", "api/jobs", {"kind": "learn"})[0] == 400
    assert studio.call("POST", "api/undo")[0] == 200
    assert studio.call("POST", "api/undo")[1]["table"]["bins"] == "auto"


# --- uploads ---

HOSTILE = [
    ("../../../../etc/cron.d/x.csv", "x.csv"),
    ("..\\..\\windows\\x.csv", "x.csv"),
    ("/abs/x.csv", "x.csv"),
    ("<img src=x onerror=alert(1)>.csv", "<img src=x onerror=alert(1)>.csv"),
    ("a\r\nSet-Cookie: x=1.csv", "aSet-Cookie: x=1.csv"),
    ("nul\0.csv", "nul.csv"),
    ("‮txt.csv", "txt.csv"),
    ("x" * 500 + ".csv", "x" * 196 + ".csv"),
    ("🐍 ÄÖ.csv", "🐍 ÄÖ.csv"),
]


@pytest.mark.parametrize(("told", "shown"), HOSTILE, ids=range(len(HOSTILE)))
def test_names_of_uploads_lead_nowhere(studio, told, shown):
    session = studio.done("POST", "api/table", b"a,b\n0,1\n1,0\n", X_File_Name=quote(told, safe=""))
    assert session["table"]["name"] == shown == _bare_name(quote(told))
    files = {path.relative_to(studio.folder).as_posix() for path in (studio.folder / "tables").rglob("*.csv")}
    assert all(Path(file).name == "table.csv" for file in files)
    assert list((studio.folder / "incoming").iterdir()) == []


@pytest.mark.parametrize("name", ["", "x", "x.exe", "x.csv.sh", "session.json", ".vd", "x.py"])
def test_uploads_that_are_no_tables(studio, name):
    status, found = studio.call("POST", "api/table", b"a,b\n0,1\n", X_File_Name=name)
    assert status == 400
    assert "must end in one of .csv" in found["error"]
    with pytest.raises(DataError):
        _table_suffix(name)


@pytest.mark.parametrize("content", [b"", b"a,a\n0,1\n", b"a,b\n0,1,2\n"])
def test_uploads_that_are_no_tables_inside_leave_the_table_as_it_is(studio, content):
    before = studio.get("api/session")["table"]
    files = sorted((studio.folder / "tables").iterdir())
    assert studio.done("POST", "api/table", content, X_File_Name="odd.csv")["table"] == before
    assert sorted((studio.folder / "tables").iterdir()) == files  # nothing is left of what cannot be read


def test_a_table_that_is_being_read_is_not_undone_over(studio):
    """Undo and redo wait for it; when it is cancelled, its file is gone."""
    files = sorted((studio.folder / "tables").iterdir())
    rows = "\n".join(f"{k % 7},{k % 11},{k * k % 13}" for k in range(300_000))
    status, job = studio.call("POST", "api/table", f"a,b,c\n{rows}\n".encode(), X_File_Name="large.csv")
    assert status == 200
    before = studio.get("api/session")
    assert before["job"]["kind"] == "table"
    for way in ("undo", "redo"):
        status, found = studio.call("POST", f"api/{way}")
        assert (status, found["error"]) == (409, "the table is being read; wait for it, or cancel it")
    after = studio.call("DELETE", f"api/jobs/{job['id']}")[1]
    assert {**after, "job": None} == {**before, "job": None}
    assert sorted((studio.folder / "tables").iterdir()) == files


def test_workbooks_are_offered_where_they_can_be_read(monkeypatch, tmp_path):
    assert ".xlsx" in offered_suffixes() or importlib.util.find_spec("openpyxl") is None
    monkeypatch.setattr("bnml.studio.read_tables.find_spec", lambda name: None)
    assert ".xlsx" not in offered_suffixes()
    assert ".parquet" in offered_suffixes()
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    (tmp_path / "t.xlsx").write_bytes(b"PK")
    with pytest.raises(DataError, match="pip install 'openpyxl"):
        advised_choices(tmp_path / "t.xlsx")


def test_a_table_without_rows_is_shown_with_the_reason(studio):
    table = studio.done("POST", "api/table", b"a,b\n", X_File_Name="empty.csv")["table"]
    assert (table["name"], table["readable"], table["reason"]) == ("empty.csv", False, "the table has no rows")
    assert studio.call("POST", "api/undo")[1]["table"]["name"] != "empty.csv"


def test_labels_full_of_markup_are_texts(studio):
    name, label = "<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>"
    rows = [f'"{name}",b', *(f'"{label}",{k % 2}' if k % 2 else f"plain,{k % 2}" for k in range(30))]
    session = studio.done("POST", "api/table", "\n".join(rows).encode(), X_File_Name="markup.csv")
    assert column(session, name)["states"] == [label, "plain"]
    status, _, headers = studio.request("GET", f"/{studio.token}/api/session")
    assert (status, headers["content-type"], headers["x-content-type-options"]) == (200, "application/json", "nosniff")


def test_packed_tables_and_the_example(studio):
    content = gzip.compress(b"a,b\n0,1\n1,0\n1,1\n")
    assert studio.done("POST", "api/table", content, X_File_Name="Packed.CSV.gz")["table"]["rows"] == 3
    session = studio.done("POST", "api/example")
    assert [one["name"] for one in session["table"]["columns"]] == list(bnml.example().names)


# --- without a server ---


def test_looking_at_a_table(tmp_path):
    path = tmp_path / "odd.csv"
    rows = [f"{k},{k % 3},{'' if k % 7 == 0 else k % 2},{0.5 * k},const" for k in range(100)]
    path.write_text("\n".join(["id,a,gap,x,c", *rows]))
    choices = advised_choices(path)
    assert choices == TableChoices(left_out=("id", "c"), missing="state")
    look = table_look(path, choices)
    assert (look["readable"], look["rows"]) == (True, 100)
    states = {one["name"]: one["states"] for one in look["columns"]}
    assert states["gap"] == ["0", "1", "?"]
    assert states["id"] is None
    refused = table_look(path, TableChoices(left_out=("id", "c")))
    assert not refused["readable"]
    assert str(path) not in refused["reason"]


@pytest.mark.parametrize("missing", [False, True])
def test_gains_are_differences_of_code_lengths(tmp_path, missing):
    """Against the definition: the code of each neighbour within bins, less that in one bin."""
    rng = np.random.default_rng(5)
    age = rng.integers(0, 60, 400)
    ill = (rng.random(400) < np.where(age > 30, 0.8, 0.2)).astype(int)
    cough = rng.integers(0, 3, 400)
    lines = [
        f"{'' if missing and k % 10 == 0 else a},{i},{c}"
        for k, (a, i, c) in enumerate(zip(age, ill, cough, strict=True))
    ]
    (tmp_path / "t.csv").write_text("\n".join(["age,ill,cough", *lines]))
    entry = TableEntry("t.csv", "t.csv", TableChoices(missing="state" if missing else "error"))
    graph = bnml.DAG.parse("[ill][age|ill][cough|age:ill]")
    kept = [k for k in range(400) if not (missing and k % 10 == 0)]
    distinct = len(set(age[kept].tolist()))

    def length(cuts):
        from math import comb, log

        total, bins = log(comb(distinct - 1, len(cuts))), np.searchsorted(cuts, age[kept], side="left")
        for b in range(len(cuts) + 1):
            here = [kept[k] for k in np.flatnonzero(bins == b)]
            groups = [(ill[here], 2), *((cough[[k for k in here if ill[k] == i]], 3) for i in (0, 1))]
            for values, r in groups:
                n = np.bincount(values, minlength=r)
                total += sum(c * log(n.sum() / c) for c in n if c) + bnml.regret(int(n.sum()), r)
        return total

    gains = CutGains(tmp_path)
    for cuts in ([30], [10, 20, 45], [29.5, 30.5]):
        found = gains.gain(entry, "age", cuts, graph)
        assert found["gain"] == pytest.approx(length([]) - length(cuts), abs=1e-6)
        assert found["gain"] <= found["best"] + 1e-6
        assert found["of"] == ["cough", "ill"]
    assert gains.gain(entry, "age", found["best_cuts"], graph)["gain"] == pytest.approx(found["best"])
    assert gains.gain(entry, "age", [], graph)["gain"] == 0.0
    alone = gains.gain(entry, "age", [30], None)
    assert (
        alone["of"]
        == read_draft(tmp_path / "t.csv", bins="auto", missing=entry.choices.missing).partners("age")
        == ["ill"]
    )


@pytest.mark.parametrize(("name", "cuts"), [("ill", ["x"]), ("nothing", [1]), ("b", [1]), ("a", None), ("a", [2, 1])])
def test_gains_of_nothing(tmp_path, name, cuts):
    (tmp_path / "t.csv").write_text("a,b\n" + "\n".join(f"{k},{'xy'[k % 2]}" for k in range(40)))
    with pytest.raises(bnml.BnmlError):
        CutGains(tmp_path).gain(TableEntry("t.csv", "t.csv"), name, cuts, None)
