"""Where tables come from: files, frames, arrays, engines."""

from __future__ import annotations

import datetime as dt
import gzip
import os
import sys
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from bnml.data import read
from bnml.data.sources import open_table
from bnml.errors import BnmlError, DataError, DependencyError

from .tools import check, counts, labels

FRAME = pd.DataFrame({"a": ["u", "v", "u", "w"], "b": [1, 2, 2, 10]})
ROWS = [["u", 1], ["v", 2], ["u", 2], ["w", 10]]


def written(path: Path) -> Path:
    """Write `FRAME` in the format of a path's suffix."""
    name = path.name.lower()
    if name.endswith((".csv", ".tsv", ".txt", ".gz")):
        text = FRAME.to_csv(index=False, sep="\t" if name.endswith((".tsv", ".tsv.gz")) else ",").encode()
        path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    elif name.endswith(".parquet"):
        FRAME.to_parquet(path)
    elif name.endswith(".feather"):
        FRAME.to_feather(path)
    elif name.endswith(".arrow"):
        table = pa.Table.from_pandas(FRAME)
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    else:
        path.write_text("0 0\n1 1\n0 1\n2 2\n")
        path.with_suffix(".vd").write_text("a\tu\tv\tw\nb\t1\t2\t10\n")
    return path


SUFFIXES = [
    ".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz", ".CSV", ".Csv.Gz", ".parquet", ".arrow", ".feather",
    ".idt",
]  # fmt: skip
NAMES = [
    "x",
    "a[1]*",
    "{b,c}?",
    "d'e\"f",
    "g h",
    "year=2020",
    "a\\[1]",
    "~",
    "é",
    "x.tsv.y",
    "line\nbreak",
    "-",
    "$HOME",
]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_files(tmp_path, suffix):
    path = written(tmp_path / f"x{suffix}")
    for source in (path, str(path)):
        data = read(source)
        check(data)
        assert data.names == ("a", "b")
        assert data.n_rows == 4
        assert data.arities == (3, 3)
        assert [[str(label) for label in row] for row in labels(data)] == [[str(x) for x in row] for row in ROWS]
    assert open_table(path, None).names == ("a", "b")
    assert read(path, columns=["b"]).names == ("b",)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".arrow", ".idt"])
def test_odd_paths(tmp_path, name, suffix):
    folder = tmp_path / name
    folder.mkdir()
    (folder / f"other{suffix}").write_text("not this one")
    assert read(written(folder / f"{name}{suffix}")).n_rows == 4


def test_a_folder_that_looks_like_a_column(tmp_path):
    """Neither engines' partitions nor their patterns are looked for."""
    folder = tmp_path / "a=z"
    folder.mkdir()
    for suffix in (".csv", ".parquet"):
        assert labels(read(written(folder / f"x{suffix}"), columns=["a"])) == [["u"], ["v"], ["u"], ["w"]]


def test_relative_paths(tmp_path, monkeypatch):
    written(tmp_path / "x.csv")
    monkeypatch.chdir(tmp_path)
    for source in ("x.csv", Path("x.csv"), "./x.csv"):
        assert read(source).n_rows == 4


def test_any_path_like_object(tmp_path):
    class Place:
        def __fspath__(self) -> str:
            return str(written(tmp_path / "x.csv"))

    assert isinstance(Place(), os.PathLike)
    assert read(Place()).n_rows == 4


