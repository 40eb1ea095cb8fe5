"""Published numbers, checked before any work is done: a file that is broken must not spoil what took long."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bnml._text import quoted
from bnml.errors import DataError


def read_published_numbers(
    folder: Path, file: str, *, key: Sequence[str], numbers: Sequence[str], texts: Sequence[str] = ()
) -> pd.DataFrame:
    """Read a CSV file of published numbers.

    Parameters
    ----------
    folder, file
        Where it is.
    key
        The columns that tell its lines apart; none if they need not differ.
    numbers
        The columns that hold finite numbers.
    texts
        Other columns that must be there.

    Returns
    -------
    pandas.DataFrame
        At least one line, with these columns at least.

    Raises
    ------
    DataError
        If the file is something else; it is named.
    """
    try:
        table = pd.read_csv(folder / file)
    except (
        OSError,
        ValueError,
        EOFError,
        zlib.error,
    ) as error:  # what pandas raises for files that are no tables is a ValueError
        reason = " ".join(str(error).split())
        raise DataError(f"{file!r} cannot be read as CSV: {reason}") from None
    wanted = list(dict.fromkeys([*key, *numbers, *texts]))
    missing = [name for name in wanted if name not in table.columns]
    if missing:
        raise DataError(f"{file!r} lacks the {'column' if len(missing) == 1 else 'columns'} {quoted(missing)}")
    if table.empty:
        raise DataError(f"{file!r} has no lines")
    for name in wanted:
        if name in numbers:
            values = pd.to_numeric(table[name], errors="coerce")
            bad = ~np.isfinite(values.to_numpy(np.float64))
            what = "a number"
        else:
            bad, what = table[name].isna().to_numpy(), "a text"
        if bad.any():
            at = int(np.flatnonzero(bad)[0])
            held = table[name].iloc[at]
            shown = "nothing" if pd.isna(held) else repr(str(held))
            raise DataError(f"{file!r}, line {at + 2}: column {name!r} holds {shown}, not {what}")
    if key and table.duplicated(list(key)).any():
        at = int(np.flatnonzero(table.duplicated(list(key)))[0])
        cells = ", ".join(map(str, table[list(key)].iloc[at]))
        raise DataError(f"{file!r}, line {at + 2}: {cells} {'comes' if len(key) == 1 else 'come'} twice")
    return table


def check_published_lines(
    file: str, table: pd.DataFrame, key: Sequence[str], wanted: Sequence[tuple[Any, ...]]
) -> None:
    """Refuse a file of published numbers unless it has these lines and no others."""
    found = list(table[list(key)].itertuples(index=False, name=None))
    for what, lines in (("lacks", set(wanted) - set(found)), ("has the unknown", set(found) - set(wanted))):
        if lines:
            listed = quoted(" ".join(map(str, line)) for line in [*wanted, *found] if line in lines)
            raise DataError(f"{file!r} {what} {'line' if len(lines) == 1 else 'lines'} {listed}")
