"""What the searches for trees share: rules that a tree can keep, gains of arcs, and the best tree.

In a tree, or a forest, each variable has one parent at most. So its score is a sum of gains of arcs, and the best one
can be found without trying all: where an arc gains as much as the arc the other way round, by taking links one after
the other, the best first, unless they close a cycle (Kruskal 1956); otherwise as a maximum branching
(`bnml.graph.branching`).

Variables are numbered by their names here, and gains are rounded to whole numbers of a very small unit: so what is
found does not depend on the order of columns, and of links that are equally good the first by name is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._watch import Watch
from bnml.data import as_data
from bnml.errors import ArgumentError, SearchError, did_you_mean, quoted
from bnml.graph import DAG, Constraints
from bnml.graph.branching import maximum_branching
from bnml.graph.spanning import neighbours_of, outwards, spanning_links
from bnml.scores import FamilyScores, LocalScores, parse_score
from bnml.scores.local import local_scores
from bnml.search.forecast import ROW, SLOW_FAMILY
from bnml.search.moves import Structure
from bnml.search.search_result import SearchResult

__all__ = [
    "Rules",
    "best_tree",
    "check_tree",
    "checked",
    "gains_of",
    "in_time",
    "neighbours_of",
    "numbered",
    "opened",
    "outwards",
    "place_of",
    "result_of",
    "rules_for",
    "spanning_links",
    "whole",
]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Links = list[tuple[int, int]]

BITS = 40  # of the largest sum that a gain is a difference of: rounding errors are far below
CHECK_SECONDS = 0.2  # to see whether a change of one arc raises a score, by a model and not by a clock
FAMILY = 4e-6  # seconds for one of the families that this takes, and ROW for each distinct row


@dataclass(frozen=True)
class Rules:
    """What is allowed, by numbers of variables in the order of names; matrices are ``[parent, child]``.

    ``columns``: the column of each. ``may``: arcs that may be there. ``must``: arcs that must. ``links``: pairs of
    which one arc or the other must.
    """

    names: tuple[str, ...]
    columns: tuple[int, ...]
    may: Bools
    must: Bools
    links: Bools

    @property
    def required(self) -> Bools:
        """Arcs that must be there, or can satisfy a link that must."""
        return np.asarray(self.must | self.links)

    @property
    def undirected(self) -> bool:
        """Whether no rule tells an arc from the arc the other way round."""
        return not self.must.any() and bool((self.may == self.may.T).all())

    def among(self, places: Sequence[int]) -> Rules:
        """Return the rules about some of the variables."""
        inner = np.ix_(places, places)
        names = tuple(self.names[k] for k in places)
        columns = tuple(self.columns[k] for k in places)
        return Rules(names, columns, self.may[inner], self.must[inner], self.links[inner])


def opened(search: str, data: Any, options: Mapping[str, Any] | None = None, **given: Any) -> LocalScores:
    """Check the arguments of a search, its options and those of `bnml.learn`; return the local scores of the data."""
    from bnml.search.learn import check

    check(search, options or {}, given)
    if isinstance(data, FamilyScores):
        raise ArgumentError(f"search={search!r} needs a table; with local scores alone, take search='exact'")
    local = local_scores(as_data(data), parse_score(given["score"]), given.get("prior"))
    if given.get("constraints") is not None:
        given["constraints"].check(local.data.names)
    return local


def numbered(names: Sequence[str]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return names in their order, and the column of each."""
    columns = tuple(sorted(range(len(names)), key=names.__getitem__))
    return tuple(names[column] for column in columns), columns


def rules_for(names: Sequence[str], constraints: Constraints | None, max_parents: int | None = None) -> Rules:
    """Return the rules that constraints make."""
    ordered, columns = numbered(names)
    n = len(ordered)
    may, must, links = ~np.eye(n, dtype=bool), np.zeros((n, n), bool), np.zeros((n, n), bool)
    if constraints is not None:
        compiled = constraints.compiled(ordered)
        may, must = _matrix(compiled.may), _matrix(compiled.must)
        for a, b in compiled.links:
            links[a, b] = links[b, a] = True
    if max_parents == 0:
        if must.any() or links.any():
            raise SearchError("max_parents=0 allows no arcs, but some are required; raise it, or require none")
        may = np.zeros((n, n), bool)
    return Rules(ordered, columns, may, must, links)


