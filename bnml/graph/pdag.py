"""Partially directed graphs: some edges have an arrow, some do not.

A PDAG stands for the DAGs that one gets by orienting its undirected edges without making a cycle or a new
v-structure. The graph of a Markov equivalence class is one (see `bnml.graph.equivalence`), and so is the answer of a
constraint-based search, where noisy tests can leave a graph that no DAG fits: a PDAG may have no extension, or even
a directed cycle. Only `PDAG.to_dag` decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from bnml._bits import bits, permuted_masks, transposed
from bnml._notebook import notebook_picture
from bnml.errors import GraphError
from bnml.graph.base import Graph, Variables, checked_masks
from bnml.graph.convert import arcs_from_networkx, directed_networkx
from bnml.graph.dag import DAG
from bnml.graph.extension import consistent_extension

if TYPE_CHECKING:
    import networkx as nx


class PDAG(Graph):
    """A graph with directed and undirected edges, at most one between two variables.

    Parameters
    ----------
    names : iterable of str
        The variables, as in `DAG`.
    directed : iterable of (str, str)
        Arcs (parent, child).
    undirected : iterable of pairs of str
        Edges without direction, in either order or as sets.

    Raises
    ------
    GraphError
        If something is malformed, or a pair is both directed and undirected, or directed both ways.

    Examples
    --------
    >>> from bnml.graph import PDAG
    >>> graph = PDAG(["A", "B", "C"], [("A", "B")], [("C", "B")])
    >>> graph.directed, graph.undirected
    ((('A', 'B'),), (('B', 'C'),))
    >>> graph.parents("B"), graph.children("A"), graph.neighbours("B")
    (('A',), ('B',), ('C',))
    >>> print(graph)
    A -> B, B - C
    """

    __slots__ = ("_neighbours",)

    _neighbours: tuple[int, ...]

    def __init__(
        self,
        names: Iterable[str],
        directed: Iterable[Collection[str]] = (),
        undirected: Iterable[Collection[str]] = (),
    ) -> None:
        variables = Variables(names)
        parents, neighbours = [0] * len(variables), [0] * len(variables)
        for i, j in variables.pairs(directed, "directed"):
            parents[j] |= 1 << i
        for i, j in variables.pairs(undirected, "undirected", ordered=False):
            neighbours[i] |= 1 << j
            neighbours[j] |= 1 << i
        self._fill(variables, parents, neighbours)

    def _fill(self, variables: Variables, parents: Sequence[int], neighbours: Sequence[int]) -> None:
        children = transposed(parents)
        names = variables.names
        for i, name in enumerate(names):
            for j in bits(parents[i] & children[i]):
                raise GraphError(f"{name} -> {names[j]} is there both ways; if it has no direction, give it undirected")
            for j in bits((parents[i] | children[i]) & neighbours[i]):
                raise GraphError(f"{name} - {names[j]} is both directed and undirected; give it once")
        self._variables = variables
        self._parents, self._children, self._neighbours = tuple(parents), tuple(children), tuple(neighbours)

    @classmethod
    def from_masks(cls, names: Iterable[str], parents: Sequence[int], neighbours: Sequence[int]) -> PDAG:
        """Make a PDAG from bit masks of positions: each variable's parents and undirected neighbours.

        Examples
        --------
        >>> print(PDAG.from_masks(["A", "B", "C"], [0, 0b001, 0], [0, 0b100, 0b010]))
        A -> B, B - C
        """
        variables = Variables(names)
        whole = (1 << len(variables)) - 1
        parents, neighbours = checked_masks(parents, "parents"), checked_masks(neighbours, "neighbours")
        if len(parents) != len(variables) or len(neighbours) != len(variables):
            raise GraphError(f"there are {len(variables)} variables; give one mask of parents and neighbours for each")
        if any((mask & ~whole) or mask >> i & 1 for masks in (parents, neighbours) for i, mask in enumerate(masks)):
            raise GraphError(f"a mask may hold only the positions 0 to {len(variables) - 1}, and not its own")
        if transposed(neighbours) != neighbours:
            raise GraphError("the masks of neighbours are not symmetric; if i is a neighbour of j, j is one of i")
        graph = cls.__new__(cls)
        graph._fill(variables, parents, neighbours)
        return graph

    @classmethod
    def from_networkx(cls, graph: nx.DiGraph[str]) -> PDAG:
        """Read a ``networkx.DiGraph`` in which two opposite arcs mean an undirected edge.

        Examples
        --------
        >>> import networkx as nx
        >>> print(PDAG.from_networkx(nx.DiGraph([("A", "B"), ("B", "C"), ("C", "B")])))
        A -> B, B - C
        """
        names, arcs = arcs_from_networkx(graph)
        there = set(arcs)
        return cls(
            names,
            [(a, b) for a, b in arcs if (b, a) not in there or a == b],  # a loop stays, to be refused
            [(a, b) for a, b in arcs if (b, a) in there and a != b],
        )

    def to_networkx(self) -> nx.DiGraph[str]:
        """Return a ``networkx.DiGraph`` in which an undirected edge is two opposite arcs.

        Examples
        --------
        >>> list(PDAG(["A", "B", "C"], [("A", "B")], [("B", "C")]).to_networkx().edges)
        [('A', 'B'), ('B', 'C'), ('C', 'B')]
        """
        both_ways = [arc for a, b in self.undirected for arc in ((a, b), (b, a))]
        return directed_networkx(self.names, [*self.directed, *both_ways])

    @property
    def directed(self) -> tuple[tuple[str, str], ...]:
        """The arcs (parent, child), sorted by the position of the parent, then of the child."""
        return self._arcs()

    @property
    def undirected(self) -> tuple[tuple[str, str], ...]:
        """The undirected edges, each pair and the whole in the order of names."""
        return self._pairs(self._neighbours)

    @property
    def neighbour_masks(self) -> tuple[int, ...]:
        """The undirected neighbours of each variable as a bit mask of positions."""
        return self._neighbours

    def neighbours(self, x: str) -> tuple[str, ...]:
        """Return the variables joined to x by an undirected edge."""
        return self._variables.pick(self._neighbours[self._variables.at(x)])

    def _adjacent(self) -> list[int]:
        return [arcs | free for arcs, free in zip(super()._adjacent(), self._neighbours, strict=True)]

    def to_dag(self) -> DAG:
        """Return a DAG with the same skeleton, arcs and v-structures (Dor and Tarsi 1992).

        Raises
        ------
        GraphError
            If there is none.

        Examples
        --------
        >>> print(PDAG(["A", "B", "C"], [], [("A", "B"), ("B", "C")]).to_dag())
        [A][B|A][C|B]
        """
        parents = consistent_extension(self._parents, self._neighbours)
        if parents is None:
            raise GraphError(
                "this PDAG has no consistent extension: however its undirected edges are oriented, there is a cycle"
                " or a v-structure that it does not have"
            )
        return DAG._of(self._variables, parents)

    def members(self) -> Iterator[DAG]:
        """Yield every DAG that this graph stands for: with the same skeleton, arcs and v-structures.

        Each comes once, and the next is made when it is asked for. The order is that of the undirected edges: of the
        first one the direction towards the later name comes first. There is none if no DAG fits; `count_members` tells
        beforehand how many there are.

        Examples
        --------
        >>> chain = DAG.parse("[A][B|A][C|B]").cpdag()
        >>> chain.count_members(), [str(dag) for dag in chain.members()]
        (3, ['[A][B|A][C|B]', '[B][A|B][C|B]', '[C][B|C][A|B]'])
        """
        from bnml.graph.orientations import begun_orientation, orientations

        work = begun_orientation(self)
        if work is not None:
            for parents in orientations(work):
                yield DAG._of(self._variables, parents)

    def count_members(self) -> int:
        """Return how many DAGs this graph stands for, without listing them; 0 if none fits.

        For the graph of an equivalence class that takes polynomial time (Clique-Picking, Wienöbst, Bannach and
        Liśkiewicz 2021), however many there are. Where arcs come from elsewhere, such as background knowledge, there
        is no such way.

        Raises
        ------
        GraphError
            If background knowledge leaves too many possibilities to be counted.

        Examples
        --------
        >>> names = [f"X{i}" for i in range(30)]
        >>> complete = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
        >>> PDAG(names, [], complete).count_members()  # 30!, all orders
        265252859812191058636308480000000
        >>> print(next(PDAG(["A", "B", "C"], [("A", "B")], [("B", "C")]).members()))  # B -> C follows
        [A][B|A][C|B]
        """
        from bnml.graph.class_size import count_members

        return count_members(self)

    def is_cpdag(self) -> bool:
        """Tell whether this is the graph of a Markov equivalence class.

        Examples
        --------
        >>> PDAG(["A", "B"], [], [("A", "B")]).is_cpdag(), PDAG(["A", "B"], [("A", "B")]).is_cpdag()
        (True, False)
        """
        parents = consistent_extension(self._parents, self._neighbours)
        return parents is not None and DAG._of(self._variables, parents).cpdag() == self

    def reordered(self, names: Iterable[str]) -> PDAG:
        """Return the same (and equal) graph with the names in another order.

        Examples
        --------
        >>> PDAG(["A", "B"], [], [("A", "B")]).reordered(["B", "A"]).undirected
        (('B', 'A'),)
        """
        variables, old = self._variables.order_like(names)
        return PDAG.from_masks(
            variables.names, permuted_masks(self._parents, old), permuted_masks(self._neighbours, old)
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PDAG):
            return NotImplemented
        if self.names != other.names:
            return set(self.names) == set(other.names) and self == other.reordered(self.names)
        return self._parents == other._parents and self._neighbours == other._neighbours

    def __hash__(self) -> int:
        edges = frozenset(frozenset(edge) for edge in self.undirected)
        return hash((frozenset(self.names), frozenset(self.directed), edges))

    def __reduce__(self) -> tuple[object, ...]:
        return PDAG, (self.names, self.directed, self.undirected)

    def __str__(self) -> str:
        parts = [f"{a} -> {b}" for a, b in self.directed] + [f"{a} - {b}" for a, b in self.undirected]
        return ", ".join(parts) or "no edges"

    def _repr_html_(self) -> str:
        return notebook_picture(self)

    def __repr__(self) -> str:
        arcs, edges = len(self.directed), len(self.undirected)
        head = f"<PDAG of {len(self.names)} variables with {arcs} directed and {edges} undirected edges"
        return f"{head}: {self}>" if 0 < arcs + edges <= 8 else f"{head}>"
