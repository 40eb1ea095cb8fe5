"""d-separation: which independences a DAG promises.

A trail is a path along arcs in either direction. Information flows along a trail, given a set Z of known
variables, when every inner node lets it pass:

* a chain ``a -> m -> b`` or a fork ``a <- m -> b`` passes unless ``m`` is in Z;
* a collider ``a -> m <- b`` passes only if ``m`` or one of its descendants is in Z ("explaining away").

X and Y are *d-separated* given Z when no trail between them is active. Then X is independent of Y given Z in every
distribution that factorises along the DAG; and if they are not d-separated, some such distribution shows the
dependence (Verma and Pearl 1988; Geiger, Verma and Pearl 1990).

The walk below visits each node at most twice, once coming from a child and once coming from a parent, so a
question costs time linear in the number of arcs (Shachter's Bayes ball; Koller and Friedman 2009, Algorithm 3.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from bnml._bits import closure, union
from bnml._text import quoted
from bnml.errors import ArgumentError
from bnml.graph.base import require_dag

if TYPE_CHECKING:
    from bnml.graph.dag import DAG


def reachable(parents: Sequence[int], children: Sequence[int], source: int, given: int, closed: int = 0) -> int:
    """Return the mask of all nodes that an active trail from ``source`` arrives at, known nodes among them.

    A known node stops the ball (or reflects it, as a collider), but counts as reached: the known nodes reached are
    those of ``given`` that are in direct touch with the source. Nodes that are ``closed`` are on no trail.
    """
    opened = closure(parents, given)  # a collider passes if it is an ancestor of something known
    from_child, from_parent = source, 0
    seen_from_child = seen_from_parent = closed
    while from_child or from_parent:
        if from_child:
            low = from_child & -from_child
            from_child ^= low
            seen_from_child |= low
            up = down = not low & given
        else:
            low = from_parent & -from_parent
            from_parent ^= low
            seen_from_parent |= low
            up, down = bool(low & opened), not low & given
        node = low.bit_length() - 1
        if up:
            from_child |= parents[node] & ~seen_from_child
        if down:
            from_parent |= children[node] & ~seen_from_parent
    return (seen_from_child | seen_from_parent) & ~closed


def d_separated(dag: DAG, x: str | Iterable[str], y: str | Iterable[str], given: str | Iterable[str] = ()) -> bool:
    """Tell whether x and y are d-separated given a set of variables; see `DAG.d_separated`."""
    variables = require_dag(dag, "dag").variables
    xs, ys, zs = variables.mask(x, "x"), variables.mask(y, "y"), variables.mask(given, "given")
    overlap = xs & ys | xs & zs | ys & zs
    if overlap:
        raise ArgumentError(f"x, y and given must not share variables; {quoted(variables.pick(overlap))} is in two")
    return not reachable(dag.parent_masks, dag.child_masks, xs, zs) & ys


def minimal_separator(dag: DAG, x: str | Iterable[str], y: str | Iterable[str]) -> tuple[str, ...] | None:
    """Find a set that d-separates x and y and of which nothing can be left out.

    The ancestors of x and y separate them if anything does. Of those, only the ones in direct touch with x are
    needed, and of these only the ones in direct touch with y (van der Zander, Liskiewicz and Textor 2014).

    Parameters
    ----------
    dag : DAG
        The graph.
    x, y : str or iterable of str
        One variable or several on either side.

    Returns
    -------
    tuple of str or None
        The separating set in the order of the names; None if x and y are adjacent, for then there is none.

    Raises
    ------
    ArgumentError
        If a name is unknown or x and y share a variable.

    Examples
    --------
    >>> from bnml.graph import DAG, minimal_separator
    >>> minimal_separator(DAG.parse("[A][B|A][C|A][D|B:C]"), "A", "D")
    ('B', 'C')
    """
    variables = require_dag(dag, "dag").variables
    xs, ys = variables.mask(x, "x"), variables.mask(y, "y")
    if xs & ys:
        raise ArgumentError(f"x and y must not share variables; both hold {quoted(variables.pick(xs & ys))}")
    parents, children = dag.parent_masks, dag.child_masks
    if (union(parents, xs) | union(children, xs)) & ys:
        return None
    ancestors = closure(parents, xs | ys) & ~(xs | ys)
    near_x = ancestors & reachable(parents, children, xs, ancestors)
    return variables.pick(near_x & reachable(parents, children, ys, near_x))
