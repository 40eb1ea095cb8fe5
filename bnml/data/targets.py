"""Targets: which variables were set from outside, row by row, and the rows that tell about a variable.

In an experiment some variables are *set*: their values are chosen, and no longer depend on anything in the system. Such
a row says nothing about what the variable depends on, and as much as any other about all else. So a variable's family
is counted in the rows in which that variable was not set (Cooper & Yoo 1999), and `rows_not_setting` is the table of
these rows. The interventions are meant to be perfect: they cut a variable off from its causes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Numbers
from bnml._text import clip, did_you_mean, number_of, quoted
from bnml.data.columns import Column
from bnml.data.grouping import group_rows
from bnml.data.labels import MISSING_TEXTS
from bnml.errors import DataError, Text, argument, join_texts

if TYPE_CHECKING:
    from bnml.data.data import Data

SEPARATOR = ";"
VIEWS = "views"  # under which they are kept with a table


@dataclass(frozen=True, eq=False)
class Targets:
    """The variables that were set, for each of some rows.

    ``sets``: the different sets of variables that were set together, by column, in order; the empty one stands for rows
    in which nothing was set. ``of_row``: for each row the place of its set.

    Examples
    --------
    >>> import bnml, pandas
    >>> frame = pandas.DataFrame({"a": [0, 1, 0, 1], "b": [0, 1, 1, 0], "set": ["", "b", "a; b", ""]})
    >>> data = bnml.read(frame, interventions="set")
    >>> data.names, data.targets.sets
    (('a', 'b'), ((), (0, 1), (1,)))
    """

    sets: tuple[tuple[int, ...], ...]
    of_row: npt.NDArray[np.integer[Any]]

    def __post_init__(self) -> None:
        self.of_row.setflags(write=False)

    @staticmethod
    def of(sets: Sequence[Iterable[int]], of_row: npt.ArrayLike) -> Targets | None:
        """Return the targets of rows, given as places among sets that may be equal or unused; None if none was set."""
        places = np.asarray(of_row, np.int64)
        used = np.unique(places).tolist()
        known = sorted({tuple(sorted(set(sets[place]))) for place in used})
        if known in ([], [()]):
            return None
        moved = np.zeros(len(sets), np.int64)
        for place in used:
            moved[place] = known.index(tuple(sorted(set(sets[place]))))
        return Targets(tuple(known), moved[places])

    def rows(self, chosen: Numbers) -> Targets | None:
        """Return the targets of some of the rows."""
        return Targets.of(self.sets, self.of_row[chosen])

    def of_columns(self, chosen: Sequence[int], names: Sequence[str]) -> Targets | None:
        """Return what was set of some of the columns, which are counted anew.

        Raises
        ------
        DataError
            If another column was set.
        """
        lost = sorted({column for own in self.sets for column in own} - set(chosen))
        if lost:
            raise DataError(
                f"columns that were set in some rows are left out ({quoted(clip(names[v]) for v in lost)}): in these "
                "rows, what depends on them follows another law; keep the columns, or leave those rows out"
            )
        at = {old: new for new, old in enumerate(chosen)}
        return Targets.of([[at[column] for column in own if column in at] for own in self.sets], self.of_row)

    def setting(self, column: int) -> tuple[int, ...]:
        """Return the places of the sets that a column is in."""
        return tuple(place for place, own in enumerate(self.sets) if column in own)


def targets_of_column(
    column: Column, names: Sequence[str], all_names: Sequence[str], na_texts: frozenset[str]
) -> tuple[list[tuple[int, ...]], Numbers]:
    """Return the sets of variables that a column of targets names, and for each row the place of its set.

    Parameters
    ----------
    column
        The column; names of variables in it are separated by semicolons.
    names
        The variables.
    all_names
        Those of the source, which may have columns that are no variables.
    na_texts
        Texts that stand for a missing value, which is a row in which nothing was set; but for names of variables.

    Raises
    ------
    DataError
        If a target is no variable.
    """
    own = column.without((MISSING_TEXTS | na_texts) - set(names))
    at = {name: place for place, name in enumerate(names)}
    sets: list[tuple[int, ...]] = []
    for text in own.texts:
        parts = [text.strip()] if text.strip() in at else [part.strip() for part in text.split(SEPARATOR)]
        for part in parts:
            if part and part not in at:
                raise _no_target(column.name, part, names, all_names)
        sets.append(tuple(sorted({at[part] for part in parts if part})))
    return [*sets, ()], np.where(own.codes < 0, len(sets), own.codes)


def _no_target(column: str, target: str, names: Sequence[str], all_names: Sequence[str]) -> DataError:
    where = f"column {clip(column)!r} names {clip(target)!r}"
    if target in all_names:
        return DataError(
            f"{where}, which is left out or no variable: in the rows in which it was set, what depends on it follows "
            "another law",
            argument="interventions",
            hint="keep the column, or leave those rows out",
        )
    return DataError(
        f"{where}, which is no variable",
        argument="interventions",
        hint=f"name variables ({quoted(map(clip, names), most=6)}), several separated by {SEPARATOR!r}, and leave the "
        f"field empty where nothing was set.{did_you_mean(clip(target), map(clip, names))}",
    )


def group_with_targets(
    columns: Numbers, arities: Sequence[int], weights: Numbers | None, targets: Targets | None
) -> tuple[Numbers, Numbers, Numbers, Targets | None]:
    """Group rows that have the same targets and are equal; as `group_rows`, with their targets."""
    if targets is None:
        return *group_rows(columns, arities, weights), None
    number = len(targets.sets)
    kind = np.promote_types(columns.dtype, np.min_scalar_type(number - 1))
    stacked = np.vstack([columns.astype(kind, copy=False), targets.of_row.astype(kind)[None]])
    codes, totals, index = group_rows(stacked, [*arities, number], weights)
    kept = np.asfortranarray(codes[:, :-1].astype(columns.dtype, copy=False))
    return kept, totals, index, Targets.of(targets.sets, codes[:, -1])


def joined_targets(pieces: Sequence[tuple[Targets | None, int]]) -> Targets | None:
    """Return the targets of tables of so many rows, one after the other; None for one in which nothing was set."""
    sets: list[tuple[int, ...]] = []
    places = []
    for own, n in pieces:
        places.append(len(sets) + (np.zeros(n, np.int64) if own is None else own.of_row))
        sets += [()] if own is None else own.sets
    return Targets.of(sets, np.concatenate(places)) if places else None


def rows_not_setting(data: Data, column: int) -> Data:
    """Return the table of the rows in which a column was not set; the table itself where nothing was set at all.

    Columns that were set in the same rows share it, and it is kept with the table.

    Examples
    --------
    >>> import bnml, pandas
    >>> frame = pandas.DataFrame({"a": [0, 1, 0, 1], "b": [0, 1, 1, 0], "set": ["", "b", "a; b", ""]})
    >>> data = bnml.read(frame, interventions="set")
    >>> [rows_not_setting(data, column).n_rows for column in (0, 1)]
    [3, 2]
    """
    return data if data.targets is None else _rows_of_sets(data, data.targets.setting(column))


def _rows_of_sets(data: Data, out: tuple[int, ...]) -> Data:
    """Return the table of the rows whose set is none of these; it is kept with the table."""
    from bnml.data.data import Data

    assert data.targets is not None
    views: dict[tuple[int, ...], Data] = data.memo.setdefault(VIEWS, {})
    if out not in views:
        kept = np.flatnonzero(~np.isin(data.targets.of_row, out))
        rows = np.ascontiguousarray(data.column_codes[:, kept])
        codes, weights, _ = group_rows(rows, data.code_arities, data.weights[kept])
        views[out] = Data(data.names, data.states, codes, weights, None, data.cuts, data.reading, data.gaps)
    return views[out]


def without_targets(data: Data) -> Data:
    """Return the same rows, with no regard to what was set in them."""
    return data if data.targets is None else _rows_of_sets(data, ())


def rows_setting_nothing(data: Data) -> Data:
    """Return the table of the rows in which nothing was set; the table itself where that holds for all.

    A test of independence counts all its rows together, and needs a sample of one law: experiments are others. What was
    set in every row, as a treatment is, is part of the law that all rows share: then the rows are those in which no
    other was set, and a dependence on the treatment is what the treatment does.

    Raises
    ------
    DataError
        If in every row something was set that was not set in all.

    Examples
    --------
    >>> import bnml, pandas
    >>> frame = pandas.DataFrame({"a": [0, 1, 0, 1], "b": [0, 1, 1, 0], "set": ["b", "b", "a; b", "b"]})
    >>> rows_setting_nothing(bnml.read(frame, interventions="set")).n_rows
    3
    """
    if data.targets is None:
        return data
    sets = data.targets.sets
    always = tuple(sorted(frozenset(sets[0]).intersection(*sets)))
    if always not in sets:
        raise DataError(
            "in every row some variable was set, and not the same in all; the dependence of a pair can only be told "
            "from rows of one law; learn a network by scores, which counts each variable in the rows in which it was "
            "not set"
        )
    return _rows_of_sets(data, tuple(place for place, own in enumerate(sets) if own != always))


def refuse_targets(data: Data, what: Text) -> None:
    """Refuse a table in which variables were set, for what counts all rows together.

    Raises
    ------
    DataError
        If some were; ``what`` cannot take it into account.
    """
    if data.targets is not None:
        searches = [argument("search", name) for name in ("exact", "order", "tabu", "climb", "k2")]
        raise DataError(
            what + f" counts all rows together, but variables were set in some of them ({rows_set_words(data)}), and "
            "these follow other laws.",
            hint="Take "
            + join_texts(", ", searches)
            + " or "
            + argument("search", "forest")
            + ", which count each variable in the rows in which it was not set; or read only the rows in which nothing "
            "was set",
        )


def rows_set_words(data: Data, most: int = 12) -> str:
    """Return in how many rows variables were targets, set from outside, and which, in words; empty where none was.

    Examples
    --------
    >>> import bnml, pandas
    >>> frame = pandas.DataFrame({"a": [0, 1, 0, 1], "b": [0, 1, 1, 0], "set": ["", "b", "a; b", ""]})
    >>> rows_set_words(bnml.read(frame, interventions="set"))
    '2 of 4 rows: b in 2, a in 1'
    """
    found = rows_set(data)
    if found is None:
        return ""
    named = sorted(found["rows"].items(), key=lambda pair: -pair[1])
    shown = ", ".join(f"{clip(name)} in {number:,}" for name, number in named[:most])
    more = f" and {len(named) - most} more" if len(named) > most else ""
    return f"{found['rows_set']:,} of {number_of(data.n_rows, 'row')}: {shown}{more}"


def variables_set(data: Data, *, in_every_row: bool = False) -> tuple[str, ...]:
    """Return the variables that were set in some rows, or those that were in every one.

    Examples
    --------
    >>> import bnml, pandas
    >>> frame = pandas.DataFrame({"a": [0, 1, 0, 1], "b": [0, 1, 1, 0], "set": ["b", "b", "a; b", "b"]})
    >>> data = bnml.read(frame, interventions="set")
    >>> variables_set(data), variables_set(data, in_every_row=True)
    (('a', 'b'), ('b',))
    """
    if data.targets is None:
        return ()
    sets = data.targets.sets
    least = len(sets) if in_every_row else 1
    return tuple(name for v, name in enumerate(data.names) if sum(v in own for own in sets) >= least)


def rows_set(data: Data) -> dict[str, Any] | None:
    """Return in how many rows something was set, and for each variable that was in how many; None where none was.

    Examples
    --------
    >>> import bnml, pandas
    >>> frame = pandas.DataFrame({"a": [0, 1, 0, 1], "b": [0, 1, 1, 0], "set": ["", "b", "a; b", ""]})
    >>> rows_set(bnml.read(frame, interventions="set"))
    {'rows_set': 2, 'rows': {'a': 1, 'b': 2}}
    """
    if data.targets is None:
        return None
    rows = np.bincount(data.targets.of_row, data.weights, len(data.targets.sets)).astype(np.int64).tolist()
    sets = list(zip(data.targets.sets, rows, strict=True))
    numbers = {name: sum(n for own, n in sets if column in own) for column, name in enumerate(data.names)}
    return {"rows_set": sum(n for own, n in sets if own), "rows": {name: n for name, n in numbers.items() if n}}
