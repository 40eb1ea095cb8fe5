"""Delimited text, against a plain reader."""

from __future__ import annotations

import csv
import gzip
import io
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bnml.data import delimited, read
from bnml.data._kernels import QUOTED, TEXT_AFTER_QUOTE, scan_quotes
from bnml.data.delimited import read_delimited
from bnml.errors import BnmlError, DataError

from . import naive
from .tools import check, counts, labels


@pytest.fixture
def file(tmp_path):
    def write(content, name="x.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def table(path, delimiter=None):
    found = read_delimited(path, None, delimiter)
    columns = [[c.labels[code] for code in c.codes] for c in found.columns]
    return [list(found.names), *(list(row) for row in zip(*columns, strict=True))]


PLAIN = [["a", "b"], ["1", "x"], ["2", "y"]]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("by", [",", ";", "\t", "|"])
def test_line_ends_marks_and_delimiters(file, end, last, mark, by):
    text = mark + end.join(by.join(row) for row in PLAIN) + end * last
    assert table(file(text)) == PLAIN


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz"])
def test_only_the_mark_of_the_file_is_dropped(file, mark, name):
    """The same character at the start of the first field is a part of it."""
    text = f'{mark}"\ufeffa",b\n\ufeffx,1\n\ufeffy,2\n'.encode()
    found = table(file(gzip.compress(text) if name.endswith(".gz") else text, name))
    assert found == [["\ufeffa", "b"], ["\ufeffx", "1"], ["\ufeffy", "2"]]
    with pytest.raises(DataError, match="line 3: 1 field where the header has 2"):
        table(file(f'{mark}"a,b",c\n1,2\n3\n'))


def test_line_ends_of_several_kinds(file):
    assert table(file("a,b\r\n1,x\n2,y\r3,z\n")) == [*PLAIN, ["3", "z"]]


def test_quoted_fields(file):
    text = 'a,b\n"x, y","line\nbreak"\n"say ""so""","\r\n"\n5" pipe,\'z\n"",x\n'
    assert table(file(text)) == [
        ["a", "b"], ["x, y", "line\nbreak"], ['say "so"', "\r\n"], ['5" pipe', "'z"], ["", "x"],
    ]  # fmt: skip


def test_a_single_quote_is_no_quote(file):
    with pytest.raises(DataError, match="line 2: 3 fields"):
        table(file("a,b\n'x,y',z\n"))


def test_odd_names(file):
    text = '"a ""b""",[c]*,"d\ne",\'f\',A,a, g,é\n1,2,3,4,5,6,7,8\n'
    assert table(file(text))[0] == ['a "b"', "[c]*", "d\ne", "'f'", "A", "a", " g", "é"]


def test_the_delimiter_is_counted_outside_of_quotes(file):
    assert table(file('"a,b";"c,d"\n1;2\n')) == [["a,b", "c,d"], ["1", "2"]]
    assert table(file("a;b\n1,5;2\n")) == [["a", "b"], ["1,5", "2"]]
    assert table(file("only\n1\n2\n")) == [["only"], ["1"], ["2"]]


def test_a_tsv_has_tabs(file):
    assert table(file("a\tb,c,d\n1\t2\n"), "\t") == [["a", "b,c,d"], ["1", "2"]]
    assert read_delimited(file("a\tb,c,d\n1\t2\n"), None, "\t").names == ("a", "b,c,d")


def test_empty_lines(file):
    assert table(file("a,b\n\n1,x\n\r\n2,y\n\n\n")) == PLAIN
    assert table(file("a\n1\n\n2\n")) == [["a"], ["1"], [""], ["2"]]
    assert table(file('a\n1\n""\n2')) == [["a"], ["1"], [""], ["2"]]


def test_spaces_belong_to_labels(file):
    assert table(file("a, b\n 1,x \n")) == [["a", " b"], [" 1", "x "]]


def test_labels_are_never_guessed(file):
    odd = [
        "None",
        "NA",
        "null",
        "NULL",
        "True",
        "FALSE",
        "05",
        "1e5",
        "<5",
        "12+",
        "Asy/Patch",
        "nan",
        "N/A",
        "-",
        "inf",
    ]
    assert table(file("a,b\n" + "".join(f"{x},{x}\n" for x in odd)))[1:] == [[x, x] for x in odd]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,x\n3\n", r"line 3: 1 field where the header has 2 \('3'\)"),
        ("a,b\n1,x\n3,4,5\n", "line 3: 3 fields where the header has 2"),
        ("a,b\n1,x\nUTF8,straddling,invalid UTF8 data\n", "line 3: 3 fields"),
        ("a,b\n1,x,\n2,y,\n", "line 2: 3 fields where the header has 2"),
        ("a,b\n" + "1,x\n" * 70_000 + "3\n", "line 70002: 1 field"),
        ('a,b\n1,"line\nbreak"\n\n3\n', "line 5: 1 field"),
        ('a,b\n1,x\n2,"y\n3,z\n', "line 3: a quote is not closed"),
        ('a,b\n1,x\n"2,y\n3,z\n', "line 3: a quote is not closed"),
        ('a\n1\n"2\n3', "line 3: a quote is not closed"),
        ('a,b\n1,x\n2,"y\n' + "3,z\n" * 2_000_000, "line 3: .*quote"),
        ("a,b\n1," + "x" * 15_000_000 + "\n", "line 2: .*quote|longer than"),
        ("a,b\n1," + "x" * 9_000_000 + "\n", f"a line is longer than {delimited.BLOCK:,} bytes"),
        ("a,b\n1," + "x" * 9_000_000 + "\n2\n", "line 3: 1 field where the header has 2"),
        ("a,b\n1," + "x" * 200_000 + "\n2\n", "line 3: 1 field where the header has 2"),
        ('a"b,d\n1,2\n', "line 1: a quote is not closed"),
        ('a"b,d\n1,2"\n', "line 1: a quote is not closed"),
        ('a"b,d\n' + "1,2\n" * 1_000_000, "line 1: a quote is not closed"),
        ("", "the first line is empty"),
        ("\n\n", "the first line is empty"),
        ("\ufeff", "the first line is empty"),
        ("  \n1\n", "the first line is empty"),
        ("a,b,\n1,2,3\n", "column 3 of .* has no name"),
        ("a,,c\n1,2,3\n", "column 2 of .* has no name"),
        ("a,b,a\n1,2,3\n", "must differ; these occur twice: 'a'$"),
        ("0,1,0\n1,1,0\n", "occur twice: '0'; is its first line a header"),
        ("a,b\n1,x\n".encode("utf-16"), "not UTF-8"),
        ("a,b\n1,x\n".encode("utf-16-le"), "not UTF-8"),
        ("a,b\n1,é\n".encode("latin-1"), "not UTF-8"),
        (b"a,b\n" + b"1,x\n" * 70_000 + "2,é\n".encode("latin-1"), "not UTF-8"),
        ("é,b\n1,x\n".encode("latin-1"), "not UTF-8"),
        (b"a,b\x00\n1,x\n", "not UTF-8"),
        (b"\x89PNG\r\n\x1a\n\x00", "not UTF-8"),
        ('"' + "x" * 200_000 + '",b\n1,2\n', "line 1: a field is longer than"),
    ],
)  # fmt: skip
def test_bad_files(file, content, message):
    with pytest.raises(DataError, match=message) as error:
        read_delimited(file(content), None)
    assert "x.csv" in str(error.value)
    assert len(str(error.value)) < 400


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.txt"])
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a,b\n1,x\n"2"3,y\n', 3),
        ('a,b\n1,x\n"2" ,y\n', 3),
        ('a,b\n1,x\n"2""3"4,y\n', 3),
        ('a,b\n1,x\n""3,y\n', 3),
        ('a,b\n1,x\n",",3\n4,","y\n', 4),
        ('a,b\n1,"\n"\n2,"y"\t\n', 4),
        ('a,b\n1,"x\n2,"y"\n', 2),  # where a quote is not closed
        ('a,b\n1,x\n2,"y"z', 3),
        ('"a"b,c\n1,x\n', 1),
        ("a,b\n" + "1,x\n" * 70_000 + '"2"3,y\n', 70_002),
    ],
)
def test_text_after_a_closing_quote(file, name, text, line):
    content = text.encode()
    with pytest.raises(DataError, match=rf"{name}', line {line}: text after a closing quote"):
        read(file(gzip.compress(content) if name.endswith(".gz") else content, name))


