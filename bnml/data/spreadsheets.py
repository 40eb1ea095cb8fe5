"""Excel's workbooks: the first sheet, whose first row has the names of the columns."""

from __future__ import annotations

import zipfile
import zlib
from itertools import zip_longest
from pathlib import Path
from typing import Any

from bnml._optional import needs
from bnml._text import clip
from bnml.data.columns import column_of_objects
from bnml.data.labels import Wanted, check_table_names, kept_table_names
from bnml.data.table import Table
from bnml.errors import DataError

# what zipfile, XML parsers and openpyxl raise for a damaged workbook
UNREADABLE = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, LookupError, AttributeError, ValueError, TypeError,
    SyntaxError,
)  # fmt: skip


def read_workbook(path: Path, wanted: Wanted) -> Table:
    """Read the first sheet of a workbook; formulas have the values that were saved with them.

    Raises
    ------
    DataError
        If it is no workbook, or has no table.
    DependencyError
        If openpyxl is not installed.
    """
    with needs("a .xlsx file", "openpyxl"):
        import openpyxl

    try:
        workbook = openpyxl.load_workbook(path, read_only=True, data_only=True)
        try:
            rows = [list(row) for sheet in workbook.worksheets[:1] for row in sheet.iter_rows(values_only=True)]
        finally:
            workbook.close()
    except OSError:
        raise
    except UNREADABLE as error:
        raise DataError(f"{str(path)!r} is not a readable .xlsx file: {clip(error, 200)}") from None
    rows = [row for row in rows if any(value is not None for value in row)]
    if not rows:
        raise DataError(f"{str(path)!r}: its first sheet is empty")
    columns = [list(values) for values in zip_longest(*rows)]
    columns = [values for values in columns if any(value is not None for value in values)]
    names = check_table_names(["" if values[0] is None else _name(values[0]) for values in columns], repr(str(path)))
    position = {name: i for i, name in enumerate(names)}
    kept = kept_table_names(names, wanted)
    return Table([column_of_objects(name, columns[position[name]][1:]) for name in kept], names)


def _name(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
