"""Labels of values, names of columns, and what stands for a missing value.

A value's *text* is what it is matched by: ``1``, ``1.0`` in a float column and ``"1"`` are the same label. Nothing is
guessed away: ``None``, ``NA``, ``True`` and ``05`` in a file are ordinary labels.

`Reading` is how a table was read, as far as that holds for every other table of the same variables. States and cuts
belong to the variables. What else `read` was told is there: what stands for a missing value, what became
of missing values, and which columns held codes in place of labels; and what it learned of binned numbers, the median of
each bin. A `Data` keeps it, and a network that is fitted to one; `bnml.data.matching` applies it to new tables.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._text import clip, did_you_mean, quoted, quoted_value
from bnml.errors import ArgumentError, DataError

MISSING_LABEL = "?"
MISSING_TEXTS = frozenset({"", "?", "NaN"})
EXACT = 2**53  # up to which a float is every whole number

NUMBER = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"  # as Python and SQL engines read it
_NUMBER = re.compile(NUMBER)
_CHARACTERS = re.compile(r"[0-9+\-.eE,]*")  # of texts that are numbers if Python says so
_WHOLE_WITH_POINT = re.compile(r"([+-]?[0-9]+)\.0*")


def is_missing(value: Any) -> bool:
    """Return whether a value is no label: None, NaN or a frame's own sign for a missing value."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, float | np.floating):
        return math.isnan(value)
    return isinstance(value, Decimal) and value.is_nan()


def plain_label(value: Any) -> Any:
    """Return a label that is NumPy's number, boolean or text as Python's own; any other value as it is."""
    return value.item() if isinstance(value, np.number | np.bool_ | np.str_) else value


def label_text(value: Any) -> str:
    """Return the text that a value is matched by.

    Raises
    ------
    DataError
        If it is a number with more digits than Python prints.
    """
    if isinstance(value, str):
        return value
    if type(value) is not int and isinstance(value, float | np.floating | Decimal):
        if not math.isfinite(value) or value != int(value):
            return str(value) if isinstance(value, Decimal) else repr(float(value))
        value = int(value)
    try:
        return str(value)
    except ValueError:
        if not isinstance(value, int):
            raise
    raise DataError("a number of more than 4300 digits is no label: make it a text")


def as_number(label: Any) -> float | None:
    """Return the finite number that a label is, or None; booleans are none."""
    if isinstance(label, str):
        if not _NUMBER.fullmatch(label):
            return None
    elif isinstance(label, bool | np.bool_) or not isinstance(label, int | float | np.integer | np.floating | Decimal):
        return None
    try:
        number = float(label)
    except (OverflowError, ValueError):  # more than 300 digits; a signalling NaN
        return None
    return number if math.isfinite(number) else None


def as_numbers(labels: Sequence[Any]) -> npt.NDArray[np.float64] | None:
    """Return the finite numbers that labels are, or None if one of them is none."""
    kinds = set(map(type, labels))
    if kinds <= {int, float} or (kinds == {str} and _CHARACTERS.fullmatch(",".join(labels))):
        try:
            numbers = np.fromiter(map(float, labels), np.float64, len(labels))
        except (OverflowError, ValueError):
            return None
        return numbers if np.isfinite(numbers).all() else None
    values = []
    for label in labels:
        number = as_number(label)
        if number is None:
            return None
        values.append(number)
    return np.array(values, np.float64)


def is_whole(label: Any) -> bool:
    """Return whether a label is a whole number."""
    number = as_number(label)
    return number is not None and number.is_integer()


def label_without_point(text: str) -> str:
    """Return the label ``1`` for ``1.0``, as a float column of whole numbers prints it; any other text as it is."""
    match = _WHOLE_WITH_POINT.fullmatch(text)
    if match is None:
        return text
    return "0" if match[1] == "-0" else match[1]


def ordered(labels: Iterable[Any]) -> list[Any]:
    """Return labels in numeric order if all are whole numbers or booleans, else in order of their texts."""
    items: Sequence[Any] = list(labels)
    if set(map(type, items)) == {int} and all(-EXACT <= label <= EXACT for label in items):
        return sorted(items)
    if all(isinstance(label, bool | np.bool_) or is_whole(label) for label in items):
        return sorted(items, key=lambda label: (float(label), label_text(label)))
    return sorted(items, key=label_text)


MISSING_CHOICES = ("error", "drop", "state", "em")


