"""A table in a file of its own: what was read once need not be read, cut and grouped again.

The file is NumPy's ``.npz``: the arrays, and as JSON the names, states, cuts and how the table was read, with the
version of the format.
"""

from __future__ import annotations

import json
import math
import os
import zipfile
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from bnml._checks import is_number
from bnml._files import check_writable, reading_file, written_whole
from bnml._machine import memory_limit_of
from bnml._text import clip, quoted_value
from bnml.data.columns import column_code_type
from bnml.data.data import Data, Gaps
from bnml.data.labels import EXACT, Reading, check_table_names, label_text
from bnml.data.targets import Targets
from bnml.errors import ArgumentError, DataError

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
        If it is no such file, damaged, or of a later version.
    """
    file = _checked(path)
    hint = "Read the table again from where it came from, and save it anew"
    with reading_file(file, "a table that bnml saved", hint, error=DataError):
        arrays = _arrays(file)
        head = json.loads(str(arrays["head"]))
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            raise ValueError(f"its format is not {FORMAT!r}")
        if head.get("version") not in range(1, VERSION + 1):
            version = quoted_value(head.get("version"))
            raise DataError(f"{str(file)!r} is of version {version}; this bnml reads versions 1 to {VERSION}")
        return _table(head, arrays)


def _arrays(file: Path) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a ``.npz`` file; what it declares must fit into memory, and be there."""
    arrays = {}
    with file.open("rb") as stream, zipfile.ZipFile(stream) as archive:
        entries = archive.infolist()
        if (size := sum(entry.file_size for entry in entries)) > memory_limit_of(None):
            raise MemoryError(f"{size:,} bytes")
        for entry in entries:
            with archive.open(entry) as content:
                _check_size(content, entry.file_size)
            with archive.open(entry) as content:
                arrays[entry.filename.removesuffix(".npy")] = np.lib.format.read_array(content, allow_pickle=False)
    return arrays


def _check_size(content: IO[bytes], size: int) -> None:
    """Refuse an array that is declared to be of another size than what is there: NumPy would make room for it first."""
    version = np.lib.format.read_magic(content)
    header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, kind = header(content)
    if min(shape, default=0) < 0 or math.prod(shape) * kind.itemsize != size - content.tell():
        raise ValueError(f"an array of shape {clip(shape)} is not there")


def _table(head: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Data:
    """Return the table that a file holds, checked."""
    names, states = head["names"], head["states"]
    codes, weights, row_index = arrays["codes"], arrays["weights"], arrays.get("row_index")
    _check(isinstance(names, list) and all(isinstance(name, str) for name in names), "its names are not texts")
    check_table_names(names, "it")
    _check(isinstance(states, list) and len(states) == len(names) and all(map(_are_labels, states)), "its states")
    reading, gaps = Reading.from_dict(head.get("reading", {})), Gaps.from_dict(head.get("gaps", {}))
    gap = int(reading.missing == "em")
    _check(_are_whole(weights, 1) and weights.min() >= 1 and weights.sum(dtype=float) <= EXACT, "its weights")
    _check(_are_whole(codes, 2) and codes.shape == (weights.size, len(names)) and codes.min() >= 0, "its codes")
    arities = [len(labels) + gap for labels in states]
    _check((codes.max(axis=0) < arities).all(), "its codes do not fit its states")
    if row_index is not None:
        _check(_are_whole(row_index, 1) and row_index.min() >= 0 and row_index.max() < weights.size, "its rows")
        times = np.bincount(row_index, minlength=weights.size)
        _check(bool((times > 0).all() and (times <= weights).all()), "its rows do not fit its weights")
    codes = codes.astype(column_code_type(max(arities)), order="F")
    cuts = {name: tuple(points) for name, points in head["cuts"].items()}
    for name, points in cuts.items():
        finite = all(is_number(point) and math.isfinite(point) for point in points)
        _check(finite and all(a < b for a, b in pairwise(points)), "its cuts are not in order")
        _check(
            len(reading.proper_labels(states[names.index(name)])) == len(points) + 1, "its cuts do not fit its states"
        )
    targets = _targets(arrays, codes.shape) if "targets" in arrays else None
    labels = tuple(map(tuple, states))
    return Data(tuple(names), labels, codes, weights.astype(np.int64), row_index, cuts, reading, gaps, targets)


def _targets(arrays: Mapping[str, npt.NDArray[Any]], shape: tuple[int, ...]) -> Targets | None:
    """Return what was set, of a file that says it."""
    sets = [tuple(map(int, own)) for own in json.loads(str(arrays["target_sets"]))]
    of_row, columns = arrays["targets"], {column for own in sets for column in own}
    fits = _are_whole(of_row, 1) and of_row.shape == shape[:1] and of_row.min() >= 0 and of_row.max() < len(sets)
    _check(fits and columns <= set(range(shape[1])), "its targets do not fit its rows")
    return Targets.of(sets, of_row)


def _check(good: Any, problem: str) -> None:
    if not good:
        raise ValueError(problem)


def _are_whole(array: npt.NDArray[Any], dimensions: int) -> bool:
    return array.ndim == dimensions and array.dtype.kind in "iu" and array.size > 0


def _are_labels(labels: Any) -> bool:
    """Return whether these are the labels of a variable, which differ."""
    known = isinstance(labels, list) and labels and all(isinstance(label, str | int | float) for label in labels)
    return bool(known) and len(set(map(label_text, labels))) == len(labels)


def _checked(path: str | os.PathLike[str]) -> Path:
    file = Path(path)
    if file.suffix.lower() != ".npz":
        raise ArgumentError(f"{str(file)!r}: a table is saved in a file whose name ends in .npz")
    return file