def test_arrow_streams(tmp_path):
    table = pa.Table.from_pandas(FRAME)
    with pa.OSFile(str(tmp_path / "x.arrow"), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    assert labels(read(tmp_path / "x.arrow")) == ROWS


def test_no_such_file(tmp_path):
    for suffix in (".csv", ".csv.gz", ".parquet", ".arrow", ".idt"):
        with pytest.raises(DataError, match=rf"there is no file '.*q\{suffix}'"):
            read(tmp_path / f"q{suffix}")
    with pytest.raises(DataError, match="there is no file"):
        read("https://example.org/x.csv")
    with pytest.raises(DataError, match="cannot read") as error:
        read("x" * 10_000 + ".csv")
    assert len(str(error.value)) < 500
    with pytest.raises(DataError):
        read("x\0y.csv")


@pytest.mark.parametrize(
    "name", ["x", "x.doc", "x.xls", "x.gz", "x.csv.zip", "csv", "", ".", "x.csv ", "a,b\n1,2\n" * 1000]
)
def test_unknown_suffixes(name):
    with pytest.raises(DataError, match=r"unknown kind of file; expected one of \.csv, .*\.idt") as error:
        read(name)
    assert len(str(error.value)) < 400


def test_a_folder(tmp_path):
    for suffix in (".csv", ".parquet"):
        (tmp_path / f"f{suffix}").mkdir()
        with pytest.raises(DataError, match="is a folder"):
            read(tmp_path / f"f{suffix}")


def test_empty_and_broken_files(tmp_path):
    for suffix in SUFFIXES:
        path = tmp_path / f"empty{suffix}"
        path.touch()
        with pytest.raises(DataError, match="is empty"):
            read(path)
    for suffix in (".parquet", ".arrow", ".feather"):
        whole = written(tmp_path / f"x{suffix}").read_bytes()
        for part in (b"PAR1", whole[: len(whole) // 2], b"a,b\n1,2\n" * 100, whole[10:]):
            path = tmp_path / f"broken{suffix}"
            path.write_bytes(part)
            with pytest.raises(DataError, match=rf"broken\{suffix}'"):
                read(path)


def test_tables_without_rows_or_columns(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n")
    FRAME[:0].to_parquet(tmp_path / "x.parquet")
    empty = [
        tmp_path / "x.csv", tmp_path / "x.parquet", FRAME[:0], pd.DataFrame({"a": [], "b": pd.Categorical([])}),
        pd.DataFrame({"a": pd.array([], "string"), "b": pd.array([], "Int64")}), pl.DataFrame({"a": [], "b": []}),
        pl.from_pandas(FRAME)[:0], pa.table({"a": pa.chunked_array([], pa.string())}), np.zeros((0, 3), int),
    ]  # fmt: skip
    for source in empty:
        with pytest.raises(DataError, match="has no rows"):
            read(source)
    for source in (pd.DataFrame(), pd.DataFrame(index=[1, 2]), pl.DataFrame(), pa.table({}), np.zeros((3, 0), int)):
        with pytest.raises(DataError, match="has no columns"):
            read(source)


# pandas


@pytest.mark.parametrize(
    ("column", "states"),
    [
        (["u", "v", "u"], ("u", "v")),
        (pd.array(["u", "v", "u"], "string"), ("u", "v")),
        (pd.Series(["u", "v", "u"], dtype=object), ("u", "v")),
        (pd.array(["u", "v", "u"], pd.ArrowDtype(pa.string())), ("u", "v")),
        (pd.Categorical(["u", "v", "u"]), ("u", "v")),
        (pd.Categorical(["u", "v", "u"], categories=["w", "v", "u"]), ("w", "v", "u")),
        (pd.Categorical(["u", "v", "u"], categories=["w", "v", "u"], ordered=True), ("w", "v", "u")),
        (pd.Categorical([3, 1, 3], categories=[3, 2, 1]), (3, 2, 1)),
        (pd.Categorical([0.5, 1.5, 0.5]), (0.5, 1.5)),
        (pd.Categorical([True, False, True], categories=[True, False]), (True, False)),
        (pd.array(["u", "v", "u"], pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))), ("u", "v")),
        ([1, 10, 9], (1, 9, 10)),
        (np.array([1, 10, 9], np.uint8), (1, 9, 10)),
        (pd.array([1, 10, 9], "Int64"), (1, 9, 10)),
        (pd.array([1, 10, 9], "UInt8"), (1, 9, 10)),
        (pd.array([1, 10, 9], pd.ArrowDtype(pa.int16())), (1, 9, 10)),
        ([1.0, 10.0, 9.0], (1.0, 9.0, 10.0)),
        (pd.array([1, 10, 9], "Float64"), (1.0, 9.0, 10.0)),
        ([True, False, True], (False, True)),
        (pd.array([True, False, True], "boolean"), (False, True)),
        (pd.Series([True, False, True], dtype=object), (False, True)),
        (["True", "False", "True"], ("False", "True")),
        (["None", "NA", "nan"], ("NA", "None", "nan")),
        (["05", "5", "10"], ("05", "5", "10")),
        (["1.0", "1", "2"], ("1", "1.0", "2")),
        (pd.Series([1, "1", "x"], dtype=object), (1, "x")),
        (pd.Series([1, 2, "x"], dtype=object), (1, 2, "x")),
        (pd.Series([1, 2.0, True], dtype=object), (1, True, 2.0)),
        (pd.Series([10**30, 1, 2], dtype=object), (1, 2, 10**30)),
        ([dt.date(2020, 1, 2), dt.date(2019, 1, 2), dt.date(2020, 1, 2)], (dt.date(2019, 1, 2), dt.date(2020, 1, 2))),
        ([Decimal("10.0"), Decimal("9"), Decimal("9.00")], (Decimal("9"), Decimal("10"))),
        (
            pd.to_datetime(["2020-01-01", "2021-01-01", "2020-01-01"]),
            (dt.datetime(2020, 1, 1), dt.datetime(2021, 1, 1)),
        ),
        (pd.arrays.SparseArray([0, 1, 0]), (0, 1)),
        (pd.period_range("2020", periods=3, freq="Y"), tuple(pd.period_range("2020", periods=3, freq="Y"))),
    ],
)
def test_pandas_columns(column, states):
    frame = pd.DataFrame({"a": column, "b": [0, 1, 1]})
    data = read(frame)
    check(data)
    assert data.states[0] == states
    assert [type(label) for label in data.states[0]] == [type(label) for label in states]
    texts = [str(x) for x in frame["a"].tolist()]
    if len(set(texts)) == len(set(states)):
        assert len({row[0] for row in labels(data)}) == len(set(texts))


def test_the_bins_of_pandas_cut():
    frame = pd.DataFrame({"a": pd.cut([1, 2, 9.5, 4], [0, 2, 5, 8, 10])})
    data = read(frame)
    assert [str(label) for label in data.states[0]] == ["(0, 2]", "(2, 5]", "(5, 8]", "(8, 10]"]
    assert data.row_index.size == 4
    assert data.n_distinct == 3


@pytest.mark.parametrize(
    "column",
    [
        ["u", None, "v"],
        ["u", np.nan, "v"],
        ["u", "", "v"],
        ["u", "?", "v"],
        [1.0, np.nan, 2.0],
        pd.array([1, None, 2], "Int64"),
        pd.array([True, None, False], "boolean"),
        pd.array(["u", None, "v"], "string"),
        pd.Categorical(["u", None, "v"]),
        pd.Categorical(["u", "?", "v"]),
        pd.Series([1, None, "v"], dtype=object),
        pd.Series([True, None, False], dtype=object),
        [dt.date(2020, 1, 1), None, dt.date(2021, 1, 1)],
        pd.to_datetime(["2020", None, "2021"]),
        pd.Series([1, pd.NA, "v"], dtype=object),
        pd.Series(["u", pd.NaT, 1], dtype=object),
        [Decimal(1), None, Decimal(2)],
        pd.Series(["u", "NaN", "v"]),
        pd.array([1.5, None, 2.5], pd.ArrowDtype(pa.float64())).astype("float64"),
        pd.arrays.SparseArray([1.0, np.nan, 2.0]),
    ],
)
def test_missing_values_in_pandas(column):
    frame = pd.DataFrame({"a": column})
    with pytest.raises(DataError, match=r"missing values in 1 column .'a': 1"):
        read(frame)
    if frame["a"].dtype != np.float64 or set(frame["a"].dropna()) == {1.0, 2.0}:
        data = read(frame, missing="state")
        assert data.arities == (3,)
        assert data.states[0][-1] == "?"
        assert labels(data)[1] == ["?"]
        assert read(frame, missing="drop").arities == (2,)


def test_names_in_pandas():
    assert read(pd.DataFrame([[1, 2], [3, 4]])).names == ("0", "1")
    assert read(pd.DataFrame([[1, 2], [3, 4]], columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)]))).names == (
        "('a', 1)",
        "('a', 2)",
    )
    for names in (["a", "a"], ["1", 1]):
        with pytest.raises(DataError, match="must differ"):
            read(pd.DataFrame([[1, 2]], columns=names))
    assert read(pd.DataFrame([[1, 2], [3, 4]]), columns=[1]).names == ("1",)
    assert read(FRAME.set_index("b")).names == ("a",)  # an index is no column


