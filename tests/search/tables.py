"""Random tables with structure, ties, copies and constants, and rules for them."""

from __future__ import annotations

import warnings

import numpy as np

import bnml
from bnml.data import Data
from bnml.graph import Constraints, Rules
from bnml.scores.priors import ArcProbabilities, StructurePrior

ROWS = (6, 30, 100, 400, 1500)


def random_table(rng: np.random.Generator, most: int, *, fewest: int = 2) -> Data:
    """Return a table of some columns, most of which depend on others; some are copies or have one state."""
    n, rows = int(rng.integers(fewest, most + 1)), int(rng.choice(ROWS))
    arities = rng.integers(1 if rng.random() < 0.3 else 2, 5, n)
    table = np.zeros((rows, n), int)
    for i in range(n):
        table[:, i] = rng.integers(0, arities[i], rows)
        if i and rng.random() < 0.8:
            parents = rng.permutation(i)[: rng.integers(1, 4)]
            decided = table[:, parents].sum(axis=1) % arities[i]
            table[:, i] = np.where(rng.random(rows) < rng.random(), decided, table[:, i])
        if i and rng.random() < 0.08:
            table[:, i] = table[:, rng.integers(i)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # columns with one state
        return bnml.read(table)


def random_prior(rng: np.random.Generator, data: Data) -> StructurePrior | None:
    """Return a prior over arcs, or none."""
    if rng.random() < 0.7:
        return None
    arc = (data.names[0], data.names[-1])
    return ArcProbabilities(float(rng.choice([0.1, 0.5, 0.7])), {arc: 0.9})


def random_constraints(rng: np.random.Generator, data: Data, *, links: bool = True) -> Constraints | None:
    """Return some arcs that must be there, and others that must not, or none."""
    if rng.random() < 0.6 or len(data.names) < 4:
        return None
    a, b, c, d = rng.permutation(list(data.names))[:4].tolist()
    if links and rng.random() < 0.5:
        return Constraints(required_links=[(a, b)], forbidden=[(c, d)])
    return Constraints(required=[(a, b)], forbidden=[(c, a)], forbidden_links=[(b, d)])


def random_rules(rng: np.random.Generator, data: Data) -> Rules:
    """Return what parents are allowed."""
    most = int(rng.choice([1, 2, 3, 99]))
    known = random_constraints(rng, data, links=False)
    rules = Rules.none(data.names, most) if known is None else known.compiled(data.names, most)
    if rng.random() < 0.5:
        rules = Rules(
            rules.names, rules.must, rules.may, rules.links, rules.most, data.arities, data.n_rows / 5
        )  # fmt: skip
    return rules
