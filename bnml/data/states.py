"""From a column's values to its states: declared labels, bins, or the labels that occur."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml.data.bins import Bins, bin_labels, cut_points, place
from bnml.data.columns import Column
from bnml.data.labels import MISSING_LABEL, as_number, is_whole, label_text, ordered
from bnml.errors import DataError, did_you_mean, quoted

__all__ = ["States", "codes_as_labels", "declared_states", "settle"]

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
        """Return the states with a last one for missing values."""
        texts = [label_text(label) for label in self.labels]
        mapping = self.mapping.copy()
        if MISSING_LABEL in texts:
            mapping[-1] = texts.index(MISSING_LABEL)
            return replace(self, mapping=mapping)
        mapping[-1] = len(self.labels)
        return replace(self, labels=(*self.labels, MISSING_LABEL), mapping=mapping)


def declared_states(column: Column, labels: Sequence[Any]) -> States:
    """Match a column by text with the states that were declared for it.

    Raises
    ------
    DataError
        If a value is none of them.
    """
    kind = _common_type(column.labels)
    states = [_typed(label, kind) for label in labels]
    code_of = {label_text(state): code for code, state in enumerate(states)}
    if len(code_of) < len(states):
        raise DataError(f"states of {column.name!r}: a label is declared twice in {quoted(labels)}")
    mapping = np.full(len(column.labels) + 1, -1, np.int64)
    occurs = np.bincount(column.codes[column.codes >= 0], minlength=len(column.labels))
    for i, label in enumerate(column.labels):
        mapping[i] = code_of.get(label_text(label), -1)
        if mapping[i] < 0 and occurs[i]:
            raise DataError(
                f"column {column.name!r} holds {label!r}, which is not one of its declared states "
                f"{quoted(states)}.{did_you_mean(label_text(label), code_of)}"
            )
    return States(tuple(states), mapping)


def _common_type(labels: Sequence[Any]) -> type | None:
    types = {type(label) for label in labels}
    return types.pop() if len(types) == 1 else None


def _typed(label: Any, kind: type | None) -> Any:
    """Return a declared label in the type of the column it is for, where that is possible."""
    if kind is str:
        return label_text(label)
    if kind in (int, float) and is_whole(label):
        number = as_number(label)
        return kind(number)  # type: ignore[arg-type]
    if kind is bool and label_text(label) in ("True", "False"):
        return label_text(label) == "True"
    return label


def codes_as_labels(columns: Sequence[Column], declared: Mapping[str, Sequence[str]]) -> list[Column]:
    """Return the columns with their codes turned into labels, if the table holds codes from 0 instead of labels.

    A table that goes with a ``.vd`` file may hold either. It holds codes if a value in it is not a label while every
    value in every column is a code.
    """
    own = [column for column in columns if column.name in declared]
    texts = {column.name: [label_text(label) for label in column.labels] for column in own}
    if all(set(texts[column.name]) <= set(declared[column.name]) for column in own):
        return list(columns)
    valid = {name: {str(code) for code in range(len(labels))} for name, labels in declared.items()}
    if not all(set(texts[column.name]) <= valid[column.name] for column in own):
        return list(columns)
    return [
        replace(column, labels=[declared[column.name][int(text)] for text in texts[column.name]])
        if column.name in declared
        else column
        for column in columns
    ]


def settle(
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
        If columns hold numbers to be binned, or too many labels; the message names them all.
    """
    settled = []
    complaints: dict[str, list[str]] = {}
    for column in columns:
        if column.name in declared:
            settled.append(declared_states(column, declared[column.name]))
            continue
        numbers = None if column.declared else column.numbers()
        own = bins_of.get(column.name)
        if own is not None:
            settled.append(_binned(column, column.numbers(), own, weights))
            continue
        complaint = _complaint(column, numbers)
        if complaint and bins is not None and numbers is not None:
            settled.append(_binned(column, numbers, bins, weights))
        elif complaint:
            complaints.setdefault(complaint, []).append(column.name)
        else:
            settled.append(_labelled(column))
    if complaints:
        raise DataError("\n".join(_sentence(complaint, names) for complaint, names in complaints.items()))
    return settled


def _labelled(column: Column) -> States:
    labels = list(column.labels) if column.declared else ordered(column.labels)
    rank = {label_text(label): code for code, label in enumerate(labels)}
    return States(tuple(labels), np.array([*(rank[label_text(label)] for label in column.labels), -1], np.int64))


def _binned(
    column: Column, numbers: npt.NDArray[np.float64] | None, bins: Bins, weights: npt.NDArray[np.int64] | None
) -> States:
    if numbers is None:
        wrong = next(label for label in column.labels if as_number(label) is None)
        raise DataError(f"bins for column {column.name!r}: it holds {wrong!r}, which is not a number")
    if numbers.size == 0:
        raise DataError(f"bins for column {column.name!r}: all of its values are missing")
    present = column.codes >= 0
    kept_weights = None if weights is None else weights[present]
    totals = np.bincount(column.codes[present], kept_weights, minlength=numbers.size).astype(np.float64)
    values, inverse = np.unique(numbers, return_inverse=True)  # 1 and 1.0 may both be there as text
    cuts = cut_points(bins, values, np.bincount(inverse, totals).astype(np.float64))
    return States(bin_labels(cuts), np.append(place(numbers, cuts), -1), cuts)


def _complaint(column: Column, numbers: npt.NDArray[np.float64] | None) -> str:
    """Return what is wrong with taking the labels as states: "fractions", "numbers", "labels", or nothing."""
    if column.declared:
        return ""
    if numbers is not None:
        if not np.equal(numbers, np.floor(numbers)).all():
            return "fractions"
        return "numbers" if len(column.labels) > MOST_WHOLE_NUMBERS else ""
    return "labels" if len(column.labels) > MOST_LABELS else ""


def _sentence(complaint: str, names: Sequence[str]) -> str:
    one = len(names) == 1
    subject = f"column {names[0]!r}" if one else f"columns {quoted(names)}"
    holds, them, its = ("holds", "it", "its") if one else ("hold", "them", "their")
    if complaint == "labels":
        return (
            f"{subject} {holds} more than {MOST_LABELS} distinct labels: leave {them} out with columns=, "
            f"or declare {its} states with states="
        )
    what = "fractions" if complaint == "fractions" else f"whole numbers with more than {MOST_WHOLE_NUMBERS} values"
    return (
        f"{subject} {holds} {what}: cut {them} into bins, e.g. bins='quantile:4', bins='width:3' or "
        f"bins={{{names[0]!r}: [10, 20]}}, or declare {its} states with states="
    )
