"""Sources: where a table comes from. Each becomes the same thing, a list of columns.

Arrow is the common language: frames and binary files speak it, delimited text is parsed into it
(`bnml.data.delimited`), and a table in a database arrives by it. Arrays come directly.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bnml._text import clip
from bnml.data.bene import read_idt
from bnml.data.columns import (
    Column,
    column_of_arrow,
    column_of_categories,
    column_of_numbers,
    column_of_objects,
    columns_of_arrow,
)
from bnml.data.delimited import read_delimited, read_text
from bnml.data.engine_addresses import shown_address
from bnml.data.engine_sources import is_address, limit_of_reading, open_engine_table
from bnml.data.engine_table import EngineTable
from bnml.data.labels import Wanted, check_table_names, kept_table_names
from bnml.data.spreadsheets import read_workbook
from bnml.data.table import Table
from bnml.errors import DataError

SUFFIXES = (
    ".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz", ".parquet", ".arrow", ".feather", ".xlsx", ".idt",
)  # fmt: skip
STANDARD_INPUT = "-"
MAGIC = {b"\x1f\x8b": ".csv.gz", b"PAR1": ".parquet", b"ARROW1": ".arrow", b"PK\x03\x04": ".xlsx"}  # first bytes
ENGINE_COUNT = "bnml row count"  # the numbers of rows that an SQL engine has grouped


def open_table(source: Any, wanted: Wanted, limit: int | None = None) -> Table:
    """Read a source of any kind; ``wanted`` selects the columns, and is applied before any rows are read.

    Files that take more than ``limit`` bytes are read by an engine.

    Raises
    ------
    DataError
        If the source cannot be read, or does not hold a table.
    """
    engine = open_engine_table(source, limit_of_reading(limit))
    if engine is None:
        return open_in_memory(source, wanted)
    names = check_table_names(engine.names, "the table")
    return grouped_table(engine, kept_table_names(names, wanted), names)


def open_in_memory(source: Any, wanted: Wanted) -> Table:
    """Read a source that no engine reads (see `open_engine_table`) into memory.

    Raises
    ------
    DataError
        If the source cannot be read, or does not hold a table.
    """
    if isinstance(source, str | os.PathLike):
        if os.fsdecode(source) == STANDARD_INPUT:
            return _from_standard_input(wanted)
        return _from_path(Path(os.fsdecode(source)), wanted)
    if isinstance(source, np.ndarray):
        return _from_array(source, wanted)
    if isinstance(source, type):
        raise _no_table(source)
    if _is_from(source, "pandas", "DataFrame"):
        return _from_pandas(source, wanted)
    if hasattr(source, "__arrow_c_stream__") or _is_from(source, "pyarrow"):
        return _from_arrow(source, wanted)
    raise _no_table(source)


def _is_from(source: Any, package: str, name: str | None = None) -> bool:
    """Return whether a source is of a class (of this name) of a package, or of one derived from it."""
    return any(
        kind.__module__.partition(".")[0] == package and name in (None, kind.__name__) for kind in type(source).__mro__
    )


def _no_table(source: Any) -> DataError:
    kind = type(source)
    hint = "expected a path, a DataFrame (pandas, polars, pyarrow), a 2-D integer NumPy array, an Ibis table "
    hint += "or a DuckDB relation"
    if kind.__name__ in ("Data", "PushedData"):
        hint = "it has been read already: use it as it is"
    elif kind.__name__ == "LazyFrame":
        hint = "collect() it first"
    elif isinstance(source, dict | list | tuple):
        hint = "make it a pandas.DataFrame first"
    elif kind.__name__ == "Series":
        hint = "it is a single column: make it a DataFrame first, with to_frame()"
    return DataError(f"cannot read a table from {kind.__module__}.{kind.__qualname__}: {hint}")


def _from_array(array: np.ndarray[Any, Any], wanted: Wanted) -> Table:
    if array.ndim != 2:
        raise DataError(f"a NumPy array must have two dimensions (rows, columns); this one has shape {array.shape}")
    names = check_table_names((f"X{i}" for i in range(array.shape[1])), "the array")
    numeric = array.dtype.kind in "iubf"
    if not numeric and array.dtype.kind not in "OUT":
        raise DataError(f"a NumPy array must hold whole numbers or text; this one holds {array.dtype}")
    values = np.asarray(array)
    mask = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    if mask is not None and not numeric:
        values = values.astype(object)
        values[mask] = None
    position = {name: i for i, name in enumerate(names)}
    columns = [
        column_of_numbers(names[i], values[:, i], None if mask is None else mask[:, i])
        if numeric
        else column_of_objects(names[i], values[:, i].tolist())
        for i in [position[name] for name in kept_table_names(names, wanted)]
    ]
    return Table(columns, names)


def _from_pandas(frame: Any, wanted: Wanted) -> Table:
    names = check_table_names(frame.columns, "the DataFrame")
    position = {name: i for i, name in enumerate(names)}
    return Table([_pandas_column(n, frame.iloc[:, position[n]]) for n in kept_table_names(names, wanted)], names)


def _pandas_column(name: str, series: Any) -> Column:
    import pandas
    import pyarrow as pa

    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "iubf":
        return column_of_numbers(name, series.to_numpy())
    if hasattr(series.dtype, "categories"):
        return column_of_categories(name, series.cat.categories.tolist(), series.cat.codes.to_numpy())
    if series.dtype == object and pandas.api.types.infer_dtype(series).startswith("mixed"):
        return column_of_objects(name, series.tolist())  # Arrow would make True a 1 beside numbers
    try:
        values = pa.array(series, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):  # values of several types
        return column_of_objects(name, series.tolist())
    if isinstance(values.type, pa.BaseExtensionType):
        return column_of_objects(name, series.tolist())
    return column_of_arrow(name, values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values]))


def _from_arrow(source: Any, wanted: Wanted) -> Table:
    import pyarrow as pa

    try:
        table = source.read_all() if isinstance(source, pa.RecordBatchReader) else pa.table(source)
    except (pa.ArrowException, TypeError, ValueError):
        raise _no_table(source) from None
    names = _arrow_names(table.schema)
    position = {name: i for i, name in enumerate(table.column_names)}
    kept = kept_table_names(names, wanted)
    columns = columns_of_arrow(kept, [table.column(position[name]) for name in kept])
    compressed = _polars_categoricals(source)
    columns = [replace(c, declared=False).occurring() if c.name in compressed else c for c in columns]
    return Table(columns, names)


def _arrow_names(schema: Any) -> tuple[str, ...]:
    """Return the names of the columns, without those that pandas has stored its index in."""
    index = [name for name in (schema.pandas_metadata or {}).get("index_columns", ()) if isinstance(name, str)]
    return check_table_names((name for name in schema.names if name not in index), "the table")


def _polars_categoricals(source: Any) -> set[str]:
    """Columns of polars' ``Categorical``: a compressed text, whose categories are shared with other columns."""
    if not _is_from(source, "polars"):
        return set()
    return {name for name, dtype in source.schema.items() if type(dtype).__name__ == "Categorical"}


