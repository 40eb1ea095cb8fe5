"""What parents a variable may have, as bit masks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bnml._bits import members
from bnml.graph.constraints import CompiledConstraints

__all__ = ["Rules", "allowed_sets"]

FEW_LINKS = 10  # required links of a variable whose subsets are all looked at


@dataclass(frozen=True)
class Rules:
    """What parents are allowed, for variables by their places in some order.

    ``must``, ``may``: the parents a variable must and may have, as bit masks; ``links``: the others that must be its
    parents or its children; ``most``: the most parents.
    """

    must: tuple[int, ...]
    may: tuple[int, ...]
    links: tuple[int, ...]
    most: int

    @classmethod
    def of(cls, columns: Sequence[int], compiled: CompiledConstraints | None, max_parents: int | None) -> Rules:
        """Return the rules of a table's constraints, for its columns in some order."""
        n = len(columns)
        whole = (1 << n) - 1
        most = n - 1 if max_parents is None else min(max_parents, n - 1)
        if compiled is None:
            return cls((0,) * n, tuple(whole & ~(1 << i) for i in range(n)), (0,) * n, most)
        place = {column: i for i, column in enumerate(columns)}
        links = [0] * n
        for a, b in compiled.links:
            links[place[a]] |= 1 << place[b]
            links[place[b]] |= 1 << place[a]

        def moved(masks: Sequence[int]) -> tuple[int, ...]:
            return tuple(sum(1 << place[c] for c in members(masks[column])) for column in columns)

        return cls(moved(compiled.must), moved(compiled.may), tuple(links), most)


def allowed_sets(rules: Rules, i: int) -> npt.NDArray[np.int64]:
    """Return all parent sets that the rules allow to a variable."""
    sets = np.array([rules.must[i]], np.int64)
    for j in members(rules.may[i] & ~rules.must[i]):
        more = sets | (1 << j)
        sets = np.concatenate([sets, more[np.bitwise_count(more) <= rules.most]])
    return sets[np.bitwise_count(sets) <= rules.most]
