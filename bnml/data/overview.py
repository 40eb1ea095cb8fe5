"""A look at a table before it is read: what its columns hold, and what to do about them.

It answers for every table that can be opened, whether `bnml.read` takes it or not. Advice is given where a column
should be left out (an identifier, a date or a time of day, a constant, a near copy of another one, too many labels),
cut into bins, or written in another way (numbers with a decimal comma or with a few words among them), and where
values are missing. `TableOverview.settings` is the advice in the form of arguments of `bnml.read`.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._machine import enough_memory
from bnml._text import clip, number_of, quoted
from bnml.data.bins import is_to_be_cut
from bnml.data.columns import Column
from bnml.data.data import Data
from bnml.data.doubts import hint_for_words, is_missing_code, number_with_comma
from bnml.data.engine_sources import open_engine_table
from bnml.data.engine_table import EngineTable
from bnml.data.engine_values import known_values
from bnml.data.labels import as_number, check_table_names, label_text, ordered
from bnml.data.read import read_frequencies, read_opened, read_variables
from bnml.data.read_arguments import ReadOptions, check_arguments
from bnml.data.sources import open_in_memory, source_text
from bnml.data.states import MOST_LABELS
from bnml.data.table import Table
from bnml.errors import DataError, Phrase, argument

Counts = npt.NDArray[np.int64]

BARS = 12  # of a small histogram
COMMONEST = 8  # labels that are told
FIRST_ROWS = 20  # rows that are told as they are
MANY_ROWS = 20  # from so many on, a column in which all labels differ is an identifier
NEAR = 0.03  # of a column's entropy may be left given another one that is nearly a copy of it

_DATE = re.compile(
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{1,2}\.[0-9]{1,2}\.([0-9]{4}|[0-9]{2})|[0-9]{1,2}/[0-9]{1,2}/([0-9]{4}|[0-9]{2})"
    r"|[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}"
)
_TIME = re.compile(r"[0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?( ?[AaPp]\.?[Mm]\.?)?(Z|[+-][0-9]{2}:?[0-9]{2})?")
_IDENTIFIER = re.compile(
    r"(^|[^a-z])(id|nr|no|number|index|key|idx|uuid|guid|record|row)([^a-z]|$)|(Id|ID|Nr)$|^Unnamed"
)


@dataclass(frozen=True)
class ColumnOverview:
    """What a column holds.

    Attributes
    ----------
    name
        The column.
    kind
        ``"numbers"`` (with fractions), ``"whole numbers"``, ``"truth values"``, ``"labels"``, ``"dates"``, ``"times"``
        or ``"nothing"``.
    distinct
        The number of different values.
    missing
        The number of rows without one.
    common
        The commonest values with their numbers of rows; all of them, in their order, if they are few.
    histogram
        For many numbers the lowest and the highest, and the numbers of rows in some bins of equal width; else None.
    advice
        What to do about it; None where there is nothing to say.
    leave_out
        Whether the advice is to leave it out.
    cut
        Whether the advice is to cut it.
    words
        Common codes for missing values among numbers.
    """

    name: str
    kind: str
    distinct: int
    missing: int
    common: tuple[tuple[Any, int], ...]
    histogram: tuple[float, float, tuple[int, ...]] | None = None
    advice: Phrase | None = None
    leave_out: bool = False
    cut: bool = False
    words: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class TableOverview:
    """What a table holds.

    ``n_rows``: the number of rows. ``columns``: what each of its columns holds. ``data``: the table as `bnml.read`
    reads it; None if it does not. ``error``: why not; None if it does. ``first_rows``: the first rows as texts, a
    missing value as an empty one.
    """

    n_rows: int
    columns: tuple[ColumnOverview, ...]
    data: Data | None
    error: DataError | None
    first_rows: tuple[tuple[str, ...], ...] = ()

    @property
    def settings(self) -> dict[str, Any]:
        """The advice as arguments of `bnml.read`, as far as there is any."""
        kept = [column for column in self.columns if not column.leave_out]
        words = sorted({word for column in kept for word in column.words})
        gaps = any(column.missing or column.words for column in kept)
        settings: dict[str, Any] = {
            "drop": [column.name for column in self.columns if column.leave_out],
            "missing": "state" if gaps else None,
            "na_values": words,
            "bins": {column.name: "auto" for column in kept if column.cut},
        }
        return {key: value for key, value in settings.items() if value}


@enough_memory(DataError, "the table was read", "take fewer columns or rows, or a machine with more")
def overview(source: Any, **arguments: Any) -> TableOverview:
    """Return what a table holds; the arguments are those of `bnml.read`.

    Raises
    ------
    BnmlError
        If the table cannot be opened, or an argument is wrong.
    """
    asked = check_arguments(**arguments)
    engine = open_engine_table(source, asked.limit)
    if engine is not None:
        return _engine_overview(engine, asked, source_text(source))
    table = open_in_memory(source, asked.kept)
    variables, _ = read_variables(table, asked)
    frequencies = read_frequencies(table, asked)
    looks = [_look(column, frequencies, asked) for column in variables]
    n_rows = variables[0].codes.size if frequencies is None else int(frequencies.sum())
    data, error = None, None
    try:
        data = read_opened(table, asked, source_text(source)).data()
    except DataError as reason:
        error = reason
    return TableOverview(n_rows, tuple(_without_copies(variables, looks)), data, error, _first_rows(variables))


def _engine_overview(engine: EngineTable, asked: ReadOptions, source: str) -> TableOverview:
    """Return what a table in an engine holds, from its columns' distinct values; near copies are not looked for."""
    from bnml.data.engine_reading import read_engine_table

    names = check_table_names(engine.names, "the table")
    kept = [name for name in asked.kept(names) if name not in asked.no_variables]
    shown = asked if asked.bins is not None else replace(asked, bins=("width", BARS))
    found = known_values(engine, kept, shown, asked.limit)
    variables, _ = read_variables(Table([own.column for own in found], names, untyped=engine.untyped), asked)
    n_rows = max(int(own.counts.sum()) for own in found)
    looks = [
        _look(column, own.counts, asked, None if own.about is None else (min(own.about, n_rows), n_rows))
        for column, own in zip(variables, found, strict=True)
    ]
    data, error = None, None
    try:
        data = read_engine_table(engine, asked, source)
    except DataError as reason:
        error = reason
    first = engine.table(engine.rows.select(*map(engine.column, kept)).limit(FIRST_ROWS), "show the first rows")
    rows = tuple(
        tuple("" if value is None else label_text(value) for value in row)
        for row in zip(*(column.to_pylist() for column in first.columns), strict=True)
    )
    return TableOverview(n_rows, tuple(looks), data, error, rows)


