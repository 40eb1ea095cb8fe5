"""A table that stays in its engine: `Data` whose counts the engine makes, and whose rows are not here."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from types import FrameType, MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

from bnml._text import clip
from bnml.data.data import Data, Gaps
from bnml.data.labels import Reading
from bnml.errors import ArgumentError, DataError, Text, argument, function

if TYPE_CHECKING:
    from bnml.data.engine_codes import CodedTable


def rows_stay(data: Data, what: Text) -> DataError:
    """Return the error for what needs rows that stay in an engine; ``what`` names it."""
    table = data.coded.table.name if isinstance(data, PushedData) else "the table"
    return DataError(
        what
        + f" needs the rows of {clip(table)!r}, which stay in {data.engine} ("
        + argument("counting", "push")
        + "): read the table with "
        + argument("counting", "compress")
        + ", which fetches its distinct rows, or read a sample of them that has a name: a table or view of its own, "
        "or rows chosen by a key (of an Ibis table, table.filter(table.id % 100 == 0))"
    )


def refuse_pushed(data: Data, name: str) -> None:
    """Refuse a table whose rows stay in an engine; ``name`` is the function that needs them.

    Raises
    ------
    DataError
        If it is one.
    """
    if isinstance(data, PushedData):
        raise rows_stay(data, function(name))


def _who_asks() -> Text:
    """Return the function of ours that a user has called, as errors name it."""
    frame: FrameType | None = sys._getframe(1)
    name: Text = "this"
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        own = frame.f_code.co_name
        if module.partition(".")[0] == "bnml" and not module.startswith("bnml.cli") and own[0] not in "_<":
            name = function(own)
        frame = frame.f_back
    return name


class PushedData(Data):
    """A table of categories whose rows stay in an engine, as ``bnml.read(…, counting="push")`` returns it.

    It has names, states, cuts and numbers of rows, and `bnml.counts` asks the engine for contingency tables. Whatever
    needs rows raises a `DataError` that names the way out.
    """

    coded: CodedTable

    def __init__(
        self,
        names: tuple[str, ...],
        states: tuple[tuple[Any, ...], ...],
        coded: CodedTable,
        cuts: Mapping[str, tuple[float, ...]],
        reading: Reading,
        gaps: Gaps,
    ) -> None:
        values = {
            "names": names, "states": states, "coded": coded, "cuts": cuts, "reading": reading, "gaps": gaps,
            "row_index": None, "targets": None,
        }  # fmt: skip
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self.__post_init__()

    def __post_init__(self) -> None:
        object.__setattr__(self, "cuts", MappingProxyType(dict(self.cuts)))

    @property
    def engine(self) -> str:
        """The engine that counts."""
        return self.coded.table.engine

    def _refused(self, what: str | None = None) -> NoReturn:
        raise rows_stay(self, what or _who_asks())

    @property
    def codes(self) -> Any:
        """The rows, which are not here."""
        self._refused()

    @property
    def weights(self) -> Any:
        """The weights of rows, which are not here."""
        self._refused()

    @property
    def column_codes(self) -> Any:
        """The rows by column, which are not here."""
        self._refused()

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        return self.coded.n_rows

    @property
    def n_distinct(self) -> int:
        """About how many distinct rows the engine has."""
        return self.coded.n_distinct

    @property
    def code_arities(self) -> tuple[int, ...]:
        """Number of codes of each column: its states, as there are no gaps."""
        return self.arities

    @property
    def nbytes(self) -> int:
        """How many bytes of memory the table takes: next to none."""
        return 0

    def select(self, names: str | Iterable[str]) -> Data:
        """Return the table with these columns only, in this order."""
        chosen = list(self.indices(names))
        if not chosen:
            raise ArgumentError("select: name at least one column")
        kept = tuple(self.names[i] for i in chosen)
        return PushedData(
            kept,
            tuple(self.states[i] for i in chosen),
            self.coded.of_columns(chosen),
            {name: self.cuts[name] for name in kept if name in self.cuts},
            self.reading.of(kept),
            self.gaps.of(kept),
        )

    def __getstate__(self) -> dict[str, Any]:
        self._refused("to copy a table to another process or file")

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._refused("to copy a table to another process or file")