@pytest.mark.parametrize(
    "column",
    [
        [[1], [2]],
        [{"a": 1}, {"a": 2}],
        [b"x", b"y"],
        [(1,), (2,)],
        [1, [2]],
        ["x", np.array([1])],
        [1j, 2j],
        [{1}, {2}],
    ],
)
def test_pandas_columns_that_are_no_labels(column):
    with pytest.raises(DataError, match=r"column 'a' holds values of type .*columns="):
        read(pd.DataFrame({"a": pd.Series(column, dtype=object)}))
    with pytest.raises(DataError, match=r"fractions|values of type"):
        read(pd.DataFrame({"a": [1j, 2]}))


def test_infinite_numbers():
    for source in (
        pd.DataFrame({"a": [1, np.inf]}),
        np.array([[1, -np.inf]]),
        pl.DataFrame({"X1": [1.0, float("inf")]}),
    ):
        with pytest.raises(DataError, match="holds infinite numbers"):
            read(source, bins="width:2")


# polars


def test_polars():
    frame = pl.DataFrame(
        {
            "s": ["b", "a", "b"],
            "c": pl.Series(["y", "x", "y"], dtype=pl.Categorical),
            "e": pl.Series(["y", "x", "y"], dtype=pl.Enum(["z", "y", "x"])),
            "i": [10, 9, 9],
            "u": pl.Series([1, 2, 2], dtype=pl.UInt8),
            "b": [True, False, True],
            "f": [1.0, 2.0, 2.0],
            "d": [dt.date(2020, 1, 1), dt.date(2021, 1, 1), dt.date(2020, 1, 1)],
            "m": [Decimal("1.0"), Decimal("2.0"), Decimal("1.0")],
        }
    )
    data = read(frame)
    check(data)
    assert data.states == (
        ("a", "b"), ("x", "y"), ("z", "y", "x"), (9, 10), (1, 2), (False, True), (1.0, 2.0),
        (dt.date(2020, 1, 1), dt.date(2021, 1, 1)), (Decimal(1), Decimal(2)),
    )  # fmt: skip
    assert labels(data) == [list(row) for row in frame.rows()]
    assert counts(read(pl.concat([frame, frame], rechunk=False))) == {row: 2 * n for row, n in counts(data).items()}


