"""A column as it comes from a source, before anything is decided about its states.

A column of text is encoded fast where it holds the few short labels that categories mostly are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._jit import plain_at_first
from bnml._machine import cores, run_all
from bnml._text import clip
from bnml.data.labels import (
    MISSING_TEXTS,
    as_numbers,
    is_missing,
    is_whole,
    label_text,
    label_without_point,
    plain_label,
)
from bnml.errors import DataError

Codes = npt.NDArray[np.integer[Any]]

MISSING = -1
FEW_ROWS = 50_000  # not worth a thread


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
    def texts(self) -> list[str]:
        """The texts of the labels."""
        return [label if type(label) is str else label_text(label) for label in self.labels]

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
        kept = replace(self, codes=self.codes[keep])
        return kept if self.declared else kept.occurring()

    def occurring(self) -> Column:
        """Return the column without the labels that never occur."""
        occurs = np.zeros(len(self.labels) + 1, bool)
        occurs[self.codes] = True
        return self._only(np.flatnonzero(occurs[:-1]).tolist())

    def without(self, texts: frozenset[str]) -> Column:
        """Return the column with the labels of these texts turned into missing values; ``9`` stands for ``9.0`` too."""
        if texts <= MISSING_TEXTS and not any(isinstance(label, str) for label in self.labels):
            return self
        own = self.texts
        if any(is_whole(text) for text in texts):
            own = [label_without_point(text) for text in own]
        return self if texts.isdisjoint(own) else self._only([i for i, text in enumerate(own) if text not in texts])

    def _only(self, kept: list[int]) -> Column:
        """Return the column with these labels only; the others become missing values."""
        if len(kept) == len(self.labels):
            return self
        mapping = np.full(len(self.labels) + 1, MISSING, np.int64)
        mapping[kept] = np.arange(len(kept))
        return replace(self, labels=[self.labels[i] for i in kept], codes=mapping[self.codes])

    def with_whole_numbers(self) -> Column:
        """Return a column of text in which ``1.0`` is ``1``, if all of its labels are whole numbers."""
        texts = self.texts
        if not any("." in text for text in texts) or not all(is_whole(text) for text in texts):
            return self
        return self._renamed([label_without_point(text) for text in texts])

    def _renamed(self, texts: list[str]) -> Column:
        """Return the column with these labels in place of its own; equal ones become one."""
        if texts == self.labels:
            return self
        known: dict[str, int] = {}
        places = [known.setdefault(text, len(known)) for text in texts]
        return replace(self, labels=list(known), codes=np.array([*places, MISSING], np.int64)[self.codes])

    def cleaned(self, declared: Iterable[Any], na_texts: frozenset[str] = frozenset(), *, untyped: bool) -> Column:
        """Return the column in which what stands for a missing value is one, unless it is declared as a state.

        In an ``untyped`` column of whole numbers ``1.0`` becomes ``1``, unless the declared states are written with a
        point too; in any other, if ``1`` is declared and ``1.0`` is not.
        """
        states = {label_text(label) for label in declared}
        missing = {label_without_point(text) for text in MISSING_TEXTS | na_texts} - {
            label_without_point(text) for text in states
        }
        column = self.without(frozenset(missing))
        if untyped and all(label_without_point(state) == state for state in states):
            column = column.with_whole_numbers()
        if untyped and states:
            short = {text: label_without_point(text) for text in column.texts if text not in states}
            column = column._renamed([short[text] if short.get(text) in states else text for text in column.texts])
        return column

    def values(self) -> npt.NDArray[np.object_]:
        """Return the values row by row, as they are in the source; None where there is none."""
        labels = [None if label == "" else label for label in self.labels]
        return np.fromiter([*labels, None], object, len(labels) + 1)[self.codes]

    def numbers(self) -> npt.NDArray[np.float64] | None:
        """Return the labels as numbers, or None if one of them is not a number."""
        return as_numbers(self.labels)


def column_of_numbers(name: str, values: npt.NDArray[Any], missing: npt.NDArray[np.bool_] | None = None) -> Column:
    """Return a column of integers, booleans or floats (NaN is missing)."""
    if values.dtype.kind == "f":
        nan = np.isnan(values)
        missing = nan if missing is None else missing | nan
        if np.isinf(values).any():
            raise DataError(
                f"column {clip(name)!r} holds infinite numbers: replace them, or leave it out with columns="
            )
    if missing is None or not missing.any():
        return Column(name, *_numbered(values))
    labels, present = _numbered(values[~missing])
    codes = np.full(values.size, MISSING, np.int64)
    codes[~missing] = present
    return Column(name, labels, codes)


def _numbered(values: npt.NDArray[Any]) -> tuple[list[Any], Codes]:
    """Return the sorted distinct values, and for each value its place among them."""
    kind = values.dtype.kind
    if kind == "b":
        labels, codes = _numbered(values.astype(np.int8))
        return [bool(label) for label in labels], codes
    if values.size and kind in "iu":
        low, high = int(values.min()), int(values.max())
        if high - low < max(1024, 4 * values.size):  # mark what occurs instead of sorting
            if low:
                values = values - values.dtype.type(low) if kind == "u" else values.astype(np.int64) - low
            offsets = values.astype(np.int64, copy=False)
            occurs = np.zeros(high - low + 1, bool)
            occurs[offsets] = True
            labels = [low + place for place in np.flatnonzero(occurs).tolist()]
            return labels, offsets if len(labels) == occurs.size else (np.cumsum(occurs) - 1)[offsets]
    if values.size and kind == "f" and float(np.abs(values).max()) < 1 << 31 and (values == np.floor(values)).all():
        labels, codes = _numbered(values.astype(np.int64))
        return [float(label) for label in labels], codes
    distinct, codes = np.unique(values, return_inverse=True)
    return distinct.tolist(), codes


def column_of_objects(name: str, values: Iterable[Any]) -> Column:
    """Return a column of arbitrary Python values, a label for each text that occurs."""
    known: dict[str, int] = {}
    labels: list[Any] = []
    codes = [_code(name, value, known, labels) for value in values]
    return Column(name, labels, np.array(codes, np.int64))


def column_of_categories(name: str, categories: Iterable[Any], codes: Codes) -> Column:
    """Return a categorical column: its labels in their order, used or not."""
    own = column_of_objects(name, categories)
    return Column(name, own.labels, np.append(own.codes, MISSING)[codes], declared=True)


def _code(name: str, value: Any, known: dict[str, int], labels: list[Any]) -> int:
    """Return a value's code; a new label is added to the known ones."""
    text = value
    if type(value) is not str:  # most are
        if is_missing(value):
            return MISSING
        if isinstance(value, list | tuple | dict | set | frozenset | bytes | bytearray | complex | np.ndarray):
            raise not_labels(name, type(value).__name__)
        text = label_text(value)
    code = known.setdefault(text, len(labels))
    if code == len(labels):
        labels.append(plain_label(value))
    return code


