"""BENE's files."""

from __future__ import annotations

import pytest

from bnml.data import read
from bnml.data.bene import read_idt, read_vd
from bnml.errors import BnmlError, DataError

from .tools import labels


@pytest.fixture
def files(tmp_path):
    def write(vd=None, idt=None):
        if vd is not None:
            (tmp_path / "x.vd").write_bytes(vd if isinstance(vd, bytes) else vd.encode())
        if idt is not None:
            (tmp_path / "x.idt").write_bytes(idt if isinstance(idt, bytes) else idt.encode())
        return tmp_path / ("x.vd" if idt is None else "x.idt")

    return write


def test_vd(files):
    text = "A\tno\tyes\nB b\t1 .. 2\t]2 .. 3]\tNA\n\nC\tu\x85v\tw\u2028x\n"
    declared = {"A": ["no", "yes"], "B b": ["1 .. 2", "]2 .. 3]", "NA"], "C": ["u\x85v", "w\u2028x"]}
    assert read_vd(files(text)) == declared
    assert read_vd(files("\ufeff" + text.replace("\n", "\r\n"))) == declared


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "declares no variables"),
        ("\n\n", "declares no variables"),
        ("A\tx\nA\ty\n", "line 2: variable 'A': declared twice"),
        ("A\tx\n\nB\n", "line 3: variable 'B': it has no labels"),
        ("A x y\n", "line 1: variable 'A x y': it has no labels"),
        ("A\tx\ty\tx\n", "line 1: variable 'A': a label occurs twice"),
        ("A\tx\ty\t\n", "line 1: variable 'A': a label is empty"),
        ("\tx\ty\n", "line 1: variable '': it has no name"),
        (b"A\t\xe9\n", "not UTF-8"),
    ],
)
def test_bad_vd(files, text, message):
    with pytest.raises(DataError, match=message):
        read_vd(files(text))


def test_no_vd(tmp_path):
    with pytest.raises(DataError, match=r"there is no file .*q.vd"):
        read_vd(tmp_path / "q.vd")
    with pytest.raises(DataError, match="cannot read"):
        read_vd(tmp_path)
    with pytest.raises(DataError, match=r"there is no file .*q.vd"):
        read([[1]], states=str(tmp_path / "q.vd"))


VD = "A\tno\tyes\nB\tlow\tmid\thigh\n"


def test_idt(files):
    data = read(files(VD, "0 2\n1\t0\n\n0 2\n"))
    assert data.names == ("A", "B")
    assert data.states == (("no", "yes"), ("low", "mid", "high"))
    assert labels(data) == [["no", "high"], ["yes", "low"], ["no", "high"]]
    assert read(files(VD, "0 2\r\n1 0\r\n"), columns=["B"]).states == (("low", "mid", "high"),)


def test_idt_with_one_row_or_one_variable(files):
    assert read(files(VD, "0 2")).n_rows == 1
    assert labels(read(files("A\tno\tyes\n", "0\n1\n1\n"))) == [["no"], ["yes"], ["yes"]]


def test_declared_question_marks_are_labels(files):
    path = files("A\t?\tx\ty\nB\tNaN\t1\n", "0 1\n1 0\n")
    data = read(path)
    assert data.states == (("?", "x", "y"), ("NaN", "1"))
    assert labels(data) == [["?", "1"], ["x", "NaN"]]
    assert read(path, missing="state").states == data.states
    assert read(path, na_values="x", missing="drop").n_rows == 1
    assert read(path, states={"A": ["x", "y"]}, missing="drop").n_rows == 1


def test_states_of_a_file_beside_another(files, tmp_path):
    (tmp_path / "other.vd").write_text("A\tyes\tno\tmaybe\nB\tlow\tmid\thigh\n")
    data = read(files(VD, "0 2\n1 0\n"), states=tmp_path / "other.vd")
    assert data.states[0] == ("yes", "no", "maybe")
    assert labels(data) == [["no", "high"], ["yes", "low"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 3\n", "row 1: 'B' is 3; its codes are 0 to 2"),
        ("0 2\n-1 0\n", "row 2: 'A' is -1; its codes are 0 to 1"),
        ("0 2 1\n", "3 columns and its .vd 2 variables"),
        ("0 2\n1\n", "the same number in each row"),
        ("0 x\n", "expected whole numbers"),
        ("0 1.5\n", "expected whole numbers"),
        ("0,1\n", "expected whole numbers"),
        ("0 99999999999999999999999\n", "expected whole numbers"),
        (b"0 \xff\n", "expected whole numbers"),
        ("\n \n", "the table has no rows"),
    ],
)
def test_bad_idt(files, text, message):
    with pytest.raises(DataError, match=message):
        read(files(VD, text))


def test_idt_without_its_vd(files):
    with pytest.raises(DataError, match=r"there is no file .*x\.vd"):
        read_idt(files(None, "0 1\n"), None)


def test_unknown_columns(files):
    with pytest.raises(BnmlError, match="no column 'C'"):
        read_idt(files(VD, "0 1\n"), ["C"])
