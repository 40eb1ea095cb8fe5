"""Delimited text: a line of names, then a line per row, as Python's own `csv` module reads them when it is strict.

Every field is text; types are nobody's guess. Fields may be quoted, and then hold delimiters and line breaks. Lines
end in any of the three ways. An empty line is no row, unless there is a single column: then it is an empty field.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import numpy as np

from bnml._machine import cores
from bnml._text import clip, number_of
from bnml.data.columns import LabelEncoder
from bnml.data.labels import Wanted, check_table_names, kept_table_names
from bnml.data.table import Table
from bnml.errors import DataError

DELIMITERS = ",;\t|"
BLOCK = 1 << 22  # bytes that are parsed at once; a line may be refused if it is longer
LONGEST_NAMES = 1 << 20  # characters up to the end of a quote in the header
LONGEST_FIELD = 1 << 26  # characters of a field in which a fault is looked for
MARK = "\ufeff".encode()  # the byte order mark
UNCLOSED = "a quote is not closed"
END = "\x00\x00"  # a row of these is read after the last one: an open quote swallows it


def read_delimited(path: Path, wanted: Wanted, delimiter: str | None = None) -> Table:
    """Read a file of delimited text, packed by gzip if its name ends so; the header tells the delimiter.

    Raises
    ------
    DataError
        If the file is not such text; the message gives the line.
    """
    import pyarrow as pa

    with _understood(path):
        names, delimiter, start = _header(path, delimiter)
        kept = kept_table_names(names, wanted)
        encoders = [LabelEncoder(name) for name in kept]
        try:
            with _batches(path, start, names, kept, delimiter) as (batches, text):
                last = _encode(batches, encoders)
        except pa.ArrowInvalid as error:
            raise _fault(path, names, delimiter, str(error)) from None
        if last != END or text.has_bad_quote:
            raise _fault(path, names, delimiter, UNCLOSED)
    return Table([encoder.column() for encoder in encoders], names, untyped=True)


def read_text(path: Path, wanted: Wanted) -> Table:
    """Read a file of text whose delimiter is not known: those of other files, or else blanks, any number of them.

    Raises
    ------
    DataError
        If the file is not such text; the message gives the line.
    """
    with _understood(path):
        names, delimiter, _ = _header(path, None, strict=False)  # blanks may follow closing quotes
        if len(names) > 1 or len(names[0].split()) < 2:
            return read_delimited(path, wanted, delimiter)
        with open_delimited(path) as file, _long_fields(), TemporaryDirectory() as folder:
            lines = (line.strip() for line in file.read().removeprefix("\ufeff").splitlines())
            rows = csv.reader(lines, delimiter=" ", skipinitialspace=True, strict=True)
            table = Path(folder, "table.tsv")
            with table.open("w", encoding="utf-8", newline="") as out:
                try:
                    csv.writer(out, delimiter="\t", lineterminator="\n").writerows(row for row in rows if row)
                except csv.Error as error:
                    raise DataError(f"{str(path)!r}, line {rows.line_num}: {_csv_problem(error)}") from None
            try:
                return read_delimited(table, wanted, "\t")
            except DataError as error:
                raise type(error)(error.sentence.replace(str(table), str(path))) from None


def header_of(path: Path, delimiter: str | None = None) -> tuple[tuple[str, ...], str]:
    """Return the names in the first line of a file of delimited text, and the delimiter.

    Raises
    ------
    DataError
        If the file is not such text.
    """
    with _understood(path):
        names, found, _ = _header(path, delimiter)
    return names, found


@contextmanager
def _understood(path: Path) -> Iterator[None]:
    """Turn what a file's encoding or packing can raise into an error of ours."""
    try:
        yield
    except UnicodeDecodeError:
        raise _not_utf8(path) from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{str(path)!r} is not a whole gzip file: {error}") from None


def _not_utf8(path: Path) -> DataError:
    return DataError(f"{str(path)!r} is not UTF-8 text: save it as UTF-8 (from a spreadsheet: «CSV UTF-8»)")


def _open(path: Path) -> IO[bytes]:
    return gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb")  # type: ignore[return-value]


def open_delimited(path: Path) -> IO[str]:
    """Open a file of delimited text, packed by gzip if its name ends so."""
    return io.TextIOWrapper(_open(path), encoding="utf-8", newline="")


def _header(path: Path, delimiter: str | None, *, strict: bool = True) -> tuple[tuple[str, ...], str, int]:
    """Return the names in the first line, the delimiter, and the number of bytes up to the first row.

    The delimiter is the one that occurs most often, outside of quotes.
    """
    with open_delimited(path) as file:
        start = file.readline()
        is_open = start.count('"') % 2 == 1
        while is_open and len(start) < LONGEST_NAMES and (more := file.readline()):  # a quoted name with a line break
            start += more
            is_open ^= more.count('"') % 2 == 1
    header = start.removeprefix("\ufeff")
    if "\x00" in header:
        raise _not_utf8(path)
    if not header.strip():
        raise DataError(f"{str(path)!r}: the first line is empty; expected the names of the columns")
    if is_open:
        raise DataError(f"{str(path)!r}, line 1: {UNCLOSED}")
    if delimiter is None:
        bare = re.sub(r'"[^"]*"', "", header)
        delimiter = max(DELIMITERS, key=bare.count)
    try:
        names = next(csv.reader([header], delimiter=delimiter, strict=strict))
    except csv.Error as error:
        raise DataError(f"{str(path)!r}, line 1: {_csv_problem(error)}") from None
    return check_table_names(names, repr(str(path))), delimiter, len(start.encode())


