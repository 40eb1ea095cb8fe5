"""The twenty tables from UCI that several experiments are about, as the authors discretised them."""

from __future__ import annotations

import warnings
from functools import lru_cache
from pathlib import Path

import bnml
from bnml._text import quoted
from bnml.data.bene import read_vd
from bnml.errors import BnmlError, DataError

TABLES = (
    *("post_operative", "iris", "wine", "glass", "thyroid", "heart_statlog", "breast_cancer", "heart_hungarian"),
    *("heart_cleveland", "ecoli", "liver", "balance", "bc_wisconsin", "diabetes", "tic_tac_toe", "yeast", "abalone"),
    *("page_blocks", "adult", "shuttle"),
)
FOLDER = "uci-discretised"
SUMMARY = f"{FOLDER}/summary.csv"


def uci_table_file(name: str) -> str:
    """Return the file of one of the tables from UCI; the two largest are packed."""
    return f"{FOLDER}/{name}.csv{'.gz' if name in ('adult', 'shuttle') else ''}"


TABLE_FILES = [file for name in TABLES for file in (uci_table_file(name), f"{FOLDER}/{name}.vd")]


@lru_cache(maxsize=2)
def read_uci_table(folder: Path, name: str) -> bnml.Data:
    """Return one of the tables, with all values that are declared."""
    states = f"{FOLDER}/{name}.vd"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="column .* has only one state")  # one of heart_hungarian's
        try:
            data = bnml.read(folder / uci_table_file(name), states=folder / states)
            undeclared = [column for column in data.names if column not in read_vd(folder / states)]
        except BnmlError as error:
            raise DataError(f"{uci_table_file(name)!r} with {states!r}: {error}") from None
    if undeclared:
        raise DataError(f"{states!r} does not declare {quoted(undeclared)}, of {uci_table_file(name)!r}")
    return data
