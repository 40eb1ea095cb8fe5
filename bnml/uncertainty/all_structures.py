"""For few variables all structures, one by one: 29,281 DAGs and 8,782 equivalence classes on five."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Bools, Floats, Ints
from bnml._bits import WORD_BITS, bits, subsets
from bnml._machine import short_ranges
from bnml.graph import DAG, canonical_extension
from bnml.scores.base import score_tolerance

if TYPE_CHECKING:
    import pandas as pd

MOST_LISTED = 5  # variables: 29,281 DAGs
MOST_CLASSES = 6  # where nothing else will do: 3.8 million DAGs

Masks = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Structures:
    """Some DAGs on the same variables.

    ``parents``: a row for each DAG, a bit mask for each variable, as small whole numbers.
    """

    parents: Masks

    @cached_property
    def numbers(self) -> Masks:
        """The parents without the variable's own bit: the numbers of the families."""
        low = ((1 << np.arange(self.parents.shape[1])) - 1).astype(self.parents.dtype)
        found: Masks = (self.parents & low) | (self.parents >> 1 & ~low)
        return found

    @cached_property
    def extensions(self) -> Ints:
        """The number of linear extensions of each: how many orders of the variables it fits."""
        from bnml.uncertainty import _kernels

        found = np.empty(len(self.parents), np.int64)
        for start, stop in short_ranges(found.size, 1 << 14):  # structures that a kernel works on
            _kernels.linear_extensions(self.parents, start, stop, found)
        return found

    @cached_property
    def classes(self) -> Ints:
        """The same number for DAGs with the same links and v-structures (Verma & Pearl 1990), from 0."""
        n = self.parents.shape[1]
        key, used = np.zeros(len(self.parents), np.int64), 0
        for a, b in combinations(range(n), 2):
            link = self.has_arc(a, b) | self.has_arc(b, a)
            colliders = (self.has_arc(a, c) & self.has_arc(b, c) & ~link for c in range(n) if c not in (a, b))
            for bit in (link, *colliders):
                if used == WORD_BITS:
                    key = _numbered(key)
                    used = int(key.max(initial=0)).bit_length()
                key, used = key << 1 | bit, used + 1
        return _numbered(key)

    def has_arc(self, a: int, b: int) -> Bools:
        """Return whether each has the arc from a to b."""
        return (self.parents[:, b] >> a & 1).astype(bool)

    @cached_property
    def ancestors(self) -> Masks:
        """Which variables lead to each variable by a directed path, as bit masks."""
        found = self.parents.copy()
        n = found.shape[1]
        for middle in range(n):
            above = found[:, middle].copy()
            for v in range(n):
                found[:, v] |= np.where(found[:, v] >> middle & 1, above, 0).astype(found.dtype)
        return found

    def in_blanket(self, a: int, b: int) -> Bools:
        """Return whether the Markov blanket of each of two variables has the other: a link, or a common child."""
        found = self.has_arc(a, b) | self.has_arc(b, a)
        for c in range(self.parents.shape[1]):
            found |= self.has_arc(a, c) & self.has_arc(b, c)
        return found


def _numbered(key: Ints) -> Ints:
    """Return small numbers in the place of large ones, in the same order."""
    return np.unique(key, return_inverse=True)[1].reshape(-1).astype(np.int64)


@cache
def all_structures(n: int) -> Structures:
    """List all structures one by one: the DAGs on n variables, in a fixed order."""
    if n == 0:
        return Structures(np.zeros((1, 0), np.uint8))
    parents = _with_one_more(all_structures(n - 1))
    code = np.zeros(len(parents), np.int64)
    for at, (a, b) in enumerate(combinations(range(n), 2)):  # no arc, or one in either direction
        code += 3**at * ((parents[:, b] >> a & 1) + 2 * (parents[:, a] >> b & 1).astype(np.int64))
    return Structures(parents[np.argsort(code)])


