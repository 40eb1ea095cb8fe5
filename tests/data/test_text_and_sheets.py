"""Text whose delimiter is not known, standard input, and workbooks."""

from __future__ import annotations

import datetime
import gzip
import io
import sys
import zipfile

import pandas as pd
import pytest

from bnml.data import read
from bnml.errors import DataError, DependencyError

ROWS = [["x", "1"], ["y", "2"], ["x", "2"]]


def rows(data):
    return [[str(data.states[i][code]) for i, code in enumerate(row)] for row in data.codes[data.row_index]]


@pytest.mark.parametrize(
    "text",
    [
        "a,b\nx,1\ny,2\nx,2\n",
        "a;b\nx;1\ny;2\nx;2",
        "a\tb\nx\t1\ny\t2\nx\t2\n",
        "a|b\r\nx|1\r\ny|2\r\nx|2\r\n",
        "a b\nx 1\ny 2\nx 2\n",
        "  a   b\n\n  x     1\n  y     2 \n  x     2\n",
        '\ufeff"a" "b"\n"x" 1\n"y" 2\n"x" 2\n',
    ],
)
def test_delimiters_of_text(tmp_path, text):
    for name, content in (("x.txt", text.encode()), ("x.TXT.gz", gzip.compress(text.encode()))):
        (tmp_path / name).write_bytes(content)
        data = read(tmp_path / name)
        assert data.names == ("a", "b")
        assert rows(data) == ROWS


def test_blanks_in_quotes_and_single_columns(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("a b\n'x' \"y z\"\nu v\n")
    assert rows(read(path)) == [["'x'", "y z"], ["u", "v"]]
    path.write_text("a\nx y\nz\n")
    assert rows(read(path)) == [["x y"], ["z"]]


def test_a_row_of_another_length(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("a b\nx 1\ny 2 3\n")
    with pytest.raises(DataError, match=r"x\.txt', line 3: 3 fields where the header has 2"):
        read(path)


def stdin(monkeypatch, content: bytes):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_standard_input(monkeypatch, tmp_path):
    frame = pd.DataFrame(ROWS, columns=["a", "b"])
    frame.to_parquet(tmp_path / "x.parquet")
    text = frame.to_csv(index=False).encode()
    for content in (text, gzip.compress(text), (tmp_path / "x.parquet").read_bytes()):
        stdin(monkeypatch, content)
        assert rows(read("-")) == ROWS
    stdin(monkeypatch, b"")
    with pytest.raises(DataError, match="standard input is empty"):
        read("-")
    stdin(monkeypatch, b"a,b\n1\n")
    with pytest.raises(DataError, match=r"^'standard input', line 2: 1 field where"):
        read("-")


@pytest.fixture
def workbook():
    return pytest.importorskip("openpyxl", reason="the extra excel").Workbook()


def test_workbooks(workbook, tmp_path):
    path = tmp_path / "x.xlsx"
    sheet = workbook.active
    for row in [["a", "b", 2020.0, None], ["x", 1, 0.5], [], ["y", 2.0, None], ["x", "2", True]]:
        sheet.append(row)
    workbook.create_sheet("other").append(["not", "read"])
    workbook.save(path)
    data = read(path, columns=["b", "a"])
    assert data.names == ("b", "a")
    assert [row[::-1] for row in rows(data)] == ROWS
    assert "?" in read(path, missing="state").states[2]
    assert read(path, missing="state").names[2] == "2020"


def test_dates_in_workbooks(workbook, tmp_path):
    sheet = workbook.active
    for row in [["day"], [datetime.date(2024, 1, 1)], [datetime.date(2024, 1, 2)]]:
        sheet.append(row)
    workbook.save(tmp_path / "x.xlsx")
    assert len(read(tmp_path / "x.xlsx").states[0]) == 2


def test_what_is_no_workbook(workbook, tmp_path):
    path = tmp_path / "x.xlsx"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match=r"x\.xlsx' is not a readable \.xlsx file"):
        read(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", "b")
    with pytest.raises(DataError, match="is not a readable"):
        read(path)
    workbook.save(path)
    with pytest.raises(DataError, match="its first sheet is empty"):
        read(path)


def test_without_the_package(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    (tmp_path / "x.xlsx").write_text("x")
    with pytest.raises(DependencyError, match=r"a \.xlsx file needs openpyxl>=3\.1.*pip install 'openpyxl>=3\.1'"):
        read(tmp_path / "x.xlsx")
