"""What DAG and PDAG have in common: named nodes and arcs between them."""

from __future__ import annotations

from collections.abc import Sequence

from bnml._bits import bits
from bnml.graph._names import Variables


class Graph:
    """Named nodes with directed arcs, as bit masks of positions."""

    __slots__ = ("_children", "_parents", "_variables")

    _variables: Variables
    _parents: tuple[int, ...]
    _children: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in the order given."""
        return self._variables.names

    @property
    def variables(self) -> Variables:
        """The translation between names and positions."""
        return self._variables

    @property
    def parent_masks(self) -> tuple[int, ...]:
        """The parents of each variable as a bit mask of positions."""
        return self._parents

    @property
    def child_masks(self) -> tuple[int, ...]:
        """The children of each variable as a bit mask of positions."""
        return self._children

    def parents(self, x: str) -> tuple[str, ...]:
        """Return the variables with an arc to x, in the order of names."""
        return self._variables.pick(self._parents[self._variables.at(x)])

    def children(self, x: str) -> tuple[str, ...]:
        """Return the variables with an arc from x, in the order of names."""
        return self._variables.pick(self._children[self._variables.at(x)])

    def skeleton(self) -> tuple[tuple[str, str], ...]:
        """Return the pairs of adjacent variables, each pair and the whole in the order of names."""
        return self._pairs(self._adjacent())

    def _adjacent(self) -> list[int]:
        return [up | down for up, down in zip(self._parents, self._children, strict=True)]

    def _arcs(self) -> tuple[tuple[str, str], ...]:
        names = self.names
        return tuple((names[i], names[j]) for i, children in enumerate(self._children) for j in bits(children))

    def _pairs(self, masks: Sequence[int]) -> tuple[tuple[str, str], ...]:
        names = self.names
        return tuple((names[i], names[j]) for i, mask in enumerate(masks) for j in bits(mask) if i < j)
