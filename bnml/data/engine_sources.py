"""Sources that an SQL engine reads: its own tables, addresses of databases, Parquet folders, files larger than memory.

Addresses are for `bnml.data.engine_addresses`. Files are for DuckDB, which runs inside this process, and gets a limit
of memory and a folder for what does not fit.

How much memory a CSV or Parquet file takes while it is read here is told from its first rows. A value of few states
takes some bytes, of text, codes, and copies of both. One that occurs nowhere else, a measurement or a key, is a label
of its own, and takes many more.
"""

from __future__ import annotations

import csv
import glob
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

from bnml._costs import BYTES
from bnml._machine import cores, machine_memory, memory_limit_of
from bnml._optional import needs
from bnml._text import clip
from bnml.data.delimited import header_of, open_delimited
from bnml.data.engine_addresses import QUIET, SHARE_OF_ROWS, memory_of_duckdb, open_address
from bnml.data.engine_table import EngineTable, check_duckdb, engine_table_of_ibis, engine_table_of_relation, one_line
from bnml.data.labels import check_table_names
from bnml.errors import BnmlError, DataError

COUNTING_CHOICES = ("auto", "compress", "push")
NO_DATABASES = ("http://", "https://", "ftp://", "file://")
ADDRESS = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+://")
SHARE = 4  # a quarter of the machine's memory is for a table that is read, unless a limit is given
DUCKDB_PURPOSE = "a table that DuckDB reads"


def limit_of_reading(given: int | str | None) -> int:
    """Return how many bytes an engine's source that is read may take: a quarter of the machine's memory, unless given.

    Examples
    --------
    >>> limit_of_reading("2GB"), limit_of_reading(None) == machine_memory() // 4
    (2000000000, True)
    """
    return machine_memory() // SHARE if given is None else memory_limit_of(given)


def open_engine_table(source: Any, limit: int) -> EngineTable | None:
    """Return the table that an engine reads; None if the source is none.

    Parameters
    ----------
    source
        What `bnml.read` was given.
    limit
        How many bytes may be used: larger files are for an engine.

    Raises
    ------
    DataError
        If there is no such table, or the engine cannot open it.
    DependencyError
        If a package is missing.
    """
    if _is_from(source, "ibis") and not isinstance(source, type):
        return engine_table_of_ibis(source)
    if any(_is_from(source, package, "DuckDBPyRelation") for package in ("duckdb", "_duckdb")):
        return engine_table_of_relation(source)
    if not isinstance(source, str | os.PathLike):
        return None
    text = os.fsdecode(source)
    if is_address(text):
        return open_address(text, limit)
    try:
        return _at_path(text, limit)
    except OSError:  # what is wrong with it is said where it is read
        return None


def is_address(source: Any) -> bool:
    """Return whether a source is the address of a table in a database."""
    return isinstance(source, str) and bool(ADDRESS.match(source)) and not source.lower().startswith(NO_DATABASES)


def _at_path(text: str, limit: int) -> EngineTable | None:
    """Return the files of a folder or pattern, or a large file, as a table; None if the path is neither."""
    path = Path(text)
    if text and path.is_dir():
        files = sorted(path.rglob("*.parquet"))
        return _of_parquet(files, text, limit) if files else None
    if not path.exists() and text.lower().endswith(".parquet") and glob.has_magic(text):
        return _of_parquet(sorted(Path(name) for name in glob.glob(text, recursive=True)), text, limit)  # noqa: PTH207
    if path.is_file() and _takes_more_than(path, limit):
        name = path.name.lower()
        return _of_parquet([path], text, limit) if name.endswith(".parquet") else _of_text(path, limit)
    return None


def _is_from(source: Any, package: str, name: str | None = None) -> bool:
    return any(
        kind.__module__.partition(".")[0] == package and name in (None, kind.__name__) for kind in type(source).__mro__
    )


# --- files ---


def _duckdb_in_process(limit: int) -> tuple[Any, Path]:
    """Return a DuckDB in this process that keeps a limit of memory, and the folder for what does not fit."""
    with needs(DUCKDB_PURPOSE, "ibis", "duckdb"):
        import duckdb  # noqa: F401
        import ibis
    check_duckdb()
    folder = Path(mkdtemp(prefix="bnml-"))
    backend = ibis.duckdb.connect(
        ":memory:",
        memory_limit=memory_of_duckdb(limit),
        threads=cores(),
        temp_directory=str(folder),
        preserve_insertion_order=False,
    )
    backend.raw_sql(QUIET)
    finalize(backend, rmtree, folder, ignore_errors=True)
    return backend, folder


def _of_parquet(files: Sequence[Path], shown: str, limit: int) -> EngineTable:
    """Read Parquet files by DuckDB, as one table."""
    if not files:
        raise DataError(f"there are no .parquet files in {clip(shown, 200)!r}")
    import pyarrow as pa
    from pyarrow.parquet import read_schema

    try:
        schema = read_schema(files[0])
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{str(files[0])!r} is not a readable .parquet file: {one_line(error)}") from None
    index = [name for name in (schema.pandas_metadata or {}).get("index_columns", ()) if isinstance(name, str)]
    names = check_table_names(schema.names, repr(str(files[0])))

    def read(backend: Any) -> Any:
        listed = [str(file).replace("[", "[[]") for file in files]
        return backend.read_parquet(listed, table_name="files", hive_partitioning=False)

    return _of_files(read, names, [name for name in names if name not in index], shown, limit)