def test_categoricals_of_polars_share_their_categories():
    pool = pl.Series(["q", "r", "s", "x", "y"], dtype=pl.Categorical)
    assert len(pool) == 5
    data = read(pl.DataFrame({"c": pl.Series(["y", "x", None], dtype=pl.Categorical)}), missing="state")
    assert data.states == (("x", "y", "?"),)


def test_missing_values_in_polars():
    frame = pl.DataFrame(
        {"s": ["b", None, "?"], "i": [1, None, 2], "f": [1.0, float("nan"), None], "b": [True, None, False]}
    )
    with pytest.raises(DataError, match=r"4 columns \('s': 2, 'i': 1, 'f': 2, 'b': 1\)"):
        read(frame)
    assert read(frame, missing="state").states == (("b", "?"), (1, 2, "?"), (1.0, "?"), (False, True, "?"))
    with pytest.warns(UserWarning, match="'n' has only one state"):
        assert read(pl.DataFrame({"n": [None, None], "a": [1, 2]}), missing="state").states == (("?",), (1, 2))


def test_classes_derived_from_frames():
    class Pandas(pd.DataFrame):
        pass

    class Polars(pl.DataFrame):
        pass

    mixed = {"a": [True, 1, "x"]}  # Arrow alone would refuse it
    assert read(Pandas(mixed)).states == read(pd.DataFrame(mixed)).states
    shared = pl.DataFrame({"a": ["y", "x"], "b": ["u", "v"]}, schema={"a": pl.Categorical, "b": pl.Categorical})
    assert read(Polars(shared)).states == read(shared).states == (("x", "y"), ("u", "v"))


