"""What was missing in a table, and which rows were left out, when it was read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from bnml._checks import is_whole
from bnml._text import clip, number_of, quoted, quoted_value
from bnml.errors import ArgumentError, DataError, MissingError, Text, argument, function, join_texts

if TYPE_CHECKING:
    from bnml.data.columns import Column
    from bnml.data.data import Data
    from bnml.data.states import States


@dataclass(frozen=True)
class Gaps:
    """How many values were missing, and how many rows were left out.

    Attributes
    ----------
    missing
        The columns with missing values, each with the number of rows that have none; rows that were left out count.
    dropped
        How many rows were left out because a value was missing.
    weightless
        How many rows of the source were left out because their weight is 0.

    Examples
    --------
    >>> import bnml, pandas
    >>> frame = pandas.DataFrame({"sky": ["sun", None, "rain"], "air": ["warm", "cold", "cold"]})
    >>> bnml.read(frame, missing="drop").gaps
    Gaps(missing=(('sky', 1),), dropped=1, weightless=0)
    """

    missing: tuple[tuple[str, int], ...] = ()
    dropped: int = 0
    weightless: int = 0

    def of(self, names: Iterable[str]) -> Gaps:
        """Return what holds for these columns; what was left out for the sake of others is out all the same."""
        kept = set(names)
        return Gaps(tuple(pair for pair in self.missing if pair[0] in kept), self.dropped, self.weightless)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {"missing": dict(self.missing), "dropped": self.dropped, "weightless": self.weightless}

    @staticmethod
    def from_dict(values: Any) -> Gaps:
        """Return what `to_dict` gave.

        Raises
        ------
        ArgumentError
            If it is something else.
        """
        given = values if isinstance(values, Mapping) else {"missing": values}
        missing = given.get("missing", {})
        numbers = [given.get("dropped", 0), given.get("weightless", 0)]
        if not isinstance(missing, Mapping) or not all(map(is_whole, [*missing.values(), *numbers])):
            raise ArgumentError(f"expected numbers of missing values and of rows, not {quoted_value(values)}")
        return Gaps(tuple((str(name), int(n)) for name, n in missing.items()), *map(int, numbers))


def rows_missing_words(data: Data, most: int = 12) -> str:
    """Return in how many rows of a table with gaps values are missing, and in which columns, in words.

    Examples
    --------
    >>> import bnml, pandas
    >>> frame = pandas.DataFrame({"sky": ["sun", None, "rain", None], "air": ["hot", "cold", "hot", None]})
    >>> rows_missing_words(bnml.read(frame, missing="em"))
    '2 of 4 rows: sky in 2, air in 1'
    """
    arities = np.array(data.arities)[:, None]
    rows = int(data.weights[(data.column_codes >= arities).any(axis=0)].sum())
    named = sorted(data.gap_counts().items(), key=lambda pair: -pair[1])
    shown = ", ".join(f"{clip(name)} in {number:,}" for name, number in named[:most])
    more = f" and {len(named) - most} more" if len(named) > most else ""
    return f"{rows:,} of {number_of(data.n_rows, 'row')}: {shown}{more}"


def refuse_gaps(data: Data, what: Text) -> None:
    """Refuse a table with gaps for something that needs every value; ``what`` names it, a `function` as one.

    Raises
    ------
    MissingError
        If the table has gaps; the message names the columns and what can be done.
    """
    if not data.has_gaps:
        return
    counts = data.gap_counts()
    shown = ", ".join(f"{clip(name)!r}: {count:,}" for name, count in list(counts.items())[:20])
    raise MissingError(
        what + f" needs every value, and values are missing in {number_of(len(counts), 'column')} ({shown})",
        hint=argument("missing", "em")
        + " serves learning, fitting, probabilities and predictions: here read the table with "
        + argument("missing", "state")
        + " or "
        + argument("missing", "drop")
        + ", or fill the gaps with "
        + function("network.impute"),
    )


def refuse_columns_without_values(columns: Sequence[Column], settled: Sequence[States]) -> None:
    """Refuse columns of gaps, without a single value: nothing is to be expected of these."""
    empty = [column.name for column, states in zip(columns, settled, strict=True) if not states.labels]
    if empty:
        raise DataError(
            f"there is no value at all in {quoted(map(clip, empty))}",
            argument="missing",
            value="em",
            hint="leave such columns out with " + argument("drop"),
        )


def refuse_missing_values(missing: Sequence[tuple[str, int]], others: Sequence[Text], most: int = 20) -> NoReturn:
    """Raise the error for gaps, where none may be: in how many rows of which columns; and say what else is wrong.

    Raises
    ------
    MissingError
        Always.
    """
    shown = ", ".join(f"{clip(name)!r}: {count}" for name, count in missing[:most])
    more = f" and {len(missing) - most} more columns" if len(missing) > most else ""
    said = (
        f"missing values in {number_of(len(missing), 'column')} ({shown}{more}): pass "
        + argument("missing", "em")
        + " to learn from what is there, "
        + argument("missing", "state")
        + " to make them a state of their own, or "
        + argument("missing", "drop")
        + " to drop those rows"
    )
    raise MissingError(join_texts("\n", [said, *others]))
