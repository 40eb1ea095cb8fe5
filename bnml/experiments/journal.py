"""What was done so far, in a file that survives any interruption.

Each finished part of the work is one line of JSON, written at once. The first line says what the work is: if it is
something else than what is asked for now, nothing of it is used and nothing is overwritten.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bnml.errors import ArgumentError
from bnml.experiments.experiment import Experiment, Row

__all__ = ["Journal"]

FORMAT = 1


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
            "bnml": "experiment",
            "format": FORMAT,
            "name": experiment.name,
            "seed": seed,
            "data": _fingerprint(data / file for file in experiment.files),
        }
        self._done: dict[str, Sequence[Row]] = {}
        try:
            whole = self._read() if path.exists() else 0
            with path.open("ab") as file:
                file.truncate(whole)  # a line that was cut off is written anew
                if not whole:
                    file.write(_line(self._head))
        except OSError as error:
            raise ArgumentError(f"{str(path)!r} cannot be used: {error.strerror}") from None

    def _read(self) -> int:
        """Read the lines that are whole, and return how many bytes they are."""
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        try:
            lines = [json.loads(line) for line in content[:whole].splitlines()]
            if lines and lines[0] != self._head:
                raise self._refusal(lines[0])
            self._done = {_name(line["part"]): line["rows"] for line in lines[1:]}
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, ArgumentError):
                raise
            raise self._refusal(None) from None
        return whole

    def _refusal(self, head: Any) -> ArgumentError:
        what = "is not the journal of an experiment"
        if isinstance(head, dict) and head.get("bnml") == "experiment":
            names = {"seed": "another seed", "data": "other data", "name": "another experiment"}
            differs = [text for key, text in names.items() if head.get(key) != self._head[key]]
            what = f"holds the results of {' and '.join(differs) or 'another version of bnml'}"
        return ArgumentError(f"{str(self.path)!r} {what}; choose another folder with out=, or remove that file")

    def __contains__(self, key: Sequence[Any]) -> bool:
        return _name(key) in self._done

    def __getitem__(self, key: Sequence[Any]) -> Sequence[Row]:
        return self._done[_name(key)]

    def add(self, key: Sequence[Any], rows: Sequence[Row]) -> None:
        """Write down the rows of a part that is done."""
        line = _line({"part": list(key), "rows": list(rows)})
        self._done[_name(key)] = json.loads(line)["rows"]
        with self.path.open("ab") as file:
            file.write(line)


def _name(key: Sequence[Any]) -> str:
    return json.dumps(list(key))


def _line(values: Any) -> bytes:
    return json.dumps(values, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def _fingerprint(files: Iterable[Path]) -> str:
    """Return a text that differs when the content of a file does."""
    digest = hashlib.blake2b(digest_size=16)
    for file in files:
        digest.update(hashlib.blake2b(file.read_bytes()).digest())
    return digest.hexdigest()