def _first_rows(columns: Sequence[Column]) -> tuple[tuple[str, ...], ...]:
    shown = [column.codes[:FIRST_ROWS].tolist() for column in columns]
    texts = [
        ["" if code < 0 else label_text(column.labels[code]) for code in codes]
        for column, codes in zip(columns, shown, strict=True)
    ]
    return tuple(zip(*texts, strict=True))


def _look(
    column: Column, frequencies: Counts | None, asked: ReadOptions, about: tuple[int, int] | None = None
) -> ColumnOverview:
    """Look at a column; ``about`` are its numbers of values and rows, where few values stand for all."""
    present = column.codes >= 0
    weights = None if frequencies is None else frequencies[present]
    counts = np.bincount(column.codes[present], weights, minlength=len(column.labels)).astype(np.int64)
    used = {label_text(label): (label, int(n)) for label, n in zip(column.labels, counts, strict=True) if n > 0}
    missing = int((~present).sum() if frequencies is None else frequencies[~present].sum())
    known = column.name in asked.states or column.declared
    seen = replace(column, declared=False).occurring()
    kind = _kind(seen)
    distinct, n = (len(used), int(counts.sum())) if about is None else about
    if 0.9 * n < distinct and about is not None:
        distinct = n  # it was estimated
    found = ColumnOverview(column.name, kind, distinct, missing, _common(used) if about is None else ())
    if kind in ("numbers", "whole numbers") and not known:
        found = replace(found, histogram=_histogram(seen, frequencies))
    if known or column.name in asked.bins_of:
        return _with_gaps(found, asked)
    return _with_gaps(_advised(found, seen, n), asked)