def test_polars_that_is_no_table():
    with pytest.raises(DataError, match=r"LazyFrame: collect\(\) it first"):
        read(pl.LazyFrame({"a": [1]}))
    with pytest.raises(DataError, match="'a' holds values of type"):
        read(pl.DataFrame({"a": [[1], [2]]}))
    with pytest.raises(DataError, match="'a' holds values of type"):
        read(pl.DataFrame({"a": pl.Series([object()], dtype=pl.Object)}))


# Arrow


def test_arrow():
    table = pa.Table.from_pandas(FRAME)
    sources = [table, table.to_batches()[0], table.to_reader(), pa.concat_tables([table[:1], table[1:]])]
    for source in sources:
        assert labels(read(source)) == ROWS

    class Speaker:
        def __arrow_c_stream__(self, requested_schema=None):
            return table.__arrow_c_stream__(requested_schema)

    assert labels(read(Speaker())) == ROWS


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".arrow"])
def test_the_index_of_pandas_is_no_variable(tmp_path, suffix):
    frame = pd.DataFrame({"key": [7, 8, 9], "a": ["x", "y", "x"], "b": [1, 2, 1]})
    shuffled = frame[["a", "b"]].iloc[[2, 0, 1]]
    for own in (frame.set_index("key"), shuffled, frame[["a", "b"]], frame.set_index(["key", "b"])):
        table = pa.Table.from_pandas(own)
        path = tmp_path / f"x{suffix}"
        if suffix == ".parquet":
            own.to_parquet(path)
        else:
            pa.feather.write_feather(table, path)
        for source in (path, table):
            data = read(source)
            assert data.names == tuple(own.columns)
            assert labels(data) == own.to_numpy().tolist()
        assert open_table(path, None).names == tuple(own.columns)
    assert read(pa.Table.from_pandas(frame)).names == ("key", "a", "b")


def dictionary(indices, values):
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int8()), pa.array(values))


def test_dictionaries():
    chunks = pa.chunked_array([dictionary([0, 1, None], ["y", "x"]), dictionary([0, 1, 1], ["z", "x"])])
    data = read(pa.table({"a": chunks}), missing="state")
    assert data.states == (("y", "x", "z", "?"),)
    assert [row[0] for row in labels(data)] == ["y", "x", "?", "z", "x", "x"]
    assert read(pa.table({"a": dictionary([0, 1], ["x", None])}), missing="state").states == (("x", "?"),)
    assert read(pa.table({"a": dictionary([0, 1], [1.0, float("nan")])}), missing="state").states == ((1.0, "?"),)


@pytest.mark.parametrize(
    ("kind", "values", "states"),
    [
        (pa.string_view(), ["v", "u"], ("u", "v")),
        (pa.large_string(), ["v", "u"], ("u", "v")),
        (pa.float16(), [np.float16(2), np.float16(1)], (1.0, 2.0)),
        (pa.uint64(), [2**63 + 1, 2**63], (2**63, 2**63 + 1)),
        (pa.decimal128(6, 2), [Decimal("10"), Decimal("9")], (Decimal(9), Decimal(10))),
        (pa.date32(), [dt.date(2021, 1, 1), dt.date(2020, 1, 1)], (dt.date(2020, 1, 1), dt.date(2021, 1, 1))),
        (pa.time32("s"), [dt.time(2), dt.time(1)], (dt.time(1), dt.time(2))),
        (
            pa.timestamp("s"),
            [dt.datetime(2021, 1, 1), dt.datetime(2020, 1, 1)],
            (dt.datetime(2020, 1, 1), dt.datetime(2021, 1, 1)),
        ),
        (pa.bool_(), [True, False], (False, True)),
        (pa.dictionary(pa.int32(), pa.string()), ["v", "u"], ("v", "u")),
    ],
)
def test_arrow_types(kind, values, states):
    data = read(pa.table({"a": pa.array(values, kind)}))
    assert data.states == (states,)
    assert [row[0] for row in labels(data)] == values
    gaps = read(pa.table({"a": pa.array([*values, None], kind)}), missing="state")
    assert gaps.states == ((*states, "?"),)


