"""Predicting one variable from the others."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats
from bnml._text import number_of, quoted
from bnml.data.doubts import level_of_caller
from bnml.data.matching import match, unseen_label_text
from bnml.data.rows import UNSEEN, Rows
from bnml.errors import DataWarning
from bnml.network.inference import infer_rows
from bnml.network.network import BayesianNetwork
from bnml.network.probability import table_index

if TYPE_CHECKING:
    import pandas

MOST_REASONS = 3  # rows that a warning explains


def predict_proba(network: BayesianNetwork, data: Any, name: str) -> pandas.DataFrame:
    """Return P(name | all other columns) for each row of the source; see `BayesianNetwork.predict_proba`."""
    import pandas as pd

    table, problem = posteriors(network, data, name)
    if problem is not None:
        warnings.warn(DataWarning(problem), stacklevel=level_of_caller())
    index = data.index if isinstance(data, pd.DataFrame) else None
    return pd.DataFrame(table, index=index, columns=pd.Index(list(network.states[name]), name=name))


def predict(network: BayesianNetwork, data: Any, name: str) -> npt.NDArray[Any]:
    """Return the most probable state of a variable for each row of the source; see `BayesianNetwork.predict`."""
    table, problem = posteriors(network, data, name)
    states = network.states[name]
    labels = np.array(states) if len({type(s) for s in states}) == 1 else np.array(states, object)
    if problem is None:
        predicted: npt.NDArray[Any] = labels[table.argmax(axis=1)]
        return predicted
    warnings.warn(DataWarning(problem), stacklevel=level_of_caller())
    predicted = np.full(len(table), None, object)
    answered = ~np.isnan(table[:, 0])
    predicted[answered] = labels.astype(object)[table[answered].argmax(axis=1)]
    return predicted


def posteriors(network: BayesianNetwork, data: Any, name: str) -> tuple[Floats, str | None]:
    """Return P(name | all other columns) for each row of the source, and which rows have no answer and why, or None.

    A row has no answer, and is NaN, if its evidence has probability zero or it holds a label unseen in training.
    """
    network.probabilities(name)  # refuses an unknown name
    others = {x: labels for x, labels in network.states.items() if x != name}
    rows = match(data, others, network.cuts, network.reading, gaps=True, absent=True, unseen=True)
    position = {x: i for i, x in enumerate(others)}
    blanket = network.dag.markov_blanket(name)
    seen = (rows.codes > UNSEEN).all(axis=0)
    complete = (rows.codes[[position[x] for x in blanket]] >= 0).all(axis=0)
    result = np.full((rows.n_different, len(network.states[name])), np.nan)
    for chosen, compute in ((seen & complete, _from_blanket), (seen & ~complete, _with_gaps)):
        if chosen.any():
            result[chosen] = compute(network, name, rows.codes[:, chosen], position)
    answers = rows.in_order(result)
    return answers, _problem(network, name, rows, np.flatnonzero(np.isnan(answers[:, 0])), len(answers))


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
    with np.errstate(invalid="ignore"):  # -inf - -inf, where the row has probability zero
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    posterior: Floats = weights / weights.sum(axis=1, keepdims=True)
    return posterior


def _with_gaps(network: BayesianNetwork, name: str, columns: npt.NDArray[np.int32], position: dict[str, int]) -> Floats:
    """Return P(x | observed values) for rows with missing values."""
    totals, shares = infer_rows(network, {x: columns[i] for x, i in position.items()}, name)
    return np.where(np.isneginf(totals)[:, None], np.nan, shares)


def _problem(network: BayesianNetwork, name: str, rows: Rows, without: npt.NDArray[np.intp], n: int) -> str | None:
    """Return which rows of the source have no answer, and why, of the first few of them; None for no rows."""
    if not without.size:
        return None
    places = rows.in_order(np.arange(rows.n_different))[without[:MOST_REASONS]]
    others = [x for x in network.names if x != name]
    reasons = []
    for row, codes in zip(without.tolist(), rows.codes[:, places].T.tolist(), strict=False):
        known = [(x, k) for x, k in zip(others, codes, strict=True) if k != -1]
        unseen = next(((x, k) for x, k in known if k <= UNSEEN), None)
        if unseen is None:
            evidence = quoted(f"{x}={network.states[x][k]}" for x, k in known)
            reasons.append(f"row {row + 1}: {evidence} has probability zero under the network")
        else:
            x, k = unseen
            reasons.append(f"row {row + 1}: {unseen_label_text(x, rows.unseen_label(x, k), network.states[x])}")
    if without.size > MOST_REASONS:
        reasons.append(f"and {number_of(without.size - MOST_REASONS, 'more row')}")
    return f"predict {name!r}: no answer for {without.size:,} of {number_of(n, 'row')} ({'; '.join(reasons)})"
