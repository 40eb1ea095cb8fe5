"""What graphs are made of: named nodes and arcs, checks of what they are given, and topological orders.

A topological order lists parents before their children. Among the many there may be, `topological_order` always gives
the one that is smallest position by position, so that equal graphs are written in equal ways.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from bnml._bits import bits, mask_of
from bnml._text import did_you_mean, quoted
from bnml.errors import ArgumentError, GraphError, argument

if TYPE_CHECKING:
    from bnml.graph.dag import DAG
    from bnml.graph.pdag import PDAG


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


def require_dag(graph: object, what: str) -> DAG:
    """Refuse what is not a DAG."""
    from bnml.graph.dag import DAG

    if not isinstance(graph, DAG):
        raise ArgumentError(argument(what) + f" must be a DAG, got {_kind(graph)}")
    return graph


def require_pdag(graph: object, what: str) -> PDAG:
    """Refuse what is not a PDAG."""
    from bnml.graph.pdag import PDAG

    if not isinstance(graph, PDAG):
        raise ArgumentError(argument(what) + f" must be a PDAG, got {_kind(graph)}")
    return graph


def graph_of(given: object, what: str) -> DAG | PDAG:
    """Return a graph, or that of a network or of a result: its DAG or, if it has none, its PDAG."""
    from bnml.graph.dag import DAG
    from bnml.graph.pdag import PDAG

    if isinstance(given, DAG | PDAG):
        return given
    for name in ("dag", "pdag", "cpdag"):
        graph = getattr(given, name, None)
        if isinstance(graph, DAG | PDAG):
            return graph
    raise ArgumentError(argument(what) + f" must be a DAG or PDAG, got {type(given).__name__}")


def _kind(graph: object) -> str:
    hints = {"DAG": "DAG; take its .cpdag()", "PDAG": "PDAG; take its .to_dag()", "str": "str; DAG.parse reads a text"}
    kind = type(graph).__name__
    return hints.get(kind, kind)


def require_same_variables(first: Iterable[str], second: Iterable[str]) -> None:
    """Refuse arguments that are not about the same variables: two graphs, or a graph and a list of names."""
    ones, others = dict.fromkeys(first), dict.fromkeys(second)
    parts = []
    for which, extra in (
        ("first", [name for name in ones if name not in others]),
        ("second", [name for name in others if name not in ones]),
    ):
        if extra:
            parts.append(f"only the {which} has {quoted(extra)}")
    if parts:
        raise GraphError(f"the variables differ: {'; '.join(parts)}. Both must be about the same variables.")


def checked_masks(values: Iterable[int], what: str) -> list[int]:
    """Check the masks that a graph is given, and return them as Python integers."""
    try:
        return [operator.index(value) for value in values]
    except TypeError:
        raise GraphError(f"{what} must be whole numbers, got {values!r}") from None


class Variables:
    """The names of a graph's nodes and where each one stands."""

    __slots__ = ("index", "names")

    def __init__(self, names: Iterable[str], what: str = "names") -> None:
        self.names = _distinct_names(names, what)
        self.index = {name: i for i, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.names)

    def at(self, name: str) -> int:
        """Return the position of one name."""
        if not isinstance(name, str):
            raise ArgumentError(f"expected the name of one variable, got {name!r}")
        if name not in self.index:
            raise ArgumentError(
                f"there is no variable {name!r}.{did_you_mean(name, self.names)}"
                f" The variables are {quoted(self.names)}."
            )
        return self.index[name]

    def mask(self, names: str | Iterable[str], what: str = "names") -> int:
        """Return the mask of one name or several."""
        if isinstance(names, str):
            return 1 << self.at(names)
        if not isinstance(names, Iterable):
            raise ArgumentError(argument(what) + f" must be a name or several names of variables, got {names!r}")
        return mask_of(self.at(name) for name in names)

    def pick(self, mask: int) -> tuple[str, ...]:
        """Return the names in a mask, in their order."""
        return tuple(self.names[i] for i in bits(mask))

    def pairs(self, pairs: Iterable[Collection[str]], what: str, *, ordered: bool = True) -> list[tuple[int, int]]:
        """Return pairs of names as pairs of positions."""
        found = pairs_of_names(pairs, what, ordered=ordered)
        for name in (name for pair in found for name in pair):
            if name not in self.index:
                raise GraphError(
                    f"{what} name {name!r}, which is not a variable.{did_you_mean(name, self.names)}"
                    f" The variables are {quoted(self.names)}."
                )
        return [(self.index[a], self.index[b]) for a, b in found]

    def order_like(self, names: Iterable[str]) -> tuple[Variables, list[int]]:
        """Return the same variables in another order, and the old position of each."""
        other = Variables(names)
        require_same_variables(self.names, other.names)
        return other, [self.index[name] for name in other.names]