def test_run_ends_and_extensions():
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([1, 3], pa.int32()), pa.array(["x", "y"]))
    assert labels(read(pa.table({"a": runs}))) == [["x"], ["y"], ["y"]]
    flags = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([0, 1], pa.int8()))
    assert read(pa.table({"a": flags})).states == ((False, True),)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.list_(pa.int8()), [[1], [2]]),
        (pa.struct([("x", pa.int8())]), [{"x": 1}, {"x": 2}]),
        (pa.binary(), [b"x", b"y"]),
        (pa.large_binary(), [b"x", b"y"]),
        (pa.binary(1), [b"x", b"y"]),
        (pa.binary_view(), [b"x", b"y"]),
        (pa.map_(pa.int8(), pa.int8()), [[(1, 2)], []]),
        (pa.month_day_nano_interval(), [(1, 2, 3), (1, 2, 4)]),
    ],
)
def test_arrow_types_that_are_no_labels(kind, values):
    with pytest.raises(DataError, match="column 'a' holds values of type"):
        read(pa.table({"a": pa.array(values, kind)}))


def test_dictionaries_of_what_is_no_label():
    for values in ([[1], [2]], [b"x", b"y"]):
        with pytest.raises(DataError, match="column 'a' holds values of type"):
            read(pa.table({"a": dictionary([0, 1], values)}))


def test_other_columns_do_not_matter():
    table = pa.table({"a": ["x", "y"], "b": [[1], [2]], "c": [0.5, float("inf")]})
    assert read(table, columns=["a"]).names == ("a",)
    assert read(table.to_pandas(), columns=["a"]).names == ("a",)


def test_null_columns():
    with pytest.warns(UserWarning, match="only one state"):
        assert read(pa.table({"a": pa.nulls(2), "b": [1, 2]}), missing="state").states == (("?",), (1, 2))
    with pytest.raises(DataError, match="every row has a missing value"):
        read(pa.table({"a": pa.nulls(2), "b": [1, 2]}), missing="drop")
    with pytest.raises(DataError, match="'a': 2"):
        read(pa.table({"a": pa.nulls(2), "b": [1, 2]}))


def test_names_that_occur_twice():
    with pytest.raises(DataError, match="occur twice: 'a'"):
        read(pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]))


# NumPy


@pytest.mark.parametrize(
    "kind", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "bool", ">i4", "<i8"]
)
def test_arrays(kind):
    table = np.array([[0, 1], [1, 0], [1, 1], [0, 1]])
    data = read(table.astype(kind))
    check(data)
    assert data.names == ("X0", "X1")
    assert data.arities == (2, 2)
    assert labels(data) == table.tolist()
    assert data.states[0] == (0, 1)


def test_orders_of_memory():
    table = np.random.default_rng(0).integers(-3, 4, (20, 12))
    views = [np.asfortranarray(table), table[::2, ::3], table[::-1], table[:, ::-1], table.T, table[3:4], table[:, 3:4]]
    for view in views:
        if min(view.shape) > 1:
            assert labels(read(view)) == view.tolist()
    before = table.copy()
    table.setflags(write=False)
    read(table)
    assert (table == before).all()


def test_an_array_is_copied():
    table = np.array([[0, 1], [1, 0]])
    data = read(table)
    table[:] = 9
    assert labels(data) == [[0, 1], [1, 0]]
    assert table.flags.writeable


def test_extreme_integers():
    for kind in (np.int64, np.uint64, np.int8):
        low, high = np.iinfo(kind).min, np.iinfo(kind).max
        table = np.array([[low, high], [high, high - 1], [low + 1, high]], kind)
        assert labels(read(table)) == table.tolist()


@pytest.mark.parametrize("kind", [object, "U5", np.dtypes.StringDType()])
def test_arrays_of_text(kind):
    table = np.array([["a", "None"], ["?", "05"], ["b", "5"]], kind)
    data = read(table, missing="state")
    assert data.states == (("a", "b", "?"), ("05", "5", "None"))


def test_arrays_of_objects():
    data = read(np.array([["a", 1], [None, 1.0], ["b", 2]], object), missing="state")
    assert data.states == (("a", "b", "?"), (1, 2))