def not_labels(name: str, what: object) -> DataError:
    """Return the error for a column whose values can be no labels."""
    return DataError(
        f"column {clip(name)!r} holds values of type {clip(what)}: expected labels or numbers; convert it, or leave it "
        "out with columns="
    )


def columns_of_arrow(names: Sequence[str], values: Sequence[Any]) -> list[Column]:
    """Return Arrow columns; if they are long, in threads."""
    columns: list[Column | None] = [None] * len(names)

    def read(start: int, stop: int) -> None:
        for i in range(start, stop):
            columns[i] = column_of_arrow(names[i], values[i])

    run_all(read, [(i, i + 1) for i in range(len(names))], cores() if len(values[0]) > FEW_ROWS else 1)
    return [column for column in columns if column is not None]


def column_of_arrow(name: str, values: Any) -> Column:
    """Return an Arrow column (a ``ChunkedArray``) of any type that can be a label; a dictionary is a categorical."""
    import pyarrow as pa
    import pyarrow.compute as pc

    types, kind = pa.types, values.type
    if str(kind).startswith("run_end_encoded"):
        values = pa.chunked_array([pc.run_end_decode(chunk) for chunk in values.chunks], kind.value_type)
        kind = kind.value_type
    value_kind = kind.value_type if types.is_dictionary(kind) else kind
    if types.is_null(kind):
        return Column(name, [], np.full(len(values), MISSING, np.int64))
    if types.is_nested(value_kind) or "binary" in str(value_kind):
        raise not_labels(name, value_kind)
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
        missing = values.is_null().to_numpy() if values.null_count else None
        whole = values.fill_null(False if types.is_boolean(kind) else 0) if values.null_count else values
        return column_of_numbers(name, whole.to_numpy(), missing)
    encoder = LabelEncoder(name)
    try:
        for chunk in values.chunks:
            encoder.add(chunk)
    except pa.ArrowNotImplementedError:  # an extension type: slowly, as Python values
        return column_of_objects(name, values.to_pylist())
    return replace(encoder.column(), declared=types.is_dictionary(kind))


