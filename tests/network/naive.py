"""Networks by brute force: the whole joint distribution, row by row."""

from __future__ import annotations

from itertools import product


def probability(network, row):
    """P(row), a mapping from variables to labels, by the chain rule."""
    p = 1.0
    for x in network.names:
        table = network.probabilities(x)
        for v in (*network.dag.parents(x), x):
            table = table[list(network.states[v]).index(row[v])]
        p *= float(table)
    return p


def rows(network):
    """Return all possible rows."""
    names = network.names
    return [dict(zip(names, labels, strict=True)) for labels in product(*(network.states[x] for x in names))]


def posterior(network, name, evidence):
    """P(name | evidence) by summing over all rows; None if the evidence is impossible."""
    sums = dict.fromkeys(network.states[name], 0.0)
    for row in rows(network):
        if all(row[x] == label for x, label in evidence.items()):
            sums[row[name]] += probability(network, row)
    total = sum(sums.values())
    return {label: p / total for label, p in sums.items()} if total > 0 else None


def truncated_probability(network, row, do):
    """P(row | do): the product of the tables of all variables but those that are set, which must be as they are set."""
    if any(row[x] != label for x, label in do.items()):
        return 0.0
    p = 1.0
    for x in network.names:
        if x not in do:
            table = network.probabilities(x)
            for v in (*network.dag.parents(x), x):
                table = table[list(network.states[v]).index(row[v])]
            p *= float(table)
    return p


def weight(row, evidence):
    """Return the likelihood of a row under evidence: labels, or likelihoods of labels."""
    w = 1.0
    for x, said in evidence.items():
        w *= said.get(row[x], 0.0) if isinstance(said, dict) else float(row[x] == said)
    return w


def answer(network, names, evidence, do):
    """P(names | evidence, do) by summing over all rows, and P(evidence | do)."""
    sums = dict.fromkeys(product(*(network.states[x] for x in names)), 0.0)
    for row in rows(network):
        sums[tuple(row[x] for x in names)] += truncated_probability(network, row, do) * weight(row, evidence)
    total = sum(sums.values())
    return ([p / total for p in sums.values()] if total > 0 else None), total