def test_masked_arrays():
    masked = np.ma.masked_array([[1, 2], [3, 4], [1, 5]], [[0, 1], [0, 0], [0, 0]])
    assert read(masked, missing="state").states == ((1, 3), (4, 5, "?"))
    assert read(np.ma.masked_array([[1, 2], [3, 4]])).arities == (2, 2)
    text = np.ma.masked_array([["x", "y"], ["z", "w"]], [[0, 1], [0, 0]])
    with pytest.raises(DataError, match="'X1': 1"):
        read(text)


def test_matrices():
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix([[1, 2], [3, 4]])
    assert labels(read(matrix)) == [[1, 2], [3, 4]]


@pytest.mark.parametrize("shape", [(), (4,), (2, 2, 2)])
def test_other_dimensions(shape):
    with pytest.raises(DataError, match="must have two dimensions"):
        read(np.zeros(shape, int))


@pytest.mark.parametrize("kind", ["c16", "M8[ns]", "m8[s]", "S3", [("a", int)]])
def test_other_arrays(kind):
    with pytest.raises(DataError, match="must hold whole numbers or text; this one holds"):
        read(np.zeros((2, 2), kind))


def test_columns_of_arrays():
    table = np.array([[0, 1, 2], [1, 0, 2]])
    assert read(table, columns=["X1", "X0"]).names == ("X1", "X0")
    with pytest.raises(BnmlError, match="no column 'X7'"):
        read(table, columns=["X7"])


# anything else


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"a": [1, 2]}, "dict: make it a pandas.DataFrame"),
        ([[1, 2]], "list: make it a pandas.DataFrame"),
        (None, "NoneType: expected a path"),
        (5, "int: expected a path"),
        (b"x.csv", "bytes: expected a path"),
        (pd.Series([1, 2]), r"Series: .*to_frame\(\)"),
        (pl.Series([1, 2]), r"Series: .*to_frame\(\)"),
        (pa.array([1]), "cannot read a table"),
        (pa.chunked_array([[1]]), "cannot read a table"),
        (pa.schema([("a", pa.int8())]), "cannot read a table"),
        (iter([]), "expected a path"),
        (pd.DataFrame, "expected a path"),
        (open_table, "expected a path"),
    ],
)
def test_what_is_no_table(source, message):
    with pytest.raises(DataError, match=message):
        read(source)


def test_a_table_that_has_been_read():
    with pytest.raises(DataError, match="has been read already"):
        read(read(FRAME))


def test_a_generator():
    with pytest.raises(DataError, match="generator: expected a path"):
        read(row for row in [[1, 2]])


# Engines: tables that stay where they are


@pytest.fixture
def ibis():
    return pytest.importorskip("ibis", reason="Ibis is not installed")


def in_ibis(ibis, frame):
    return ibis.memtable(pa.Table.from_pandas(frame, preserve_index=False))


@pytest.fixture(params=["ibis", "duckdb"])
def stored(request):
    """Put a frame into an engine; the same questions are asked of each."""
    if request.param == "ibis":
        engine = request.getfixturevalue("ibis")
        yield lambda frame: in_ibis(engine, frame)
        return
    with duckdb.connect() as connection:
        yield lambda frame: connection.from_arrow(pa.Table.from_pandas(frame, preserve_index=False))


def test_engines(stored):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": rng.choice(["u", "v"], 500), "b": rng.integers(0, 3, 500), "c": rng.choice([True, False], 500)}
    )
    table, data = read(stored(frame)), read(frame)
    check(table)
    assert table.row_index is None
    assert table.names == data.names
    assert table.states == data.states
    assert (table.codes == data.codes).all()
    assert (table.weights == data.weights).all()
    assert table.n_rows == 500
    assert read(stored(frame), columns=["c", "a"]).names == ("c", "a")
    assert counts(read(stored(frame), columns=["a"])) == counts(read(frame, columns=["a"]))
    assert table.select(["b"]).row_index is None


