"""A table in a file of its own: what was read once need not be read, cut and grouped again.

The file is NumPy's ``.npz``: the arrays, and as JSON the names, states, cuts and how the table was read, with the
version of the format.
"""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from bnml._files import check_writable, written_whole
from bnml.data.columns import column_code_type
from bnml.data.data import Data
from bnml.data.gaps import Gaps
from bnml.data.read_choices import Reading
from bnml.data.targets import Targets
from bnml.errors import ArgumentError, DataError

__all__ = ["load", "save"]

FORMAT, VERSION = "bnml data", 3  # the first did not say how a table was read, the second not what was set


def save(data: Data, path: str | os.PathLike[str]) -> None:
    """Write a table to a ``.npz`` file, whole or not at all.

    Raises
    ------
    BnmlError
        If the file cannot be written, or a label is neither text nor a number nor a truth value.
    """
    file = _checked(path)
    check_writable(file)
    for name, labels in zip(data.names, data.states, strict=True):
        for label in labels:
            if not isinstance(label, str | int | float | bool):
                kind = type(label).__name__
                raise DataError(f"column {name!r}: the label {label!r} is a {kind}; make it a text first")
    version = VERSION - (data.targets is None)  # earlier programs read what they can
    head = {"format": FORMAT, "version": version, "names": data.names, "states": data.states, "cuts": dict(data.cuts)}
    head["reading"], head["gaps"] = data.reading.to_dict(), data.gaps.to_dict()
    arrays: dict[str, Any] = {"codes": data.codes, "weights": data.weights, "head": np.array(json.dumps(head))}
    if data.row_index is not None:
        arrays["row_index"] = data.row_index
    if data.targets is not None:
        arrays["target_sets"] = np.array(json.dumps(data.targets.sets))
        arrays["targets"] = data.targets.of_row
    with written_whole(file) as stream:
        np.savez_compressed(stream, **arrays)


def load(path: str | os.PathLike[str]) -> Data:
    """Read a table that `save` wrote.

    Raises
    ------
    DataError
        If it is no such file, or of a later version.
    """
    file = _checked(path)
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files}
        head = json.loads(str(found["head"]))
        codes, weights, row_index = found["codes"], found["weights"], found.get("row_index")
    except FileNotFoundError:
        raise DataError(f"there is no file {str(file)!r}") from None
    except (OSError, ValueError, KeyError, EOFError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        raise DataError(f"{str(file)!r} is not a table that bnml saved: {error}") from None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise DataError(f"{str(file)!r} is not a table that bnml saved")
    if head.get("version") not in range(1, VERSION + 1):
        raise DataError(f"{str(file)!r} is of version {head.get('version')!r}; this bnml reads versions 1 to {VERSION}")
    states = tuple(tuple(labels) for labels in head["states"])
    fits = codes.ndim == 2 and codes.shape == (weights.size, len(head["names"])) and len(states) == len(head["names"])
    gap = int(head.get("reading", {}).get("missing") == "em")
    if not fits or any(int(column.max()) >= len(labels) + gap for column, labels in zip(codes.T, states, strict=True)):
        raise DataError(f"{str(file)!r} is damaged: its codes do not fit its states")
    codes = codes.astype(column_code_type(max(map(len, states)) + gap), order="F")
    cuts = {name: tuple(points) for name, points in head["cuts"].items()}
    try:
        reading, gaps = Reading.from_dict(head.get("reading", {})), Gaps.from_dict(head.get("gaps", {}))
    except ArgumentError as error:
        raise DataError(f"{str(file)!r} is damaged: {error}") from None
    targets = _targets(found, codes.shape, file) if "targets" in found else None
    return Data(tuple(head["names"]), states, codes, weights.astype(np.int64), row_index, cuts, reading, gaps, targets)


def _targets(found: dict[str, Any], shape: tuple[int, ...], file: Path) -> Targets | None:
    """Return what was set, of a file that says it."""
    try:
        sets = [tuple(map(int, own)) for own in json.loads(str(found["target_sets"]))]
        of_row = found["targets"]
        columns = {column for own in sets for column in own}
        if of_row.shape != shape[:1] or not columns <= set(range(shape[1])) or of_row.min() < 0:
            raise ValueError("targets")
        return Targets.of(sets, of_row)
    except (KeyError, TypeError, ValueError, IndexError):
        raise DataError(f"{str(file)!r} is damaged: its targets do not fit its rows") from None


def _checked(path: str | os.PathLike[str]) -> Path:
    file = Path(path)
    if file.suffix.lower() != ".npz":
        raise ArgumentError(f"{str(file)!r}: a table is saved in a file whose name ends in .npz")
    return file
