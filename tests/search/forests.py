"""All forests of a few variables, one by one: what the searches for trees are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product

from bnml import DAG

Parents = tuple[int | None, ...]


@cache
def branchings(n: int) -> list[Parents]:
    """Return every way to give each of n variables one parent or none without a cycle: (n + 1)^(n - 1) of them."""
    return [parents for parents in product((None, *range(n)), repeat=n) if _acyclic(parents)]


def _acyclic(parents: Parents) -> bool:
    for x in range(len(parents)):
        seen: set[int] = set()
        at: int | None = x
        while at is not None:
            if at in seen:
                return False
            seen.add(at)
            at = parents[at]
    return True


@cache
def trees(n: int) -> list[Parents]:
    """Return those with a single root."""
    return [parents for parents in branchings(n) if parents.count(None) == 1]


def dag_of(names: Sequence[str], parents: Parents, more: Sequence[tuple[str, str]] = ()) -> DAG:
    """Return a branching as a structure, with some arcs more."""
    arcs = [(names[above], names[x]) for x, above in enumerate(parents) if above is not None]
    return DAG(names, [*arcs, *more])
