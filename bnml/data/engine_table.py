"""A table that stays in an SQL engine: what it is asked for, by Ibis, and what its failures are called.

Everything is asked through Ibis, so that DuckDB, Postgres, Spark and whatever else Ibis speaks answer to the same code.
Names and labels are quoted by Ibis; the one query that is written here as text, for all distinct values in one scan,
names columns by number. Nothing is ever written to the engine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bnml._optional import REQUIREMENTS, missing
from bnml._text import clip
from bnml.data.columns import Column, column_of_arrow, not_labels
from bnml.errors import BnmlError, DataError, DependencyError

HAS_GROUPING_SETS = {"duckdb", "postgres", "snowflake", "bigquery", "trino", "mssql", "oracle"}
COPIES_FOR_GROUPING_SETS = {"pyspark", "databricks"}  # every row once for each set, with all columns
COLUMNS_AT_ONCE = 60  # whose distinct values one scan finds
RELATION = "the rows of a relation, for bnml"  # the name that a query calls a DuckDB relation by
PASSWORD = re.compile(r"(?<=://)[^/@\s]*@|(?i:password|pwd|token|secret)\s*=\s*[^\s&;]+")


class DistinctValues(NamedTuple):
    """The distinct values of a column: as Arrow has them, as a column of labels, and how often each occurs.

    Where these are few that stand for many, ``about`` is how many there are, and ``gaps`` are those that stand for a
    missing one.
    """

    values: Any
    column: Column
    counts: npt.NDArray[np.int64]
    about: int | None = None
    gaps: Sequence[Any] = ()


@dataclass(frozen=True, eq=False)
class EngineTable:
    """A table in an engine.

    Attributes
    ----------
    rows
        The table as an Ibis expression.
    engine
        The name of the engine.
    name
        The name of the table, for messages.
    fetch
        Gives the Arrow batches of an Ibis expression over the table.
    of_sql
        Makes an Ibis expression of a query in the engine's own words, and its schema.
    untyped
        Whether the columns are text because the source knows nothing else.
    categories
        The values of columns that declare them, in their order.
    keep
        What must not be closed or removed as long as the table is used.
    scratch
        Keeps what an expression gives in a folder of ours, and returns it as a table; only for files, which have an
        engine in this process: nothing is written to databases of others.
    own_names
        By the name of a column, what the engine calls it; empty where that is the same.
    share
        Rows that are fetched may take one part in so many of the memory that is allowed: an engine in this process
        works with half of it, and Python itself takes some.
    """

    rows: Any
    engine: str
    name: str
    fetch: Callable[[Any], Iterator[Any]]
    of_sql: Callable[[str, Any], Any]
    untyped: bool = False
    categories: Mapping[str, Sequence[str]] = field(default_factory=dict)
    keep: Any = None
    scratch: Callable[[Any], Any] | None = None
    own_names: Mapping[str, str] = field(default_factory=dict)
    share: int = 1

    @property
    def names(self) -> list[str]:
        """The columns."""
        return list(self.own_names or self.rows.columns)

    def column(self, name: str) -> Any:
        """Return a column as an expression."""
        return self.rows[self.own_names.get(name, name)]

    def only(self, condition: Any) -> EngineTable:
        """Return the rows that meet a condition."""
        return replace(self, rows=self.rows.filter(condition))

    @contextmanager
    def answering(self, what: str) -> Iterator[None]:
        """Turn whatever goes wrong in the engine into one line that names engine and table."""
        try:
            yield
        except (BnmlError, MemoryError, KeyboardInterrupt):
            raise
        except Exception as error:
            if absent := next((e for e in (error, error.__context__) if isinstance(e, ImportError)), None):
                raise missing("the table's engine", absent) from error
            raise DataError(
                f"{self.engine} could not {what} of {clip(self.name, 200)!r}: {one_line(error)}; nothing was changed "
                "there"
            ) from error

    def batches(self, expression: Any, what: str = "group the rows") -> Iterator[Any]:
        """Yield the Arrow batches of an expression."""
        with self.answering(what):
            yield from self.fetch(expression)

    def table(self, expression: Any, what: str = "group the rows") -> Any:
        """Return the Arrow table of an expression."""
        import pyarrow as pa

        batches = list(self.batches(expression, what))
        if not batches:
            with self.answering(what):
                return expression.schema().to_pyarrow().empty_table()
        return pa.Table.from_batches(batches)

    def distinct_values(self, names: Sequence[str], weight: Any = None) -> list[DistinctValues]:
        """Return the distinct values of some columns, found in one scan where the engine can.

        Parameters
        ----------
        names
            The columns.
        weight
            How many rows each row stands for, an expression; one without.
        """
        found: list[DistinctValues] = []
        for start in range(0, len(names), COLUMNS_AT_ONCE):
            some = names[start : start + COLUMNS_AT_ONCE]
            if self.engine in HAS_GROUPING_SETS and len(some) > 1:
                found += self._in_one_scan(some, weight)
            elif self.engine in COPIES_FOR_GROUPING_SETS:
                found += self._in_one_query(some, weight)
            else:
                found += self._one_by_one(some, weight)
        return found

    def first_values(self, name: str, most: int, weight: Any = None) -> DistinctValues:
        """Return the lowest values of a column, as many as are wanted."""
        with self.answering("list the values"):
            rows = self._counted([name], weight)
            groups = rows.group_by("v0").aggregate(n=rows.n.sum().cast("int64")).order_by("v0").limit(most)
        table = self.table(groups, "list the values")
        return self._distinct(name, [table.column(0)], [table.column(1).to_numpy()])

    def told_values(
        self, name: str, values: Sequence[Any], counts: Sequence[int], gaps: Sequence[Any]
    ) -> DistinctValues:
        """Return numbers that stand for all values of a column; None for those that are missing."""
        import pyarrow as pa

        return self._distinct(name, [pa.array(values, pa.float64())], [np.array(counts)])._replace(gaps=gaps)

    def _counted(self, names: Sequence[str], weight: Any) -> Any:
        import ibis

        numbered = {f"v{i}": self.column(name) for i, name in enumerate(names)}
        return self.rows.select(**numbered, n=ibis.literal(1, "int64") if weight is None else weight)

    def _one_by_one(self, names: Sequence[str], weight: Any) -> list[DistinctValues]:
        found = []
        with self.answering("list the values"):
            rows = self._counted(names, weight)
            for i, name in enumerate(names):
                groups = rows.group_by(f"v{i}").aggregate(n=rows.n.sum().cast("int64"))
                table = self.table(groups, "list the values")
                found.append(self._distinct(name, [table.column(0)], [table.column(1).to_numpy()]))
        return found

    def _in_one_query(self, names: Sequence[str], weight: Any) -> list[DistinctValues]:
        """Group by each column for itself, those of a type in one query: files of columns are read once in all."""
        import ibis

        found: dict[int, DistinctValues] = {}
        with self.answering("list the values"):
            rows = self._counted(names, weight)
            types = rows.schema()
            by_type: dict[Any, list[int]] = {}
            for i in range(len(names)):
                by_type.setdefault(types[f"v{i}"], []).append(i)
            for places in by_type.values():
                parts = []
                for i in places:
                    own = rows.select(v=rows[f"v{i}"], n=rows["n"])
                    counted = own.group_by("v").aggregate(n=own["n"].sum().cast("int64"))
                    parts.append(counted.select(i=ibis.literal(i, "int64"), v=counted["v"], n=counted["n"]))
                table = self.table(ibis.union(*parts) if len(parts) > 1 else parts[0], "list the values")
                which, counts = table.column(0).to_numpy(), table.column(2).to_numpy()
                for i in places:
                    here = np.flatnonzero(which == i)
                    found[i] = self._distinct(names[i], [table.column(1).take(here)], [counts[here]])
        return [found[i] for i in range(len(names))]

    def _in_one_scan(self, names: Sequence[str], weight: Any) -> list[DistinctValues]:
        import ibis
        import pyarrow.compute as pc

        with self.answering("list the values"):
            rows = self._counted(names, weight)
            inner = ibis.to_sql(rows, dialect=self.engine)
            places = range(len(names))
            groupings = ", ".join(f"GROUPING(v{i}) AS g{i}" for i in places)
            values = ", ".join(f"v{i}" for i in places)
            sets = ", ".join(f"(v{i})" for i in places)
            query = (
                f"SELECT {groupings}, {values}, CAST(SUM(n) AS BIGINT) AS n FROM ({inner}) AS t "
                f"GROUP BY GROUPING SETS ({sets})"
            )
            types = rows.schema()
            schema = {f"g{i}": "int64" for i in places} | {f"v{i}": types[f"v{i}"] for i in places} | {"n": "int64"}
            asked = self.of_sql(query, ibis.schema(schema))
        parts: list[list[Any]] = [[] for _ in names]
        numbers: list[list[Any]] = [[] for _ in names]
        for batch in self.batches(asked, "list the values"):
            n = batch.column(2 * len(names))
            for i in places:
                here = pc.equal(batch.column(i), 0)
                own = batch.column(len(names) + i).filter(here)
                if len(own):
                    parts[i].append(own)
                    numbers[i].append(n.filter(here).to_numpy(zero_copy_only=False))
        kinds = [asked.schema()[f"v{i}"].to_pyarrow() for i in places]
        return [self._distinct(name, parts[i], numbers[i], kinds[i]) for i, name in enumerate(names)]

    def _distinct(self, name: str, parts: Sequence[Any], numbers: Sequence[Any], kind: Any = None) -> DistinctValues:
        """Return the values of a column in an order that does not depend on the engine's."""
        import pyarrow as pa
        import pyarrow.compute as pc

        chunks = [chunk for part in parts for chunk in (part.chunks if isinstance(part, pa.ChunkedArray) else [part])]
        chunks = [chunk.dictionary_decode() if pa.types.is_dictionary(chunk.type) else chunk for chunk in chunks]
        if kind is not None:
            try:
                chunks = [chunk if chunk.type == kind else chunk.cast(kind) for chunk in chunks]
            except pa.ArrowException:
                raise not_labels(name, kind) from None
        values = pa.chunked_array(chunks, kind if kind is not None or chunks else pa.null())
        values = values.combine_chunks() if values.num_chunks != 1 else values.chunk(0)
        counts = np.concatenate([np.empty(0, np.int64), *numbers]).astype(np.int64)
        try:
            order = pc.sort_indices(values)
            values, counts = values.take(order), counts[order.to_numpy()]
        except pa.ArrowNotImplementedError:  # a kind of values that has no order
            pass
        own = values
        if name in self.categories:
            known = pa.array(self.categories[name], pa.string())
            own = pa.DictionaryArray.from_arrays(pc.index_in(values.cast(pa.string()), value_set=known), known)
        return DistinctValues(values, column_of_arrow(name, pa.chunked_array([own])), counts)


