"""Where the table of a study comes from, so that it can be read again."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import resources
from inspect import signature
from pathlib import Path
from typing import Any

from bnml.data import Data, read
from bnml.data.engine_addresses import shown_address
from bnml.data.engine_sources import is_address
from bnml.data.example import example_path

STANDARD_INPUT = "-"
USUAL: Mapping[str, Any] = {"bins": "auto"}


@dataclass(frozen=True)
class TableSource:
    """A file, and how it is read.

    Attributes
    ----------
    path
        The file; None for the bundled example.
    arguments
        The arguments of `bnml.read`.
    """

    path: str | None
    arguments: Mapping[str, Any] = field(default_factory=lambda: dict(USUAL))

    @property
    def lasting(self) -> bool:
        """Whether a file may name it: not standard input, nor an address, which may have a password."""
        return self.path != STANDARD_INPUT and not is_address(self.path)

    def read(self) -> Data:
        """Read the table."""
        if self.path is not None:
            return read(self.path, **self.arguments)
        with resources.as_file(example_path()) as path:
            return read(path, **self.arguments)

    def elsewhere(self, path: str | os.PathLike[str]) -> TableSource:
        """Return another file that is read in the same way."""
        return replace(self, path=os.fspath(path))

    def values(self, folder: Path) -> dict[str, Any]:
        """Return it as values for a file in some folder, from which paths lead to it."""
        return {
            "path": _from(folder, self.path),
            "arguments": _moved(self.arguments, partial(_from, folder)),
        }

    @staticmethod
    def of_values(values: Mapping[str, Any], folder: Path) -> TableSource:
        """Return what `values` gave, for a file in that folder.

        Raises
        ------
        ValueError
            If it is something else.
        """
        source = TableSource(_to(folder, values["path"]), _moved(values["arguments"], partial(_to, folder)))
        if not source.lasting or not set(source.arguments) <= set(signature(read).parameters) - {"source"}:
            raise ValueError("it does not say where its table is, or how it is read")
        return source


def source_of(data: Any, arguments: Mapping[str, Any]) -> TableSource | None:
    """Return where data come from that `bnml.study` was given, and how it reads them; None if they are no file."""
    return TableSource(os.fspath(data), arguments) if isinstance(data, str | os.PathLike) else None


def _moved(arguments: Mapping[str, Any], place: Callable[[str], str | None]) -> dict[str, Any]:
    """Return arguments with the path of their file of states written otherwise, if they have one."""
    states = arguments.get("states")
    named = {"states": place(os.fspath(states))} if isinstance(states, str | os.PathLike) else {}
    return {**arguments, **named}


def _from(folder: Path, path: str | None) -> str | None:
    """Return how a path is written in a file of some folder."""
    if path is None or path == STANDARD_INPUT:
        return path
    if is_address(path):
        return shown_address(path)
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # on another drive
        return str(Path(path).absolute())


def _to(folder: Path, path: str | None) -> str | None:
    """Return the path that a file of some folder names so."""
    return path if path is None or path == STANDARD_INPUT or is_address(path) else os.path.normpath(folder / path)
