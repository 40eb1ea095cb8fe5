"""Directed acyclic graphs: the structures of Bayesian networks.

A DAG says of each variable which others it depends on directly, its *parents*. It is a value: it never changes, two
are equal when they have the same set of names and of arcs, and every method that "changes" one returns another.
Outside, variables have names; inside they are positions in ``names``, and a neighbourhood is a bit mask.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from bnml._bits import bits, closure, mask_of, permuted_masks, transposed, union
from bnml._notebook import notebook_picture
from bnml.errors import GraphError
from bnml.graph.base import Graph, Variables, checked_masks, cycle_text, find_cycle, require_dag, topological_order
from bnml.graph.convert import arcs_from_networkx, directed_networkx
from bnml.graph.model_string import format_model_string, parse_model_string
from bnml.graph.separation import d_separated

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from bnml.graph.pdag import PDAG


class DAG(Graph):
    r"""A directed acyclic graph with named nodes.

    Parameters
    ----------
    names : iterable of str
        The variables: non-empty, different from each other. Their order is the order of all answers.
    arcs : iterable of (str, str)
        Pairs (parent, child); one that is there twice counts once.

    Raises
    ------
    GraphError
        If names or arcs are malformed, an arc names an unknown variable, or the arcs close a cycle (which is shown).

    Notes
    -----
    ``str(dag)`` is the model string that bnlearn writes, parents first, ties in the order of names; `DAG.parse` reads
    it back. In it, names that hold one of ``[ ] | : \`` have a backslash put before each of these characters.

    Examples
    --------
    >>> from bnml.graph import DAG
    >>> dag = DAG(["A", "B", "C", "D"], [("A", "B"), ("C", "B"), ("B", "D")])
    >>> print(dag)
    [A][C][B|A:C][D|B]
    >>> dag == DAG.parse("[C][A][B|C:A][D|B]")
    True
    >>> dag.parents("B"), dag.children("B"), dag.ancestors("D"), dag.descendants("A"), dag.markov_blanket("A")
    (('A', 'C'), ('D',), ('A', 'B', 'C'), ('B', 'D'), ('B', 'C'))
    >>> dag.arcs
    (('A', 'B'), ('B', 'D'), ('C', 'B'))
    >>> dag.skeleton()
    (('A', 'B'), ('B', 'C'), ('B', 'D'))
    """

    __slots__ = ("_hash", "_order")

    _order: tuple[int, ...]
    _hash: int | None

    def __init__(self, names: Iterable[str], arcs: Iterable[Collection[str]] = ()) -> None:
        variables = Variables(names)
        self._fill(variables, _masks(len(variables), variables.pairs(arcs, "arcs")))

    def _fill(self, variables: Variables, parents: Sequence[int]) -> None:
        children = transposed(parents)
        order = topological_order(parents, children)
        if len(order) < len(parents):
            cycle = cycle_text(variables.names, find_cycle(parents, order))
            raise GraphError(f"the arcs close a cycle: {cycle}. A DAG has none; drop or reverse one of these arcs.")
        self._variables = variables
        self._parents, self._children, self._order = tuple(parents), tuple(children), tuple(order)
        self._hash = None

    @classmethod
    def _of(cls, variables: Variables, parents: Sequence[int]) -> DAG:
        dag = cls.__new__(cls)
        dag._fill(variables, parents)
        return dag

    # --- other ways to make one ---

    @classmethod
    def parse(cls, text: str) -> DAG:
        """Read a model string such as ``[A][C][B|A:C]``; the names are in the order of the text.

        Raises
        ------
        GraphError
            With the place and what was expected there, if the text is not a model string or not acyclic.

        Examples
        --------
        >>> DAG.parse("[A][C][B|A:C]").arcs
        (('A', 'B'), ('C', 'B'))
        """
        names, arcs = parse_model_string(text)
        return cls(names, arcs)

    @classmethod
    def from_parent_sets(cls, names: Iterable[str], parent_sets: Sequence[Iterable[int]]) -> DAG:
        """Make a DAG from the positions of each variable's parents; the inverse of `parent_sets`.

        Examples
        --------
        >>> str(DAG.from_parent_sets(["A", "B", "C"], [(), (0, 2), ()]))
        '[A][C][B|A:C]'
        """
        variables = Variables(names)
        n = len(variables)
        if not isinstance(parent_sets, Iterable):
            raise GraphError(f"parent_sets must be a list of lists of positions, got {parent_sets!r}")
        sets = [tuple(checked_masks(given, f"parent_sets[{child}]")) for child, given in enumerate(parent_sets)]
        if len(sets) != n:
            raise GraphError(f"parent_sets has {len(sets)} entries for {n} variables; give one per variable")
        for child, parents in enumerate(sets):
            if any(not 0 <= i < n or i == child for i in parents):
                raise GraphError(f"parent_sets[{child}] is {parents}; allowed are 0 to {n - 1} without {child} itself")
        return cls._of(variables, [mask_of(parents) for parents in sets])

    @classmethod
    def from_networkx(cls, graph: nx.DiGraph[str]) -> DAG:
        """Make a DAG from a ``networkx.DiGraph`` whose nodes are strings.

        Examples
        --------
        >>> import networkx as nx
        >>> print(DAG.from_networkx(nx.DiGraph([("A", "B")])))
        [A][B|A]
        """
        return cls(*arcs_from_networkx(graph))

    def to_networkx(self) -> nx.DiGraph[str]:
        """Return a ``networkx.DiGraph`` with the nodes in the order of names."""
        return directed_networkx(self.names, self.arcs)

    def adjacency(self) -> pd.DataFrame:
        """Return a 0/1 table with a row per parent and a column per child.

        Examples
        --------
        >>> int(DAG.parse("[A][B|A]").adjacency().loc["A", "B"])
        1
        """
        import numpy as np
        import pandas as pd

        table = np.zeros((len(self.names), len(self.names)), dtype=np.int8)
        for child, parents in enumerate(self._parents):
            table[list(bits(parents)), child] = 1
        return pd.DataFrame(table, index=list(self.names), columns=list(self.names))

    # --- what it consists of ---

    @property
    def arcs(self) -> tuple[tuple[str, str], ...]:
        """All pairs (parent, child), sorted by the position of the parent, then of the child."""
        return self._arcs()

    @property
    def parent_sets(self) -> tuple[tuple[int, ...], ...]:
        """The positions of each variable's parents, smallest first."""
        return tuple(tuple(bits(mask)) for mask in self._parents)

    def ancestors(self, x: str) -> tuple[str, ...]:
        """Return the variables with a directed path to x, without x."""
        bit = 1 << self._variables.at(x)
        return self._variables.pick(closure(self._parents, bit) ^ bit)

    def descendants(self, x: str) -> tuple[str, ...]:
        """Return the variables with a directed path from x, without x."""
        bit = 1 << self._variables.at(x)
        return self._variables.pick(closure(self._children, bit) ^ bit)

    def markov_blanket(self, x: str) -> tuple[str, ...]:
        """Return parents, children and the children's other parents: given these, x is independent of the rest."""
        i = self._variables.at(x)
        children = self._children[i]
        return self._variables.pick((self._parents[i] | children | union(self._parents, children)) & ~(1 << i))

    def topological_order(self) -> tuple[str, ...]:
        """Return the variables with parents before children, ties in the order of names.

        Examples
        --------
        >>> DAG(["D", "B", "A"], [("A", "D")]).topological_order()
        ('B', 'A', 'D')
        """
        return tuple(self.names[i] for i in self._order)

    # --- what it means ---

    def d_separated(self, x: str | Iterable[str], y: str | Iterable[str], given: str | Iterable[str] = ()) -> bool:
        """Tell whether the graph makes x and y independent given a set of variables.

        Parameters
        ----------
        x, y, given : str or iterable of str
            One name or several each; no variable in two of them.

        Raises
        ------
        ArgumentError
            If a name is unknown, or in two of the three.

        Examples
        --------
        >>> collider = DAG.parse("[A][B][C|A:B]")
        >>> collider.d_separated("A", "B"), collider.d_separated("A", "B", "C")
        (True, False)
        """
        return d_separated(self, x, y, given)

    def cpdag(self) -> PDAG:
        """Return the graph of the Markov equivalence class: directed are the arcs that all members share.

        Examples
        --------
        >>> print(DAG.parse("[A][C][B|A:C][D|B]").cpdag(), "and", DAG.parse("[A][B|A]").cpdag())
        A -> B, C -> B, B -> D and A - B
        """
        from bnml.graph.equivalence import cpdag_of

        return cpdag_of(self)

    def is_equivalent(self, other: DAG) -> bool:
        """Tell whether both graphs, over the same variables, promise the same independences.

        Examples
        --------
        >>> DAG.parse("[A][B|A]").is_equivalent(DAG.parse("[B][A|B]"))
        True
        """
        require_dag(other, "other")
        return set(self.names) == set(other.names) and self.cpdag() == other.cpdag()

    def v_structures(self) -> tuple[tuple[str, str, str], ...]:
        """Return the triples (a, c, b) with a -> c <- b where a and b are not adjacent.

        Examples
        --------
        >>> DAG.parse("[A][B][C|A:B]").v_structures()
        (('A', 'C', 'B'),)
        """
        names, parents, children = self.names, self._parents, self._children
        return tuple(
            (names[a], names[c], names[b])
            for c in range(len(names))
            for a in bits(parents[c])
            for b in bits(parents[c] & ~parents[a] & ~children[a])
            if a < b
        )

    def covered_arcs(self) -> tuple[tuple[str, str], ...]:
        """Return the arcs x -> y whose reversal stays in the class: the parents of y are x and the parents of x.

        Examples
        --------
        >>> DAG.parse("[A][B|A][C|B]").covered_arcs()
        (('A', 'B'),)
        """
        names, parents = self.names, self._parents
        return tuple(
            (names[i], names[j])
            for i, children in enumerate(self._children)
            for j in bits(children)
            if parents[j] == parents[i] | 1 << i
        )

    # --- others made from it ---

    def with_arcs(self, arcs: Iterable[Collection[str]]) -> DAG:
        """Return the graph with these arcs as well.

        Examples
        --------
        >>> print(DAG.parse("[A][B][C]").with_arcs([("A", "B"), ("B", "C")]))
        [A][B|A][C|B]
        """
        parents = list(self._parents)
        for i, j in self._variables.pairs(arcs, "arcs"):
            parents[j] |= 1 << i
        return DAG._of(self._variables, parents)

    def without_arcs(self, arcs: Iterable[Collection[str]]) -> DAG:
        """Return the graph without these arcs, which must be there.

        Examples
        --------
        >>> print(DAG.parse("[A][B|A][C|A:B]").without_arcs([("A", "C")]))
        [A][B|A][C|B]
        """
        parents = list(self._parents)
        for i, j in self._variables.pairs(arcs, "arcs"):
            if not self._parents[j] >> i & 1:
                raise GraphError(f"there is no arc {self.names[i]} -> {self.names[j]} to take away")
            parents[j] &= ~(1 << i)
        return DAG._of(self._variables, parents)

    def reverse(self, arc: Collection[str]) -> DAG:
        """Return the graph with this one arc turned round.

        Examples
        --------
        >>> print(DAG.parse("[A][B|A]").reverse(("A", "B")))
        [B][A|B]
        """
        rest = self.without_arcs([arc])
        parent, child = arc
        return rest.with_arcs([(child, parent)])

    def subgraph(self, names: Iterable[str]) -> DAG:
        """Return the graph of some of the variables, in their order here, and the arcs between them.

        Examples
        --------
        >>> print(DAG.parse("[A][B|A][C|A:B]").subgraph(["C", "A"]))
        [A][C|A]
        """
        kept = self._variables.mask(names)
        return DAG(self._variables.pick(kept), [arc for arc in self.arcs if self._variables.mask(arc) & ~kept == 0])

    def reordered(self, names: Iterable[str]) -> DAG:
        """Return the same (and equal) graph with the names in another order.

        Examples
        --------
        >>> DAG.parse("[A][B|A]").reordered(["B", "A"]).names
        ('B', 'A')
        """
        variables, old = self._variables.order_like(names)
        return DAG._of(variables, permuted_masks(self._parents, old))

    # --- as a value ---

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DAG):
            return NotImplemented
        if self.names == other.names:
            return self._parents == other._parents
        return set(self.names) == set(other.names) and set(self.arcs) == set(other.arcs)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((frozenset(self.names), frozenset(self.arcs)))
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        # The kept hash depends on the process, so a pickle holds only names and parents.
        return DAG.from_parent_sets, (self.names, self.parent_sets)

    def __str__(self) -> str:
        return format_model_string(self.names, self.parent_sets, self._order)

    def _repr_html_(self) -> str:
        return notebook_picture(self)

    def __repr__(self) -> str:
        if len(self.names) <= 10 and len(text := str(self)) <= 80:
            return f"DAG.parse({text!r})"
        return f"<DAG of {len(self.names)} variables with {sum(m.bit_count() for m in self._parents)} arcs>"


def _masks(n: int, arcs: Iterable[tuple[int, int]]) -> list[int]:
    parents = [0] * n
    for i, j in arcs:
        parents[j] |= 1 << i
    return parents


def dag_without(dag: DAG, arc: tuple[str, str]) -> DAG:
    """Return a DAG without one of its arcs."""
    return DAG(dag.names, [other for other in dag.arcs if other != arc])
