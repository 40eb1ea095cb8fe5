"""The probability of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats
from bnml.data.matching import match
from bnml.network.inference import infer_rows
from bnml.network.network import BayesianNetwork

BLOCK = 1 << 16  # rows that are worked on together, small enough to stay in the cache


def log_prob(network: BayesianNetwork, data: Any) -> Floats:
    """Return the log-probability of each row of the source: Σ_i log θ_ijk; what is missing is summed out."""
    rows = match(data, network.states, network.cuts, network.reading, gaps=True)
    position = {x: i for i, x in enumerate(network.states)}
    with np.errstate(divide="ignore"):
        families = [
            ([position[p] for p in network.dag.parents(x)], position[x], np.log(network.probabilities(x)))
            for x in network.names
        ]
    gaps = (rows.codes < 0).any(axis=0)
    codes = np.maximum(rows.codes, 0) if gaps.any() else rows.codes
    n = rows.n_different
    total = np.zeros(n)
    for start in range(0, n, BLOCK):
        block = codes[:, start : start + BLOCK]
        for parents, child, logs in families:
            total[start : start + BLOCK] += logs.ravel()[table_index(block, (*parents, child), logs.shape)]
    if gaps.any():
        columns = rows.codes[:, gaps]
        total[gaps], _ = infer_rows(network, {x: columns[i] for x, i in position.items()})
    return rows.in_order(total)


def table_index(
    columns: npt.NDArray[np.int32], variables: tuple[int, ...], shape: tuple[int, ...]
) -> npt.NDArray[np.int32]:
    """Return for each row where its probability stands in the flattened table of some variables."""
    index: npt.NDArray[np.int32] = columns[variables[0]]
    for v, size in zip(variables[1:], shape[1:], strict=True):
        index = index * np.int32(size) + columns[v]
    return index
