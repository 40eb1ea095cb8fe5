"""Trees: the best one that rules allow, from the gains of arcs.

In a tree, or a forest, each variable has one parent at most. So its score is a sum of gains of arcs, and the best one
can be found without trying all: where an arc gains as much as the arc the other way round, by taking links one after
the other, the best first, unless they close a cycle (`bnml.graph.spanning`); otherwise as a maximum branching
(`bnml.graph.branching`).

Variables are numbered by their names here, and gains are rounded to whole numbers of a very small unit: so what is
found does not depend on the order of columns, and of links that are equally good the first by name is taken.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bnml._arrays import Bools, Floats
from bnml._checks import a_variable
from bnml._text import quoted
from bnml._watch import Tell
from bnml.errors import SearchError, argument
from bnml.graph import Rules
from bnml.graph.branching import maximum_branching
from bnml.graph.spanning import spanning_links, spanning_neighbours, spanning_parents
from bnml.search.problem import Problem


def tree_rules(rules: Rules) -> Rules:
    """Return rules in which a bound of no parents rules out all arcs; refuse them if some are required."""
    if rules.most > 0 or rules.n == 1:
        return rules
    if any(rules.required):
        raise SearchError(
            argument("max_parents", 0) + " allows no arcs, but some are required", hint="raise it, or require none"
        )
    return replace(rules, may=(0,) * rules.n)


def check_tree(rules: Rules, kind: str, root: str | None = None) -> int | None:
    """Refuse rules that no tree can keep, and an unknown root; return the number of the root.

    ``kind`` is what is searched for, in words: ``"a tree"``.
    """
    place = None if root is None else a_variable(root, "root", rules.names)
    must = rules.must_matrix
    for child in np.flatnonzero(must.sum(axis=0) > 1).tolist():
        parents = quoted(rules.names[p] for p in np.flatnonzero(must[:, child]))
        raise SearchError(
            f"{rules.names[child]!r} must have the parents {parents}, but in {kind} a variable has one at most; "
            "require fewer arcs, or take another search"
        )
    if place is not None and must[:, place].any():
        above = rules.names[int(np.flatnonzero(must[:, place])[0])]
        raise SearchError(
            f"it must have the parent {above!r}, and a root has none",
            argument="root",
            value=root,
            hint="take another root",
        )
    wanted = int(must.sum()) + int(rules.link_matrix.sum()) // 2
    if wanted:
        arcs = rules.required_matrix & rules.may_matrix
        arcs[:, [] if place is None else place] = False
        chosen = maximum_branching([[1 if there else None for there in into] for into in arcs.T.tolist()])
        if sum(parent is not None for parent in chosen) < wanted:
            which = kind if place is None else f"{kind} with the root {root!r}"
            raise SearchError(
                f"the required arcs and links do not all fit into {which}, in which each variable has one parent at "
                "most and no links close a cycle; require fewer, or take another search"
            )
    return place


def tree_gains(problem: Problem, columns: Sequence[int], given: Sequence[int], done: Tell) -> Floats:
    """Return what each arc gains, ``[parent, child]``, for variables that have the parents ``given`` already.

    In whole numbers (`whole_tree_gains`). For score-equivalent scores an arc gains as much as the one turned round.
    """
    n, local, threads, alike = len(columns), problem.local, problem.threads, problem.equivalent
    gains = np.full((n, n), -np.inf)
    every, at = np.arange(n), np.array(columns, np.int64)
    own = local.families(columns, [given] * n, threads)
    for child in range(n):
        others = np.delete(every, slice(0, child + 1) if alike else child)
        if others.size:
            values = local.additions(columns[child], given, at[others], threads)
            gains[others, child] = tree_gain(values, float(own[child]))
        done((child + 1) / n)
    if alike:
        gains = np.maximum(gains, gains.T)
    return whole_tree_gains(gains, problem.n_rows, float(np.abs(own[np.isfinite(own)]).max(initial=0.0)))


def tree_gain(values: Floats, own: float) -> Floats:
    """Return by how much an arc of a tree raises the score; what was impossible and stays so is no choice."""
    if own == -math.inf:
        return np.where(values == -np.inf, -np.inf, np.inf)
    return values - own


def whole_tree_gains(gains: Floats, n_rows: int, largest: float = 0.0) -> Floats:
    """Return gains as whole numbers of a unit: some 10^-12 of N log N, the largest sum that they are differences of."""
    exponent = math.frexp(max(n_rows * math.log(n_rows), largest, 1.0))[1]
    # 40 bits of the largest sum that a gain is a difference of: rounding errors are far below
    return np.rint(gains * 2.0 ** (40 - exponent))


def best_tree(gains: Floats, rules: Rules, *, spanning: bool, root: int | None = None) -> list[list[int]]:
    """Return the parents of each variable, one or none, in the best tree that the rules allow.

    Parameters
    ----------
    gains
        What each arc gains, in whole numbers.
    rules
        Rules that `check_tree` has checked.
    spanning
        Whether to join as many variables as can be; otherwise only arcs with a positive gain are taken.
    root
        The variable that all directions lead away from, where the rules leave that open; else the first by name.
    """
    required, impossible = rules.required_matrix, gains == -np.inf
    allowed = rules.may_matrix & (required | ~impossible)
    if not spanning:
        allowed &= (gains > 0) | required
    if rules.undirected and (gains == gains.T).all():
        links = spanning_links(np.where(impossible, 0.0, gains), allowed, rules.link_matrix)
        return spanning_parents(spanning_neighbours(len(rules.names), links), root)
    if root is not None:
        allowed[:, root] = False
    chosen = maximum_branching(_weights(gains, allowed, required, spanning=spanning))
    return [[] if parent is None else [parent] for parent in chosen]


def _weights(gains: Floats, allowed: Bools, required: Bools, *, spanning: bool) -> Floats | list[list[int | None]]:
    """Return weights ``[child][parent]`` that order trees lexicographically.

    First the number of required arcs and links, then the fewest impossible ones among them, then the most arcs without
    which the score is infinite, then the number of arcs if the tree is to span, then the sum of gains.
    """
    n = len(gains)
    if not (spanning or required.any() or (gains == np.inf).any()):
        return np.where(allowed, gains, -np.inf).T
    finite = np.where(np.isfinite(gains), gains, 0.0)
    arc = 1 + 2 * n * int(np.abs(finite).max(initial=0.0))  # more than all gains of a tree together
    levels = (
        int(spanning)
        + (n + 1) * (gains == np.inf).astype(object)
        - (n + 1) ** 2 * (gains == -np.inf).astype(object)
        + (n + 1) ** 3 * required.astype(object)
    )
    return [
        [int(g) + int(k) * arc if there else None for g, k, there in zip(*row, strict=True)]
        for row in zip(finite.T.tolist(), levels.T.tolist(), allowed.T.tolist(), strict=True)
    ]
