"""Sources: where a table comes from. Each becomes the same thing, a list of columns.

DuckDB reads delimited text, in parallel and without guessing at types; frames and binary files speak Arrow. Integer
arrays come directly.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from bnml._threads import cores
from bnml.data.columns import Column, ColumnReader, column_of_numbers, column_of_objects, merge_whole_numbers
from bnml.errors import DataError, DependencyError, did_you_mean, quoted

__all__ = ["Table", "check_names", "open_table", "read_vd"]

SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".arrow", ".feather", ".idt")
DELIMITERS = ",;\t|"
BATCH_ROWS = 200_000
ENGINE_COUNT = "bnml row count"  # the weights of rows that an SQL engine has grouped


@dataclass(frozen=True)
class Table:
    """All the columns of a source that were asked for.

    ``grouped``: the rows were grouped by an engine, and the column ``ENGINE_COUNT`` holds their numbers.
    ``states``: labels that the source itself declares (``.idt`` with its ``.vd``).
    """

    columns: list[Column]
    names: tuple[str, ...]
    grouped: bool = False
    states: dict[str, list[str]] | None = None


def open_table(source: Any, wanted: Sequence[str] | None) -> Table:
    """Read a source of any kind; ``wanted`` limits the columns that are kept."""
    if isinstance(source, str | Path):
        return _from_path(Path(source), wanted)
    if isinstance(source, np.ndarray):
        return _from_array(source, wanted)
    kind = type(source)
    if kind.__module__.startswith("ibis."):
        return _from_ibis(source, wanted)
    if kind.__module__.startswith("pandas.") and kind.__name__ == "DataFrame":
        return _from_pandas(source, wanted)
    if hasattr(source, "__arrow_c_stream__") or kind.__module__.startswith("pyarrow."):
        return _from_arrow(source, wanted)
    raise DataError(
        f"cannot read a table from {kind.__module__}.{kind.__name__}: expected a path, a DataFrame (pandas, polars, "
        "pyarrow), a 2-D integer NumPy array or an Ibis table"
    )


def check_names(names: Iterable[Any], where: str = "the table") -> tuple[str, ...]:
    """Return column names as text; they must be there and differ."""
    texts = tuple(str(name) for name in names)
    if not texts:
        raise DataError(f"{where} has no columns")
    for i, name in enumerate(texts):
        if not name.strip():
            raise DataError(f"column {i + 1} of {where} has no name: give it one, or drop it (a saved row index?)")
    if len(set(texts)) < len(texts):
        twice = sorted({name for name in texts if texts.count(name) > 1})
        raise DataError(f"column names of {where} must differ; these occur twice: {quoted(twice)}")
    return texts


def _kept(names: tuple[str, ...], wanted: Sequence[str] | None) -> list[str]:
    if wanted is None:
        return list(names)
    for name in wanted:
        if name not in names:
            raise DataError(f"there is no column {name!r}; the columns are {quoted(names)}.{did_you_mean(name, names)}")
    return list(wanted)


def _from_array(array: np.ndarray[Any, Any], wanted: Sequence[str] | None) -> Table:
    if array.ndim != 2:
        raise DataError(f"a NumPy array must have two dimensions (rows, columns); this one has shape {array.shape}")
    names = check_names((f"X{i}" for i in range(array.shape[1])), "the array")
    numeric = array.dtype.kind in "iubf"
    position = {name: i for i, name in enumerate(names)}
    columns = []
    for name in _kept(names, wanted):
        values = array[:, position[name]]
        columns.append(column_of_numbers(name, values) if numeric else column_of_objects(name, values.tolist()))
    return Table(columns, names)


def _from_pandas(frame: Any, wanted: Sequence[str] | None) -> Table:
    import pyarrow as pa

    names = check_names(frame.columns, "the DataFrame")
    position = {name: i for i, name in enumerate(names)}
    columns = []
    for name in _kept(names, wanted):
        series = frame.iloc[:, position[name]]
        if series.dtype.kind in "iubf" and isinstance(series.dtype, np.dtype):
            columns.append(column_of_numbers(name, series.to_numpy()))
            continue
        try:
            chunks = pa.array(series, from_pandas=True)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):  # a column of mixed types
            columns.append(column_of_objects(name, series.tolist()))
            continue
        columns.append(_read_column(name, chunks.chunks if isinstance(chunks, pa.ChunkedArray) else [chunks]))
    return Table(columns, names)


def _read_column(name: str, chunks: Sequence[Any]) -> Column:
    reader = ColumnReader(name, chunks[0].type)
    for chunk in chunks:
        reader.add(chunk)
    return reader.finish()


def _from_arrow(source: Any, wanted: Sequence[str] | None) -> Table:
    import pyarrow as pa

    if isinstance(source, pa.RecordBatchReader):
        source = source.read_all()
    table = source if isinstance(source, pa.Table) else pa.table(source)
    names = check_names(table.column_names)
    plain = set(_polars_categoricals(source))
    position = {name: i for i, name in enumerate(names)}
    columns = []
    for name in _kept(names, wanted):
        chunked = table.column(position[name])
        if name in plain:
            chunked = chunked.cast(pa.large_string())
        columns.append(_read_column(name, chunked.chunks or [pa.array([], chunked.type)]))
    return Table(columns, names)


def _polars_categoricals(source: Any) -> list[str]:
    """Columns of polars' ``Categorical``: a compressed text, whose categories are shared with other columns."""
    if not type(source).__module__.startswith("polars"):
        return []
    return [name for name, dtype in source.schema.items() if type(dtype).__name__ == "Categorical"]


