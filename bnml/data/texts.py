"""Encoding a column of text, fast where it holds the few short labels that categories mostly are."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._jit import plain_at_first


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
