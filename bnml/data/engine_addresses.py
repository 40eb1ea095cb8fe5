"""Addresses of tables in databases: ``duckdb://file.ddb?table=t``, ``postgres://host/db?table=t``, whatever Ibis knows.

Databases are opened to be read only, where the engine can, and a file that is not there is never made.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit
from weakref import finalize

from bnml._optional import missing, needs
from bnml._text import clip, did_you_mean, quoted
from bnml.data.engine_table import EngineTable, check_duckdb, engine_table_of_ibis, one_line
from bnml.errors import BnmlError, DataError

QUIET = "SET enable_progress_bar = false"  # which DuckDB would draw on standard output
LEAST_FOR_ENGINE = 512_000_000  # bytes; DuckDB runs with no less
SHARE_OF_ROWS = 3  # a third of the memory is for rows that are fetched, where DuckDB is in this process


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


def memory_of_duckdb(limit: int) -> str:
    """Return the limit of memory that DuckDB gets, in its words: half of what is allowed.

    Examples
    --------
    >>> memory_of_duckdb(4_000_000_000), memory_of_duckdb(1)
    ('2000MB', '512MB')
    """
    return f"{max(limit // 2, LEAST_FOR_ENGINE) // 1_000_000}MB"


def open_address(address: str, limit: int) -> EngineTable:
    """Open the table at an address, to be read only.

    Parameters
    ----------
    address
        The address; a table that is not in the default schema is named with it, ``schema.table``.
    limit
        How many bytes of memory an engine in this process may use.

    Raises
    ------
    DataError
        If there is no such database, file or table, or it cannot be opened.
    DependencyError
        If a package is missing.
    """
    shown = shown_address(address)
    with needs("a table at an address", "ibis", "duckdb"):
        import ibis  # noqa: F401
    parts = urlsplit(address)
    options = parse_qsl(parts.query, keep_blank_values=True)
    chosen = [value for key, value in options if key == "table"]
    try:
        backend = _connected(parts, [pair for pair in options if pair[0] != "table"], shown, limit)
    except BnmlError:
        raise
    except ImportError as error:
        raise missing(f"a table at {shown}", error) from error
    except Exception as error:
        raise DataError(f"cannot open {shown}: {one_line(error)}") from error
    if callable(close := getattr(getattr(backend, "con", None), "close", None)):
        finalize(backend, close)
    name = chosen[0].strip() if len(chosen) == 1 else ""
    if not name:
        problem = "names several tables" if len(chosen) > 1 else "names no table"
        there = _listed(backend, shown)
        which = f"the tables are {quoted(map(clip, there), most=20)}" if there else "there are none"
        raise DataError(f"{shown.partition('?')[0]}: the address {problem}; add ?table=NAME once, at the end; {which}")
    table = engine_table_of_ibis(_table_called(backend, name, shown), name, keep=backend)
    return replace(table, share=SHARE_OF_ROWS) if backend.name == "duckdb" else table


def _connected(parts: SplitResult, options: list[tuple[str, str]], shown: str, limit: int) -> Any:
    """Connect to a database."""
    import ibis

    if parts.scheme in ("duckdb", "sqlite"):
        if options:
            raise DataError(
                f"{shown}: there is no option {clip(options[0][0])!r}, only table=; a table of a schema is named "
                "schema.table"
            )
        file = _file(parts.netloc + parts.path, shown)
        return _duckdb_file(file, limit) if parts.scheme == "duckdb" else _sqlite_file(file)
    place = (parts.scheme, parts.netloc, parts.path, urlencode(options), parts.fragment)
    backend = ibis.connect(urlunsplit(place))
    if backend.name == "postgres":
        backend.raw_sql("SET default_transaction_read_only = on").close()
    return backend


def _file(place: str, shown: str) -> Path:
    """Return the file of a database; it must be there, as it would be made otherwise."""
    path = Path(unquote(place))
    if not place or place == ":memory:":
        raise DataError(
            f"{shown}: name a file, as in duckdb://file.ddb?table=t; a database in memory has no tables yet"
        )
    if not path.exists():
        raise DataError(f"there is no file {clip(str(path), 200)!r}")
    if path.is_dir():
        raise DataError(f"{clip(str(path), 200)!r} is a folder, not the file of a database")
    return path


def _duckdb_file(path: Path, limit: int) -> Any:
    with needs("a DuckDB file", "ibis", "duckdb"):
        import duckdb
        import ibis
    check_duckdb()
    backend = ibis.duckdb.connect(str(path), read_only=True)
    backend.raw_sql(QUIET)
    backend.raw_sql(f"SET memory_limit = '{memory_of_duckdb(limit)}'")
    folder = mkdtemp(prefix="bnml-")  # DuckDB would make one beside the file
    finalize(backend, rmtree, folder, ignore_errors=True)
    with suppress(duckdb.Error):  # the file is open elsewhere in this process, and has such a folder already
        backend.raw_sql("SET temp_directory = '{}'".format(folder.replace("'", "''")))
    return backend


def _sqlite_file(path: Path) -> Any:
    import sqlite3

    import ibis

    place = f"file:{quote(str(path.resolve()))}?mode=ro"
    return ibis.sqlite.from_connection(sqlite3.connect(place, uri=True, check_same_thread=False))


def _listed(backend: Any, shown: str) -> list[str]:
    try:
        return sorted(backend.list_tables())
    except Exception as error:
        raise DataError(f"cannot list the tables of {shown}: {one_line(error)}") from error


def _table_called(backend: Any, name: str, shown: str) -> Any:
    """Return a table or view by its name, or by those of its schema and its own.

    Raises
    ------
    DataError
        If there is none; the message lists those that there are.
    """
    from ibis.common.exceptions import TableNotFound

    schema, _, own = name.rpartition(".")
    ways = [(name, None), *([(own, tuple(schema.split(".")) if "." in schema else schema)] if schema and own else [])]
    for table, database in ways:
        try:
            return backend.table(table, database=database)
        except TableNotFound:
            continue
        except Exception as error:
            if database is None and len(ways) > 1:
                continue
            raise DataError(f"cannot open the table {clip(name)!r} of {shown}: {one_line(error)}") from error
    there = _listed(backend, shown)
    which = f"the tables are {quoted(map(clip, there), most=20)}" if there else "there are none"
    raise DataError(f"{shown}: there is no table {clip(name)!r}; {which}.{did_you_mean(clip(name), there)}")