def _from_ibis(table: Any, wanted: Sequence[str] | None) -> Table:
    """Let the table's own engine group equal rows, and fetch only the groups."""
    names = check_names(table.columns, "the table")
    kept = _kept(names, wanted)
    grouped = table.group_by(kept).aggregate(**{ENGINE_COUNT: table.count()})
    columns = _from_arrow(grouped.to_pyarrow(), None).columns
    return Table(columns, names, grouped=True)


def _from_path(path: Path, wanted: Sequence[str] | None) -> Table:
    name = path.name.lower()
    if not any(name.endswith(suffix) for suffix in SUFFIXES):
        raise DataError(f"{str(path)!r}: unknown kind of file; expected one of {', '.join(SUFFIXES)}")
    if not path.exists():
        raise DataError(f"there is no file {str(path)!r}")
    if path.is_dir():
        raise DataError(f"{str(path)!r} is a folder, not a file")
    if path.stat().st_size == 0:
        raise DataError(f"{str(path)!r} is empty")
    try:
        if name.endswith(".idt"):
            return _from_idt(path, wanted)
        if name.endswith((".parquet", ".arrow", ".feather")):
            return _from_arrow(_binary_table(path, name), wanted)
        return _from_text(path, wanted, "\t" if ".tsv" in name else None)
    except OSError as error:
        raise DataError(f"cannot read {str(path)!r}: {error}") from None


def _binary_table(path: Path, name: str) -> Any:
    import pyarrow as pa

    try:
        if name.endswith(".parquet"):
            import pyarrow.parquet as pq

            return pq.read_table(path, partitioning=None)
        with pa.OSFile(str(path)) as file:
            try:
                return pa.ipc.open_file(file).read_all()
            except pa.ArrowInvalid:
                file.seek(0)
                return pa.ipc.open_stream(file).read_all()
    except pa.ArrowException as error:
        raise DataError(f"{str(path)!r} is not a readable {Path(name).suffix} file: {error}") from None


def _open_text(path: Path) -> IO[str]:
    if path.name.lower().endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _header(path: Path, delimiter: str | None) -> tuple[tuple[str, ...], str]:
    """Return the names in the first line, and the delimiter: the one that yields the most of them."""
    not_utf8 = f"{str(path)!r} is not UTF-8 text: save it as UTF-8 (from a spreadsheet: «CSV UTF-8»)"
    try:
        with _open_text(path) as file:
            start = file.readline()
            while start.count('"') % 2 and (more := file.readline()):  # a quoted name with a line break
                start += more
    except UnicodeDecodeError:
        raise DataError(not_utf8) from None
    except (EOFError, gzip.BadGzipFile) as error:
        raise DataError(f"{str(path)!r} is not a whole gzip file: {error}") from None
    if "\x00" in start:
        raise DataError(not_utf8)
    if not start.strip():
        raise DataError(f"{str(path)!r}: the first line is empty; expected the names of the columns")

    def split(by: str) -> list[str]:
        return next(csv.reader([start.rstrip("\r\n")], delimiter=by), [])

    try:
        if delimiter is None:
            delimiter = max(DELIMITERS, key=lambda by: len(split(by)))
        return check_names(split(delimiter), repr(str(path))), delimiter
    except csv.Error as error:
        raise DataError(f"{str(path)!r}, line 1: {error}") from None


