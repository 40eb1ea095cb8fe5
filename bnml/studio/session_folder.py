"""The folder of a session: everything that the studio keeps, in files that are written whole or not at all.

::

    session.json          what the page shows, and what can be undone and redone
    tables/HASH/table.csv the tables, as they were given
    looks/HASH.json       what is in a table, read in some way
    results/r1.json       what was found: a study, as `bnml.load_study` reads it
    results/r1.layout.json where its nodes stand
    before.zip            the session that was open before another one was opened in its place
    lock                  held by the one server that has the folder open

Names of files are made here and never come from outside; only the suffix of a table does, and that is one of a few.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, TypeVar

from bnml._files import locked, reading_file, written_whole
from bnml.data.sources import SUFFIXES
from bnml.errors import ArgumentError

T = TypeVar("T")

SESSION = "session.json"
BEFORE = "before.zip"
LOCK = "lock"
INCOMING = "incoming"
UNNAMED = "without-a-table"
_HASH = "[0-9a-f]{16}"
_SUFFIX = "|".join(re.escape(suffix) for suffix in (*SUFFIXES, ".vd"))
ENTRY = re.compile(
    rf"session\.json|tables/{_HASH}/table(?:{_SUFFIX})|looks/{_HASH}\.json|results/r[0-9]{{1,9}}(?:\.layout)?\.json"
)
"""What the files of a session are called."""


def folder_for(data: Path | None) -> Path:
    """Return where the session of a table is kept if nothing else is said: a folder of the user's.

    Its name has that of the table, and a hash of where the table is, so that tables of the same name do not meet.
    """
    sessions = _user_folder() / "bnml" / "studio"
    if data is None:
        return sessions / UNNAMED
    place = str(data.absolute().resolve())
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", data.name).strip(".-")[:60] or "table"
    return sessions / f"{name}-{hashlib.sha256(os.fsencode(place)).hexdigest()[:12]}"


def _user_folder() -> Path:
    """Return where programs keep what belongs to a user."""
    named = os.environ.get("XDG_DATA_HOME", "")
    if named and Path(named).is_absolute():
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path.home() / ("Library/Application Support" if sys.platform == "darwin" else ".local/share")


def table_key(file: Path, suffix: str, beside: Path | None = None) -> str:
    """Return the name of a table's folder in that of a session: a hash of how its name ends and of what is in it."""
    digest = hashlib.sha256(suffix.encode())
    for part in (file, beside):
        if part is not None:
            with part.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()[:16]


class SessionFolder:
    """A folder that one server has open.

    Parameters
    ----------
    path
        The folder; it is made if it is not there, for this user alone.

    Raises
    ------
    ArgumentError
        When it is opened, if it cannot be written, or if another server has it open.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._lock: IO[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = (self.path / LOCK).open("ab")
        except OSError as error:
            raise ArgumentError(
                f"the session cannot be kept in {str(self.path)!r}: {error.strerror}; name another folder with --folder"
            ) from None
        if not locked(self._lock):
            self._lock.close()
            raise ArgumentError(
                f"another bnml studio has {str(self.path)!r} open; use its page, end it, or name another folder with "
                "--folder"
            )
        shutil.rmtree(self.path / INCOMING, ignore_errors=True)
        for name in ("tables", "looks", "results", INCOMING):
            (self.path / name).mkdir(mode=0o700, exist_ok=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lock is not None:
            self._lock.close()

    def read(self, name: str, made: Callable[[Any], T]) -> T | None:
        """Return what is made of the values in a JSON file of the folder, and checked; None if it is not there.

        Raises
        ------
        ArgumentError
            If it is damaged.
        """
        file = self.path / name
        if not file.exists():
            return None
        hint = "Name another folder with --folder, or remove this one"
        with reading_file(file, "a file of bnml studio", hint, error=ArgumentError):
            return made(json.loads(file.read_text(encoding="utf-8")))

    def write(self, name: str, content: Any) -> None:
        """Write a JSON file of the folder."""
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        with written_whole(self.path / name) as stream:
            stream.write(text.encode("utf-8", "surrogatepass"))

    def add_look(self, look: Any) -> str:
        """Keep what is in a table, and return its name."""
        name = _look_name(look)
        if not (self.path / name).exists():
            self.write(name, look)
        return name

    def look(self, name: str) -> Any:
        """Return what is in a table; None if that is not kept, or the file is not as it was written."""
        with suppress(ArgumentError):
            return self.read(name, lambda look: look if _look_name(look) == name else None)
        return None

    def incoming(self) -> Path:
        """Return the path of a new file to write what arrives to."""
        return self.path / INCOMING / os.urandom(8).hex()

    def add_table(self, file: Path, suffix: str, beside: Path | None = None, *, copied: bool = True) -> str:
        """Keep a table, and return its name; the same table has the same name.

        Parameters
        ----------
        file
            The table.
        suffix
            How its name ends, one of those that can be read.
        beside
            The file of states that goes with it.
        copied
            Whether it stays where it is as well.
        """
        key = table_key(file, suffix, beside)
        name = f"tables/{key}/table{suffix}"
        if not (self.path / name).exists():
            place = self.path / INCOMING / f"{key}-{os.urandom(4).hex()}"
            place.mkdir()
            try:
                (shutil.copyfile if copied else shutil.move)(file, place / f"table{suffix}")
                if beside is not None:
                    shutil.copyfile(beside, place / "table.vd")
                place.replace(self.path / f"tables/{key}")
            except OSError:
                shutil.rmtree(place, ignore_errors=True)
                raise
        return name

    def remove_table(self, name: str) -> None:
        """Remove a table that nothing needs."""
        shutil.rmtree((self.path / name).parent, ignore_errors=True)

    def keep_only(self, names: Iterable[str]) -> None:
        """Remove tables and looks that nothing needs any more."""
        wanted = set(names)
        for place in (self.path / "tables").iterdir():
            if not any(name.startswith(f"tables/{place.name}/") for name in wanted):
                shutil.rmtree(place, ignore_errors=True)
        for file in (self.path / "looks").iterdir():
            if f"looks/{file.name}" not in wanted:
                file.unlink(missing_ok=True)
        for file in (self.path / "results").iterdir():
            if f"results/{file.name.split('.')[0]}" not in wanted:
                file.unlink(missing_ok=True)


def _look_name(look: Any) -> str:
    """Return the name of a file that holds what is in a table: a hash of it."""
    text = json.dumps(look, ensure_ascii=False, allow_nan=False, sort_keys=True)
    return f"looks/{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}.json"


def result_file(folder: Path, result: str) -> Path:
    """Return the file of a result in a session's folder."""
    return folder / "results" / f"{result}.json"
