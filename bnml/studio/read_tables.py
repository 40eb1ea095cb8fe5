"""Tables that were read, kept in memory for the next question."""

from __future__ import annotations

import json
import threading
import warnings
from importlib.util import find_spec
from pathlib import Path

from bnml.data import Data
from bnml.data.sources import SUFFIXES
from bnml.errors import DataWarning
from bnml.five_steps.table_source import TableSource
from bnml.studio.session import TableEntry

KEPT = 2
NEEDS = {".xlsx": "openpyxl"}  # packages without which files of a kind cannot be read
BESIDE = (".idt",)  # files that another one belongs to, and that are given on the command line


def offered_suffixes() -> list[str]:
    """Return how names of tables end that the page can be given: those that can be read with what is installed.

    Examples
    --------
    >>> offered_suffixes()[:2]
    ['.csv', '.csv.gz']
    """
    return [
        suffix
        for suffix in SUFFIXES
        if suffix not in BESIDE and (suffix not in NEEDS or find_spec(NEEDS[suffix]) is not None)
    ]


def table_source_in(folder: Path, table: TableEntry) -> TableSource:
    """Return where a table of a session is read from, and how."""
    return TableSource(str(folder / table.file), table.choices.arguments)


class ReadTables:
    """The last tables that were read."""

    def __init__(self) -> None:
        self._kept: dict[str, Data] = {}
        self._lock = threading.Lock()

    def data(self, source: TableSource) -> Data:
        """Return the table of a source.

        Raises
        ------
        BnmlError
            If it cannot be read so.
        """
        key = json.dumps([source.path, source.arguments], sort_keys=True)
        with self._lock:
            found = self._kept.pop(key, None)
            if found is None:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", DataWarning)
                    found = source.read()
            self._kept[key] = found
            while len(self._kept) > KEPT:
                del self._kept[next(iter(self._kept))]
        return found
