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
from bnml.data.gap_rows import joined_rows, rows_split_by_gaps
from bnml.errors import NetworkError
from bnml.network.inference import inference_tree
from bnml.network.network import BayesianNetwork

__all__ = ["completed_table"]

GOLDEN = (5**0.5 - 1) / 2  # multiples of it spread over the circle as evenly as any
COPIES = 64  # of a distinct row, each with points of its own


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
    copies = np.minimum(rows.times, COPIES)
    at = np.repeat(np.arange(rows.n), copies)
    place = np.arange(at.size) - np.repeat(np.cumsum(copies) - copies, copies)  # among the copies of a row
    times = (rows.times // copies)[at] + (place < (rows.times % copies)[at])
    shifts = (np.arange(at.size) * GOLDEN + np.random.default_rng(seed).random()) % 1.0
    points = (np.arange(parts) + shifts[:, None]) / parts
    filled = _filled(network, data, rows.columns[:, at], points, seed, threads)
    return joined_rows(data, whole, parts, filled, np.repeat(times, parts))


def _filled(
    network: BayesianNetwork, data: Data, columns: Ints, points: Floats, seed: int, threads: int | None
) -> Ints:
    """Return rows without gaps, a row of the array per column of the table; completions of a row follow each other."""
    if not columns.shape[1]:
        return np.zeros((len(data.names), 0), np.int64)
    position = {i: data.index(x) for i, x in enumerate(network.names)}
    known = {i: columns[column] for i, column in position.items()}
    found, totals = inference_tree(network, columns.shape[1]).completions(known, points, seed, threads)
    if np.isneginf(totals).any():
        raise NetworkError("a row of the table has probability zero under the network")
    filled = np.empty((len(data.names), points.size), np.int64)
    for i, column in position.items():
        filled[column] = found[i]
    return filled
