"""What the columns of a table in an engine hold: their distinct values, or few that stand for many numbers.

A column of states has few values, and the engine lists them. One of measurements may have as many as there are rows,
which are not to be fetched: where it is to be cut into bins, the engine finds the cuts, and counts the rows between
them. The largest number of every bin then stands for all of it, with the rows of the bin; from these `cut_points` makes
the same cuts as from all. Of other columns with too many values only the lowest are fetched, to say what is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bnml._costs import BYTES
from bnml._machine import gigabytes
from bnml._text import clip
from bnml.data.bins import MDL, Bins, equal_width, quantile_shares
from bnml.data.dependent_bins import bins_depend
from bnml.data.engine_table import DistinctValues, EngineTable, exact_literal, missing_values
from bnml.data.labels import MISSING_TEXTS, NUMBER, as_number
from bnml.data.read_arguments import ReadOptions
from bnml.errors import DataError, argument

FIRST_ROWS = 20_000  # rows in which columns of many values are told
SOME_VALUES = 1000  # values among these that make a column one of many
MANY_VALUES = 100_000  # values of a column that are not listed
SHOWN_VALUES = 2000  # values of such a column that are fetched to say what is wrong with it


def known_values(
    table: EngineTable, names: Sequence[str], asked: ReadOptions, limit: int, weight: Any = None
) -> list[DistinctValues]:
    """Return the distinct values of some columns; of columns with too many to list, few that stand for them.

    Parameters
    ----------
    table
        The table.
    names
        The columns.
    asked
        The arguments of `bnml.read`, for bins and missing values.
    limit
        How many bytes may be used.
    weight
        How many rows each row stands for, an expression; one without.

    Raises
    ------
    DataError
        If a column is to be cut in a way that takes all of its values, and these do not fit.
    """
    numbers = {name: n for name, n in _many(table, names).items() if _is_thinned(name, n, asked, limit)}
    listed = table.distinct_values([name for name in names if name not in numbers], weight)
    own = {found.column.name: found for found in listed}
    for name, n in numbers.items():
        own[name] = _thinned(table, name, asked, weight)._replace(about=n)
    return [own[name] for name in names]


def _many(table: EngineTable, names: Sequence[str]) -> dict[str, int]:
    """Return the columns with more values than are listed, and about how many each has."""
    import pyarrow.compute as pc

    with table.answering("list the values"):
        asked = table.rows.select(**{f"v{i}": table.column(name) for i, name in enumerate(names)}).limit(FIRST_ROWS)
    first = table.table(asked, "list the values")
    if first.num_rows < FIRST_ROWS:
        return {}
    some = [name for i, name in enumerate(names) if _n_distinct(pc, first.column(i)) > SOME_VALUES]
    if not some:
        return {}
    with table.answering("count the values"):
        estimates = table.rows.aggregate(
            **{f"n{i}": table.column(name).approx_nunique() for i, name in enumerate(some)}
        )
    found = table.table(estimates, "count the values")
    numbers = {name: int(found.column(i)[0].as_py()) for i, name in enumerate(some)}
    return {name: n for name, n in numbers.items() if n > MANY_VALUES}


def _n_distinct(compute: Any, values: Any) -> int:
    try:
        return int(compute.count_distinct(values).as_py())
    except NotImplementedError:  # lists and the like, which are refused elsewhere
        return 0


def _bins_for(name: str, asked: ReadOptions) -> Bins | None:
    return None if name in asked.states else asked.bins_of.get(name, asked.bins)


def _is_thinned(name: str, n: int, asked: ReadOptions, limit: int) -> bool:
    """Return whether few values are to stand for those of a column.

    Raises
    ------
    DataError
        If all are needed and do not fit.
    """
    bins = _bins_for(name, asked)
    if bins is None or not (bins == MDL or bins_depend(bins)):
        return True
    if n * BYTES.fetched_label > limit:
        told = "auto" if bins == ("auto", 0) else "mdl" if bins == MDL else f"target:{bins[1]}"
        raise DataError(
            argument("bins", told) + f" weighs every value of column {clip(name)!r}, and about {n:,} of them take "
            f"{gigabytes(n * BYTES.fetched_label)} of memory: cut it by "
            + argument("bins", {clip(name): "quantile:4"})
            + " or at points that you name, or raise "
            + argument("memory_limit")
        )
    return False


def _thinned(table: EngineTable, name: str, asked: ReadOptions, weight: Any) -> DistinctValues:
    """Return few values that stand for those of a column: of numbers to be cut the largest of every bin."""
    import ibis

    value, bins = table.column(name), _bins_for(name, asked)
    kind = value.type()
    text = kind.is_string() and table.engine == "duckdb"
    if bins is None or not (kind.is_numeric() or text):
        return table.first_values(name, SHOWN_VALUES, weight)
    gaps = _gaps(kind, asked)
    with table.answering("count the values"):
        rows = table.rows.select(v=value, n=ibis.literal(1, "int64") if weight is None else weight)
        missing = missing_values(rows["v"], gaps)
        known = rows.filter(~missing)
        if text:
            words = known.filter(~known["v"].re_search(f"^({NUMBER})$")).limit(1)
        known = known.select(x=known["v"].try_cast("float64") if text else known["v"].cast("float64"), n=known["n"])
    if text and table.table(words, "count the values").num_rows:
        return table.first_values(name, SHOWN_VALUES, weight)
    values, counts = _largest_of_bins(table, known, bins)
    n_missing = _one_row(table, rows.filter(missing).aggregate(n=lambda t: t["n"].sum().cast("int64")))[0] or 0
    return table.told_values(
        name, [*values, *[None] * bool(n_missing)], [*counts, *[n_missing] * bool(n_missing)], gaps
    )


def _gaps(kind: Any, asked: ReadOptions) -> list[Any]:
    """Return the values of a column that stand for a missing one, but for nulls."""
    texts = sorted(MISSING_TEXTS | asked.na_texts)
    if kind.is_string():
        return texts
    numbers = [number for number in map(as_number, texts) if number is not None]
    if kind.is_integer():
        return [int(number) for number in numbers if number.is_integer()]
    return numbers


def _largest_of_bins(table: EngineTable, known: Any, bins: Bins) -> tuple[list[float], list[int]]:
    """Return the largest number of every bin, ascending, and the numbers of rows; and the lowest numbers of all."""
    import ibis

    with table.answering("count the values"):
        ends = known.aggregate(low=known["x"].min(), high=known["x"].max(), n=known["n"].sum().cast("int64"))
        numbers = known.group_by("x").aggregate(n=known["n"].sum().cast("int64"))
        lowest = numbers.order_by("x").limit(12).select("x")  # as many as it takes to see that numbers have many values
    low, high, total = _one_row(table, ends)
    cuts = set(table.table(lowest, "count the values").column(0).to_pylist())
    match bins:
        case ("quantile", int(k)):
            cuts |= _quantiles(table, numbers, total, k)
        case ("width", int(k)):
            cuts |= set(equal_width(np.array([low, high]), k))
        case _:
            cuts |= {float(cut) for cut in bins}
    points = sorted(cuts)
    with table.answering("count the values"):
        below = [(numbers["x"] <= exact_literal(cut, "float64"), i) for i, cut in enumerate(points)]
        placed = numbers.select(bin=ibis.cases(*below, else_=len(points)).cast("int64"), x="x", n="n")
        groups = placed.group_by("bin").aggregate(x=placed["x"].max(), n=placed["n"].sum().cast("int64"))
    found = table.table(groups, "count the values")
    pairs = sorted(zip(found.column(1).to_pylist(), found.column(2).to_pylist(), strict=True))
    return [x for x, _ in pairs], [n for _, n in pairs]


def _quantiles(table: EngineTable, numbers: Any, total: int, k: int) -> set[float]:
    """Return the lowest numbers that reach i/k of the rows, and the second highest of all."""
    import ibis

    with table.answering("find the quantiles"):
        reached = numbers["n"].sum().over(ibis.cumulative_window(order_by=numbers["x"])).cast("float64")
        ranked = numbers.select(x="x", share=reached / exact_literal(total, "float64"))
        wanted = {}
        for i, share in enumerate(quantile_shares(k).tolist()):
            wanted[f"q{i}"] = ranked["x"].min(where=ranked["share"] >= exact_literal(share, "float64"))
        asked = ranked.aggregate(**wanted, second=ranked["x"].max(where=ranked["share"] < 1))
    return {number for number in _one_row(table, asked) if number is not None}


def _one_row(table: EngineTable, expression: Any) -> list[Any]:
    return [column[0].as_py() for column in table.table(expression, "count the values").columns]