def _with_one_more(before: Structures) -> Masks:
    """Return all DAGs that have one of the given as what is left without the last variable.

    It may have any parents and children, but for a path from one of these to one of those.
    """
    old, n = before.parents, before.parents.shape[1]
    below = np.zeros((1 << n, len(old)), np.uint8)  # for each set of children, all that descend from them
    for v in range(n):
        own = np.full(len(old), 1 << v, np.uint8)
        for w in range(n):
            own |= (before.ancestors[:, w] >> v & 1) << w
        below[1 << v : 2 << v] = below[: 1 << v] | own
    parts = []
    for above in range(1 << n):
        for children in subsets(((1 << n) - 1) & ~above):
            kept = old[below[children] & above == 0]
            new = np.concatenate([kept, np.full((len(kept), 1), above, np.uint8)], axis=1)
            for child in bits(children):
                new[:, child] |= 1 << n
            parts.append(new)
    return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class Listed:
    """Structures of a few variables with their scores and probabilities.

    Parameters
    ----------
    names
        The variables.
    scores
        The score of each family, a row for each variable.
    terms
        The log-prior of each family, likewise; minus infinity where it is not allowed.
    prior
        ``"uniform"``; ``"order"``: count a structure once for each of its linear extensions; ``"classes"``: let those
        of a class that are allowed share what each class has.
    some
        Structures; all by default.
    log_total
        The logarithm of the sum of the weights of all structures, if these are but some of them; not for classes.
    """

    names: tuple[str, ...]
    scores: Floats
    terms: Floats
    prior: str
    some: Structures | None = None
    log_total: float | None = None

    @property
    def structures(self) -> Structures:
        """The structures."""
        return all_structures(len(self.names)) if self.some is None else self.some

    def families(self, table: Floats) -> Floats:
        """Return for each structure the sum of its families' entries of a table."""
        numbers = self.structures.numbers
        total = np.zeros(len(numbers))
        for i in range(numbers.shape[1]):
            total += table[i][numbers[:, i]]
        return total

    @cached_property
    def log_prior(self) -> Floats:
        """The logarithm of each structure's weight without data."""
        weights, structures = self.families(self.terms), self.structures
        if self.prior == "order":
            weights += np.log(structures.extensions)
        elif self.prior == "classes":
            members = np.bincount(structures.classes[np.isfinite(weights)], minlength=int(structures.classes.max()) + 1)
            weights -= np.log(np.maximum(members, 1))[structures.classes]
        return weights

    @cached_property
    def log_weights(self) -> Floats:
        """The logarithm of each structure's probability; those of all structures sum to one."""
        weights = self.families(self.scores) + self.log_prior
        total: Floats = weights - (np.logaddexp.reduce(weights) if self.log_total is None else self.log_total)
        return total

    @property
    def log_totals(self) -> tuple[float, float]:
        """The logarithms of the sums of all structures' weights, with data and without; minus infinity for none."""
        weights = self.families(self.scores) + self.log_prior
        return float(np.logaddexp.reduce(weights)), float(np.logaddexp.reduce(self.log_prior))

    @property
    def arcs(self) -> Floats:
        """The probability of each arc."""
        return self._probabilities(self.structures.has_arc)

    @property
    def paths(self) -> Floats:
        """The probability of a directed path, from row to column."""
        ancestors = self.structures.ancestors
        return self._probabilities(lambda a, b: ancestors[:, b] >> a & 1)

    @property
    def blankets(self) -> Floats:
        """The probability that one variable is in the Markov blanket of the other."""
        return self._probabilities(self.structures.in_blanket)

    def _probabilities(self, holds: Callable[[int, int], npt.NDArray[Any]]) -> Floats:
        """Return for each pair of variables the probability of what holds of it in some of the structures."""
        n, p = len(self.names), np.exp(self.log_weights)
        found = np.zeros((n, n))
        for a in range(n):
            for b in range(n):
                if a != b:
                    found[a, b] = p[holds(a, b).astype(bool)].sum()
        return np.minimum(found, 1.0)

    def top(self, k: int) -> pd.DataFrame:
        """Return the k most probable structures."""
        import pandas as pd

        scores = self.families(self.scores)
        within = score_tolerance(float(scores.max()))
        best = _first(self.log_weights, k, within, lambda at: str(self.dag(at).reordered(sorted(self.names))))
        return pd.DataFrame(
            {
                "structure": [str(self.dag(at)) for at in best],
                "score": scores[best],
                "probability": np.exp(self.log_weights[best]),
            }
        )

    def top_classes(self, k: int) -> pd.DataFrame:
        """Return the k most probable equivalence classes, all of whose allowed members are among the structures."""
        import pandas as pd

        classes, scores = self.structures.classes, self.families(self.scores)
        number = int(classes.max()) + 1
        allowed = np.isfinite(self.log_weights)
        weights, highest = self.class_weights(), np.full(number, -np.inf)
        np.maximum.at(highest, classes[allowed], scores[allowed])
        member = np.zeros(number, np.int64)
        member[classes] = np.arange(classes.size)
        size = np.bincount(classes[allowed], minlength=number)

        def canonical(at: int) -> DAG:
            return canonical_extension(self.dag(int(member[at])).cpdag())

        within = score_tolerance(float(scores.max()))
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

    def class_weights(self) -> Floats:
        """Return the logarithm of what the members of each class sum to."""
        classes, allowed = self.structures.classes, np.isfinite(self.log_weights)
        weights = np.full(int(classes.max()) + 1, -np.inf)
        np.logaddexp.at(weights, classes[allowed], self.log_weights[allowed])
        return weights

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
