"""Which parents a variable may have, and how probable they are before any data are seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bnml.errors import ArgumentError, argument, quoted
from bnml.graph import Constraints
from bnml.scores.priors import StructurePrior

__all__ = ["Allowed", "allowed_families", "parent_masks", "sizes_of_sets"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Allowed:
    """What parents are allowed, and the structure prior's terms.

    ``must`` and ``may``: for each variable the parents it must and may have, as bit masks; ``most``: the most parents.
    """

    names: tuple[str, ...]
    must: tuple[int, ...]
    may: tuple[int, ...]
    most: int
    prior: StructurePrior | None

    @property
    def constrained(self) -> bool:
        """Whether some variable must have a parent, or must not have another."""
        return any(self.must) or any(may.bit_count() < len(self.names) - 1 for may in self.may)

    @property
    def everything(self) -> bool:
        """Whether all families are allowed and weigh the same."""
        return not self.constrained and self.most >= len(self.names) - 1 and self.prior is None

    def terms(self, child: int) -> Floats:
        """Return the log-weight of each parent set of a variable; minus infinity where it is not allowed."""
        n = len(self.names)
        sets = parent_masks(n, child)
        weights = np.zeros(sets.size) if self.prior is None else _prior_terms(self.prior, self.names, child)
        refused = (sets & ~self.may[child] != 0) | (~sets & self.must[child] != 0) | (sizes_of_sets(n - 1) > self.most)
        weights[refused] = -np.inf
        return weights


def allowed_families(
    names: tuple[str, ...], constraints: Constraints | None, max_parents: int | None, prior: StructurePrior | None
) -> Allowed:
    """Return what is allowed, or refuse what can be no sum over families or leaves no structure.

    Raises
    ------
    ArgumentError
        If a link is required in either direction, or more arcs into a variable than it may have parents.
    """
    n = len(names)
    most = n - 1 if max_parents is None else min(max_parents, n - 1)
    if constraints is None:
        whole = (1 << n) - 1
        return Allowed(names, (0,) * n, tuple(whole & ~(1 << i) for i in range(n)), most, prior)
    compiled = constraints.compiled(names)
    if compiled.links:
        links = quoted(f"{names[a]} - {names[b]}" for a, b in compiled.links)
        raise ArgumentError(
            f"constraints: a required link is no statement about one variable's parents, and the sums take only such "
            f"statements; require an arc in one direction instead of {links}"
        )
    for name, must in zip(names, compiled.must, strict=True):
        if must.bit_count() > most:
            raise ArgumentError(
                f"{argument('max_parents', max_parents)}: the constraints require {must.bit_count()} parents of "
                f"{name!r}; allow as many"
            )
    return Allowed(names, compiled.must, compiled.may, most, prior)


def parent_masks(n: int, child: int) -> Ints:
    """Return all sets without the child, in the order of their numbers without its bit."""
    numbers = np.arange(1 << (n - 1))
    low = (1 << child) - 1
    return (numbers & low) | ((numbers & ~low) << 1)


def sizes_of_sets(n: int) -> npt.NDArray[np.int8]:
    """Return the number of members of each set of n things."""
    sizes = np.zeros(1, np.int8)
    for _ in range(n):
        sizes = np.concatenate([sizes, sizes + np.int8(1)])
    return sizes


def _prior_terms(prior: StructurePrior, names: tuple[str, ...], child: int) -> Floats:
    """Return a structure prior's terms for all parent sets of a variable."""
    others = [v for v in range(len(names)) if v != child]
    arcs = prior.arc_terms(names)
    if arcs is None:
        sets = (tuple(v for k, v in enumerate(others) if p >> k & 1) for p in range(1 << len(others)))
        return np.array([prior.family(names, child, parents) for parents in sets], np.float64)
    terms = np.zeros(1)
    for v in others:
        terms = np.concatenate([terms + arcs[1][v, child], terms + arcs[0][v, child]])
    return terms
