"""A table in an engine whose labels are coded there: every column a small whole number, grouped by packed keys.

A column's code is one expression over its values, ``CASE value WHEN label THEN code``, or comparisons with cut points.
Codes of several columns are the digits of one number, which is a much smaller key to group by than their labels. A
value that was not there when the states were found has no code: the row's key is null, and the table has changed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Ints
from bnml._text import clip
from bnml.data.columns import column_code_type
from bnml.data.engine_table import EngineTable, exact_literal, missing_values
from bnml.errors import DataError

KEY_BITS = 62
MOST_KEYS = 1 << KEY_BITS
UNNESTS = {"duckdb", "postgres", "pyspark", "databricks", "snowflake", "bigquery", "trino"}


@dataclass(frozen=True, eq=False)
class ColumnCoding:
    """How an engine turns the values of a column into codes.

    Attributes
    ----------
    name
        The column, as the engine calls it.
    arity
        How many codes there are.
    values, codes
        The values and the code of each; empty where cuts decide.
    cuts
        Cut points between bins, which are right-closed; None where values decide.
    other
        The code of every other value, nulls among them; None if there must be none.
    gaps
        Where cuts decide, the values that stand for a missing one.
    """

    name: str
    arity: int
    values: Sequence[Any]
    codes: Sequence[int]
    cuts: Sequence[float] | None
    other: int | None
    gaps: Sequence[Any] = ()

    def expression(self, rows: Any) -> Any:
        """Return the code as an Ibis expression."""
        import ibis

        column = rows[self.name]
        other = ibis.null("int64") if self.other is None else ibis.literal(self.other, "int64")
        if self.cuts is not None:
            number = column.try_cast("float64") if column.type().is_string() else column.cast("float64")
            bounds = [(number <= exact_literal(cut, "float64"), k) for k, cut in enumerate(self.cuts)]
            usable = number.notnull() & ~number.isnan() & ~missing_values(column, self.gaps)
            inside = ibis.cases(*bounds, else_=len(self.cuts)) if bounds else ibis.literal(0, "int64")
            return ibis.cases((usable, inside.cast("int64")), else_=other)
        if not self.values:
            return other
        kind = column.type()
        pairs = [(exact_literal(value, kind), code) for value, code in zip(self.values, self.codes, strict=True)]
        return column.cases(*pairs, else_=other).cast("int64")


@dataclass(frozen=True, eq=False)
class CodedTable:
    """The rows of a table in an engine, as codes.

    Attributes
    ----------
    table
        The table, without the rows that are left out.
    codings
        How each variable is coded.
    n_rows
        The number of rows.
    weight
        How many rows each row stands for, an expression over the rows; None for one.
    codes
        The codes, ``c0``, ``c1``, …, and numbers of rows ``n``, as a table of their own, if they are kept apart.
    """

    table: EngineTable
    codings: tuple[ColumnCoding, ...]
    n_rows: int
    weight: Any = None
    codes: Any = None

    @cached_property
    def _rows(self) -> Any:
        import ibis

        if self.codes is not None:
            wide = {f"c{i}": self.codes[f"c{i}"].cast("int64") for i in range(len(self.codings))}
            return self.codes.select(**wide, n=self.codes["n"])
        rows = self.table.rows
        codes = {f"c{i}": coding.expression(rows) for i, coding in enumerate(self.codings)}
        return rows.select(**codes, n=ibis.literal(1, "int64") if self.weight is None else self.weight)

    def kept_apart(self) -> CodedTable:
        """Return the table with its codes kept in a folder of ours, of files; any other as it is."""
        rows, scratch = self._rows, self.table.scratch
        if scratch is None:
            return self
        sizes = {np.uint8: "uint8", np.uint16: "uint16", np.uint32: "uint32"}
        with self.table.answering("code the rows"):
            small = {
                f"c{i}": rows[f"c{i}"].cast(sizes[column_code_type(coding.arity)])
                for i, coding in enumerate(self.codings)
            }
            kept = replace(self, codes=scratch(rows.select(**small, n=rows["n"])))
        if "n_distinct" in self.__dict__:
            kept.__dict__["n_distinct"] = self.n_distinct
        return kept

    def of_columns(self, chosen: Sequence[int]) -> CodedTable:
        """Return the table with some of its columns, in this order."""
        codes = self.codes
        if codes is not None:
            codes = codes.select(**{f"c{i}": codes[f"c{v}"] for i, v in enumerate(chosen)}, n=codes["n"])
        return replace(self, codings=tuple(self.codings[v] for v in chosen), codes=codes)

    @cached_property
    def words(self) -> list[list[tuple[int, int]]]:
        """The columns of each word that rows are packed into, with their shifts; in the order of columns."""
        words: list[list[tuple[int, int]]] = []
        widths = [(coding.arity - 1).bit_length() for coding in self.codings]
        used = KEY_BITS + 1
        for i, width in enumerate(widths):
            if used + width > KEY_BITS:
                words.append([])
                used = 0
            words[-1].append((i, used))
            used += width
        return [[(i, sum(widths[j] for j, _ in word) - shift - widths[i]) for i, shift in word] for word in words]

    def _word(self, rows: Any, word: Sequence[tuple[int, int]]) -> Any:
        import ibis

        total = ibis.literal(0, "int64")
        for i, shift in word:
            total = total + rows[f"c{i}"] * ibis.literal(1 << shift, "int64")
        return total

    def _packed(self) -> Any:
        rows = self._rows
        return rows.select(**{f"w{k}": self._word(rows, word) for k, word in enumerate(self.words)}, n=rows["n"])

    @cached_property
    def n_distinct(self) -> int:
        """About how many distinct rows there are; exactly if the rows are not many."""
        most = min(self.n_rows, math.prod(coding.arity for coding in self.codings))
        with self.table.answering("count the distinct rows"):
            packed = self._packed()
            words = [packed[f"w{k}"] for k in range(len(self.words))]
            if self.n_rows <= 2_000_000:  # up to here distinct rows are counted exactly
                asked = packed.select(*words).distinct().aggregate(n=lambda t: t.count())
            else:
                key = words[0]
                if len(words) > 1:
                    key = words[0].cast("string")
                    for word in words[1:]:
                        key = key + "," + word.cast("string")
                asked = packed.aggregate(n=key.approx_nunique())
        found = self.table.table(asked, "count the distinct rows").column(0)[0].as_py()
        return max(1, min(most, int(found)))

    def distinct_rows(self) -> tuple[npt.NDArray[np.unsignedinteger[Any]], Ints]:
        """Return the distinct rows, a row of codes per column, in lexicographic order, and how often each occurs.

        They are fetched as packed words, batch by batch: nothing else of them is ever held.
        """
        with self.table.answering("group the rows"):
            packed = self._packed()
            keys = [f"w{k}" for k in range(len(self.words))]
            groups = packed.group_by(keys).aggregate(n=packed["n"].sum().cast("int64"))
        parts: list[list[Any]] = [[np.empty(0, np.int64)] for _ in range(len(keys) + 1)]
        for batch in self.table.batches(groups):
            for place, own in enumerate(parts):
                own.append(self._whole(batch.column(place)))
        columns = []
        for part in parts:
            columns.append(np.concatenate(part))
            part.clear()
        *words, counts = columns
        self._check_total(int(counts.sum()))
        order = np.lexsort(words[::-1])
        counts = counts[order]
        arities = [coding.arity for coding in self.codings]
        codes = np.empty((len(self.codings), counts.size), column_code_type(max(arities)))
        for k, word in enumerate(self.words):
            whole: Ints = words[k][order]
            for i, shift in word:
                codes[i] = (whole >> shift) & ((1 << (arities[i] - 1).bit_length()) - 1)
        return codes, counts

    def count_tables(self, tables: Sequence[Sequence[int]]) -> list[tuple[Ints, Ints]]:
        """Return for each set of columns the keys of the cells that occur, ascending, and their counts, by one scan.

        A key has the codes as digits, the first column's first, each with the column's arity as base.
        """
        if not tables:
            return []
        sizes = [math.prod(self.codings[i].arity for i in table) for table in tables]
        starts = [0]
        for size in sizes[:-1]:
            starts.append(starts[-1] + size)
        if starts[-1] + sizes[-1] >= MOST_KEYS:
            if len(tables) == 1:
                raise DataError(
                    f"a table of {len(tables[0])} columns has {sizes[0]:.3g} cells: too many to number; take fewer"
                )
            half = len(tables) // 2
            return self.count_tables(tables[:half]) + self.count_tables(tables[half:])
        keys, counts = self._keyed(tables, starts)
        order = np.argsort(keys, kind="stable")
        keys, counts = keys[order], counts[order]
        bounds = np.searchsorted(keys, [*starts, starts[-1] + sizes[-1]])
        found = []
        for start, low, high in zip(starts, bounds[:-1], bounds[1:], strict=True):
            own = counts[low:high]
            self._check_total(int(own.sum()))
            found.append((keys[low:high] - start, own))
        return found

    def _keyed(self, tables: Sequence[Sequence[int]], starts: Sequence[int]) -> tuple[Ints, Ints]:
        """Return the keys of all tables, one after the other, with their counts."""
        import ibis

        with self.table.answering("count the rows"):
            rows = self._rows
            keys = [
                self._key(rows, table) + ibis.literal(start, "int64")
                for table, start in zip(tables, starts, strict=True)
            ]
            if len(keys) == 1:
                single = rows.select(k=keys[0], n=rows["n"])
                asked = single.group_by("k").aggregate(n=single["n"].sum().cast("int64"))
            elif self.table.engine in UNNESTS:
                many = rows.select(k=ibis.array(keys).unnest(), n=rows["n"])
                asked = many.group_by("k").aggregate(n=many["n"].sum().cast("int64"))
            else:
                parts = []
                for key in keys:
                    own = rows.select(k=key, n=rows["n"])
                    parts.append(own.group_by("k").aggregate(n=own["n"].sum().cast("int64")))
                asked = ibis.union(*parts)
        parts_of_keys, parts_of_counts = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for batch in self.table.batches(asked, "count the rows"):
            parts_of_keys.append(self._whole(batch.column(0)))
            parts_of_counts.append(self._whole(batch.column(1)))
        return np.concatenate(parts_of_keys), np.concatenate(parts_of_counts)

    def _key(self, rows: Any, table: Sequence[int]) -> Any:
        import ibis

        total, stride = ibis.literal(0, "int64"), math.prod(self.codings[i].arity for i in table)
        for i in table:
            stride //= self.codings[i].arity
            total = total + rows[f"c{i}"] * ibis.literal(stride, "int64")
        return total

    def _whole(self, column: Any) -> Ints:
        if column.null_count:
            raise self._changed()
        found: Ints = column.to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
        return found

    def _check_total(self, total: int) -> None:
        if total != self.n_rows:
            raise self._changed()

    def _changed(self) -> DataError:
        return DataError(
            f"the table {clip(self.table.name)!r} in {self.table.engine} has changed since its states were found: read "
            "it again, or learn from a copy that stays as it is"
        )