def test_quotes_may_be_cut_by_the_ends_of_blocks(file):
    """Wherever they end, a field that is quoted as it should be is read, and one that is not is refused."""
    good, bad = '"x""y"\nz\n' + '"p\nq"\n' * 12, '"x""y"z\n'
    for block in range(24, 64):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(delimited, "BLOCK", block)
            assert table(file("a\n" + good))[1:3] == [['x"y'], ["z"]]
            for text in (good + bad, bad + good):
                with pytest.raises(DataError, match="text after a closing quote"):
                    read_delimited(file("a\n" + text), None)


@pytest.mark.parametrize(("text", "line"), [('a b\n\n"1"2 x\n', 3), ('a b\n1 "x\n2 y\n', 3)])
def test_quotes_between_blanks(file, text, line):
    with pytest.raises(DataError, match=rf"x\.txt', line {line}: (text after a closing|a quote is not closed)"):
        read(file(text, "x.txt"))


@given(text=st.lists(st.sampled_from('",x\n\r'), max_size=30).map("".join), cut=st.integers(0, 30))
def test_quotes_are_scanned_as_python_reads_them(text, cut):
    state = 0
    for part in (text[:cut], text[cut:]):
        state = scan_quotes.compiled(np.frombuffer(part.encode(), np.uint8), ord(","), state)
    try:
        list(csv.reader(io.StringIO(text, newline=""), strict=True))
        problem = ""
    except csv.Error as error:
        problem = str(error)
    assert (state == TEXT_AFTER_QUOTE) == ("expected after" in problem)
    assert (state == QUOTED) == ("unexpected end" in problem)


