"""Rows of a table as CSV, in UTF-8 whatever the terminal speaks."""

from __future__ import annotations

import gzip
import re
import sys
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any

from bnml._text import quoted_value
from bnml.data.labels import is_missing
from bnml.errors import DataError

if TYPE_CHECKING:
    import pandas

BLOCK = 1 << 14  # rows that are written at once

# delimiters of any kind, because the names of columns must not be taken for several; and what is no byte order mark
_QUOTED = re.compile('[,;\t|"\r\n]|^\ufeff')


def write_rows(frame: pandas.DataFrame, stream: IO[bytes], *, packed: bool = False) -> None:
    """Write a table to a stream, packed by gzip if that is asked for, the same bytes every time.

    Raises
    ------
    DataError
        If a label cannot be written as UTF-8.
    """
    if not packed:
        stream.writelines(_blocks(frame))
        return
    with gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as packing:
        packing.writelines(_blocks(frame))


def print_rows(frame: pandas.DataFrame) -> None:
    """Write a table to standard output.

    Raises
    ------
    DataError
        If a label cannot be written as UTF-8; then nothing is written.
    """
    if sys.stdout is None:
        return
    binary: IO[bytes] | None = getattr(sys.stdout, "buffer", None)
    blocks = _blocks(frame)
    if binary is None:
        sys.stdout.writelines(block.decode("utf-8") for block in blocks)
        return
    sys.stdout.flush()
    binary.writelines(blocks)


def _blocks(frame: pandas.DataFrame) -> Iterator[bytes]:
    """Give the lines of a table, many at a time."""
    alone = len(frame.columns) == 1
    columns = [_fields(frame.iloc[:, k], alone=alone) for k in range(len(frame.columns))]
    yield b",".join(_field(name, alone=alone) for name in frame.columns) + b"\n"
    for start in range(0, len(frame), BLOCK):
        part = [column[start : start + BLOCK] for column in columns]
        yield b"".join([b",".join(row) + b"\n" for row in zip(*part, strict=True)])


def _fields(values: Any, *, alone: bool) -> list[bytes]:
    items = values.tolist()
    kinds = [(type(value), value) for value in items]  # 1, 1.0 and True are equal, and are written differently
    fields = {kind: _field(kind[1], alone=alone) for kind in set(kinds)}
    return [fields[kind] for kind in kinds]


def _field(value: Any, *, alone: bool) -> bytes:
    """Return a value as a field; an empty one is quoted if it stands alone in its line."""
    text = "" if is_missing(value) else str(value)
    if _QUOTED.search(text) or (alone and not text):
        text = '"' + text.replace('"', '""') + '"'
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise DataError(f"{quoted_value(text)} cannot be written as UTF-8: rename it") from None
