"""A relation: the distinct rows of a table, each with the degree to which it is possible."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats
from bnml._checks import refuse
from bnml._text import clip
from bnml.data import Data, as_data, read
from bnml.data.columns import Column
from bnml.data.data import refuse_gaps
from bnml.data.labels import MISSING_TEXTS, as_number, as_numbers, label_text, name_not_in_table
from bnml.data.rows import rows_of, rows_to_distinct
from bnml.data.sources import open_table
from bnml.data.targets import without_targets
from bnml.errors import ArgumentError, DataError, function

Codes = npt.NDArray[np.unsignedinteger[Any]]
Index = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Relation:
    """Distinct tuples with their degrees of possibility, the most possible first.

    ``names``: the attributes. ``states``: the values of each; one that is declared and never occurs is among them.
    ``columns``: one row of codes for each attribute. ``degrees``: for each tuple its degree, above 0 and at
    most 1, in falling order. ``graded``: whether the degrees were given; without, all are 1.
    """

    names: tuple[str, ...]
    states: tuple[tuple[Any, ...], ...]
    columns: Codes
    degrees: Floats
    graded: bool

    @cached_property
    def arities(self) -> tuple[int, ...]:
        """How many values each attribute has."""
        return tuple(map(len, self.states))

    @property
    def n_tuples(self) -> int:
        """Number of tuples that are possible to any degree."""
        return int(self.degrees.size)

    def groups(self, attributes: Sequence[int]) -> Index:
        """Return for each tuple the number of its projection."""
        return tuple_groups(self.columns[list(attributes)], [self.arities[i] for i in attributes])

    def first(self, attributes: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Return which tuples are the first, so the most possible, of all with their projection."""
        return first_tuples(self.groups(attributes))

    def cut(self, level: float) -> Relation:
        """Return the tuples that are possible to this degree at least, as a relation without degrees."""
        n = int(np.count_nonzero(self.degrees >= level))
        return Relation(self.names, self.states, self.columns[:, :n], np.ones(n), False)


def tuple_groups(columns: Codes, arities: Sequence[int]) -> Index:
    """Return for each tuple of a relation the number of the distinct one it is; ``columns`` has a row for each."""
    return rows_to_distinct(columns, arities)


def first_tuples(numbers: Index) -> npt.NDArray[np.bool_]:
    """Return where each numbered tuple of a relation stands for the first time."""
    places = np.empty(int(numbers.max()) + 1, np.int64)
    places[numbers[::-1]] = np.arange(numbers.size)[::-1]  # of equal numbers the one that is written last stays
    first = np.zeros(numbers.size, np.bool_)
    first[places] = True
    return first


def relation_of(data: Any, possibility: str | None, asked_by: str = "relation_of") -> Relation:
    """Return the relation of a table; ``possibility`` names its column of degrees, ``asked_by`` a function.

    Raises
    ------
    DataError
        If the table cannot be read, or its degrees are not numbers from 0 to 1.
    ArgumentError
        If there is no such column.
    """
    if possibility is None:
        table = as_data(data)
        refuse_gaps(table, function(asked_by))
        codes = rows_of(without_targets(table)).codes
        return Relation(table.names, table.states, codes, np.ones(codes.shape[1]), False)
    if not isinstance(possibility, str):
        raise refuse("possibility", possibility, "expected the name of a column of degrees")
    table = data if isinstance(data, Data) else read(data, states={possibility: degree_labels(data, possibility)})
    if possibility not in table.names:
        raise name_not_in_table("possibility", possibility, table.names)
    refuse_gaps(table, function(asked_by))
    return _graded(without_targets(table), possibility)


def _graded(table: Data, possibility: str) -> Relation:
    place = table.index(possibility)
    kept = [i for i in range(len(table.names)) if i != place]
    if not kept:
        raise DataError(f"possibility: the table has no columns apart from {clip(possibility)!r}")
    codes = rows_of(table).codes
    own = Column(possibility, table.states[place], codes[place].astype(np.int64)).occurring()
    _check_degrees(possibility, own.labels)
    numbers = as_numbers(own.labels)
    assert numbers is not None
    degrees = numbers[own.codes]
    order = np.argsort(-degrees, kind="stable")[: np.count_nonzero(degrees)]
    if not order.size:
        raise DataError(f"possibility: all degrees of column {clip(possibility)!r} are 0, so that nothing is possible")
    arities = [table.arities[i] for i in kept]
    columns = codes[kept][:, order]
    first = first_tuples(tuple_groups(columns, arities))  # equal tuples: the maximum of their degrees
    names = tuple(table.names[i] for i in kept)
    return Relation(names, tuple(table.states[i] for i in kept), columns[:, first], degrees[order][first], True)


def degree_labels(source: Any, possibility: str, na_values: Iterable[Any] = ()) -> list[Any]:
    """Return the labels of a relation's column of degrees, to be declared: `bnml.read` takes no other fractions.

    0 and 1 are always among them.

    Raises
    ------
    DataError
        If one of them is no number from 0 to 1.
    ArgumentError
        If there is no such column.
    """

    def chosen(names: Sequence[str]) -> list[str]:
        if possibility not in names:
            raise name_not_in_table("possibility", possibility, names)
        return [possibility]

    column = open_table(source, chosen).columns[0]
    missing = MISSING_TEXTS | {label_text(value) for value in na_values}
    labels = list(column.without(frozenset(missing)).occurring().labels)
    _check_degrees(possibility, labels)
    known = {label_text(label) for label in labels}
    return labels + [label for label in (0, 1) if str(label) not in known]


def _check_degrees(possibility: str, labels: Collection[Any]) -> None:
    for label in labels:
        number = as_number(label)
        if number is None or not 0 <= number <= 1:
            raise DataError(
                f"possibility: column {clip(possibility)!r} holds {clip(label)!r}; expected degrees from 0 to 1"
            )


def places_of(relation: Relation, names: Sequence[str]) -> list[int]:
    """Return the positions of attributes in a relation.

    Raises
    ------
    ArgumentError
        If one is unknown or named twice.
    """
    places = {name: i for i, name in enumerate(relation.names)}
    for name in names:
        if not isinstance(name, str) or name not in places:
            raise name_not_in_table("attributes", name, relation.names)
        if sum(other == name for other in names) > 1:
            raise ArgumentError(f"{name!r} is named twice", argument="attributes")
    return [places[name] for name in names]
