"""Sources that an SQL engine reads: its own tables, addresses of databases, Parquet folders, files larger than memory.

Databases are opened to be read only, where the engine can, and a file that is not there is never made. DuckDB, which
runs inside this process, gets a limit of memory and a folder for what does not fit.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit
from weakref import finalize

from bnml._memory import machine_memory, memory_limit_of
from bnml._optional import missing, needs
from bnml._text import clip, did_you_mean, quoted
from bnml._threads import cores
from bnml.data.delimited import header_of
from bnml.data.engine_table import EngineTable, check_duckdb, engine_table_of_ibis, engine_table_of_relation, one_line
from bnml.data.table_names import check_table_names
from bnml.errors import BnmlError, DataError

__all__ = ["COUNTING_CHOICES", "is_address", "limit_of_reading", "open_engine_table", "shown_address"]

COUNTING_CHOICES = ("auto", "compress", "push")
SHARE = 4  # a quarter of the machine's memory is for a table that is read, unless a limit is given
BYTES_PER_VALUE = 24  # of a Parquet file while it is read in memory: its text, codes, and copies of both
LEAST_FOR_ENGINE = 512_000_000  # bytes; DuckDB runs with no less
NO_DATABASES = ("http://", "https://", "ftp://", "file://")
ADDRESS = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+://")
QUIET = "SET enable_progress_bar = false"  # which DuckDB would draw on standard output
DUCKDB_PURPOSE = "a table that DuckDB reads"


def limit_of_reading(memory_limit: int | str | None) -> int:
    """Return how many bytes an engine's source that is read may take: a quarter of the machine's memory, unless given.

    Examples
    --------
    >>> limit_of_reading("2GB"), limit_of_reading(None) == machine_memory() // 4
    (2000000000, True)
    """
    return machine_memory() // SHARE if memory_limit is None else memory_limit_of(memory_limit)


def is_address(source: Any) -> bool:
    """Return whether a source is the address of a table in a database."""
    return isinstance(source, str) and bool(ADDRESS.match(source)) and not source.lower().startswith(NO_DATABASES)


def shown_address(address: str) -> str:
    """Return an address as messages show it: without users, passwords and options, which may hold secrets.

    Examples
    --------
    >>> shown_address("postgres://me:secret@host:5432/sales?table=orders&sslkey=x")
    'postgres://host:5432/sales?table=orders'
    """
    parts = urlsplit(address)
    table = dict(parse_qsl(parts.query)).get("table")
    place = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{place}{parts.path}" + ("" if table is None else f"?table={table}")


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
        return _at_address(text)
    try:
        return _at_path(text, limit)
    except OSError:  # what is wrong with it is said where it is read
        return None


def _at_path(text: str, limit: int) -> EngineTable | None:
    """Return the files of a folder or pattern, or a large file, as a table; None if the path is neither."""
    path = Path(text)
    if text and path.is_dir():
        files = sorted(path.rglob("*.parquet"))
        return _of_parquet(files, text, limit) if files else None
    if not path.exists() and text.lower().endswith(".parquet") and glob.has_magic(text):
        return _of_parquet(sorted(Path(name) for name in glob.glob(text, recursive=True)), text, limit)  # noqa: PTH207
    if path.is_file() and _is_large(path, limit):
        name = path.name.lower()
        return _of_parquet([path], text, limit) if name.endswith(".parquet") else _of_text(path, limit)
    return None


def _is_from(source: Any, package: str, name: str | None = None) -> bool:
    return any(
        kind.__module__.partition(".")[0] == package and name in (None, kind.__name__) for kind in type(source).__mro__
    )


def _is_large(path: Path, limit: int) -> bool:
    """Return whether a file is too large to be read in memory."""
    name = path.name.lower()
    if name.endswith((".csv", ".tsv", ".csv.gz", ".tsv.gz")):
        return path.stat().st_size * (8 if name.endswith(".gz") else 1) > limit
    if not name.endswith(".parquet"):
        return False
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as file:
            return int(file.metadata.num_rows) * int(file.metadata.num_columns) * BYTES_PER_VALUE > limit
    except (pa.ArrowException, OSError):
        return False  # what is wrong with it is said where it is read


# --- addresses ---


def _at_address(address: str) -> EngineTable:
    """Open the table at an address."""
    shown = shown_address(address)
    with needs("a table at an address", "ibis", "duckdb"):
        import ibis
    parts = urlsplit(address)
    options = parse_qsl(parts.query, keep_blank_values=True)
    chosen = [value for key, value in options if key == "table"]
    rest = urlencode([pair for pair in options if pair[0] != "table"])
    if len(chosen) > 1:
        raise DataError(f"{shown}: it names several tables; name one")
    try:
        if parts.scheme == "duckdb":
            backend = _duckdb_file(parts.netloc + parts.path, shown)
        else:
            backend = ibis.connect(urlunsplit((parts.scheme, parts.netloc, parts.path, rest, parts.fragment)))
    except BnmlError:
        raise
    except ImportError as error:
        raise missing(f"a table at {shown}", error) from error
    except Exception as error:
        raise DataError(f"cannot open {shown}: {one_line(error)}") from error
    if callable(close := getattr(getattr(backend, "con", None), "close", None)):
        finalize(backend, close)
    schema = next((value for key, value in options if key in ("schema", "database")), None)
    try:
        there = sorted(backend.list_tables())
    except Exception as error:
        raise DataError(f"cannot list the tables of {shown}: {one_line(error)}") from error
    if not chosen:
        which = f"the tables are {quoted(map(clip, there), most=20)}" if there else "there are no tables"
        raise DataError(f"{shown}: say which table is meant, with ?table=NAME at the end; {which}")
    (table,) = chosen
    if table not in there and schema is None:
        which = f"the tables are {quoted(map(clip, there), most=20)}" if there else "there are none"
        raise DataError(f"{shown}: there is no table {clip(table)!r}; {which}.{did_you_mean(clip(table), there)}")
    try:
        return engine_table_of_ibis(backend.table(table), table, keep=backend)
    except BnmlError:
        raise
    except Exception as error:
        raise DataError(f"cannot open the table {clip(table)!r} of {shown}: {one_line(error)}") from error


def _duckdb_file(place: str, shown: str) -> Any:
    """Open a DuckDB file to be read only."""
    with needs("a DuckDB file", "ibis", "duckdb"):
        import duckdb  # noqa: F401
        import ibis
    check_duckdb()
    path = Path(unquote(place))
    if not place or place == ":memory:":
        raise DataError(
            f"{shown}: name a file, as in duckdb://file.ddb?table=t; a database in memory has no tables yet"
        )
    if not path.exists():
        raise DataError(f"there is no file {clip(str(path), 200)!r}")
    if path.is_dir():
        raise DataError(f"{clip(str(path), 200)!r} is a folder, not a DuckDB file")
    backend = ibis.duckdb.connect(str(path), read_only=True)
    backend.raw_sql(QUIET)
    return backend


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
        memory_limit=f"{max(limit, LEAST_FOR_ENGINE) // 1_000_000}MB",
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
    return replace(table, scratch=scratch, own_names={name: own[name] for name in kept})
