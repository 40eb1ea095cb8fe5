"""How far two graphs are from each other.

The *structural Hamming distance* counts the pairs of variables on which two graphs disagree: an edge that only one of
them has, or that the two draw differently. Between CPDAGs (Tsamardinos, Brown and Aliferis 2006) it does not
punish a direction that no data can reveal; between DAGs it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bnml._plain import attributes
from bnml._text import did_you_mean
from bnml.errors import ArgumentError, argument
from bnml.graph._arguments import require_same_variables
from bnml.graph.dag import DAG
from bnml.graph.pdag import PDAG


def shd(a: Any, b: Any, of: str = "cpdag") -> int:
    """Return the structural Hamming distance of two graphs over the same variables.

    Parameters
    ----------
    a, b : DAG or PDAG, or what has one: a network, or the result of a search
        The graphs. With ``of="cpdag"`` a DAG counts as its CPDAG, and a PDAG is taken as it is.
    of : {"cpdag", "dag"}
        What to compare: the equivalence classes, or the DAGs themselves.

    Returns
    -------
    int
        The number of pairs of variables on which they differ: an edge missing, extra, or with another direction (or,
        for CPDAGs, with and without a direction) counts 1.

    Raises
    ------
    GraphError
        If the variables differ.
    ArgumentError
        If ``of`` is something else, or a PDAG is given for ``of="dag"``.

    Examples
    --------
    >>> from bnml.graph import DAG, shd
    >>> a, b = DAG.parse("[A][B|A][C|B]"), DAG.parse("[C][B|C][A|B]")
    >>> shd(a, b), shd(a, b, of="dag")
    (0, 2)
    """
    if of not in ("cpdag", "dag"):
        raise ArgumentError(
            f"{argument('of')} must be 'cpdag' or 'dag', got {of!r}.{did_you_mean(of, ['cpdag', 'dag'])}"
        )
    a, b = _graph_of(a), _graph_of(b)
    _check_graphs(a=a, b=b)
    if of == "cpdag":
        a, b = _as_pdag(a), _as_pdag(b)
    elif not (isinstance(a, DAG) and isinstance(b, DAG)):
        raise ArgumentError(
            f"{argument('of', 'dag')} compares DAGs, and one of these is a PDAG. Take .to_dag() first, or "
            f"{argument('of', 'cpdag')}."
        )
    return _differing_pairs(_marks(a), _marks(b.reordered(a.names)))


@dataclass(frozen=True)
class Comparison:
    """What a learned graph has right, wrong and not at all; made by `compare`."""

    shd: int
    """Distance of the CPDAGs."""
    true_arcs: int
    """Arcs that both have."""
    false_arcs: int
    """Arcs that only the learned graph has."""
    missed_arcs: int
    """Arcs that only the true graph has."""
    true_adjacencies: int
    """Adjacent pairs, whatever the direction, that both have."""
    false_adjacencies: int
    """Adjacent pairs that only the learned graph has."""
    missed_adjacencies: int
    """Adjacent pairs that only the true graph has."""

    def to_dict(self) -> dict[str, int]:
        """Return it as plain values, for JSON."""
        return asdict(self)


def compare(truth: DAG | PDAG, learned: DAG | PDAG) -> Comparison:
    """Count what a learned graph shares with the true one.

    Parameters
    ----------
    truth, learned : DAG or PDAG
        Graphs over the same variables. Arcs are those drawn with an arrow, in the graphs as given.

    Returns
    -------
    Comparison
        Right, wrong and missed arcs and adjacencies, and the structural Hamming distance of the CPDAGs.

    Raises
    ------
    GraphError
        If the variables differ.

    Examples
    --------
    >>> from bnml.graph import DAG, compare
    >>> found = compare(DAG.parse("[A][B|A][C|B]"), DAG.parse("[A][B|A][C|A]"))
    >>> found.true_arcs, found.false_arcs, found.missed_arcs, found.shd
    (1, 1, 1, 2)
    """
    _check_graphs(truth=truth, learned=learned)
    other = learned.reordered(truth.names)
    arcs = _overlap(truth.parent_masks, other.parent_masks)
    t, f, m = _overlap(_adjacent(truth), _adjacent(other))
    return Comparison(shd(truth, learned), *arcs, t // 2, f // 2, m // 2)  # each pair is seen from both ends


@dataclass(frozen=True)
class Difference:
    """In which arcs two DAGs differ; made by `difference`."""

    shd: int
    """Distance of the CPDAGs."""
    shd_dag: int
    """Distance of the DAGs."""
    equivalent: bool
    """Whether both are in the same equivalence class."""
    shared: tuple[tuple[str, str], ...]
    """Arcs that both have."""
    reversed: tuple[tuple[str, str], ...]
    """Arcs of the first that the second has the other way round."""
    only_a: tuple[tuple[str, str], ...]
    """Arcs of the first whose ends the second does not join."""
    only_b: tuple[tuple[str, str], ...]
    """Arcs of the second whose ends the first does not join."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return attributes(self, "shd", "shd_dag", "equivalent", "shared", "reversed", "only_a", "only_b")


