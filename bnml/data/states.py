"""From a column's values to its states: declared labels, bins, or the labels that occur.

In a `DraftTable` states are settled while the numbers are still at hand, so that columns can be binned anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._text import clip, did_you_mean, quoted
from bnml.data.bins import Bins, bin_labels, bin_medians, bins_of_values, cut_points, is_to_be_cut
from bnml.data.columns import Column, column_code_type
from bnml.data.data import Data, Gaps
from bnml.data.dependent_bins import (
    CodedColumn,
    ColumnCutting,
    NumericColumn,
    bins_depend,
    cuts_by_dependence,
    partners_of,
)
from bnml.data.labels import MISSING_LABEL, Reading, as_number, label_text, label_without_point, ordered
from bnml.data.targets import Targets, group_with_targets
from bnml.errors import DataError, Phrase, Text, argument, join_texts

MOST_WHOLE_NUMBERS = 50
MOST_LABELS = 1000


@dataclass(frozen=True)
class States:
    """A column's states in order, what each of its codes becomes, and its cuts if it was binned.

    ``mapping`` has an entry for each label of the column, and a last one for missing values.
    """

    labels: tuple[Any, ...]
    mapping: npt.NDArray[np.int64]
    cuts: tuple[float, ...] | None = None

    def with_missing_state(self) -> States:
        """Return the states with a last one for missing values; a declared ``?`` is that state."""
        texts = [label_text(label) for label in self.labels]
        mapping = self.mapping.copy()
        if MISSING_LABEL in texts:
            mapping[-1] = texts.index(MISSING_LABEL)
            return replace(self, mapping=mapping)
        mapping[-1] = len(self.labels)
        return replace(self, labels=(*self.labels, MISSING_LABEL), mapping=mapping)

    def with_gaps(self) -> States:
        """Return the states with a code for missing values that is none of them: their number."""
        mapping = self.mapping.copy()
        mapping[-1] = len(self.labels)
        return replace(self, mapping=mapping)


def declared_states(column: Column, labels: Sequence[Any]) -> States:
    """Match a column by text with the states that were declared for it.

    Raises
    ------
    DataError
        If a value is none of them, or one of them is declared twice.
    """
    kinds = {type(label) for label in column.labels}
    kind = kinds.pop() if len(kinds) == 1 else None
    states = [_typed(label, kind) for label in labels]
    code_of = {label_text(state): code for code, state in enumerate(states)}
    if len(code_of) < len(states):
        texts = [label_text(state) for state in states]
        twice = next(text for text in texts if texts.count(text) > 1)
        raise DataError(f"states of column {clip(column.name)!r}: {clip(twice)!r} is declared twice")
    mapping = np.array([*(code_of.get(label_text(label), -1) for label in column.labels), -1], np.int64)
    if (mapping[:-1] < 0).any():
        occurring = column.occurring().labels if column.declared else column.labels
        unknown = next((label for label in occurring if label_text(label) not in code_of), None)
        if unknown is not None:
            hint = did_you_mean(clip(label_text(unknown)), map(clip, list(code_of)[:MOST_LABELS]))
            raise DataError(
                f"column {clip(column.name)!r} holds {clip(unknown)!r}, which is not one of its declared states "
                f"{quoted(map(clip, states))}.{hint}"
            )
    return States(tuple(states), mapping)


def _typed(label: Any, kind: type | None) -> Any:
    """Return a declared label in the type of the column it is for, where that leaves its text as it is."""
    text = label_text(label)
    if kind is str:
        return text
    if kind is bool and text in ("True", "False"):
        return text == "True"
    if kind in (int, float):
        try:
            value = kind(label_without_point(text))
        except ValueError:
            return label
        if label_text(value) == label_without_point(text):
            return value
    return label


def hold_codes(columns: Sequence[Column], declared: Mapping[str, Sequence[Any]], *, certain: bool = False) -> bool:
    """Return whether columns hold codes of their declared states, from 0, in place of these.

    They do if every value in every column is a code, and it is certain that they are codes: because that is how the
    first table was, or because one column cannot hold anything else, as none of its labels looks like a code. Where
    labels are numbers themselves, a value that is none of them is a mistake and no code.
    """
    for column in columns:
        if column.name in declared:
            codes = {str(code) for code in range(len(declared[column.name]))}
            if not codes.issuperset(column.texts):
                return False
            certain |= bool(column.labels) and codes.isdisjoint(map(label_text, declared[column.name]))
    return certain


def states_of_codes(columns: Sequence[Column], declared: Mapping[str, Sequence[Any]]) -> list[Column]:
    """Return columns with the declared states in place of the codes that they hold; any other label as it is."""
    decoded = []
    for column in columns:
        if column.name in declared:
            label_of = {str(code): label for code, label in enumerate(declared[column.name])}
            known = zip(column.texts, column.labels, strict=True)
            column = replace(column, labels=[label_of.get(text, label) for text, label in known])
        decoded.append(column)
    return decoded


def settle_states(
    columns: Sequence[Column],
    declared: Mapping[str, Sequence[Any]],
    bins: Bins | None,
    bins_of: Mapping[str, Bins],
    weights: npt.NDArray[np.int64] | None,
) -> list[States]:
    """Decide the states of every column.

    Raises
    ------
    DataError
        If columns hold numbers to be binned, too many labels, or values that are not declared; the message names all.
    """
    if wrong := why_no_states(columns, declared, bins, bins_of):
        raise DataError(join_texts("\n", wrong))
    settled: list[States | None] = []
    asked: dict[str, Bins] = {}
    for column in columns:
        own = _bins_of(column, declared, bins, bins_of)
        if column.name in declared:
            settled.append(declared_states(column, declared[column.name]))
        elif own is None:
            settled.append(_labelled(column))
        elif bins_depend(own):
            settled.append(None)
            asked[column.name] = own
        else:
            numbers = NumericColumn.of(column, weights)
            settled.append(_states_of_bins(column, cut_points(own, numbers.values, numbers.totals)))
    cuts: dict[str, tuple[float, ...]] = {}
    if asked:
        numeric = {column.name: NumericColumn.of(column, weights) for column in columns if column.name in asked}
        known = zip(columns, settled, strict=True)
        coded = {column.name: CodedColumn.of(column, states) for column, states in known if states is not None}
        cuts = cuts_by_dependence(numeric, coded, asked)
    return [
        _states_of_bins(column, cuts[column.name]) if states is None else states
        for column, states in zip(columns, settled, strict=True)
    ]


def why_no_states(
    columns: Sequence[Column],
    declared: Mapping[str, Sequence[Any]],
    bins: Bins | None,
    bins_of: Mapping[str, Bins],
) -> list[Text]:
    """Return why columns cannot get states: values that are not declared, numbers to be binned, too many labels."""
    said: list[Text] = []
    named: dict[str, list[str]] = {}
    for column in columns:
        if column.name in declared:
            try:
                declared_states(column, declared[column.name])
            except DataError as error:
                said.append(error.sentence)
        elif column.name in bins_of:
            said += _not_to_be_cut(column)
        elif _bins_of(column, declared, bins, bins_of) is None and not column.declared and (kind := _complaint(column)):
            named.setdefault(kind, []).append(column.name)
    return [*said, *(_sentence(kind, names) for kind, names in named.items())]


def _bins_of(
    column: Column, declared: Mapping[str, Sequence[Any]], bins: Bins | None, bins_of: Mapping[str, Bins]
) -> Bins | None:
    """Return how a column is to be cut: as asked for it, or, if it holds many numbers, as asked for all."""
    if column.name in declared:
        return None
    if column.name in bins_of:
        return bins_of[column.name]
    return None if bins is None or column.declared or not is_to_be_cut(column) else bins


def _labelled(column: Column) -> States:
    labels = list(column.labels) if column.declared else ordered(column.labels)
    if all(a is b for a, b in zip(labels, column.labels, strict=True)):
        return States(tuple(labels), np.array([*range(len(labels)), -1], np.int64))
    rank = {label_text(label): code for code, label in enumerate(labels)}
    return States(tuple(labels), np.array([*(rank[label_text(label)] for label in column.labels), -1], np.int64))


def _not_to_be_cut(column: Column) -> list[Text]:
    """Return why a column cannot be cut, if so."""
    if column.numbers() is None:
        from bnml.data.doubts import hint_for_words

        wrong = next(label for label in column.labels if as_number(label) is None)
        hint = hint_for_words([label_text(wrong)])
        problem = f"bins for column {clip(column.name)!r}: it holds {clip(wrong)!r}, which is not a number"
        return [problem + "; " + hint]
    if not (column.codes >= 0).any():
        return [f"bins for column {clip(column.name)!r}: all of its values are missing"]
    return []


def _states_of_bins(column: Column, cuts: tuple[float, ...]) -> States:
    """Return the states of a column of numbers that is cut into bins."""
    numbers = column.numbers()
    assert numbers is not None
    return States(bin_labels(cuts), np.append(bins_of_values(numbers, cuts), -1), cuts)


def medians_of_column(
    column: Column,
    cuts: Sequence[float],
    weights: npt.NDArray[np.int64] | None,
    otherwise: Sequence[float] | None = None,
) -> tuple[float, ...]:
    """Return the median of the numbers of a column in each bin; see `bin_medians`."""
    numbers = NumericColumn.of(column, weights)
    return bin_medians(cuts, numbers.values, numbers.totals, otherwise)


def _complaint(column: Column) -> str:
    """Return what is wrong with taking the labels as states: "fractions", "numbers", "labels", or nothing."""
    if len(column.labels) <= MOST_WHOLE_NUMBERS and set(map(type, column.labels)) == {int}:
        return ""
    numbers = column.numbers()
    if numbers is not None:
        if not np.equal(numbers, np.floor(numbers)).all():
            return "fractions"
        return "numbers" if len(column.labels) > MOST_WHOLE_NUMBERS else ""
    return "labels" if len(column.labels) > MOST_LABELS else ""


def _sentence(complaint: str, names: Sequence[str]) -> Phrase:
    one = len(names) == 1
    subject = f"column {clip(names[0])!r}" if one else f"columns {quoted(map(clip, names))}"
    holds, them, its = ("holds", "it", "its") if one else ("hold", "them", "their")
    if complaint == "labels":
        return (
            f"{subject} {holds} more than {MOST_LABELS} distinct labels: leave {them} out with "
            + argument("columns")
            + f", or declare {its} states with "
            + argument("states")
        )
    what = "fractions" if complaint == "fractions" else f"whole numbers with more than {MOST_WHOLE_NUMBERS} values"
    return (
        f"{subject} {holds} {what}: cut {them} into bins, e.g. "
        + argument("bins", "auto")
        + ", "
        + argument("bins", "quantile:4")
        + " or "
        + argument("bins", {clip(names[0]): [10, 20]})
        + f", or declare {its} states with "
        + argument("states")
    )


@dataclass(frozen=True, eq=False)
class DraftTable:
    """Columns with their states.

    Attributes
    ----------
    columns
        What was read.
    states
        The states of each column.
    frequencies
        How often each row occurs; once without.
    reading
        What `bnml.read` was told.
    keep_rows
        Whether the table has its rows one by one.
    automatic
        The columns that were cut by ``"auto"``.
    gaps
        What was missing, and which rows were left out.
    targets
        Which variables were set, for each row; None for none.
    """

    columns: tuple[Column, ...]
    states: tuple[States, ...]
    frequencies: npt.NDArray[np.int64] | None
    reading: Reading
    keep_rows: bool
    automatic: frozenset[str]
    gaps: Gaps
    targets: Targets | None = None

    def data(self) -> Data:
        """Return the table of categories."""
        from bnml.data._kernels import translate

        gaps = self.reading.missing == "em"
        arities = [
            len(states.labels) + (gaps and column.has_missing)
            for column, states in zip(self.columns, self.states, strict=True)
        ]
        matrix = np.empty((len(self.columns), self.columns[0].codes.size), column_code_type(max(arities)))
        for row, column, states in zip(matrix, self.columns, self.states, strict=True):
            translate(column.codes, states.mapping, row)
        codes, weights, row_index, targets = group_with_targets(matrix, arities, self.frequencies, self.targets)
        cut = [(column, s.cuts) for column, s in zip(self.columns, self.states, strict=True) if s.cuts is not None]
        medians = tuple((column.name, medians_of_column(column, own, self.frequencies)) for column, own in cut)
        return Data(
            tuple(column.name for column in self.columns),
            tuple(states.labels for states in self.states),
            codes,
            weights,
            row_index if self.keep_rows else None,
            {column.name: own for column, own in cut},
            replace(self.reading, medians=medians),
            self.gaps,
            targets,
        )

    def n_candidates(self, name: str) -> int:
        """Return how many places a column can be cut at."""
        return NumericColumn.of(self.columns[self._index(name)], self.frequencies).n_candidates

    def cut_anew(self, name: str, families: Sequence[tuple[Sequence[str], Sequence[str]]]) -> DraftTable:
        """Return the table with a column of numbers cut so that others are described best.

        Parameters
        ----------
        name
            The column.
        families
            The variables to describe, as one where there are several, and those that they are described given.
        """
        i = self._index(name)
        cuts = self.cutting(name, families).best()
        if not cuts:
            return self
        states = _states_of_bins(self.columns[i], cuts)
        if self.reading.missing == "state" and self.columns[i].has_missing:
            states = states.with_missing_state()
        if self.reading.missing == "em":
            states = states.with_gaps()
        return replace(self, states=(*self.states[:i], states, *self.states[i + 1 :]))

    def cutting(self, name: str, families: Sequence[tuple[Sequence[str], Sequence[str]]]) -> ColumnCutting:
        """Return a column of numbers as it is to be cut for others; see `cut_anew`."""
        numbers = NumericColumn.of(self.columns[self._index(name)], self.frequencies)
        return ColumnCutting(numbers, [(self._joint(described), self._joint(given)) for described, given in families])

    def partners(self, name: str) -> list[str]:
        """Return the columns that a column of numbers tells most about."""
        numbers = NumericColumn.of(self.columns[self._index(name)], self.frequencies)
        known = zip(self.columns, self.states, strict=True)
        return partners_of(numbers, {own.name: CodedColumn.of(own, s) for own, s in known if own.name != name})

    def _index(self, name: str) -> int:
        return next(i for i, column in enumerate(self.columns) if column.name == name)

    def _joint(self, names: Sequence[str]) -> CodedColumn:
        """Return columns as one, whose states are their configurations."""
        joint = CodedColumn(np.zeros(self.columns[0].codes.size, np.int64), 1)
        for i in sorted(map(self._index, names), key=lambda i: self.columns[i].name):
            own = CodedColumn.of(self.columns[i], self.states[i])
            joint = CodedColumn(joint.codes * own.arity + own.codes, joint.arity * own.arity)
        return joint
