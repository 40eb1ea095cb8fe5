"""A fingerprint of a table: equal for equal tables, and different for all others that anyone will meet."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import numpy as np

from bnml.data.data import Data


def fingerprint(data: Data) -> str:
    """Return a short text that stands for a table: its columns, states, cuts and rows, in whatever order these are.

    Examples
    --------
    >>> import bnml
    >>> clinic = bnml.example()
    >>> fingerprint(clinic) == fingerprint(bnml.example()), fingerprint(clinic) == fingerprint(clinic.select("lung"))
    (True, False)
    """
    if "fingerprint" not in data.memo:
        data.memo["fingerprint"] = _hash(data)
    found: str = data.memo["fingerprint"]
    return found


def _hash(data: Data) -> str:
    head = {
        "names": data.names,
        "states": [[[type(label).__name__, str(label)] for label in labels] for labels in data.states],
        "cuts": {name: list(map(float, points)) for name, points in sorted(data.cuts.items())},
        "reading": replace(data.reading, medians=()).to_dict(),
    }
    found = hashlib.sha256(json.dumps(head, sort_keys=True).encode("utf-8"))
    for column in range(len(data.names)):
        found.update(np.ascontiguousarray(data.codes[:, column], "<u4").tobytes())
    found.update(np.ascontiguousarray(data.weights, "<i8").tobytes())
    if data.targets is not None:
        found.update(json.dumps(data.targets.sets).encode("utf-8"))
        found.update(np.ascontiguousarray(data.targets.of_row, "<i8").tobytes())
    return found.hexdigest()