def difference(a: DAG, b: DAG) -> Difference:
    """Return in which arcs two DAGs over the same variables differ.

    Examples
    --------
    >>> found = difference(DAG.parse("[A][B|A][C|B]"), DAG.parse("[B][A|B][C|A]"))
    >>> found.shd, found.reversed, found.only_a, found.only_b
    (2, (('A', 'B'),), (('B', 'C'),), (('A', 'C'),))
    """
    distances = shd(a, b), shd(a, b, of="dag")
    first, second = set(a.arcs), set(b.arcs)
    return Difference(
        *distances,
        equivalent=a.is_equivalent(b),
        shared=tuple(arc for arc in a.arcs if arc in second),
        reversed=tuple(arc for arc in a.arcs if arc[::-1] in second),
        only_a=tuple(arc for arc in a.arcs if not {arc, arc[::-1]} & second),
        only_b=tuple(arc for arc in b.arcs if not {arc, arc[::-1]} & first),
    )


def _overlap(truth: Sequence[int], learned: Sequence[int]) -> tuple[int, int, int]:
    pairs = list(zip(truth, learned, strict=True))
    both = sum((t & f).bit_count() for t, f in pairs)
    return both, sum(f.bit_count() for _, f in pairs) - both, sum(t.bit_count() for t, _ in pairs) - both


def _graph_of(given: Any) -> Any:
    """Return the graph of a network or of a result; anything else as it is."""
    if isinstance(given, DAG | PDAG):
        return given
    dag = getattr(given, "dag", None)
    return dag if isinstance(dag, DAG) else getattr(given, "pdag", given)


def _check_graphs(**graphs: DAG | PDAG) -> None:
    for what, graph in graphs.items():
        if not isinstance(graph, DAG | PDAG):
            raise ArgumentError(f"{argument(what)} must be a DAG or PDAG, got {type(graph).__name__}")
    require_same_variables(*(graph.names for graph in graphs.values()))


def _as_pdag(graph: DAG | PDAG) -> PDAG:
    return graph.cpdag() if isinstance(graph, DAG) else graph


def _adjacent(graph: DAG | PDAG) -> list[int]:
    return [into | out | free for into, out, free in _marks(graph)]


def _marks(graph: DAG | PDAG) -> list[tuple[int, int, int]]:
    """Return for each node its parents, children and undirected neighbours."""
    free = graph.neighbour_masks if isinstance(graph, PDAG) else (0,) * len(graph.names)
    return list(zip(graph.parent_masks, graph.child_masks, free, strict=True))


def _differing_pairs(a: list[tuple[int, int, int]], b: list[tuple[int, int, int]]) -> int:
    ends = 0
    for (into, out, free), (into_b, out_b, free_b) in zip(a, b, strict=True):
        ends += ((into ^ into_b) | (out ^ out_b) | (free ^ free_b)).bit_count()
    return ends // 2  # each pair is seen from both ends
