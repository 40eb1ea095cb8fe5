"""Rows as CSV: what is written is read back."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.cli import main
from bnml.cli.rows import print_rows, write_rows
from bnml.errors import DataError

ODD = [
    "a\rb",
    "a\nb",
    "\r\n",
    'say "so"',
    "1,5",
    "h;i;j",
    "p|q",
    "tab\there",
    "\ufeffmark",
    " x ",
    "日本",
    "'",
    "\ufeff",
]


def written(frame: pd.DataFrame, **options) -> bytes:
    stream = io.BytesIO()
    write_rows(frame, stream, **options)
    return stream.getvalue()


def network_of(states: dict[str, list[str]]) -> bnml.BayesianNetwork:
    tables = {x: [1 / len(labels)] * len(labels) for x, labels in states.items()}
    return bnml.BayesianNetwork(bnml.DAG(list(states)), states, tables)


def rows_of(data: bnml.Data) -> list[list[str]]:
    return [[labels[c] for labels, c in zip(data.states, row, strict=True)] for row in data.codes[data.row_index]]


def test_values_that_are_equal_are_written_as_they_are():
    frame = pd.DataFrame({"a": [1, 1.0, True, "1", None, float("nan")], "b": list("uvwxyz")}, dtype=object)
    assert written(frame) == b"a,b\n1,u\n1.0,v\nTrue,w\n1,x\n,y\n,z\n"


@pytest.mark.parametrize("name", [name for name in ODD if name.strip()])
def test_there_and_back(name, tmp_path):
    """Of a lone column too, whose name holds what looks like a delimiter."""
    for states in ({name: [*ODD]}, {name: [*ODD], "other": ["x", "y"]}, {"other": ["x", "y"], name: [*ODD]}):
        frame = network_of(states).sample(60, seed=1)
        (tmp_path / "x.csv").write_bytes(written(frame))
        data = bnml.read(tmp_path / "x.csv")
        assert data.names == tuple(frame.columns)
        assert rows_of(data) == frame.astype(str).to_numpy().tolist()


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).filter(
    lambda text: text.strip() and text not in ("?", "NaN") and not text.replace(".", "").isdecimal()
)


@settings(deadline=None)
@given(
    names=st.lists(texts, min_size=1, max_size=3, unique=True),
    labels=st.lists(texts, min_size=2, max_size=4, unique=True),
)
def test_any_names_and_labels(names, labels, tmp_path_factory):
    frame = network_of({name: sorted(labels) for name in names}).sample(20, seed=1)
    path = tmp_path_factory.mktemp("rows") / "x.csv"
    path.write_bytes(written(frame))
    data = bnml.read(path, states={name: sorted(labels) for name in names})
    assert data.names == tuple(frame.columns)
    assert rows_of(data) == frame.astype(str).to_numpy().tolist()


def test_plain_rows_stay_plain():
    frame = pd.DataFrame({"a": pd.Categorical([1, 2]), "b": [0.25, None], "c": [True, False]})
    assert written(frame) == b"a,b,c\n1,0.25,True\n2,,False\n"
    assert written(pd.DataFrame({"a": ["", "x"]})) == b'a\n""\nx\n'
    assert written(frame.iloc[:0]) == b"a,b,c\n"


def test_packed_rows_are_the_same_every_time():
    frame = pd.DataFrame({"a": ["x", "y"]})
    packed = written(frame, packed=True)
    assert gzip.decompress(packed) == written(frame)
    assert packed == written(frame, packed=True)
    assert packed[4:8] == b"\0\0\0\0"


def test_many_rows(tmp_path):
    frame = network_of({"a": ["x", "y"], "b": ["u", "v"]}).sample(40_000)
    assert written(frame) == frame.to_csv(index=False, lineterminator="\n").encode()


def test_what_is_no_unicode():
    frame = pd.DataFrame({"a": pd.Series(["x", "\ud800"], dtype=object)})
    with pytest.raises(DataError, match="cannot be written as UTF-8"):
        written(frame)


def test_a_stream_of_text(monkeypatch):
    text = io.StringIO()
    monkeypatch.setattr(sys, "stdout", text)
    print_rows(pd.DataFrame({"a": ["日"]}))
    assert text.getvalue() == "a\n日\n"
    monkeypatch.setattr(sys, "stdout", None)
    print_rows(pd.DataFrame({"a": ["日"]}))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_standard_output_is_utf8(tmp_path, encoding):
    network_of({"größe": ["日", "本"], "b": ["x", "y"]}).save(tmp_path / "n.bif")
    command = [sys.executable, "-m", "bnml", "sample", str(tmp_path / "n.bif"), "-n", "20"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    shown = subprocess.run(command, env=environment, capture_output=True, check=True).stdout
    assert main([*command[3:], "-o", str(tmp_path / "rows.csv")]) == 0
    assert shown == (tmp_path / "rows.csv").read_bytes()
    assert "日" in shown.decode("utf-8")


def test_a_label_that_is_no_unicode_writes_nothing(run, folder):
    network_of({"a": ["x", "\ud800"]}).save("n.json")
    for more in ([], ["-o", "rows.csv"]):
        shown = run("sample", "n.json", "-n", "3", *more)
        assert (shown.status, shown.out) == (2, "")
        assert "cannot be written as UTF-8" in shown.err


def test_suffixes_in_capitals(run, folder):
    assert run("sample", "net.bif", "-n", "3", "-o", "rows.CSV.GZ").status == 0
    assert gzip.decompress((folder / "rows.CSV.GZ").read_bytes()).startswith(b"smoke,lung\n")
