"""Tables that were read, kept in memory for the next question."""

from __future__ import annotations

import json
import threading
import warnings
from pathlib import Path

from bnml.data import Data
from bnml.errors import DataWarning
from bnml.five_steps.table_source import TableSource
from bnml.studio.session import TableEntry

__all__ = ["ReadTables", "source_in"]

KEPT = 2


def source_in(folder: Path, table: TableEntry) -> TableSource:
    """Return where a table of a session is, and how it is read."""
    return TableSource(str(folder / table.file), table.choices.arguments)


class ReadTables:
    """The last tables that were read."""

    def __init__(self) -> None:
        self._kept: dict[str, Data] = {}
        self._lock = threading.Lock()

    def data(self, folder: Path, table: TableEntry) -> Data:
        """Return a table, read as its entry says.

        Raises
        ------
        BnmlError
            If it cannot be read so.
        """
        source = source_in(folder, table)
        key = json.dumps([table.file, source.arguments], sort_keys=True)
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