def _of_text(path: Path, limit: int) -> EngineTable:
    """Read a file of delimited text by DuckDB: every field as text."""
    names, delimiter = header_of(path, "\t" if path.name.lower().endswith((".tsv", ".tsv.gz")) else None)

    def read(backend: Any) -> Any:
        return backend.read_csv(
            str(path), table_name="files", all_varchar=True, header=True, delim=delimiter, quote='"', escape='"',
            auto_detect=False, columns={f"c{i}": "VARCHAR" for i in range(len(names))},
        )  # fmt: skip

    return _of_files(read, names, names, str(path), limit, untyped=True)


def _of_files(
    read: Callable[[Any], Any],
    names: Sequence[str],
    kept: Sequence[str],
    shown: str,
    limit: int,
    *,
    untyped: bool = False,
) -> EngineTable:
    """Return files as a table of DuckDB; its columns are taken by place, as it renames those that differ in case."""
    backend, folder = _duckdb_in_process(limit)
    try:
        rows = read(backend)
        if len(rows.columns) != len(names):
            raise DataError(
                f"{clip(shown, 200)!r}: duckdb finds {len(rows.columns)} columns where the first line or file has "
                f"{len(names)}"
            )
        own = dict(zip(names, rows.columns, strict=True))
    except BnmlError:
        raise
    except Exception as error:
        raise DataError(f"duckdb cannot read {clip(shown, 200)!r}: {one_line(error)}") from error

    def scratch(expression: Any) -> Any:
        """Keep codes in a file of the folder, where they take few bits each and are read quickly."""
        import ibis

        name = f"codes{next(numbers)}"
        file = str(folder / f"{name}.ddb").replace("'", "''")
        backend.raw_sql(f"ATTACH '{file}' AS {name}")
        backend.raw_sql(f"CREATE TABLE {name}.rows AS {ibis.to_sql(expression, dialect='duckdb')}")
        return backend.table("rows", database=f"{name}.main")

    numbers = count()
    table = engine_table_of_ibis(rows, shown, untyped=untyped, keep=backend)
    return replace(table, scratch=scratch, own_names={name: own[name] for name in kept}, share=SHARE_OF_ROWS)


MOST_PER_BYTE = BYTES.label // 2  # of a file of text: a digit and a comma are a value
FIRST_ROWS = 2000


def _takes_more_than(path: Path, limit: int) -> bool:
    r"""Return whether a CSV or Parquet file takes more than a number of bytes while it is read; False for others.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "t.csv")
    ...     _ = file.write_text("a,b\n" + "x,1\ny,2\n" * 1000)
    ...     _takes_more_than(file, 10**6), _takes_more_than(file, 10**5)
    (False, True)
    """
    name = path.name.lower()
    if name.endswith(".parquet"):
        return _memory_of_parquet(path) > limit
    if not name.endswith((".csv", ".tsv", ".csv.gz", ".tsv.gz")):
        return False
    size = path.stat().st_size * (8 if name.endswith(".gz") else 1)  # gzip makes a table about 8 times smaller
    return size * MOST_PER_BYTE > limit and _memory_of_text(path, size) > limit


def _memory(columns: Sequence[int], n_first: int, n_rows: float) -> int:
    """Return the bytes of columns with these numbers of different values among the first rows."""
    # where half of the first values differ, they are labels of their own
    each = sum(BYTES.label if n > max(0.5 * n_first, 10) else BYTES.value for n in columns)
    return int(each * n_rows)


def _memory_of_parquet(path: Path) -> int:
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as file:
            first = next(file.iter_batches(FIRST_ROWS), None)
            n_rows = int(file.metadata.num_rows)
    except (pa.ArrowException, OSError):
        return 0  # what is wrong with it is said where it is read
    if first is None:
        return 0
    columns = []
    for column in first.columns:
        try:
            columns.append(int(pc.count_distinct(column).as_py()))
        except pa.ArrowNotImplementedError:
            columns.append(0)  # no labels, which is said elsewhere
    return _memory(columns, first.num_rows, n_rows)


def _memory_of_text(path: Path, size: int) -> int:
    try:
        names, delimiter = header_of(path, "\t" if path.name.lower().endswith((".tsv", ".tsv.gz")) else None)
        with open_delimited(path) as file:
            lines = list(islice(file, 1, FIRST_ROWS + 1))
        rows = list(csv.reader(lines, delimiter=delimiter))
    except (BnmlError, UnicodeDecodeError, csv.Error):
        return size  # what is wrong with it is said where it is read
    if not rows:
        return size
    columns = [len({row[i] for row in rows if i < len(row)}) for i in range(len(names))]
    return _memory(columns, len(rows), size / (sum(map(len, lines)) / len(rows)))
