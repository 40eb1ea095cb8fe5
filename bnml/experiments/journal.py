"""What was done so far, in a file that survives any interruption.

Each finished part of the work is one line of JSON, written at once. The first line says what the work is: if it is
something else than what is asked for now, nothing of it is used and nothing is overwritten.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import bnml
from bnml._files import locked, reading_file
from bnml.errors import ArgumentError, argument
from bnml.experiments.experiment import Experiment, Row


class Journal:
    """The parts of an experiment that are done.

    Parameters
    ----------
    path
        The file; it may be there already, from a run that was interrupted or had fewer repetitions.
    experiment, data, seed
        What is done.

    Raises
    ------
    ArgumentError
        If the file belongs to something else, or cannot be read or written.
    """

    def __init__(self, path: Path, experiment: Experiment, data: Path, seed: int) -> None:
        self.path = path
        self._head = {
            "bnml": bnml.__version__,
            "format": 2,
            "experiment": experiment.name,
            "seed": seed,
            "data": _fingerprint(data / file for file in experiment.files),
        }
        self._done: dict[str, Sequence[Row]] = {}
        self._seconds: dict[str, float] = {}
        try:
            self._file = path.open("a+b")
        except OSError as error:
            raise ArgumentError(f"{str(path)!r} cannot be used: {error.strerror}") from None
        try:
            if not locked(self._file):
                folder = str(path.parent)
                raise ArgumentError(
                    f"another run is at work in {folder!r}; wait for it, or choose another folder with out="
                )
            whole = self._read()
            self._file.truncate(whole)  # a line that was cut off is written anew
            if not whole:
                self._write(self._head)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self._file.close()

    def _read(self) -> int:
        """Read the lines that are whole, and return how many bytes they are."""
        self._file.seek(0)
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        hint = "Choose another folder with " + argument("out") + ", or remove that file"
        with reading_file(self.path, "the journal of an experiment", hint, error=ArgumentError):
            head, *lines = [json.loads(line) for line in content[:whole].splitlines()] or [None]
            if not isinstance(head, dict | None) or (content and (head is None or "experiment" not in head)):
                raise ValueError("its first line is of something else")
            if head not in (None, self._head):
                if not lines:  # nothing was done
                    return 0
                raise self._refusal(head)
            self._done = {_name(line["part"]): _checked_rows(line["rows"]) for line in lines}
            self._seconds = {_name(line["part"]): float(line["seconds"]) for line in lines}
        return whole

    def _refusal(self, head: dict[str, Any]) -> ArgumentError:
        names = {"experiment": "another experiment", "seed": "another seed", "data": "other data"}
        differs = [text for key, text in names.items() if head.get(key) != self._head[key]]
        return ArgumentError(
            f"{str(self.path)!r} holds the results of {' and '.join(differs) or 'another version of bnml'}",
            hint="choose another folder with " + argument("out") + ", or remove that file",
        )

    def __contains__(self, key: Sequence[Any]) -> bool:
        return _name(key) in self._done

    def __getitem__(self, key: Sequence[Any]) -> Sequence[Row]:
        return self._done[_name(key)]

    def seconds(self, key: Sequence[Any]) -> float:
        """Return how many seconds of a processor a part took."""
        return self._seconds[_name(key)]

    def add(self, key: Sequence[Any], rows: Sequence[Row], seconds: float) -> None:
        """Write down the rows of a part that is done, and how many seconds of a processor it took."""
        line = self._write({"part": list(key), "seconds": round(seconds, 3), "rows": list(rows)})
        self._done[_name(key)], self._seconds[_name(key)] = line["rows"], line["seconds"]

    def _write(self, values: Any) -> Any:
        """Write a line, and return what it will be read as."""
        line = json.dumps(values, allow_nan=False, separators=(",", ":")).encode() + b"\n"
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            raise ArgumentError(
                f"{str(self.path)!r} cannot be written: {error.strerror}; what was done before is kept in it"
            ) from None
        return json.loads(line)


def _checked_rows(rows: Any) -> Sequence[Row]:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise TypeError("the rows of a part are not rows")
    return rows


def _name(key: Sequence[Any]) -> str:
    return json.dumps(list(key))


def _fingerprint(files: Iterable[Path]) -> str:
    """Return a text that differs when the content of a file does."""
    digest = hashlib.blake2b(digest_size=16)
    for file in files:
        digest.update(hashlib.blake2b(file.read_bytes()).digest())
    return digest.hexdigest()
