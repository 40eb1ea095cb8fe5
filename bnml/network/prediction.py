"""Predicting one variable from the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats
from bnml._text import quoted
from bnml.data.matching import match
from bnml.errors import NetworkError
from bnml.network.inference import infer_rows
from bnml.network.network import BayesianNetwork
from bnml.network.probability import table_index

if TYPE_CHECKING:
    import pandas

__all__ = ["predict", "predict_proba"]


def predict_proba(network: BayesianNetwork, data: Any, name: str) -> pandas.DataFrame:
    """Return P(name | all other columns) for each row of the source."""
    import pandas as pd

    table = _posteriors(network, data, name)
    index = data.index if isinstance(data, pd.DataFrame) else None
    return pd.DataFrame(table, index=index, columns=pd.Index(list(network.states[name]), name=name))


def predict(network: BayesianNetwork, data: Any, name: str) -> npt.NDArray[Any]:
    """Return the most probable state of a variable for each row of the source."""
    best = _posteriors(network, data, name).argmax(axis=1)
    states = network.states[name]
    labels = np.array(states) if len({type(s) for s in states}) == 1 else np.array(states, object)
    predicted: npt.NDArray[Any] = labels[best]
    return predicted


def _posteriors(network: BayesianNetwork, data: Any, name: str) -> Floats:
    network.probabilities(name)  # refuses an unknown name
    others = {x: labels for x, labels in network.states.items() if x != name}
    rows = match(data, others, network.cuts, network.reading, gaps=True, absent=True)
    position = {x: i for i, x in enumerate(others)}
    blanket = [x for x in others if x in set(network.dag.markov_blanket(name))]
    complete = (rows.codes[[position[x] for x in blanket]] >= 0).all(axis=0)
    result = np.empty((rows.n_different, len(network.states[name])))
    if complete.any():
        result[complete] = _from_blanket(network, name, rows.codes[:, complete], position)
    if not complete.all():
        result[~complete] = _with_gaps(network, name, rows.codes[:, ~complete], position)
    return rows.in_order(result)


def _from_blanket(
    network: BayesianNetwork, name: str, columns: npt.NDArray[np.int32], position: dict[str, int]
) -> Floats:
    """P(x | rest) ∝ P(x | parents) Π P(child | its parents), for rows whose Markov blanket is complete."""
    n, r = columns.shape[1], len(network.states[name])
    logs = np.zeros((n, r))
    filled = np.vstack([columns, np.zeros((1, n), np.int32)])  # the last row stands for the variable itself
    place = {**position, name: len(columns)}
    for x in (name, *network.dag.children(name)):
        with np.errstate(divide="ignore"):
            table = np.log(network.probabilities(x))
        variables = tuple(place[v] for v in (*network.dag.parents(x), x))
        for k in range(r):
            filled[-1] = k
            logs[:, k] += table.ravel()[table_index(filled, variables, table.shape)]
    top = logs.max(axis=1, keepdims=True)
    if np.isneginf(top).any():
        raise _impossible(network, name, columns[:, int(np.argmin(top))], position)
    weights = np.exp(logs - top)
    posterior: Floats = weights / weights.sum(axis=1, keepdims=True)
    return posterior


def _with_gaps(network: BayesianNetwork, name: str, columns: npt.NDArray[np.int32], position: dict[str, int]) -> Floats:
    """Return P(x | what is there) for rows with gaps."""
    totals, shares = infer_rows(network, {x: columns[i] for x, i in position.items()}, name)
    if np.isneginf(totals).any():
        raise _impossible(network, name, columns[:, int(np.argmin(totals))], position)
    return shares


def _impossible(
    network: BayesianNetwork, name: str, row: npt.NDArray[np.int32], position: dict[str, int]
) -> NetworkError:
    known = quoted(f"{x}={network.states[x][row[i]]}" for x, i in position.items() if row[i] >= 0)
    return NetworkError(f"predict {name!r}: the row {known} has probability zero under the network")
