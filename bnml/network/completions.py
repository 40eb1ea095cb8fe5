"""Tables with gaps, completed by points that are evenly spread over what a network expects.

A row with gaps stands for all its completions, each with its probability given the row. So many points of [0, 1),
evenly spaced, are decoded into completions; each gets the same share of the row. Where the points of a row begin
differs from row to row, by the golden ratio, so that rare completions are neither lost nor favoured. The completed
table then is an ordinary one, of so many parts to a row.
"""

from __future__ import annotations

import numpy as np

from bnml._arrays import Floats, Ints
from bnml.data import Data
from bnml.data.gap_rows import GapRows, joined_rows, rows_split_by_gaps
from bnml.errors import NetworkError
from bnml.network.gap_groups import gap_groups
from bnml.network.network import BayesianNetwork

GOLDEN = (5**0.5 - 1) / 2  # multiples of it spread over the circle as evenly as any


def completed_table(
    network: BayesianNetwork, data: Data, parts: int, *, seed: int = 0, threads: int | None = None
) -> Data:
    """Return a table without gaps in which each row is so many parts: what the network expects, up to 1 / parts.

    Parameters
    ----------
    network
        The network, over the variables of the table.
    data
        A table with gaps.
    parts
        How many parts a row is: the weights of the result add up to so many for each row of the table.
    seed
        Shifts all points.
    threads
        How many threads may be used; the result does not depend on it.

    Raises
    ------
    NetworkError
        If the junction tree is too large, or a row has probability zero.

    Examples
    --------
    >>> import bnml, pandas
    >>> from bnml.network.completions import completed_table
    >>> frame = pandas.DataFrame({"sky": ["sun", "rain", None], "air": ["hot", "cold", "hot"]})
    >>> data = bnml.read(frame, missing="em")
    >>> network = bnml.fit(bnml.DAG.parse("[sky][air|sky]"), data)
    >>> completed_table(network, data, 4).weights.tolist()
    [4, 8]
    """
    whole, rows = rows_split_by_gaps(data)
    copies = np.minimum(rows.times, 64)  # copies of a distinct row, each with points of its own
    at = np.repeat(np.arange(rows.n), copies)
    place = np.arange(at.size) - np.repeat(np.cumsum(copies) - copies, copies)  # among the copies of a row
    times = (rows.times // copies)[at] + (place < (rows.times % copies)[at])
    shifts = (np.arange(at.size) * GOLDEN + np.random.default_rng(seed).random()) % 1.0
    points = (np.arange(parts) + shifts[:, None]) / parts
    copied = GapRows(rows.columns[:, at], times, None if rows.targets is None else rows.targets.rows(at))
    filled = _filled(network, data, copied, points, seed, threads)
    each = np.repeat(np.arange(at.size), parts)
    targets = None if copied.targets is None else copied.targets.rows(each)
    return joined_rows(data, whole, parts, filled, times[each], targets)


def _filled(
    network: BayesianNetwork, data: Data, rows: GapRows, points: Floats, seed: int, threads: int | None
) -> Ints:
    """Return rows without gaps, a row of the array per column of the table; completions of a row follow each other."""
    position = {i: data.index(x) for i, x in enumerate(network.names)}
    filled = np.empty((len(data.names), *points.shape), np.int64)
    for group in gap_groups(data, rows):
        known = {i: rows.columns[column][group.places] for i, column in position.items()}
        found, totals = group.tree(network).completions(known, points[group.places], seed, threads)
        if np.isneginf(totals).any():
            raise NetworkError("a row of the table has probability zero under the network")
        for i, column in position.items():
            filled[column, group.places] = found[i].reshape(-1, points.shape[1])
    return filled.reshape(len(data.names), -1)
