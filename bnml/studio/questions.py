"""Questions to a network, answered in plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bnml._plain import plain
from bnml.data.labels import label_text
from bnml.five_steps.open_answers import OpenAnswer
from bnml.network import BayesianNetwork


def ask(network: BayesianNetwork, evidence: Mapping[str, str], do: Mapping[str, str]) -> dict[str, Any]:
    """Answer the page's question for the probability of what is observed, and those of every variable given it.

    Examples
    --------
    >>> import bnml
    >>> network = bnml.learn(bnml.example(), "bic").network
    >>> ask(network, {}, {"smoke": "yes"})["marginals"]["smoke"]
    {'states': ['no', 'yes'], 'probabilities': [0.0, 1.0]}
    """
    found = network.marginals(evidence, do)
    return {
        "probability": network.probability(evidence, do),
        "marginals": {
            x: {"states": _labels(network, x), "probabilities": plain(table.to_numpy())} for x, table in found.items()
        },
    }


def hanging_values(found: OpenAnswer) -> dict[str, Any]:
    """Answer the page's question which open links an answer hangs on, and between what its probabilities are, if known.

    Examples
    --------
    >>> hanging_values(OpenAnswer())
    {'hangs_on': [], 'range': None}
    """
    low, high = found.low, found.high
    bounds = None if low is None or high is None else {x: {"low": plain(low[x]), "high": plain(high[x])} for x in low}
    return {"hangs_on": [list(link) for link in found.links], "range": bounds}


def most_probable(network: BayesianNetwork, evidence: Mapping[str, str], do: Mapping[str, str]) -> dict[str, Any]:
    """Answer the page's question for the most probable row given what is observed and set."""
    row, log_probability = network.most_probable(evidence, do)
    return {"row": {x: label_text(label) for x, label in row.items()}, "log_probability": plain(log_probability)}


def conditional_table(network: BayesianNetwork, name: str) -> dict[str, Any]:
    """Answer the page's question for a variable's probabilities given its parents, a row for each configuration."""
    table = network.probabilities(name)
    parents = network.dag.parents(name)
    given: list[list[str]] = [[]]
    for parent in parents:
        given = [[*labels, label] for labels in given for label in _labels(network, parent)]
    rows = table.reshape(-1, table.shape[-1])
    return {
        "parents": list(parents),
        "states": _labels(network, name),
        "rows": [
            {"given": labels, "probabilities": plain(row)} for labels, row in zip(given, rows, strict=True)
        ],
    }  # fmt: skip


def _labels(network: BayesianNetwork, name: str) -> list[str]:
    return [label_text(label) for label in network.states[name]]