def _matrix(masks: Sequence[int]) -> Bools:
    """Return bit masks of parents as a matrix ``[parent, child]``."""
    n = len(masks)
    return np.array([[mask >> parent & 1 for mask in masks] for parent in range(n)], bool).reshape(n, n)


def check_tree(rules: Rules, kind: str, root: str | None = None) -> int | None:
    """Refuse rules that no tree can keep, and an unknown root; return the number of the root.

    ``kind`` is what is searched for, in words: ``"a tree"``.
    """
    place = None if root is None else place_of(rules.names, root, "root")
    for child in np.flatnonzero(rules.must.sum(axis=0) > 1).tolist():
        parents = quoted(rules.names[p] for p in np.flatnonzero(rules.must[:, child]))
        raise SearchError(
            f"{rules.names[child]!r} must have the parents {parents}, but in {kind} a variable has one at most; "
            "require fewer arcs, or take another search"
        )
    if place is not None and rules.must[:, place].any():
        above = rules.names[int(np.flatnonzero(rules.must[:, place])[0])]
        raise SearchError(f"root={root!r}: it must have the parent {above!r}, and a root has none; take another root")
    wanted = int(rules.must.sum()) + int(rules.links.sum()) // 2
    if wanted:
        arcs = rules.required & rules.may
        arcs[:, [] if place is None else place] = False
        chosen = maximum_branching([[1 if there else None for there in into] for into in arcs.T.tolist()])
        if sum(parent is not None for parent in chosen) < wanted:
            which = kind if place is None else f"{kind} with the root {root!r}"
            raise SearchError(
                f"the required arcs and links do not all fit into {which}, in which each variable has one parent at "
                "most and no links close a cycle; require fewer, or take another search"
            )
    return place


def place_of(names: Sequence[str], name: Any, argument: str) -> int:
    """Return the number of a variable."""
    if not isinstance(name, str) or name not in names:
        raise ArgumentError(
            f"{argument}={name!r}: there is no such variable among {quoted(names)}.{did_you_mean(name, names)}"
        )
    return names.index(name)


def gains_of(
    local: LocalScores, columns: Sequence[int], given: Sequence[int], threads: int | None, done: Callable[[float], None]
) -> Floats:
    """Return what each arc gains, ``[parent, child]``, for variables that have the parents ``given`` already.

    In whole numbers (see `whole`). For score-equivalent scores an arc gains as much as the arc the other way round.
    """
    n = len(columns)
    gains = np.full((n, n), -np.inf)
    alike = local.score_function.equivalent and local.prior is None
    own = local.families(columns, [given] * n, threads)
    for child in range(n):
        others = [k for k in range(child + 1 if alike else 0, n) if k != child]
        if others:
            values = local.additions(columns[child], given, [columns[k] for k in others], threads)
            gains[others, child] = gain(values, float(own[child]))
        done((child + 1) / n)
    if alike:
        gains = np.maximum(gains, gains.T)
    return whole(gains, local.data.n_rows, float(np.abs(own[np.isfinite(own)]).max(initial=0.0)))


def gain(values: Floats, own: float) -> Floats:
    """Return by how much scores are higher than one; what was impossible and stays so is no choice."""
    if own == -math.inf:
        return np.where(values == -np.inf, -np.inf, np.inf)
    return values - own


def whole(gains: Floats, n_rows: int, largest: float = 0.0) -> Floats:
    """Return gains as whole numbers of a unit: some 10^-12 of N log N, the largest sum that they are differences of."""
    exponent = math.frexp(max(n_rows * math.log(n_rows), largest, 1.0))[1]
    return np.rint(gains * 2.0 ** (BITS - exponent))


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
    gains = np.where(rules.required & (gains == -np.inf), 0.0, gains)  # what must be there is no matter of choice
    allowed = rules.may & (gains > -np.inf)
    if not spanning:
        allowed &= (gains > 0) | rules.required
    if rules.undirected and (gains == gains.T).all():
        links = spanning_links(gains, allowed, rules.links)
        return outwards(neighbours_of(len(rules.names), links), root)
    if root is not None:
        allowed[:, root] = False
    chosen = maximum_branching(_weights(gains, allowed, rules.required, spanning=spanning))
    return [[] if parent is None else [parent] for parent in chosen]