def _kind(column: Column) -> str:
    """Return what the labels of a column are."""
    if not column.labels:
        return "nothing"
    if all(isinstance(label, bool | np.bool_) for label in column.labels):
        return "truth values"
    numbers = column.numbers()
    if numbers is not None:
        return "whole numbers" if np.equal(numbers, np.floor(numbers)).all() else "numbers"
    if all(isinstance(label, datetime.time) or _TIME.fullmatch(label_text(label)) for label in column.labels):
        return "times"
    if all(isinstance(label, datetime.date) or _is_date(label_text(label)) for label in column.labels):
        return "dates"
    return "labels"


def _is_date(text: str) -> bool:
    """Return whether a text is a date, with a time of day or without."""
    date, _, time = text.strip().replace("T", " ", 1).partition(" ")
    return bool(_DATE.fullmatch(date)) and (not time or bool(_TIME.fullmatch(time.strip())))


def _common(used: dict[str, tuple[Any, int]]) -> tuple[tuple[Any, int], ...]:
    labels = ordered(label for label, _ in used.values())
    counted = [(label, used[label_text(label)][1]) for label in labels]
    if len(counted) <= COMMONEST:
        return tuple(counted)
    return tuple(sorted(counted, key=lambda pair: -pair[1])[:COMMONEST])


def _histogram(column: Column, frequencies: Counts | None) -> tuple[float, float, tuple[int, ...]] | None:
    """Return bins of equal width for the numbers of a column, if it has many."""
    numbers = column.numbers()
    if numbers is None or not is_to_be_cut(column):
        return None
    present = column.codes >= 0
    weights = None if frequencies is None else frequencies[present]
    low, high = float(numbers.min()), float(numbers.max())
    with np.errstate(over="ignore", invalid="ignore"):
        places = (numbers / 2 - low / 2) / max(high / 2 - low / 2, np.finfo(float).tiny)
    bars = np.minimum((np.clip(places, 0.0, 1.0) * BARS).astype(np.int64), BARS - 1)
    counts = np.bincount(bars[column.codes[present]], weights, minlength=BARS)
    return low, high, tuple(int(n) for n in counts)


def _advised(found: ColumnOverview, column: Column, n: int) -> ColumnOverview:
    """Return the look at a column with advice, as far as it can be told without the others."""
    d = found.distinct
    out = "leave it out (" + argument("drop", [found.name]) + ")"
    if d == 0:
        return replace(found, advice="it holds nothing: " + out, leave_out=True)
    if d == 1 and not found.missing:
        return replace(found, advice="a constant, which tells nothing: " + out, leave_out=True)
    if found.kind in ("dates", "times"):
        what = "a date" if found.kind == "dates" else "a time of day"
        better = "the month or the weekday" if found.kind == "dates" else "day and night"
        advice = f"{what}: " + out + f", or make a column of what matters, such as {better}"
        return replace(found, advice=advice, leave_out=True)
    if _is_identifier(found, column, n):
        return replace(found, advice="an identifier, different in nearly every row: " + out, leave_out=True)
    if found.kind in ("numbers", "whole numbers"):
        if not is_to_be_cut(column):
            return found
        return replace(found, advice="numbers to cut: " + argument("bins", {found.name: "auto"}), cut=True)
    if number_with_comma(column) is not None:
        said = "numbers with a decimal comma: write them with a point; as they are, " + out
        return replace(found, advice=said, leave_out=True)
    if words := _words_among_numbers(column):
        said = Phrase() + f"numbers apart from {quoted(map(clip, words))}: " + hint_for_words(words)
        if not all(map(is_missing_code, words)):
            return replace(found, advice=said + "; as they are, " + out, leave_out=True)
        said += " and cut them (" + argument("bins", {found.name: "auto"}) + ")"
        return replace(found, advice=said, words=words, cut=True)
    if d > MOST_LABELS or (d > 50 and 10 * d > n):  # too many, if they have fewer than ten rows each
        said = f"too many labels, {n / d:.2g} rows each: join those that belong together, or " + out
        return replace(found, advice=said, leave_out=True)
    return found