def test_the_limit_of_fields_is_left_as_it_was(file, monkeypatch):
    before = csv.field_size_limit()
    with pytest.raises(DataError, match="line 3: 1 field"):
        read_delimited(file("a,b\n1," + "x" * 200_000 + "\n2\n"), None)
    assert csv.field_size_limit() == before
    monkeypatch.setattr(delimited, "LONGEST_FIELD", 1000)
    with pytest.raises(DataError, match="line 2: a field is longer than 1,000 characters; is a quote not closed"):
        read_delimited(file("a,b\n1," + "x" * 2000 + "\n2\n"), None)
    assert csv.field_size_limit() == before


def test_an_open_quote_in_the_header_is_not_followed_to_the_end(file, monkeypatch):
    monkeypatch.setattr(delimited, "LONGEST_NAMES", 10)
    with pytest.raises(DataError, match="line 1: a quote is not closed"):
        read_delimited(file('a"b,d\n' + "1,2\n" * 10 + '"\n'), None)
    assert read_delimited(file('"a\nb\nc",d\n1,2\n'), None).names == ("a\nb\nc", "d")


def test_nul_bytes_in_a_field_are_kept(file):
    assert table(file(b"a,b\n1,x\x00y\n2,\x00\x00\n")) == [["a", "b"], ["1", "x\0y"], ["2", "\0\0"]]


def test_only_the_columns_that_are_wanted(file):
    found = read_delimited(file("a,b,c\n1,2,3\n4,5,6\n"), ["c", "a"])
    assert [c.name for c in found.columns] == ["c", "a"]
    assert found.names == ("a", "b", "c")
    assert [list(c.labels) for c in found.columns] == [["3", "6"], ["1", "4"]]
    with pytest.raises(BnmlError, match="no column 'q'"):
        read_delimited(file("a,b,c\n1,2,3\n4,5,6\n"), ["q"])
    with pytest.raises(DataError, match="line 3"):  # the length of rows counts all the same
        read_delimited(file("a,b,c\n1,2,3\n4,5\n"), ["a"])


def test_gzip(file):
    packed = gzip.compress(b"a,b\n1,x\n2,y\n")
    assert table(file(packed, "x.csv.gz")) == PLAIN
    assert table(file(packed, "X.CSV.GZ")) == PLAIN
    halves = gzip.compress(b"a,b\n1,x\n") + gzip.compress(b"2,y\n")
    assert table(file(halves, "x.csv.gz")) == PLAIN
    assert read_delimited(file(packed, "x.csv.gz"), None).names == ("a", "b")