def _distinct_names(names: Iterable[str], what: str) -> tuple[str, ...]:
    """Check the names of a graph's variables: texts, at least one, none twice."""
    result = checked_names(names, what)
    if not result:
        raise GraphError(f"{what} is empty; a graph needs at least one variable")
    twice = [name for name, count in Counter(result).items() if count > 1]
    if twice:
        raise GraphError(f"{what} must be unique; more than once there: {quoted(twice)}")
    return tuple(str(name) for name in result)


def pairs_of_names(pairs: Iterable[Collection[str]], what: str, *, ordered: bool = True) -> list[tuple[str, str]]:
    """Check pairs of two different names that are an argument; a pair without direction may also come as a set."""
    if isinstance(pairs, str) or not isinstance(pairs, Iterable):
        raise GraphError(f"{what} must be a list of pairs of names such as [('A', 'B')], got {pairs!r}")
    return [_checked_pair(pair, what, ordered) for pair in pairs]


def _checked_pair(pair: Collection[str], what: str, ordered: bool) -> tuple[str, str]:
    unfit = (str, set, frozenset, dict) if ordered else (str, dict)  # a set has no first and second
    if isinstance(pair, unfit) or not isinstance(pair, Collection) or len(pair) != 2:
        raise GraphError(f"{what} must be pairs of names such as ('A', 'B'), got {pair!r}")
    a, b = pair if ordered else sorted(pair, key=str)
    for name in (a, b):
        check_name(name, what)
    if a == b:
        raise GraphError(f"{what} join {a!r} to itself; an arc or link needs two different variables")
    return str(a), str(b)


def check_name(name: object, what: str) -> None:
    """Check that something can be the name of a variable of a graph."""
    if not isinstance(name, str) or not name:
        raise GraphError(f"{what} hold {name!r}; the name of a variable is a non-empty string")


def checked_names(names: Iterable[str], what: str) -> tuple[str, ...]:
    """Check names of variables that are an argument, and return a tuple; there may be none, and some twice."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise GraphError(f"{what} must be a list of names such as ['A', 'B'], got {names!r}")
    result = tuple(names)
    for name in result:
        check_name(name, what)
    return result


def topological_order(parents: Sequence[int], children: Sequence[int]) -> list[int]:
    """Return the smallest topological order; nodes on or behind a cycle are left out."""
    waiting = [mask.bit_count() for mask in parents]
    ready = [i for i, count in enumerate(waiting) if not count]
    heapify(ready)
    order = []
    while ready:
        i = heappop(ready)
        order.append(i)
        for j in bits(children[i]):
            waiting[j] -= 1
            if not waiting[j]:
                heappush(ready, j)
    return order


def find_cycle(parents: Sequence[int], order: Sequence[int]) -> list[int]:
    """Return one cycle among the nodes that ``order`` leaves out, along the arrows, smallest node first.

    Each of those nodes has a parent that is left out too, so walking up must come back to a node seen before.
    """
    stuck = (1 << len(parents)) - 1
    for i in order:
        stuck ^= 1 << i
    node = next(bits(stuck))
    walk: list[int] = []
    seen: dict[int, int] = {}
    while node not in seen:
        seen[node] = len(walk)
        walk.append(node)
        node = next(bits(parents[node] & stuck))
    cycle = walk[seen[node] :][::-1]
    start = cycle.index(min(cycle))
    return cycle[start:] + cycle[:start]


def cycle_text(names: Sequence[str], cycle: Sequence[int], *, most: int = 10) -> str:
    """Return a cycle, which no topological order has, as ``A -> B -> A``; the middle of a long one is left out."""
    path = [names[i] for i in cycle]
    if len(path) > most:
        path = [*path[: most - 2], "...", path[-1]]
    return " -> ".join([*path, names[cycle[0]]])
