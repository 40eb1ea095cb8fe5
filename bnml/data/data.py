"""A table of categories: its distinct rows as small integers, with weights; and what was missing when it was read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from bnml._checks import is_whole
from bnml._notebook import notebook_table
from bnml._pickled import PickledByFields
from bnml._text import clip, did_you_mean, number_of, printable, quoted, quoted_value, shortened, wrapped_text
from bnml.data.labels import Reading
from bnml.data.targets import Targets, group_with_targets, rows_set_words
from bnml.errors import ArgumentError, DataError, MissingError, Text, argument, function, join_texts

if TYPE_CHECKING:
    from bnml.data.columns import Column
    from bnml.data.states import States

COUNTING = "counting"  # under which is kept how the rows of an engine are counted, and why


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


@dataclass(frozen=True, eq=False, repr=False)
class Data(PickledByFields):
    """A table of categories, as `bnml.read` returns it.

    Equal rows are kept once, with their number as weight, in lexicographic order of their codes: every count is a
    sum over the distinct rows. Nothing in it can be changed.

    Attributes
    ----------
    names
        The columns.
    states
        For each column its labels, in order; a code is an index into them.
    codes
        The distinct rows × columns, column-major; the smallest unsigned integers that hold them. Where a value is
        missing and gaps were kept (``missing="em"``) stands the number of states, which is no state.
    weights
        How often each distinct row occurs.
    row_index
        For each row of the source the distinct row it is; None where the table stayed in an engine. Rows that were
        dropped (``missing="drop"``, or a frequency of zero) have no entry.
    cuts
        For each binned column the cut points between its bins.
    reading
        What else `bnml.read` was told, for other tables of these columns: what stands for a missing value, what became
        of missing values, which columns held codes in place of labels.
    gaps
        How many values `bnml.read` found missing, and how many rows it left out.
    targets
        Which variables were set from outside, for each distinct row; None where nothing was. Equal rows of which other
        variables were set are kept apart.

    Examples
    --------
    >>> import bnml, pandas
    >>> data = bnml.read(pandas.DataFrame({"sky": ["sun", "rain", "sun"], "air": ["warm", "cold", "warm"]}))
    >>> data.n_rows, data.n_distinct, data.states
    (3, 2, (('rain', 'sun'), ('cold', 'warm')))
    """

    names: tuple[str, ...]
    states: tuple[tuple[Any, ...], ...]
    codes: npt.NDArray[np.unsignedinteger[Any]]
    weights: npt.NDArray[np.int64]
    row_index: npt.NDArray[np.integer[Any]] | None = None
    cuts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    reading: Reading = Reading()  # noqa: RUF009  # nothing in it can be changed
    gaps: Gaps = Gaps()
    targets: Targets | None = None

    def __post_init__(self) -> None:
        for array in (self.codes, self.weights, self.row_index):
            if array is not None:
                array.setflags(write=False)
        object.__setattr__(self, "cuts", MappingProxyType(dict(self.cuts)))

    @cached_property
    def arities(self) -> tuple[int, ...]:
        """Number of states of each column."""
        return tuple(len(labels) for labels in self.states)

    @cached_property
    def n_rows(self) -> int:
        """Number of rows of the table: the sum of the weights."""
        return int(self.weights.sum())

    @cached_property
    def code_arities(self) -> tuple[int, ...]:
        """Number of codes of each column: its states, and one for gaps where it has some."""
        if self.reading.missing != "em":
            return self.arities
        gaps = zip(self.column_codes, self.arities, strict=True)
        return tuple(r + bool(codes.size and int(codes.max()) >= r) for codes, r in gaps)

    @property
    def has_gaps(self) -> bool:
        """Whether values are missing, which `bnml.read` has kept for ``missing="em"``."""
        return self.code_arities != self.arities

    def gap_counts(self) -> dict[str, int]:
        """Return for each column with gaps in how many rows it has no value."""
        return {
            name: int(self.weights[codes == r].sum())
            for name, codes, r, own in zip(self.names, self.column_codes, self.arities, self.code_arities, strict=True)
            if own > r
        }

    @property
    def n_distinct(self) -> int:
        """Number of distinct rows."""
        return int(self.codes.shape[0])

    def __len__(self) -> int:
        return self.n_rows

    @cached_property
    def column_codes(self) -> npt.NDArray[np.unsignedinteger[Any]]:
        """The codes with one contiguous row per column, as the kernels read them."""
        columns = np.ascontiguousarray(self.codes.T)
        columns.setflags(write=False)
        return columns

    @property
    def nbytes(self) -> int:
        """How many bytes of memory the table takes: its codes by row and by column, weights and places of rows."""
        places = 0 if self.row_index is None else self.row_index.nbytes
        return 2 * self.codes.nbytes + self.weights.nbytes + places

    @property
    def engine(self) -> str:
        """What counts the rows: ``"memory"``, or the engine in which they stay (``"duckdb"``, ``"postgres"``, …)."""
        return "memory"

    @property
    def counting(self) -> str | None:
        """Of a table that is or was in an engine: who counts its rows, and why, in words."""
        said: str | None = self.memo.get(COUNTING)
        return said

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """Derived values that belong to this table and die with it (local scores, for one)."""
        return {}

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def index(self, name: str) -> int:
        """Return the position of a column.

        Raises
        ------
        ArgumentError
            If there is no such column.
        """
        try:
            return self._positions[name]
        except (KeyError, TypeError):
            raise ArgumentError(
                f"there is no column {clip(name)!r}; the columns are {quoted(map(clip, self.names))}."
                f"{did_you_mean(clip(name), self.names)}"
            ) from None

    def indices(self, names: str | Iterable[str]) -> tuple[int, ...]:
        """Return the positions of columns; a single name stands for itself.

        Raises
        ------
        ArgumentError
            If a name is unknown or given twice.
        """
        if not isinstance(names, Iterable):
            raise ArgumentError(f"expected names of columns, not {clip(repr(names))}")
        found = tuple(self.index(name) for name in ([names] if isinstance(names, str) else names))
        if len(set(found)) < len(found):
            twice = next(self.names[i] for i in found if found.count(i) > 1)
            raise ArgumentError(f"column {twice!r} is named twice")
        return found

    def select(self, names: str | Iterable[str]) -> Data:
        """Return the table with these columns only, in this order.

        Raises
        ------
        ArgumentError
            If a name is unknown or given twice, or there is none.
        DataError
            If a column that is left out was set in some rows, which then follow another law than the rest.
        """
        chosen = list(self.indices(names))
        if not chosen:
            raise ArgumentError("select: name at least one column")
        states = tuple(self.states[i] for i in chosen)
        targets = None if self.targets is None else self.targets.of_columns(chosen, self.names)
        codes, weights, index, targets = group_with_targets(
            self.column_codes[chosen], [self.code_arities[i] for i in chosen], self.weights, targets
        )
        row_index = None if self.row_index is None else index[self.row_index]
        kept = tuple(self.names[i] for i in chosen)
        cuts = {name: self.cuts[name] for name in kept if name in self.cuts}
        return Data(kept, states, codes, weights, row_index, cuts, self.reading.of(kept), self.gaps.of(kept), targets)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a ``.npz`` file; `Data.load` reads it back.

        Examples
        --------
        >>> import bnml, pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     bnml.example().save(pathlib.Path(folder, "clinic.npz"))
        ...     bnml.Data.load(pathlib.Path(folder, "clinic.npz"))
        <Data: 5,000 rows (48 distinct) × 8 columns>
        """
        from bnml.data.saving import save

        save(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Data:
        """Read a table that `save` wrote."""
        from bnml.data.saving import load

        return load(path)

    def __repr__(self) -> str:
        return f"<Data: {_size(self)}>"

    def _repr_html_(self) -> str:
        rows = [
            [name, str(len(labels)), shortened(", ".join(str(label) for label in labels[:50]), 80)]
            for name, labels in zip(self.names, self.states, strict=True)
        ]
        return notebook_table(_size(self), ["column", "states", "labels"], rows[:200])

    def __str__(self) -> str:
        return _describe(self)


def _describe(data: Data, *, width: int = 80, most: int = 20) -> str:
    """Return a short table: one line per column with its states."""
    shown = [printable(name) for name in data.names[:most]]
    name_width = min(max([6, *(len(name) for name in shown)]), width // 3)
    lines = [_size(data), f"{'column':<{name_width}}  states  labels"]
    for name, labels in zip(shown, data.states, strict=False):
        head = f"{shortened(name, name_width):<{name_width}}  {len(labels):>6}  "
        text = ", ".join(printable(str(label)) for label in labels[:width])
        lines.append(head + shortened(text, width - len(head)))
    if len(data.names) > most:
        left = len(data.names) - most
        lines.append(f"… and {number_of(left, 'more column')}")
    if data.has_gaps:
        lines.append(wrapped_text(f"values are missing in {_rows_missing_words(data)}"))
    if data.targets is not None:
        lines.append(wrapped_text(f"variables were set in {rows_set_words(data)}"))
    if data.counting is not None:
        lines.append(wrapped_text(data.counting))
    return "\n".join(lines)


def _size(data: Data) -> str:
    where = f"({data.n_distinct:,} distinct)" if data.engine == "memory" else f"in {data.engine}"
    return f"{number_of(data.n_rows, 'row')} {where} × {number_of(len(data.names), 'column')}"


def _rows_missing_words(data: Data, most: int = 12) -> str:
    """Return in how many rows of a table with gaps values are missing, and in which columns, in words.

    Examples
    --------
    >>> import bnml, pandas
    >>> frame = pandas.DataFrame({"sky": ["sun", None, "rain", None], "air": ["hot", "cold", "hot", None]})
    >>> _rows_missing_words(bnml.read(frame, missing="em"))
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
