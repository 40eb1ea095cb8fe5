"""How much memory it takes to score all families of a table, beside what is kept of their scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bnml.counts.lattice import Layout
from bnml.data import Data
from bnml.scores.lattice.terms import rising_entries
from bnml.scores.local import FIRST_LOOKUPS, MOST_CACHED, MOST_LOOKUPS, LocalScores

__all__ = ["BASE", "scoring_bytes"]

BASE = 190_000_000  # bytes that Python and its libraries take; the same every time, so that what follows from it is

# bytes, found by measurement
DENSE = 4_000_000  # of a thread, for tables that are counted densely
INDEX = 80  # of a number of configurations
LOOKUP = 48  # of an entry of a lookup table, with its copies in whole units
RISING = 8, 80  # of an entry of a table that changes with the number of configurations, and while it is made
REMEMBERED = 250  # of a family that was scored on its own


def scoring_bytes(local: LocalScores, threads: int) -> int:
    """Return how many bytes the scores of all families take at most, beside these scores and the terms of sets.

    Parameters
    ----------
    local
        The local scores; their lookup tables are not made for this.
    threads
        How many threads are used.

    Returns
    -------
    int
        The sum of what the table takes, the score's lookup tables, and for each thread the partitions of the rows on
        its way to a set, or the counts.
    """
    data = local.data
    columns = 2 * data.columns.nbytes + 24 * data.n_distinct + (0 if data.row_index is None else data.row_index.nbytes)
    work = threads * (_partitions(data) + DENSE)
    outline = local.score.terms(replace(local.shape, some_counts=np.zeros(1, np.int64)))
    if outline is None:
        return columns + work + _remembered(data)
    if outline.ess > 0.0:
        layout = Layout(data)
        entries = layout.n_indices * rising_entries(data.n_rows, layout.n_indices)
        kept, made = RISING
        return columns + INDEX * layout.n_indices + max(made * entries, kept * entries + work)
    tables = 1 + len(outline.margin)
    if tables * data.n_rows > MOST_LOOKUPS:
        return columns + work + _remembered(data) + LOOKUP * tables * FIRST_LOOKUPS
    return columns + work + INDEX * Layout(data).n_indices + LOOKUP * tables * (data.n_rows + 1)


def _partitions(data: Data) -> int:
    """Return the bytes of the partitions on the way from no columns to all: cell, weight and values of each row."""
    n, widest = len(data.arities), max(data.arities)
    words = 1 + sum(max(1, int(r - 1).bit_length()) for r in data.arities) // 60
    return (data.n_distinct + 1) * ((n + 1) * (12 + 8 * words) + 12 * widest)


def _remembered(data: Data) -> int:
    n = len(data.arities)
    return REMEMBERED * min(n << (n - 1), MOST_CACHED)
