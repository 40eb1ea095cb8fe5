"""How much memory a CSV or Parquet file takes while it is read here, told from its first rows.

A value of few states takes some bytes, of text, codes, and copies of both. One that occurs nowhere else, a measurement
or a key, is a label of its own, and takes many more.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from bnml._costs import BYTES
from bnml.data.delimited import header_of, open_delimited
from bnml.errors import BnmlError

MOST_PER_BYTE = BYTES.label // 2  # of a file of text: a digit and a comma are a value
FIRST_ROWS = 2000


def takes_more_than(path: Path, limit: int) -> bool:
    r"""Return whether a CSV or Parquet file takes more than a number of bytes while it is read; False for others.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "t.csv")
    ...     _ = file.write_text("a,b\n" + "x,1\ny,2\n" * 1000)
    ...     takes_more_than(file, 10**6), takes_more_than(file, 10**5)
    (False, True)
    """
    name = path.name.lower()
    if name.endswith(".parquet"):
        return _memory_of_parquet(path) > limit
    if not name.endswith((".csv", ".tsv", ".csv.gz", ".tsv.gz")):
        return False
    size = path.stat().st_size * (8 if name.endswith(".gz") else 1)  # gzip makes a table about 8 times smaller
    return size * MOST_PER_BYTE > limit and _memory_of_text(path, size) > limit


def _memory(columns: Sequence[int], n_first: int, n_rows: float) -> int:
    """Return the bytes of columns with these numbers of different values among the first rows."""
    # where half of the first values differ, they are labels of their own
    each = sum(BYTES.label if n > max(0.5 * n_first, 10) else BYTES.value for n in columns)
    return int(each * n_rows)


def _memory_of_parquet(path: Path) -> int:
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as file:
            first = next(file.iter_batches(FIRST_ROWS), None)
            n_rows = int(file.metadata.num_rows)
    except (pa.ArrowException, OSError):
        return 0  # what is wrong with it is said where it is read
    if first is None:
        return 0
    columns = []
    for column in first.columns:
        try:
            columns.append(int(pc.count_distinct(column).as_py()))
        except pa.ArrowNotImplementedError:
            columns.append(0)  # no labels, which is said elsewhere
    return _memory(columns, first.num_rows, n_rows)


def _memory_of_text(path: Path, size: int) -> int:
    try:
        names, delimiter = header_of(path, "\t" if path.name.lower().endswith((".tsv", ".tsv.gz")) else None)
        with open_delimited(path) as file:
            lines = list(islice(file, 1, FIRST_ROWS + 1))
        rows = list(csv.reader(lines, delimiter=delimiter))
    except (BnmlError, UnicodeDecodeError, csv.Error):
        return size  # what is wrong with it is said where it is read
    if not rows:
        return size
    columns = [len({row[i] for row in rows if i < len(row)}) for i in range(len(names))]
    return _memory(columns, len(rows), size / (sum(map(len, lines)) / len(rows)))
