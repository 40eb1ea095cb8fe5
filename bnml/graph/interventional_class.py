"""Interventional classes: the structures that no data of an experiment can tell apart.

Where some variables were set from outside, more directions can be known than a Markov equivalence class leaves open. To
set b cuts the arcs into it, so if a -> b, nothing of a is seen in b any more, and if b -> a, as much as before. With a
family of *target sets*, each a set of variables that were set together and the empty set for rows in which nothing was,
two DAGs are *interventionally equivalent* exactly when they have the same skeleton, the same v-structures, and for each
target set the same skeleton once the arcs into its members are cut (Hauser & Bühlmann 2012, theorem 10).

So an edge is directed if some target set holds exactly one of its ends; what follows from these directions follows by
Meek's rules, which are complete with directions from elsewhere, and the rest is open. The paper
takes for granted that for each variable there is a target set without it. One that was set in every row is taken to
have no parents, as nothing tells about them, and the same then holds.

The members of a class differ only in arcs between variables that were set in the same rows. On these rows they are
ordinary equivalent structures, and score-equivalent scores give them equal scores.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bnml.errors import GraphError
from bnml.graph.dag import DAG
from bnml.graph.equivalence import apply_meek_rules
from bnml.graph.pdag import PDAG


def interventional_class(dag: DAG, target_sets: Iterable[Collection[str]]) -> PDAG:
    """Return the class of structures that no data with these targets can tell from a DAG: its I-essential graph.

    Parameters
    ----------
    dag
        Any member of the class.
    target_sets
        The sets of variables that were set together; an empty one changes nothing.

    Returns
    -------
    PDAG
        Directed where all members agree, undirected elsewhere.

    Raises
    ------
    GraphError
        If a target is no variable of the graph.

    Examples
    --------
    >>> from bnml.graph import DAG, interventional_class
    >>> dag = DAG.parse("[A][B|A][C|B]")
    >>> print(interventional_class(dag, [[], ["C"]]))
    B -> C, A - B
    >>> print(interventional_class(dag, [[], ["A"]]))
    A -> B, B -> C
    """
    known = set(dag.names)
    cut = []
    for targets in target_sets:
        own = set(targets)
        if not own <= known:
            raise GraphError(f"target {min(map(str, own - known))!r} is no variable of the graph")
        cut += [(a, b) for a, b in dag.arcs if (a in own) != (b in own)]
    return apply_meek_rules(dag.cpdag(), background=list(dict.fromkeys(cut)))