def exact_literal(value: Any, kind: Any) -> Any:
    """Return a value of a type as an Ibis literal; a fraction as text, since engines round what is written as a number.

    Examples
    --------
    >>> import ibis
    >>> print(ibis.to_sql(exact_literal(0.1, "float64"), dialect="duckdb"))
    SELECT
      CAST('0.1' AS DOUBLE) AS "Cast('0.1', float64)"
    """
    import ibis

    if ibis.dtype(kind).is_floating():
        return ibis.literal(repr(float(value))).cast(kind)
    return ibis.literal(value, kind)


def missing_values(column: Any, gaps: Sequence[Any]) -> Any:
    """Return where a column has no value, an Ibis expression: nulls, NaN, and the values that stand for one."""
    missing = column.isnull()
    if column.type().is_floating():
        missing |= column.isnan()
    if gaps:
        missing |= column.isin([exact_literal(gap, column.type()) for gap in gaps])
    return missing.fill_null(True)


def one_line(error: Exception) -> str:
    """Return in one line what a table's engine complains of, in three a file's fault, without any password."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = "; ".join(lines[: 3 if "CSV Error" in lines[0] else 1]) if lines else type(error).__name__
    return str(clip(PASSWORD.sub("…", said), 300))


def engine_table_of_ibis(
    table: Any, name: str | None = None, *, untyped: bool = False, keep: Any = None
) -> EngineTable:
    """Return an Ibis table as an engine table."""
    if not hasattr(table, "group_by"):
        raise DataError(f"an Ibis {type(table).__name__} is not a table: pass the table it comes from")
    shown = name or str(getattr(table.op(), "name", None) or "a query")
    try:
        backend = table.get_backend()
    except Exception as error:
        if absent := next((e for e in (error, error.__context__) if isinstance(e, ImportError)), None):
            raise missing("the table's engine", absent) from error
        raise DataError(f"the Ibis table {clip(shown)!r} is bound to no engine: {one_line(error)}") from error

    def fetch(expression: Any) -> Iterator[Any]:
        if backend.name == "pyspark":
            return _batches_of_spark(backend, expression)
        return iter(backend.to_pyarrow_batches(expression))

    def of_sql(query: str, schema: Any) -> Any:
        return backend.sql(query, schema=schema)

    if backend.name == "duckdb":
        check_duckdb()
        _refuse_names_that_differ_in_case(table.columns)
    own = EngineTable(_with_texts(table), backend.name, shown, fetch, of_sql, untyped, keep=keep)
    if backend.name != "duckdb" or untyped:
        return own
    with own.answering("list the columns"):
        list(fetch(table.limit(0)))  # a table of Ibis in memory becomes known to the engine
        relation = backend.con.sql(backend.compile(table.limit(0)))
        return replace(own, categories=_enums(relation))


def _batches_of_spark(backend: Any, expression: Any) -> Iterator[Any]:
    """Return the Arrow batches of an Ibis expression over Spark, as Spark has them.

    Ibis takes them through pandas, which makes fractions of whole numbers among nulls, and is slow.
    """
    backend._run_pre_execute_hooks(expression)
    frame = backend.raw_sql(backend.compile(expression))
    if not hasattr(frame, "toArrow"):  # before Spark 4
        return iter(backend.to_pyarrow_batches(expression))
    return iter(frame.toArrow().to_batches())


def _with_texts(rows: Any) -> Any:
    """Return a table in which values that are no labels to Arrow, and have a text, are that: UUIDs, for one."""
    kinds = rows.schema().items()
    own = [name for name, kind in kinds if kind.is_uuid() or kind.is_json() or kind.is_inet() or kind.is_macaddr()]
    return rows.mutate(**{name: rows[name].cast("string") for name in own}) if own else rows


def check_duckdb() -> None:
    """Refuse a DuckDB with whose tables Ibis cannot speak.

    Raises
    ------
    DependencyError
        If it is one of those versions; the message has the pip line.
    """
    import duckdb

    # with DuckDB 2, Ibis 12 fails to list tables and to fetch batches
    if int(duckdb.__version__.partition(".")[0]) >= 2:
        raise DependencyError(
            f"Ibis cannot read from DuckDB {duckdb.__version__} yet; install an earlier one with: pip install "
            f"'{REQUIREMENTS['duckdb']}'"
        )


def _refuse_names_that_differ_in_case(names: Sequence[str]) -> None:
    """Refuse what DuckDB does not tell apart."""
    if len({name.lower() for name in names}) < len(names):
        raise DataError("the table's engine does not tell apart names of columns that differ in case only: rename them")


def _enums(relation: Any) -> dict[str, list[str]]:
    """Return the values of DuckDB's ``ENUM`` columns in their order: Ibis makes text of them, having no such type."""
    types = zip(relation.columns, relation.types, strict=True)
    return {name: dict(kind.children)["values"] for name, kind in types if kind.id == "enum"}