def _is_identifier(found: ColumnOverview, column: Column, n: int) -> bool:
    """Return whether a column has a value of its own for nearly every row, and is no quantity."""
    d = found.distinct
    if n < MANY_ROWS or found.kind not in ("labels", "whole numbers"):
        return False
    if found.kind == "labels":
        return d > 0.9 * n and number_with_comma(column) is None and not _words_among_numbers(column)
    numbers = column.numbers()
    assert numbers is not None
    running = float(numbers.max() - numbers.min()) == d - 1
    return d == n and (running or bool(_IDENTIFIER.search(found.name)) or bool(_IDENTIFIER.search(found.name.lower())))


def _words_among_numbers(column: Column) -> tuple[str, ...]:
    """Return the few labels of a column that are no numbers, if the others are, and are many."""
    words = [label_text(label) for label in column.labels if as_number(label) is None]
    many = len(column.labels) - len(words) > MANY_ROWS
    return tuple(sorted(words)) if many and 0 < len(words) <= 3 else ()


def _with_gaps(found: ColumnOverview, asked: ReadOptions) -> ColumnOverview:
    """Add what to do about missing values."""
    if not found.missing or found.leave_out or asked.missing != "error":
        return found
    said = (
        f"{number_of(found.missing, 'missing value')}: learn from what is there ("
        + argument("missing", "em")
        + "), a state of their own ("
        + argument("missing", "state")
        + "), or drop the rows ("
        + argument("missing", "drop")
        + ")"
    )
    return replace(found, advice=found.advice + "; " + said if found.advice else said)


def _without_copies(columns: Sequence[Column], looks: Sequence[ColumnOverview]) -> list[ColumnOverview]:
    """Return the looks with advice to leave out columns that are nearly copies of earlier ones."""
    result = list(looks)
    # pairs are compared of the first 200 columns
    usable = [i for i, look in enumerate(looks) if look.distinct > 1 and not look.leave_out][:200]
    for place, i in enumerate(usable):
        for j in usable[:place]:
            if not result[j].leave_out and _nearly_alike(columns[i], columns[j], looks[i], looks[j]):
                said = (
                    f"nearly a copy of {clip(looks[j].name)!r}, which would hide all else: leave one of them out ("
                    + argument("drop", [looks[i].name])
                    + ")"
                )
                before = result[i].advice
                result[i] = replace(result[i], advice=before + "; " + said if before else said, leave_out=True)
                break
    return result


def _nearly_alike(a: Column, b: Column, look_a: ColumnOverview, look_b: ColumnOverview) -> bool:
    """Return whether each of two columns tells the other one, but for a few rows."""
    if look_a.histogram is not None and look_b.histogram is not None:
        return _nearly_linear(a, b)
    d_a, d_b = look_a.distinct, look_b.distinct
    n = a.codes.size
    if 2 * abs(d_a - d_b) > min(d_a, d_b) or 10 * max(d_a, d_b) > n:
        return False
    m = len(b.labels) + 1
    both = np.unique((a.codes.astype(np.int64) + 1) * m + b.codes + 1, return_counts=True)[1]
    joint = _entropy(both)
    own_a, own_b = (_entropy(np.bincount(column.codes.astype(np.int64) + 1)) for column in (a, b))
    return joint - own_b <= NEAR * own_a and joint - own_a <= NEAR * own_b


def _entropy(counts: npt.NDArray[np.integer[Any]]) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def _nearly_linear(a: Column, b: Column) -> bool:
    """Return whether two columns of numbers have nearly the same order, or the opposite one."""
    x, y = a.numbers(), b.numbers()
    both = (a.codes >= 0) & (b.codes >= 0)
    if x is None or y is None or both.sum() < MANY_ROWS:
        return False
    first, second = _ranks(x[a.codes[both]]), _ranks(y[b.codes[both]])
    if first.std() == 0.0 or second.std() == 0.0:
        return False
    return bool(abs(np.corrcoef(first, second)[0, 1]) > 0.9995)  # correlation of ranks: numbers are nearly copies


def _ranks(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the mean rank of each value."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    found: npt.NDArray[np.float64] = (np.cumsum(counts) - 0.5 * (counts - 1))[places]
    return found