def test_bad_gzip(file):
    rng = np.random.default_rng(0)
    text = "a,b\n" + "".join(f"{i},{j}\n" for i, j in rng.integers(0, 10**9, (50_000, 2)))
    packed = gzip.compress(text.encode())
    for part in (packed[:20], packed[:-4], packed[: len(packed) // 2], packed[:1000] + b"\0" * 50 + packed[1050:]):
        with pytest.raises(DataError, match=r"x\.csv\.gz' is not a whole gzip file|not UTF-8"):
            read_delimited(file(part, "x.csv.gz"), None)
    with pytest.raises(DataError, match="is not a whole gzip file"):
        read_delimited(file("a,b\n1,x\n", "x.csv.gz"), None)
    with pytest.raises(DataError, match="not UTF-8"):
        read_delimited(file(packed, "x.csv"), None)
    with pytest.raises(DataError, match="first line is empty"):
        read_delimited(file(gzip.compress(b""), "x.csv.gz"), None)


def test_a_thousand_columns(file):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 3, (30, 1000)).astype(str).tolist()
    names = [f"c{j}" for j in range(1000)]
    assert table(file("\n".join(",".join(row) for row in [names, *rows]))) == [names, *rows]


def test_seventy_thousand_labels(file):
    rows = [[f"x{i}", str(i % 7)] for i in range(70_000)]
    assert table(file("\n".join(",".join(row) for row in [["a", "b"], *rows]))) == [["a", "b"], *rows]


# labels that a reader might be tempted to change
ODD = st.sampled_from(
    [
        "",
        "?",
        "NaN",
        "NA",
        "None",
        "True",
        "1",
        "1.0",
        "01",
        "2",
        "2.00",
        "-0.0",
        "0",
        "1e2",
        "1.5",
        "x",
        "X",
        " ",
        "a b",
        ",",
        '"',
        '""',
        "\n",
        "\r\n",
        "a\nb",
        "é",
        "\U0001f600",
        "<5",
        "?!",
        "'",
        ";",
        "\t",
    ]
)


@st.composite
def written(draw):
    """Return a table as a program writes it: quoted as needed, or all over."""
    width = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(ODD, min_size=width, max_size=width), min_size=1, max_size=12))
    out = io.StringIO()
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    writer = csv.writer(out, lineterminator=draw(st.sampled_from(["\n", "\r\n", "\r"])), quoting=quoting)
    writer.writerows([[f"c{j}" for j in range(width)], *rows])
    return out.getvalue()


RAW = st.lists(st.sampled_from([*'x1,",\n\r "', '""', "é", "1.0", "?", "\r\n", "x,1\n"]), max_size=25).map("".join)


def both(text, *, missing, na_values=()):
    try:
        expected = naive.read_text(text, missing=missing, na_values=na_values)
    except naive.Refused:
        expected = None
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "x.csv"
        path.write_bytes(text.encode())
        try:
            data = read(path, missing=missing, na_values=na_values)
        except BnmlError:
            data = None
    assert (data is None) == (expected is None), (data, expected)
    if data is not None:
        check(data)
        assert list(data.names) == expected.names
        assert [list(s) for s in data.states] == expected.states
        assert labels(data) == expected.rows
        assert counts(data) == Counter(naive.distinct(expected.rows))


@given(
    text=written(),
    missing=st.sampled_from(["error", "drop", "state"]),
    na_values=st.sampled_from([(), ("x",), ("NA", "1"), ("01", "None"), ("2.0", "-0")]),
    block=st.sampled_from([64, 100, 1 << 22]),
)
@settings(deadline=None, max_examples=300)
def test_written_tables(text, missing, na_values, block):
    with pytest.MonkeyPatch.context() as patch:
        if max(map(len, text.split("\n"))) < block // 4 and '"' not in text:
            patch.setattr(delimited, "BLOCK", block)
        both(text, missing=missing, na_values=na_values)


@given(body=RAW, missing=st.sampled_from(["drop", "state"]), width=st.integers(1, 3))
@example(body='x,"1\n', missing="state", width=2)
@example(body="\n\nx", missing="state", width=1)
@example(body="", missing="state", width=1)
@example(body='x\r"', missing="state", width=1)
@settings(deadline=None, max_examples=400)
def test_any_text(body, missing, width):
    both(",".join("abc"[:width]) + "\n" + body, missing=missing)


@given(rows=st.lists(st.sampled_from(["1", "x", "long label", '"a\nb"', '"\r\n"']), min_size=1, max_size=200),
       end=st.sampled_from(["\n", "\r\n", "\r"]), block=st.integers(40, 90))  # fmt: skip
@settings(deadline=None, max_examples=100)
def test_blocks_may_end_anywhere(rows, end, block):
    """One column, in which an empty line would be a row of its own."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(delimited, "BLOCK", block)
        path = Path(folder) / "x.csv"
        path.write_bytes(("a" + end + end.join(rows) + end).encode())
        assert table(path)[1:] == [[row.strip('"')] for row in rows]