@dataclass(frozen=True)
class Reading:
    """What `read` was told.

    Attributes
    ----------
    missing
        ``"error"``, ``"drop"``, ``"state"`` or ``"em"``; None if nobody knows: then a missing value is the state ``?``
        of the variables that have one.
    na_values
        The texts that stand for a missing value, besides those that always do.
    coded
        The columns whose tables held codes from 0 in place of the labels that a ``.vd`` file declares.
    medians
        By binned column the median of the numbers in each bin, as pairs. They fill missing values, and do not count
        when two readings are compared.

    Raises
    ------
    ArgumentError
        If one of these is something else.
    """

    missing: str | None = None
    na_values: tuple[str, ...] = ()
    coded: tuple[str, ...] = ()
    medians: tuple[tuple[str, tuple[float, ...]], ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if self.missing not in (None, *MISSING_CHOICES):
            allowed = ", ".join(map(repr, MISSING_CHOICES))
            raise ArgumentError(f"the treatment of missing values is {quoted_value(self.missing)}, none of {allowed}")
        for name, what in (("na_values", "texts of missing values"), ("coded", "columns of codes")):
            given: Any = getattr(self, name)
            if isinstance(given, str) or not isinstance(given, Iterable):
                raise ArgumentError(f"expected a list as {what}, not {quoted_value(given)}")
            texts = tuple(given)
            if not all(isinstance(text, str) for text in texts):
                raise ArgumentError(f"expected texts as {what}, not {quoted_value(list(texts))}")
            object.__setattr__(self, name, tuple(sorted(set(texts))))
        try:
            medians = tuple((str(name), tuple(map(float, numbers))) for name, numbers in dict(self.medians).items())
        except (TypeError, ValueError):
            medians = (("", (math.nan,)),)
        if not all(math.isfinite(number) for _, numbers in medians for number in numbers):
            raise ArgumentError(f"expected the medians of bins by column, not {quoted_value(self.medians)}")
        object.__setattr__(self, "medians", medians)

    @property
    def gaps_are_states(self) -> bool:
        """Whether a missing value is the state ``?`` of a variable that has one."""
        return self.missing in (None, "state")

    def gap_code(self, labels: Iterable[Any]) -> int:
        """Return the place of the state that missing values are; -1 if they are none."""
        if not self.gaps_are_states:
            return -1
        return next((code for code, label in enumerate(labels) if label_text(label) == MISSING_LABEL), -1)

    def proper_labels(self, labels: Sequence[Any]) -> list[Any]:
        """Return a variable's labels without that of missing values."""
        gap = self.gap_code(labels)
        return [label for code, label in enumerate(labels) if code != gap]

    def gap_texts(self, labels: Sequence[Any]) -> frozenset[str]:
        """Return which of ``na_values`` stand for a missing value of a variable: those that are no label of it."""
        own = {label_without_point(label_text(label)) for label in self.proper_labels(labels)}
        return frozenset(map(label_without_point, self.na_values)) - own

    def is_gap(self, value: Any, labels: Sequence[Any]) -> bool:
        """Return whether a value of a variable with these labels stands for a missing one."""
        return is_missing(value) or label_without_point(label_text(value)) in self.gap_texts(labels)

    def medians_of(self, name: str) -> tuple[float, ...] | None:
        """Return the median of each bin of a column; None if they are not known."""
        return dict(self.medians).get(name)

    def of(self, names: Iterable[str]) -> Reading:
        """Return what holds for these columns only."""
        kept = set(names)
        return replace(
            self,
            coded=tuple(name for name in self.coded if name in kept),
            medians=tuple((name, own) for name, own in self.medians if name in kept),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, without what is not there."""
        values = {
            "missing": self.missing,
            "na_values": list(self.na_values),
            "coded": list(self.coded),
            "medians": {name: list(numbers) for name, numbers in self.medians},
        }
        return {key: value for key, value in values.items() if value}

    @staticmethod
    def from_dict(values: Any) -> Reading:
        """Return what `to_dict` gave.

        Raises
        ------
        ArgumentError
            If it is something else.
        """
        if not isinstance(values, Mapping):
            raise ArgumentError(f"expected how a table was read, such as {{'missing': 'drop'}}, not {values!r:.60}")
        return Reading(*(values.get(key, own) for key, own in asdict(Reading()).items()))


# the columns to read (None: all), or what chooses them once their names are known
Wanted = Sequence[str] | Callable[[Sequence[str]], list[str]] | None


def check_table_names(names: Iterable[Any], where: str) -> tuple[str, ...]:
    """Return the names of a table's columns as text; they must be there and differ.

    Raises
    ------
    DataError
        If there are none, or one is missing, empty or occurs twice.
    """
    given = tuple(names)
    if not given:
        raise DataError(f"{where} has no columns")
    for i, name in enumerate(given):
        if is_missing(name) or (isinstance(name, tuple) and any(map(is_missing, name))):
            raise DataError(
                f"column {i + 1} of {where} is named {name!r}, which is a missing value: rename it, as by "
                f"frame.columns = [*frame.columns[:{i}], 'X{i + 1}', *frame.columns[{i + 1}:]], or drop it"
            )
    texts = tuple(map(str, given))
    for i, name in enumerate(texts):
        if not name.strip():
            raise DataError(f"column {i + 1} of {where} has no name: give it one, or drop it (a saved row index?)")
    if len(set(texts)) < len(texts):
        twice = sorted({name for name in texts if texts.count(name) > 1})
        hint = "; is its first line a header?" if all(as_number(name) is not None for name in twice) else ""
        raise DataError(f"column names of {where} must differ; these occur twice: {quoted(map(clip, twice))}{hint}")
    return texts


def kept_table_names(names: Sequence[str], wanted: Wanted) -> list[str]:
    """Return the names of a table's columns that were asked for, or all.

    Raises
    ------
    ArgumentError
        If there is no such column.
    """
    if wanted is None:
        return list(names)
    if callable(wanted):
        return wanted(names)
    known = set(names)
    for name in wanted:
        if name not in known:
            raise name_not_in_table("columns", name, names)
    return list(wanted)


def name_not_in_table(asked: str, name: Any, names: Sequence[str]) -> ArgumentError:
    """Return the error for an argument with a name that is not in the table: there is no such column."""
    return ArgumentError(
        f"there is no column {clip(name)!r}",
        argument=asked,
        hint=f"the columns are {quoted(map(clip, names))}.{did_you_mean(clip(name), map(clip, names))}",
    )