def test_weights_in_engines(stored):
    frame = pd.DataFrame({"a": list("uvuvu"), "b": list("xxyyx"), "n": [3, 1, 2, 4, 3]})
    table, data = read(stored(frame), weights="n"), read(frame, weights="n")
    assert table.names == ("a", "b")
    assert counts(table) == counts(data)
    assert table.n_rows == 13
    assert counts(read(stored(frame), columns=["a"], weights="n")) == {("u",): 8, ("v",): 5}


def test_missing_values_in_engines(stored):
    frame = pd.DataFrame({"a": ["u", None, None, "?", "v"] * 3, "b": [1.0, 2.0, np.nan, 2.0, 2.0] * 3})
    with pytest.raises(DataError, match=r"2 columns \('a': 9, 'b': 3\)"):  # rows, not groups
        read(stored(frame))
    for missing in ("drop", "state"):
        assert counts(read(stored(frame), missing=missing)) == counts(read(frame, missing=missing))


def test_bins_in_engines(stored):
    frame = pd.DataFrame({"x": np.repeat([0.5, 1.5, 2.5, 9.5], [40, 30, 20, 10]), "a": ["u", "v"] * 50})
    for bins in ("width:3", "quantile:4", {"x": [1, 2]}):
        table, data = read(stored(frame), bins=bins), read(frame, bins=bins)
        assert table.cuts == data.cuts
        assert counts(table) == counts(data)


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # Ibis asks an old method of DuckDB
def test_enums_keep_their_order_and_all_their_values(ibis, tmp_path):
    """However DuckDB is asked: by Ibis, by its own relations, or by Arrow."""
    engine = ibis.duckdb.connect()
    engine.raw_sql("CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')")
    engine.raw_sql("CREATE TABLE t (m mood, b INTEGER)")
    engine.raw_sql("INSERT INTO t VALUES ('happy', 1), ('sad', 2), ('happy', 1), (NULL, 1)")
    table, relation = engine.table("t"), engine.con.sql("SELECT * FROM t")
    for source in (table, relation, relation.to_arrow_table(), table.filter(table.b > 0), table.select("b", "m")):
        data = read(source, missing="drop")
        states = dict(zip(data.names, data.states, strict=True))
        assert states == {"m": ("sad", "ok", "happy"), "b": (1, 2)}
        assert counts(data.select(["m", "b"])) == {("happy", 1): 2, ("sad", 2): 1}
    data = read(table.mutate(m=table.m.upper()), missing="drop")
    assert data.states[0] == ("HAPPY", "SAD"), "text that was made of it is text"


def test_expressions_of_ibis(ibis):
    table = in_ibis(ibis, FRAME)
    assert read(table.filter(table.b < 10)).n_rows == 3
    with pytest.raises(DataError, match="is not a table"):
        read(table.a)
    with pytest.raises(DataError, match="has no rows"):
        read(table.filter(table.b > 99))
    with pytest.raises(DataError, match="is bound to no engine"):
        read(ibis.table({"a": "string"}, name="nowhere"))
    with pytest.raises(BnmlError, match="no column 'q'"):
        read(table, columns=["q"])


def test_an_engine_that_is_not_installed_is_named(ibis, monkeypatch):
    table = in_ibis(ibis, FRAME)
    monkeypatch.setattr(ibis.options, "default_backend", None)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(DependencyError, match=r"the table's engine needs .*pip install 'duckdb>="):
        read(table)


def test_relations_of_duckdb():
    with duckdb.connect() as connection:
        relation = connection.sql(
            """SELECT 'x' AS "a b", 1 AS "quo""te" UNION ALL SELECT 'y', 2 UNION ALL SELECT 'x', 1"""
        )
        data = read(relation)
        assert data.names == ("a b", 'quo"te')
        assert counts(data) == {("x", 1): 2, ("y", 2): 1}
        assert data.row_index is None
        with pytest.raises(DataError, match="has no rows"):
            read(relation.filter("\"a b\" = 'z'"))
        with pytest.raises(BnmlError, match="no column 'q'"):
            read(relation, columns=["q"])
        with pytest.raises(DataError, match="does not tell apart names of columns that differ in case"):
            read(connection.sql('SELECT 1 AS a, 2 AS "A"'))
    with pytest.raises(DataError, match=r"could not (group the rows|list the (values|columns)) of"):
        read(relation)  # its connection is closed
