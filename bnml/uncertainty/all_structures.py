"""For few variables all structures, one by one: 29,281 DAGs and 8,782 equivalence classes on five."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from bnml._arrays import Floats, Ints
from bnml._checks import is_whole, refuse
from bnml.errors import ArgumentError, argument
from bnml.graph import DAG, canonical_extension
from bnml.scores.equal import tolerance

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MOST_LISTED", "Listed", "Structures", "all_structures", "check_all_structures"]

MOST_LISTED = 5


def check_all_structures(n: int, k: Any = 1) -> None:
    """Refuse to list all structures where there are too many, or fewer than one of them."""
    if not is_whole(k, 1):
        raise refuse("k", k, "there can be any number of best structures from 1")
    if n > MOST_LISTED:
        raise ArgumentError(
            f"all structures can be listed for up to {MOST_LISTED} variables only, and there are {n}: take fewer with "
            f"{argument('columns')}, or look at the probabilities of arcs"
        )


@dataclass(frozen=True)
class Structures:
    """All DAGs on some variables.

    ``parents``: a row for each DAG, a bit mask for each variable. ``numbers``: the same without the variable's own bit.
    ``extensions``: how many orders of the variables it fits. ``classes``: the same number for equivalent DAGs.
    """

    parents: Ints
    numbers: Ints
    extensions: Ints
    classes: Ints


@cache
def all_structures(n: int) -> Structures:
    """List all structures one by one: the DAGs on n variables, in a fixed order."""
    pairs = list(combinations(range(n), 2))
    parents = np.zeros((3 ** len(pairs), n), np.int64)
    choice = np.arange(len(parents))
    for a, b in pairs:  # no arc, or one in either direction
        parents[:, b] |= np.where(choice % 3 == 1, 1 << a, 0)
        parents[:, a] |= np.where(choice % 3 == 2, 1 << b, 0)
        choice //= 3
    extensions = _extensions(parents)
    parents, extensions = parents[extensions > 0], extensions[extensions > 0]
    low = (1 << np.arange(n)) - 1
    return Structures(parents, (parents & low) | (parents >> 1 & ~low), extensions, _classes(parents))


def _extensions(parents: Ints) -> Ints:
    """Return the number of linear extensions of each graph; 0 where there is a cycle."""
    n = parents.shape[1]
    orders = np.zeros((1 << n, len(parents)), np.int64)
    orders[0] = 1
    for s in range(1, 1 << n):
        for i in range(n):
            if s >> i & 1:
                below = s ^ (1 << i)
                orders[s] += np.where(parents[:, i] & ~below == 0, orders[below], 0)
    result: Ints = orders[-1]
    return result


def _classes(parents: Ints) -> Ints:
    """Return the same number for DAGs with the same links and v-structures (Verma & Pearl 1990)."""
    n = parents.shape[1]
    arc = parents[:, None, :] >> np.arange(n)[:, None] & 1 == 1  # [DAG, from, to]
    link = arc | arc.transpose(0, 2, 1)
    key = np.zeros(len(parents), np.int64)
    for a, b in combinations(range(n), 2):
        key = key << 1 | link[:, a, b]
        for c in range(n):
            if c not in (a, b):
                key = key << 1 | (arc[:, a, c] & arc[:, b, c] & ~link[:, a, b])
    return np.unique(key, return_inverse=True)[1].reshape(-1).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Listed:
    """All structures of a few variables with their scores and probabilities.

    Parameters
    ----------
    names
        The variables.
    scores
        The score of each family, a row for each variable.
    terms
        The log-prior of each family, likewise; minus infinity where it is not allowed.
    orders
        Count a structure once for each of its linear extensions.
    """

    names: tuple[str, ...]
    scores: Floats
    terms: Floats
    orders: bool

    @cached_property
    def structures(self) -> Structures:
        """The structures."""
        return all_structures(len(self.names))

    def families(self, table: Floats) -> Floats:
        """Return for each structure the sum of its families' entries of a table."""
        numbers = self.structures.numbers
        total: Floats = np.sum([table[i][numbers[:, i]] for i in range(numbers.shape[1])], axis=0)
        return total

    @cached_property
    def log_weights(self) -> Floats:
        """The logarithm of each structure's probability; they sum to one."""
        weights = self.families(self.scores) + self.families(self.terms)
        if self.orders:
            weights = weights + np.log(self.structures.extensions)
        total: Floats = weights - np.logaddexp.reduce(weights)
        return total

    def top(self, k: int) -> pd.DataFrame:
        """Return the k most probable structures."""
        import pandas as pd

        scores = self.families(self.scores)
        within = tolerance(float(scores.max()))
        best = _first(self.log_weights, k, within, lambda at: str(self.dag(at).reordered(sorted(self.names))))
        return pd.DataFrame(
            {
                "structure": [str(self.dag(at)) for at in best],
                "score": scores[best],
                "probability": np.exp(self.log_weights[best]),
            }
        )

    def top_classes(self, k: int) -> pd.DataFrame:
        """Return the k most probable equivalence classes."""
        import pandas as pd

        classes, scores = self.structures.classes, self.families(self.scores)
        number = int(classes.max()) + 1
        allowed = np.isfinite(self.log_weights)
        weights, highest = np.full(number, -np.inf), np.full(number, -np.inf)
        np.logaddexp.at(weights, classes[allowed], self.log_weights[allowed])
        np.maximum.at(highest, classes[allowed], scores[allowed])
        member = np.zeros(number, np.int64)
        member[classes] = np.arange(classes.size)
        size = np.bincount(classes[allowed], minlength=number)

        def canonical(at: int) -> DAG:
            return canonical_extension(self.dag(int(member[at])).cpdag())

        within = tolerance(float(scores.max()))
        best = _first(weights, k, within, lambda at: str(canonical(at).reordered(sorted(self.names))))
        return pd.DataFrame(
            {
                "cpdag": pd.Series([self.dag(int(member[at])).cpdag() for at in best], dtype=object),
                "structure": [str(canonical(at)) for at in best],
                "dags": size[best],
                "score": highest[best],
                "probability": np.exp(weights[best]),
            }
        )

    def dag(self, at: int) -> DAG:
        """Return one of the structures."""
        masks = self.structures.parents[at].tolist()
        return DAG.from_parent_sets(self.names, [[v for v in range(len(masks)) if m >> v & 1] for m in masks])


def _first(weights: Floats, k: int, within: float, name: Callable[[int], str]) -> list[int]:
    """Return the places of the k largest weights that are any; of those that are the same the first names first.

    They are taken to be the same where neighbours differ by no more than ``within``.
    """
    order = np.argsort(-weights, kind="stable")
    order = order[np.isfinite(weights[order])]
    group = np.concatenate([[0], np.cumsum(-np.diff(weights[order]) > within)])
    wanted = order[: np.searchsorted(group, group[min(k, order.size) - 1], side="right")]
    named = sorted(zip(group.tolist(), map(name, wanted.tolist()), wanted.tolist(), strict=False))
    return [at for _, _, at in named[:k]]