def engine_table_of_relation(relation: Any) -> EngineTable:
    """Return a DuckDB relation (a query, a table, files) as a table in an engine."""
    from bnml._optional import needs

    with needs("a DuckDB relation", "ibis"):
        import ibis
        from ibis.backends.sql.datatypes import DuckDBType
    name = str(relation.alias)
    _refuse_names_that_differ_in_case(relation.columns)
    try:
        schema = {
            column: "string" if kind.id == "enum" else DuckDBType.from_string(str(kind))
            for column, kind in zip(relation.columns, relation.types, strict=True)
        }
        rows = _with_texts(ibis.table(schema, name=RELATION))
    except Exception as error:
        raise DataError(f"duckdb could not list the columns of {clip(name)!r}: {one_line(error)}") from error

    def fetch(expression: Any) -> Iterator[Any]:
        query = expression if isinstance(expression, _Query) else ibis.to_sql(expression, dialect="duckdb")
        answer = relation.query(RELATION, str(query))
        return iter(answer.to_arrow_reader() if hasattr(answer, "to_arrow_reader") else answer.fetch_arrow_reader())

    return EngineTable(rows, "duckdb", name, fetch, _Query, categories=_enums(relation))


class _Query(str):
    """A query in an engine's own words, with its schema."""

    def __new__(cls, query: str, schema: Any) -> _Query:
        own = super().__new__(cls, query)
        own._schema = schema
        return own

    _schema: Any

    def schema(self) -> Any:
        """Return the names and types of what it gives."""
        return self._schema