def grouped_table(engine: EngineTable, kept: Sequence[str], names: tuple[str, ...]) -> Table:
    """Open a source whose own engine groups equal rows: fetch the groups with their labels."""
    with engine.answering("group the rows"):
        numbered = engine.rows.select(**{f"v{i}": engine.column(name) for i, name in enumerate(kept)})
        groups = numbered.group_by([f"v{i}" for i in range(len(kept))]).aggregate(**{ENGINE_COUNT: numbered.count()})
    found = engine.table(groups).rename_columns([*kept, ENGINE_COUNT])
    found = _with_categories(found, engine.categories)
    *columns, counts = _from_arrow(found, [*kept, ENGINE_COUNT]).columns
    return Table(columns, names, untyped=engine.untyped, counts=counts)


def _with_categories(table: Any, values: Mapping[str, Sequence[str]]) -> Any:
    """Return an Arrow table in which columns of text are categoricals with these values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for name in table.column_names:
        if name in values:
            known = pa.array(values[name], pa.string())
            texts = table.column(name).combine_chunks().cast(pa.string())
            coded = pa.DictionaryArray.from_arrays(pc.index_in(texts, value_set=known), known)
            table = table.set_column(table.column_names.index(name), name, coded)
    return table


def _from_path(path: Path, wanted: Wanted) -> Table:
    with _known_file(path) as name:
        if name.endswith(".idt"):
            return read_idt(path, wanted)
        if name.endswith((".parquet", ".arrow", ".feather")):
            return _from_arrow(_binary_table(path, name, wanted), wanted)
        if name.endswith(".xlsx"):
            return read_workbook(path, wanted)
        if name.endswith((".txt", ".txt.gz")):
            return read_text(path, wanted)
        return read_delimited(path, wanted, _delimiter(name))


def _from_standard_input(wanted: Wanted) -> Table:
    """Read what comes in: text with delimiters, unless its first bytes say otherwise."""
    stream = getattr(sys.stdin, "buffer", None)
    content = b"" if stream is None else stream.read()
    if not content:
        raise DataError("standard input is empty")
    suffix = next((suffix for start, suffix in MAGIC.items() if content.startswith(start)), ".txt")
    with TemporaryDirectory() as folder:
        file = Path(folder, f"standard input{suffix}")
        file.write_bytes(content)
        try:
            return _from_path(file, wanted)
        except DataError as error:
            raise type(error)(error.sentence.replace(str(file), "standard input")) from None


@contextmanager
def _known_file(path: Path) -> Iterator[str]:
    """Yield the name of a file in lower case; what goes wrong in reading it becomes an error of ours."""
    shown = repr(clip(str(path), 200))
    name = path.name.lower()
    if not name.endswith(SUFFIXES) and not _is_named_folder(path):
        raise DataError(f"{shown}: unknown kind of file; expected one of {', '.join(SUFFIXES)}")
    try:
        if not path.exists():
            raise DataError(f"there is no file {shown}")
        if path.is_dir():
            raise DataError(f"{shown} is a folder, in which there are no .parquet files")
        if path.stat().st_size == 0:
            raise DataError(f"{shown} is empty")
        yield name
    except OSError as error:
        raise DataError(f"cannot read {shown}: {error.strerror or clip(error, 200)}") from None


def _is_named_folder(path: Path) -> bool:
    """Return whether a path with a name is that of a folder."""
    try:
        return bool(path.name) and path.is_dir()
    except OSError:
        return False


def _delimiter(name: str) -> str | None:
    return "\t" if name.endswith((".tsv", ".tsv.gz")) else None


def _binary_table(path: Path, name: str, wanted: Wanted) -> Any:
    import pyarrow as pa

    try:
        with pa.OSFile(str(path)) as file:
            if name.endswith(".parquet"):
                from pyarrow.parquet import ParquetFile

                parquet = ParquetFile(file)
                kept_table_names(_arrow_names(parquet.schema_arrow), wanted)  # it is checked before the rows are read
                return parquet.read()
            try:
                reader = pa.ipc.open_file(file)
            except pa.ArrowInvalid:
                file.seek(0)
                reader = pa.ipc.open_stream(file)
            kept_table_names(_arrow_names(reader.schema), wanted)
            return reader.read_all()
    except pa.ArrowException as error:
        raise DataError(f"{str(path)!r} is not a readable {path.suffix} file: {error}") from None


def source_text(source: Any) -> str:
    """Return how messages name a source: a file by its path, anything else by its kind."""
    if isinstance(source, str) and is_address(source):
        return str(clip(shown_address(source), 200))
    return clip(str(source), 200) if isinstance(source, str | os.PathLike) else type(source).__name__
