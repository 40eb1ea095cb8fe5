"""A column as it comes from a source, batch by batch, before anything is decided about its states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml.data.labels import MISSING_TEXTS, as_number, label_text, without_point
from bnml.errors import DataError

__all__ = ["Column", "ColumnReader", "column_of_numbers", "column_of_objects"]

Codes = npt.NDArray[np.integer[Any]]

MISSING = -1


@dataclass(frozen=True)
class Column:
    """A column's values: codes into ``labels``, -1 where a value is missing.

    ``declared``: the labels are a categorical's own, in its order, and count even where they do not occur.
    """

    name: str
    labels: Sequence[Any]
    codes: Codes
    declared: bool = False

    @property
    def has_missing(self) -> bool:
        """Whether a value is missing."""
        return bool(self.codes.size) and int(self.codes.min()) < 0

    @property
    def missing(self) -> npt.NDArray[np.bool_]:
        """Where values are missing."""
        return self.codes < 0

    def rows(self, keep: npt.NDArray[np.bool_]) -> Column:
        """Return the column with these rows only; labels that no longer occur are dropped, unless declared."""
        return replace(self, codes=self.codes[keep]).tidy()

    def tidy(self) -> Column:
        """Return the column without labels that never occur (a categorical keeps its own)."""
        if self.declared:
            return self
        used = np.zeros(len(self.labels) + 1, bool)
        used[self.codes] = True
        used[-1] = False
        if used[:-1].all():
            return self
        mapping = np.full(len(self.labels) + 1, MISSING, np.int64)
        mapping[np.flatnonzero(used)] = np.arange(used.sum())
        kept = [label for label, occurs in zip(self.labels, used, strict=False) if occurs]
        return replace(self, labels=kept, codes=mapping[self.codes])

    def without(self, texts: frozenset[str]) -> Column:
        """Return the column with the labels of these texts turned into missing values."""
        if not texts or not any(label_text(label) in texts for label in self.labels):
            return self
        kept = [label for label in self.labels if label_text(label) not in texts]
        mapping = np.full(len(self.labels) + 1, MISSING, np.int64)
        mapping[[i for i, label in enumerate(self.labels) if label_text(label) not in texts]] = np.arange(len(kept))
        return replace(self, labels=kept, codes=mapping[self.codes])

    def numbers(self) -> npt.NDArray[np.float64] | None:
        """Return the labels as numbers, or None if one of them is not a number."""
        values = [as_number(label) for label in self.labels]
        return None if None in values else np.array(values, np.float64)


def column_of_numbers(name: str, values: npt.NDArray[Any], missing: npt.NDArray[np.bool_] | None = None) -> Column:
    """Return a column of integers, booleans or floats (NaN is missing)."""
    if values.dtype.kind == "f":
        nan = np.isnan(values)
        missing = nan if missing is None else missing | nan
        if np.isinf(values).any():
            raise DataError(f"column {name!r} holds infinite numbers: replace them, or drop the column")
    if missing is None or not missing.any():
        labels, codes = _numbered(values)
        return Column(name, labels.tolist(), codes)
    labels, present = _numbered(values[~missing])
    spread = np.full(values.size, MISSING, np.int64)
    spread[~missing] = present
    return Column(name, labels.tolist(), spread)


def _numbered(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Codes]:
    """Return the sorted distinct values and for each value its place among them."""
    if values.dtype.kind in "iub" and values.size:
        low, high = int(values.min()), int(values.max())
        if high - low < max(1024, 4 * values.size):  # mark what occurs instead of sorting
            offset = values if low == 0 else (values.astype(np.int64) - low if values.dtype.kind != "b" else values)
            occurs = np.zeros(high - low + 1, bool)
            occurs[offset.astype(np.intp, copy=False)] = True
            labels = np.flatnonzero(occurs) + low
            if labels.size == occurs.size and values.dtype.kind != "b":
                return labels.astype(values.dtype), offset
            places = np.cumsum(occurs) - 1
            return labels.astype(values.dtype), places[offset]
    return np.unique(values, return_inverse=True)


def _signed_type(n_labels: int) -> type[np.signedinteger[Any]]:
    return np.int8 if n_labels < 1 << 7 else np.int16 if n_labels < 1 << 15 else np.int32


def column_of_objects(name: str, values: Sequence[Any]) -> Column:
    """Return a column of arbitrary Python values; None and NaN are missing."""
    known: dict[str, int] = {}
    labels: list[Any] = []
    codes = np.empty(len(values), np.int64)
    for i, value in enumerate(values):
        if value is None or value != value or type(value).__name__ in ("NAType", "NaTType"):
            codes[i] = MISSING
            continue
        code = known.setdefault(label_text(value), len(labels))
        if code == len(labels):
            labels.append(value)
        codes[i] = code
    return Column(name, labels, codes).without(MISSING_TEXTS)


class ColumnReader:
    """Collects the chunks of an Arrow column."""

    def __init__(self, name: str, dtype: Any) -> None:
        import pyarrow as pa

        types = pa.types
        self.name = name
        self.categorical = types.is_dictionary(dtype)
        self.number = types.is_integer(dtype) or types.is_floating(dtype) or types.is_boolean(dtype)
        self.decimal = types.is_decimal(dtype)
        if types.is_nested(dtype) or types.is_binary(dtype) or types.is_large_binary(dtype):
            raise DataError(f"column {name!r} holds values of type {dtype}: expected labels or numbers")
        self.view = getattr(types, "is_string_view", lambda _: False)(dtype)
        self.known: dict[str, int] = {}
        self.labels: list[Any] = []
        self.parts: list[npt.NDArray[Any]] = []
        self.gaps: list[npt.NDArray[np.bool_]] = []

    def add(self, chunk: Any) -> None:
        """Take the next chunk of the column."""
        if self.number or self.decimal:
            self._add_numbers(chunk)
        else:
            self._add_labels(chunk)

    def _add_numbers(self, chunk: Any) -> None:
        import pyarrow as pa

        if self.decimal:
            chunk = chunk.cast(pa.float64())
        if chunk.null_count:
            self.gaps.append(np.asarray(chunk.is_null()))
            chunk = chunk.fill_null(False if pa.types.is_boolean(chunk.type) else 0)
        else:
            self.gaps.append(np.zeros(len(chunk), bool))
        self.parts.append(chunk.to_numpy(zero_copy_only=False))

    def _add_labels(self, chunk: Any) -> None:
        import pyarrow as pa

        from bnml.data._kernels import translate

        if self.view:
            chunk = chunk.cast(pa.large_string())
        if not self.categorical:
            chunk = chunk.dictionary_encode()
        mapping = np.empty(len(chunk.dictionary) + 1, np.int64)
        for i, label in enumerate(chunk.dictionary.to_pylist()):
            if label is None:
                mapping[i] = MISSING
                continue
            code = self.known.setdefault(label_text(label), len(self.labels))
            if code == len(self.labels):
                self.labels.append(label)
            mapping[i] = code
        mapping[-1] = MISSING
        indices = chunk.indices
        if indices.null_count:
            indices = indices.cast(pa.int64()).fill_null(-1)
        codes = np.empty(len(chunk), _signed_type(len(self.labels)))
        translate(indices.to_numpy(zero_copy_only=False), mapping, codes)
        self.parts.append(codes)

    def finish(self) -> Column:
        """Return the whole column."""
        values = np.concatenate(self.parts) if self.parts else np.empty(0, np.int64)
        if self.number or self.decimal:
            gaps = np.concatenate(self.gaps) if self.gaps else np.empty(0, bool)
            return column_of_numbers(self.name, values, gaps)
        return Column(self.name, self.labels, values, declared=self.categorical).without(MISSING_TEXTS)


def merge_whole_numbers(column: Column) -> Column:
    """Return a text column in which ``1.0`` is ``1``, if all of its labels are whole numbers and some have a point."""
    texts = column.labels
    if not all(isinstance(text, str) for text in texts) or not any("." in text for text in texts):
        return column
    numbers = column.numbers()
    if numbers is None or not np.equal(numbers, np.floor(numbers)).all():
        return column
    known: dict[str, int] = {}
    mapping = np.full(len(texts) + 1, MISSING, np.int64)
    for i, text in enumerate(texts):
        mapping[i] = known.setdefault(without_point(text), len(known))
    mapping[-1] = MISSING
    return replace(column, labels=list(known), codes=mapping[column.codes])