def _weights(gains: Floats, allowed: Bools, required: Bools, *, spanning: bool) -> list[list[int | None]]:
    """Return weights ``[child][parent]`` so that what must be there comes first, then what must be for a finite score.

    Then, if asked for, as many arcs as can be; then gains. Each is worth more than all that comes after it together.
    """
    n = len(gains)
    finite = np.where(np.isfinite(gains), gains, 0.0)
    arc = 1 + 2 * n * int(np.abs(finite).max(initial=0.0))
    levels = np.where(required, 2, np.where(gains == np.inf, 1, 0))
    worth = [int(spanning) * arc, (n + 1) * arc, (n + 1) ** 2 * arc]
    return [
        [int(g) + worth[0] + (worth[k] if k else 0) if there else None for g, k, there in zip(*row, strict=True)]
        for row in zip(finite.T.tolist(), levels.T.tolist(), allowed.T.tolist(), strict=True)
    ]


def in_time(watch: Watch, search: str, stage: str) -> Callable[[float], None]:
    """Return what is to be told the share of the work that is done, and gives up when the time is over."""

    def tell(share: float) -> None:
        watch(stage, share)
        if watch.over:
            raise SearchError(
                f"search={search!r} did not end within time_limit={watch.limit:g} seconds and has no result before its "
                "end; allow more time, or take fewer columns"
            )

    return tell


def result_of(
    search: str,
    local: LocalScores,
    rules: Rules,
    parents: Sequence[Sequence[int]],
    constraints: Constraints | None,
    watch: Watch,
    info: Mapping[str, Any],
    max_parents: int | None = None,
    threads: int | None = None,
) -> SearchResult:
    """Return the structure with these parents, numbered by name, as the result of a search.

    ``info`` has the ``families`` that were scored so far; those that are scored here are added, and `checked` adds what
    it says. A search that does not count its moves has placed each arc by one.
    """
    names = local.data.names
    sets: list[list[int]] = [[] for _ in names]
    for column, above in zip(rules.columns, parents, strict=True):
        sets[column] = [rules.columns[k] for k in above]
    dag = DAG.from_parent_sets(names, sets)
    value = math.fsum(local.families(range(len(names)), dag.parent_sets).tolist())
    found = checked(local, dag, value, constraints, max_parents, threads, watch)
    told = {"moves": len(dag.arcs), **info, **found, "families": info["families"] + found["families"]}
    watch(search, 1.0)
    return SearchResult(dag, value, False, search, watch.seconds, told, local.data, local, constraints)


def checked(
    local: LocalScores,
    dag: DAG,
    value: float,
    constraints: Constraints | None,
    max_parents: int | None,
    threads: int | None,
    watch: Watch,
) -> dict[str, Any]:
    """Return whether it is verified that no change of one arc raises a structure's score, as ``local_optimum``.

    Where one does raise it, ``arc_gain`` is by how much the best does. ``families`` are those that were scored, the
    structure's own among them. To check takes a family for each pair of variables: with too many of these, or of rows,
    it is left, and so it is where time is over or the score is not finite.
    """
    n = len(dag.names)
    slow = local.terms is None or local.prior is not None
    seconds = n * n * ((SLOW_FAMILY if slow else FAMILY) + ROW * local.data.n_distinct)
    if watch.over or seconds > CHECK_SECONDS or not math.isfinite(value):
        return {"families": n, "local_optimum": False}
    structure = Structure(local, constraints, max_parents, dag, threads)
    move = structure.best_move()
    better = {} if move is None or move.gain <= structure.equal else {"arc_gain": move.gain}
    return {"families": structure.families, "local_optimum": not better, **better}