def _from_text(path: Path, wanted: Sequence[str] | None, delimiter: str | None) -> Table:
    import duckdb

    names, delimiter = _header(path, delimiter)
    kept = _kept(names, wanted)
    query = (
        f"SELECT {', '.join(_identifier(name) for name in kept)} FROM read_csv({_literal(_no_glob(str(path)))}, "
        f"header=true, auto_detect=false, delim={_literal(delimiter)}, quote='\"', escape='\"', "
        f"columns={{{', '.join(f'{_literal(name)}: {_VARCHAR}' for name in names)}}})"
    )
    readers = []
    try:
        with duckdb.connect() as connection:
            connection.execute("SET preserve_insertion_order=true")
            batches = connection.sql(query).to_arrow_reader(BATCH_ROWS)
            readers = [ColumnReader(name, field.type) for name, field in zip(kept, batches.schema, strict=True)]
            _encode(batches, readers)
    except duckdb.Error as error:
        raise DataError(f"{str(path)!r}{_csv_complaint(str(error))}") from None
    return Table([merge_whole_numbers(reader.finish()) for reader in readers], names)


_VARCHAR = "'VARCHAR'"


def _encode(batches: Iterable[Any], readers: Sequence[ColumnReader]) -> None:
    """Hand every batch's columns to their readers, in threads, while the engine parses the next batch."""
    from concurrent.futures import Future, ThreadPoolExecutor

    def add(first: int, columns: Sequence[Any]) -> None:
        for reader, chunk in zip(readers[first::threads], columns[first::threads], strict=True):
            reader.add(chunk)

    threads = min(cores(), len(readers))
    with ThreadPoolExecutor(threads) as pool:
        pending: list[Future[None]] = []
        for batch in batches:
            for future in pending:
                future.result()
            pending = [pool.submit(add, first, batch.columns) for first in range(threads)]
        for future in pending:
            future.result()


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _no_glob(path: str) -> str:
    """Return a pattern that matches just this path."""
    return re.sub(r"[\[*?]", lambda match: f"[{match[0]}]", path)


def _csv_complaint(message: str) -> str:
    """Return the engine's complaint in one line, with the line of the file."""
    line = re.search(r"CSV Error on Line: (\d+)", message)
    where = f", line {line[1]}" if line else ""
    if found := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message):
        return f"{where}: {found[2]} fields where the header has {found[1]}"
    if "unterminated quote" in message:
        return f"{where}: a quote is not closed, or text follows a closing quote"
    if "not utf-8" in message.lower() or "unicode" in message.lower():
        return f"{where}: not UTF-8 text; save the file as UTF-8"
    if "invalid state" in message:
        return ": not regular delimited text (line ends of two kinds, or a stray quote)"
    if "Maximum line size" in message:
        return f"{where}: a line longer than two million characters"
    return f"{where}: {message.splitlines()[0]}"


def read_vd(path: Path) -> dict[str, list[str]]:
    """Return each variable's labels from a ``.vd`` file: a line per variable, its name and labels, tab separated."""
    if not path.exists():
        raise DataError(f"there is no file {str(path)!r}; it should hold a line per variable: its name and its labels")
    declared: dict[str, list[str]] = {}
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise DataError(f"{str(path)!r} is not UTF-8 text") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        name, *labels = line.split("\t")
        if name in declared or not labels or len(set(labels)) < len(labels):
            reason = "declared twice" if name in declared else "its labels must be there and differ"
            raise DataError(f"{str(path)!r}, line {number}: variable {name!r}: {reason}")
        declared[name] = labels
    if not declared:
        raise DataError(f"{str(path)!r} declares no variables")
    return declared


def _from_idt(path: Path, wanted: Sequence[str] | None) -> Table:
    """Read BENE's format: whole-number codes without a header, the names and labels in the ``.vd`` beside it."""
    declared = read_vd(path.with_suffix(".vd"))
    names = check_names(declared, repr(str(path.with_suffix(".vd"))))
    try:
        codes = np.loadtxt(path, dtype=np.int64, ndmin=2, comments=None)
    except ValueError as error:
        raise DataError(f"{str(path)!r}: {error}") from None
    if codes.shape[1] != len(names):
        raise DataError(f"{str(path)!r} has {codes.shape[1]} columns and its .vd {len(names)} variables")
    columns = []
    for name in _kept(names, wanted):
        labels, column = declared[name], codes[:, names.index(name)]
        wrong = np.flatnonzero((column < 0) | (column >= len(labels)))
        if wrong.size:
            raise DataError(
                f"{str(path)!r}, row {wrong[0] + 1}: {name!r} is {column[wrong[0]]}; "
                f"its codes are 0 to {len(labels) - 1}"
            )
        columns.append(Column(name, labels, column, declared=True))
    return Table(columns, names)


def need_ibis() -> None:
    """Raise an error that says how to install Ibis, if it is not there."""
    try:
        import ibis  # noqa: F401
    except ImportError:
        raise DependencyError("Ibis is not installed: pip install 'bnml[sql]'") from None