def _csv_problem(error: csv.Error) -> str:
    """Return what is wrong with text that Python's strict reader refuses."""
    text = str(error)
    if "expected after" in text:
        return (
            'text after a closing quote; quote the whole field, and double the quotes in it (""), or quote none of it'
        )
    if "larger" in text:
        return f"a field is longer than {csv.field_size_limit():,} characters; is a quote not closed?"
    return UNCLOSED if "new-line" in text or "end of data" in text else text


class _WithEnd(io.RawIOBase):
    """A file that has one more row, of fields ``END``, and whose quotes are checked while it is read.

    Arrow takes a byte order mark from where it begins to read; here that is the first row, whose first field may begin
    with that character. So it gets a second one to take.
    """

    def __init__(self, file: IO[bytes], width: int, delimiter: str) -> None:
        self.file = file
        self.row = delimiter.join([END] * width).encode()
        self.delimiter = delimiter.encode()
        self.last = b""
        self.begun = False
        self.state = 0  # of `scan_quotes`

    @property
    def has_bad_quote(self) -> bool:
        """Whether what was read has text after a closing quote."""
        from bnml.data._kernels import TEXT_AFTER_QUOTE

        return self.state == TEXT_AFTER_QUOTE

    def _check_quotes(self, block: bytes) -> None:
        from bnml.data._kernels import FIELD_START, UNQUOTED, scan_quotes

        if self.state <= UNQUOTED and b'"' not in block:
            self.state = FIELD_START if block[-1:] in (b"\r", b"\n", self.delimiter) else UNQUOTED
        else:
            self.state = scan_quotes(np.frombuffer(block, np.uint8), ord(self.delimiter), self.state)

    def readable(self) -> bool:
        return True

    def read(self, size: int = BLOCK) -> bytes:
        most = max(1, size - len(self.row) - 1 - len(MARK))  # the row must not stand alone in a block
        block = self.file.read(most)
        while block.endswith(b"\r") and most <= len(block) < size and (more := self.file.read(1)):
            block += more  # Arrow drops a line feed at the start of a block
        if block:
            self._check_quotes(block)
        if len(block) < most and self.row:
            before = block[-1:] or self.last
            block += self.row if before in b"\r\n" else b"\n" + self.row
            self.row = b""
        self.last = block[-1:]
        if not self.begun and block.startswith(MARK):
            block = MARK + block
        self.begun = True
        return block


@contextmanager
def _batches(
    path: Path, start: int, names: Sequence[str], kept: Sequence[str], delimiter: str
) -> Iterator[tuple[Iterable[Any], _WithEnd]]:
    """Give the rows as Arrow batches of text, one after the other, and the file that they are read from.

    The last row has ``END`` in each column.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    breaks = _has_quotes(path, start)
    with _open(path) as file:
        file.read(start)
        text = _WithEnd(file, len(names), delimiter)
        with arrow_csv.open_csv(
            text,
            arrow_csv.ReadOptions(column_names=list(names), block_size=BLOCK),
            arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=breaks, ignore_empty_lines=len(names) > 1),
            arrow_csv.ConvertOptions(include_columns=list(kept), column_types=dict.fromkeys(kept, pa.string())),
        ) as reader:
            yield reader, text


def _encode(batches: Iterable[Any], encoders: Sequence[LabelEncoder]) -> str | None:
    """Encode all rows but the last, in threads, while the next batch is parsed; return the last one's first field."""
    from concurrent.futures import Future, ThreadPoolExecutor

    threads = min(cores(), len(encoders))

    def add(first: int, columns: Sequence[Any]) -> None:
        for encoder, chunk in zip(encoders[first::threads], columns[first::threads], strict=True):
            encoder.add(chunk)

    with ThreadPoolExecutor(threads) as pool:
        pending: list[Future[None]] = []

        def submit(rows: Any) -> None:
            for future in pending:
                future.result()
            pending[:] = [pool.submit(add, first, rows.columns) for first in range(threads)]

        held = None
        for batch in batches:
            if batch.num_rows:
                if held is not None:
                    submit(held)
                held = batch
        if held is None:
            return None
        submit(held.slice(0, held.num_rows - 1))
        for future in pending:
            future.result()
    last: str | None = held.column(0)[-1].as_py()
    return last


def _has_quotes(path: Path, start: int) -> bool:
    """Return whether a file may have quotes after its start, and so line breaks in its fields."""
    if path.name.lower().endswith(".gz"):
        return True
    with path.open("rb") as file:
        file.seek(start)
        return any(b'"' in block for block in iter(lambda: file.read(BLOCK), b""))


@contextmanager
def _long_fields() -> Iterator[None]:
    """Let Python's own reader take long fields, for a while: its limit holds for the whole process."""
    limit = csv.field_size_limit(LONGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def _fault(path: Path, names: Sequence[str], delimiter: str, complaint: str) -> DataError:
    """Return the error for a file that is wrong: found by reading it again, slowly, with Python's own reader."""
    if complaint.startswith("In CSV column") and complaint.endswith("invalid UTF8 data"):
        return _not_utf8(path)
    line = 1
    with open_delimited(path) as file, _long_fields():
        first = file.readline().removeprefix("\ufeff")
        reader = csv.reader(chain([first], file), delimiter=delimiter, strict=True)
        try:
            for row in reader:
                if row and len(row) != len(names):
                    return DataError(
                        f"{str(path)!r}, line {line}: {number_of(len(row), 'field')} where the header "
                        f"has {len(names)} ({clip(delimiter.join(row))!r})"
                    )
                line = reader.line_num + 1
        except csv.Error as error:
            return DataError(f"{str(path)!r}, line {line}: {_csv_problem(error)}")
    if "straddling" in complaint:
        complaint = f"a line is longer than {BLOCK:,} bytes"
    return DataError(f"{str(path)!r}: {clip(complaint, 200)}")
