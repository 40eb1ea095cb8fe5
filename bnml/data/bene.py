"""The files of BENE: ``.vd`` declares the variables and their labels, ``.idt`` holds the rows as codes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bnml._text import clip
from bnml.data.columns import Column
from bnml.data.labels import MISSING_TEXTS, Wanted, check_table_names, kept_table_names
from bnml.data.table import Table
from bnml.errors import DataError


def read_vd(path: Path) -> dict[str, list[str]]:
    """Return each variable's labels from a ``.vd`` file: a line per variable, its name and labels, tab separated.

    Raises
    ------
    DataError
        If there is no such file, or a line in it is wrong.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except FileNotFoundError:
        raise DataError(
            f"there is no file {str(path)!r}; it should have a line per variable: its name and labels, tab separated"
        ) from None
    except UnicodeDecodeError:
        raise DataError(f"{str(path)!r} is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read {clip(str(path), 200)!r}: {clip(error)}") from None
    declared: dict[str, list[str]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        name, *labels = line.split("\t")
        if reason := _fault(name, labels, declared):
            raise DataError(f"{str(path)!r}, line {number}: variable {clip(name)!r}: {reason}")
        declared[name] = labels
    if not declared:
        raise DataError(f"{str(path)!r} declares no variables")
    return declared


def _fault(name: str, labels: Sequence[str], declared: dict[str, list[str]]) -> str:
    if not name.strip():
        return "it has no name"
    if name in declared:
        return "declared twice"
    if not labels:
        return "it has no labels; expected its name and its labels, tab separated"
    if "" in labels:
        return "a label is empty (two tabs, or one at the end?)"
    return "a label occurs twice" if len(set(labels)) < len(labels) else ""


def read_idt(path: Path, wanted: Wanted) -> Table:
    """Read an ``.idt`` file: rows of codes from 0 without a header, the names and labels in the ``.vd`` beside it.

    Raises
    ------
    DataError
        If the two do not fit.
    """
    declared = read_vd(path.with_suffix(".vd"))
    names = check_table_names(declared, repr(str(path.with_suffix(".vd"))))
    kept = kept_table_names(names, wanted)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a file without rows: said below
            codes = np.loadtxt(path, dtype=np.int64, ndmin=2, comments=None, encoding="utf-8")
    except (ValueError, OverflowError) as error:
        raise DataError(f"{str(path)!r}: expected whole numbers from 0, the same number in each row: {error}") from None
    if codes.size and codes.shape[1] != len(names):
        raise DataError(f"{str(path)!r} has {codes.shape[1]} columns and its .vd {len(names)} variables")
    columns = []
    for name in kept:
        labels = declared[name]
        column = codes[:, names.index(name)] if codes.size else np.empty(0, np.int64)
        wrong = np.flatnonzero((column < 0) | (column >= len(labels)))
        if wrong.size:
            raise DataError(
                f"{str(path)!r}, row {wrong[0] + 1}: {clip(name)!r} is {column[wrong[0]]}; "
                f"its codes are 0 to {len(labels) - 1}"
            )
        columns.append(Column(name, labels, column, declared=True))
    odd = {name: [label for label in declared[name] if label in MISSING_TEXTS] for name in kept}
    return Table(columns, names, states=odd)