class LabelEncoder:
    """Makes a column of chunks of text, or of anything else that Arrow can turn into a dictionary."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.known: dict[str, int] = {}
        self.labels: list[Any] = []
        self.parts: list[Codes] = [np.empty(0, np.int8)]

    def add(self, chunk: Any) -> None:
        """Take the next chunk; nothing of it is kept but its codes."""
        from bnml.data._kernels import translate
        from bnml.data.columns import encode_text_array

        places, own = encode_text_array(chunk)
        mapping = [_code(self.name, label, self.known, self.labels) for label in own]
        codes = np.empty(len(chunk), _signed_type(len(self.labels)))
        translate(places, np.array([*mapping, MISSING], np.int64), codes)
        self.parts.append(codes)

    def column(self) -> Column:
        """Return the whole column."""
        return Column(self.name, self.labels, np.concatenate(self.parts))


def _signed_type(n_labels: int) -> type[np.signedinteger[Any]]:
    return np.int8 if n_labels < 1 << 7 else np.int16 if n_labels < 1 << 15 else np.int32


def column_code_type(arity: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest unsigned type that holds the codes of a column."""
    return np.uint8 if arity <= 1 << 8 else np.uint16 if arity <= 1 << 16 else np.uint32


def encode_text_array(chunk: Any) -> tuple[npt.NDArray[np.integer[Any]], list[Any]]:
    """Return the codes of an Arrow array of texts, -1 for nulls, and its labels."""
    import pyarrow as pa

    return _encode(chunk.cast(pa.large_string()) if str(chunk.type) == "string_view" else chunk)


def _encode_by_arrow(chunk: Any) -> tuple[npt.NDArray[np.integer[Any]], list[Any]]:
    import pyarrow as pa

    if not pa.types.is_dictionary(chunk.type):
        chunk = chunk.dictionary_encode()
    codes = chunk.indices.cast(pa.int32() if len(chunk.dictionary) < 1 << 31 else pa.int64())
    if codes.null_count:
        codes = codes.fill_null(-1)  # imports pandas, and so would to_numpy
    numbers: npt.NDArray[Any] = np.from_dlpack(codes)
    return numbers, chunk.dictionary.to_pylist()


@plain_at_first(lambda chunk: 10 + len(chunk) / 25, _encode_by_arrow)
def _encode(chunk: Any) -> tuple[npt.NDArray[np.integer[Any]], list[Any]]:
    return _encode_short_texts(chunk) or _encode_by_arrow(chunk)


def _encode_short_texts(chunk: Any) -> tuple[npt.NDArray[np.int8], list[str]] | None:
    """Return codes and labels of an array of text, or None if it has nulls, long texts or many of them."""
    import pyarrow as pa

    from bnml.data._kernels import MOST_TEXTS, encode_texts

    large = pa.types.is_large_string(chunk.type)
    if not (large or pa.types.is_string(chunk.type)) or chunk.null_count or not len(chunk):
        return None
    _, where, content = chunk.buffers()
    if content is None or content.size < 8:
        return None
    offsets = np.frombuffer(where, np.int64 if large else np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
    words: npt.NDArray[np.int64] = np.ndarray(content.size - 7, np.int64, content, strides=(1,))  # one at every byte
    codes = np.empty(len(chunk), np.int8)
    first = np.empty(MOST_TEXTS, np.int64)
    known, slots = np.empty((MOST_TEXTS, 3), np.int64), np.full(4 * MOST_TEXTS, -1, np.int64)
    m = encode_texts(offsets, words, codes, first, known, slots)
    return None if m < 0 else (codes, [chunk[int(row)].as_py() for row in first[:m]])
