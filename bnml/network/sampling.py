"""Ancestral sampling: each variable after its parents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bnml._checks import whole_number
from bnml._machine import gigabytes, machine_memory
from bnml._text import quoted_value
from bnml.errors import ArgumentError, NetworkError
from bnml.network.network import BayesianNetwork
from bnml.network.probability import table_index

if TYPE_CHECKING:
    import pandas


def sample(network: BayesianNetwork, n: int, seed: int = 0) -> pandas.DataFrame:
    """Return ``n`` rows drawn from a network, as a frame of categoricals.

    Raises
    ------
    BnmlError
        If there are too many rows for the memory, or a name or label is no text that a frame can hold.
    """
    import pandas as pd

    codes = sample_codes(network, n, seed)
    columns = {}
    try:
        for row, (x, labels) in zip(codes, network.states.items(), strict=True):
            dtype = pd.CategoricalDtype(list(labels))
            columns[x] = pd.Categorical.from_codes(row, dtype=dtype)
        return pd.DataFrame(columns)
    except UnicodeEncodeError as error:
        raise NetworkError(f"{quoted_value(error.object)} cannot be written as UTF-8: rename it") from None


def sample_codes(network: BayesianNetwork, n: int, seed: int = 0) -> npt.NDArray[np.int32]:
    """Return ``n`` rows drawn from a network, as codes: a row of the array per variable."""
    n, seed = whole_number(n, "n"), whole_number(seed, "seed")
    needed, room = 4 * n * (len(network.names) + 4), machine_memory()  # four bytes a code, some more for the draws
    if needed > room:
        raise ArgumentError(
            f"these rows take {gigabytes(needed)}, and the memory is {gigabytes(room)}",
            argument="n",
            value=n,
            hint="draw fewer at a time, each time with another seed",
        )
    rng = np.random.default_rng(seed)
    position = {x: i for i, x in enumerate(network.states)}
    codes = np.zeros((len(position), n), np.int32)
    for x in network.dag.topological_order():
        table = network.probabilities(x)
        rows = table.reshape(-1, table.shape[-1])
        edges = np.cumsum(rows, axis=-1)[:, :-1]
        parents = tuple(position[p] for p in network.dag.parents(x))
        u = rng.random(n)
        row = codes[position[x]]
        where = table_index(codes, parents, table.shape[:-1]) if parents else np.zeros(n, np.int32)
        for k in range(edges.shape[1]):
            row += u >= edges[:, k][where]
        _avoid_impossible(row, rows, where)
    return codes


def _avoid_impossible(row: npt.NDArray[np.int32], table: npt.NDArray[np.float64], where: npt.NDArray[np.int32]) -> None:
    """Move draws that rounding of the cumulative sums put beyond the last possible state to that state."""
    last = table.shape[1] - 1 - np.argmax(table[:, ::-1] > 0, axis=1)
    np.minimum(row, last[where], out=row, casting="unsafe")
