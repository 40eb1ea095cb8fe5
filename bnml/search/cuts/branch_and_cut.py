"""The best structure of listed families, for any number of variables (Jaakkola et al. 2010; Bartlett & Cussens 2017).

Each family is a variable of a linear program, 1 if the structure has it and 0 if not. Inequalities that every structure
meets are added where a solution violates them, most of them of clusters: in every set of variables one has no parent in
it. The value of the program is a bound on all scores; families that no structure as good as the best known can have are
dropped on the way. What the inequalities leave open is decided by branching.

Sets of variables that can be on a cycle together are solved one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bnml._bits import bits, mask_of, masks_of_words, transposed
from bnml._watch import Watch
from bnml.errors import SearchError
from bnml.graph.base import topological_order
from bnml.scores import FamilyScores
from bnml.search.cuts.cutting import CLOSE, TIE, Cutting, Incumbent
from bnml.search.cuts.family_arrays import Floats, arrays_of_families
from bnml.search.cuts.order_search import search_orders
from bnml.search.cuts.relaxation import Relaxation
from bnml.search.cuts.separable_parts import separable_parts
from bnml.search.cuts.tree import Tree

RESTARTS = 300  # of the search for a first structure
FEW_RESTARTS = 10  # of the search for a structure that has a score
SHORT = 1e-9  # by which it may be missed
MORE_RESTARTS = 500  # once the linear program has dropped families
SEED = 0
MOST_FAMILIES = 200_000  # of variables that can be on a cycle together; with more, a linear program does not fit


@dataclass(frozen=True)
class CutsResult:
    """What branch and cut found.

    Attributes
    ----------
    parents
        The best structure: for each variable the bit mask of its parents.
    score
        Its score.
    bound
        No allowed structure has a higher score. It is not below ``score``.
    proven
        Whether the structure is the best: bound and score differ by less than `bnml.search.cuts.cutting.CLOSE` in each
        component.
    proof
        What the bound rests on: "clusters" if inequalities alone prove it, clusters and sums of them; "tree" if
        branches do, one by one. Both are recomputed in whole numbers (`bnml.search.cuts.proof`).
    nodes, clusters, rounds
        How many nodes were branched on, how many inequalities were in use at the end, and how often some were added.
    interrupted
        Whether Ctrl-C ended it.
    tied
        For each variable the numbers of its families, as they are listed, that structures as good as this one can have.
    """

    parents: tuple[int, ...]
    score: float
    bound: float
    proven: bool
    proof: str
    nodes: int
    clusters: int
    rounds: int
    interrupted: bool = False
    tied: tuple[tuple[int, ...], ...] = ()


class _Part:
    """Some variables that can be on a cycle together, with the best structure and the bound so far."""

    def __init__(self, members: list[int], task: _Task) -> None:
        self.members = members
        sets, scores, which = _among(members, task.parents, task.scores)
        place = self._place = {x: k for k, x in enumerate(members)}
        self._whole = mask_of(members)
        links = [sum(1 << place[j] for j in bits(task.links[x])) for x in members]
        self.parents = [
            {mask: task.parents[x][k] for mask, k in zip(own, kept, strict=True)}
            for x, own, kept in zip(members, sets, which, strict=True)
        ]
        self.problem = arrays_of_families(sets, scores, links, [task.unlisted[x] for x in members])
        if self.problem.scores.size <= MOST_FAMILIES:
            self.problem = self.problem.undominated()
        self.incumbent = Incumbent(self.problem)
        self.bound = math.fsum(np.maximum.reduceat(self.problem.scores, self.problem.first[:-1]).tolist())
        self.nodes = self.clusters = self.rounds = 0
        self.proof = "clusters"
        self._left, self._ceilings = self.problem, np.full(self.problem.scores.size, math.inf)

    @property
    def closed(self) -> bool:
        """Whether no structure is better than the one that is known."""
        return self.bound <= self.incumbent.score + CLOSE

    def search(self, order: Sequence[int] | None, watch: Watch) -> None:
        """Find a first structure, from an order of all variables if there is one."""
        begin = None
        if order is not None:
            place = {x: k for k, x in enumerate(self.members)}
            begin = [place[x] for x in order if x in place]
        _, chosen = search_orders(self.problem, begin, RESTARTS, SEED, watch)
        self.incumbent.improve(self.problem, chosen)

    def solve(self, watch: Watch, tell: Callable[[], None], most_nodes: float) -> None:
        """Find the best structure, or the best until the time is over or so many branches are looked at."""

        def told(upper: float) -> None:
            self.bound = min(self.bound, upper)
            tell()

        if self.problem.scores.size > MOST_FAMILIES:
            return
        cutting = Cutting(Relaxation(self.problem, watch), self.incumbent, watch, told)
        try:
            cutting.root()
            self.bound = min(self.bound, cutting.bound)
            self._left, self._ceilings = cutting.relaxation.problem, cutting.ceilings
            if not cutting.closed(self.bound) and not watch.over:
                left = cutting.relaxation.problem
                begin = _order(masks_of_words(self.incumbent.sets)) if self.incumbent.score > -math.inf else None
                self.incumbent.improve(left, search_orders(left, begin, MORE_RESTARTS, SEED, watch)[1])
                self._branch(Tree(cutting), most_nodes)
        finally:
            self.clusters, self.rounds = len(cutting.relaxation.rows), cutting.rounds

    def tied(self, parents: Sequence[Sequence[int]], scores: Sequence[Floats]) -> dict[int, tuple[int, ...]]:
        """Return for each variable the numbers of its families that structures as good as the best known can have.

        ``parents`` and ``scores`` are those of all variables.
        """
        left, found = self._left, {}
        masks, highest = masks_of_words(left.sets), np.maximum.reduceat(self.problem.scores, self.problem.first[:-1])
        for k, x in enumerate(self.members):
            span = range(left.first[k], left.first[k + 1])
            known = {masks[f]: (left.scores[f], self._ceilings[f]) for f in span if left.listed[f]}
            if len(self.members) == 1:
                known = {0: (highest[0], self.incumbent.score)}
            own = [mask_of(self._place[j] for j in bits(mask & self._whole)) for mask in parents[x]]
            below = self.incumbent.score - TIE
            found[x] = tuple(
                f
                for f, (mask, score) in enumerate(zip(own, scores[x].tolist(), strict=True))
                if mask in known and known[mask][1] - (known[mask][0] - score) >= below
            )
        return found

    def _branch(self, tree: Tree, most_nodes: float) -> None:
        try:
            tree.run(most_nodes)
            self.bound = min(self.bound, tree.bound)
        finally:
            self.nodes = tree.nodes
            self.proof = "tree" if tree.nodes else "clusters"


@dataclass(frozen=True)
class _Task:
    """What is asked for, with variables in the order of their names."""

    parents: list[list[int]]
    scores: list[Floats]
    links: list[int]
    unlisted: list[float]


def solve_by_cuts(
    families: FamilyScores,
    links: Sequence[int],
    start: Sequence[int] | None,
    unlisted: Sequence[float],
    watch: Watch,
    done: Callable[[str, float, float], None] | None = None,
    most_nodes: float = math.inf,
) -> CutsResult:
    """Return by branch and cut the best structure of listed families, with a bound on the scores of all.

    Parameters
    ----------
    families
        The parent sets that are allowed.
    links
        For each variable the others that must be its parents or its children.
    start
        The parents of a structure that is known, all of them listed; None to search for one.
    unlisted
        For each variable the highest score that a parent set can have which is allowed but not listed; -inf if all are.
    watch
        Ends the search.
    done
        Told now and then of the stage, the best score so far, and the bound.
    most_nodes
        How many branches are looked at: unlike time, it stops at the same place on every machine.

    Returns
    -------
    CutsResult
        The best structure; when the time is over, or on Ctrl-C, the best so far with the bound by then.

    Raises
    ------
    SearchError
        If no structure has all its families among those that are listed, or none is found in time.
    KeyboardInterrupt
        On Ctrl-C before there is any structure.
    """
    names = families.names
    by_name = sorted(range(len(names)), key=lambda i: names[i])
    place = {i: k for k, i in enumerate(by_name)}

    def renamed(mask: int) -> int:
        return sum(1 << place[j] for j in bits(mask))

    unit = _unit(families)
    task = _Task(
        [[renamed(mask) for mask in families.parents[i]] for i in by_name],
        [np.rint(families.scores[i] / unit) * unit for i in by_name],
        [renamed(links[i]) for i in by_name],
        [float(unlisted[i]) for i in by_name],
    )
    order = None if start is None else _order([renamed(start[i]) for i in by_name])
    parts = [_Part(members, task) for members in separable_parts(task.parents, task.links)]
    parts.sort(key=lambda part: (len(part.members), part.members))

    def tell(stage: str) -> None:
        if done is not None:
            lower = math.fsum(part.incumbent.score for part in parts)
            done(stage, lower, max(lower, math.fsum(part.bound for part in parts)))

    interrupted = False
    try:
        for part in parts:
            part.search(order, watch)
        tell("first structure")
        for part in parts:
            if len(part.members) > 1 and not watch.over:
                left = most_nodes - sum(other.nodes for other in parts)
                part.solve(watch, lambda: tell("cutting planes"), left)
    except KeyboardInterrupt:
        if any(part.incumbent.score == -math.inf for part in parts):
            raise
        interrupted = True
    if any(part.incumbent.score == -math.inf for part in parts):
        when = " was found in time; give more" if watch.over else ", with these required links and without a cycle"
        raise SearchError(f"no structure that has all its families among those listed{when}")
    chosen = [0] * len(names)
    for part in parts:
        sets = masks_of_words(part.incumbent.sets)
        for x, known, mask in zip(part.members, part.parents, sets, strict=True):
            chosen[by_name[x]] = sum(1 << by_name[j] for j in bits(known[mask]))
    score = math.fsum(families.family(i, list(bits(mask))) for i, mask in enumerate(chosen))
    bound = max(score, math.fsum(max(part.bound, part.incumbent.score) for part in parts) + len(names) * unit / 2.0)
    tied = {x: own for part in parts for x, own in part.tied(task.parents, task.scores).items()}
    return CutsResult(
        tuple(chosen), score, bound, all(part.closed for part in parts),
        "tree" if any(part.proof == "tree" for part in parts) else "clusters",
        sum(part.nodes for part in parts), sum(part.clusters for part in parts), sum(part.rounds for part in parts),
        interrupted, tuple(tied[place[i]] for i in range(len(names))),
    )  # fmt: skip


def structure_reaching(
    parents: Sequence[Sequence[int]], scores: Sequence[Sequence[float]], links: Sequence[int], target: float
) -> list[int] | None:
    """Return by branch and cut the parents in a structure whose score is a target, or higher; None if there is none.

    Parameters
    ----------
    parents, scores
        The parent sets of each variable as bit masks, and their scores, best first.
    links
        For each variable the others that must be its parents or its children.
    target
        The score. Structures that fall short of it by less than 10⁻⁶ may be overlooked, or not.

    Examples
    --------
    >>> structure_reaching([[2, 0], [1, 0]], [[3.0, 1.0], [2.5, 1.0]], [0, 0], 4.0)
    [2, 0]
    >>> structure_reaching([[2, 0], [1, 0]], [[3.0, 1.0], [2.5, 1.0]], [0, 0], 4.1)
    """
    watch, none = Watch(), [-math.inf] * len(parents)
    problem = arrays_of_families(parents, [np.array(own) for own in scores], links, none).undominated()
    incumbent = Incumbent(problem)
    incumbent.improve(problem, search_orders(problem, None, FEW_RESTARTS, SEED, watch)[1])
    if incumbent.score < target - SHORT and np.maximum.reduceat(problem.scores, problem.first[:-1]).sum() >= target:
        incumbent.score = target - 2.0 * CLOSE  # what is worse is of no use
        cutting = Cutting(Relaxation(problem, watch), incumbent, watch, lambda bound: None)
        cutting.root()
        if not cutting.closed(cutting.bound):
            Tree(cutting).run()
    return masks_of_words(incumbent.sets) if incumbent.score >= target - SHORT else None


def _unit(families: FamilyScores) -> float:
    """Return what scores are rounded to, so that sums in another order of columns do not change which of them tie."""
    largest = max(float(np.abs(own).max(initial=0.0)) for own in families.scores)
    return 2.0 ** (math.ceil(math.log2(max(largest, 1e-30))) - 42)  # bits of a score that count


def _order(parents: Sequence[int]) -> list[int]:
    """Return an order in which parents come first."""
    return topological_order(parents, transposed(parents))


def _among(
    members: Sequence[int], parents: Sequence[Sequence[int]], scores: Sequence[Floats]
) -> tuple[list[list[int]], list[Floats], list[list[int]]]:
    """Return the families of some variables, renumbered, without parents outside; and which they were."""
    place = {x: k for k, x in enumerate(members)}
    whole = mask_of(members)
    sets, values, which = [], [], []
    for x in members:
        known: dict[int, int] = {}
        for k, mask in enumerate(parents[x]):
            known.setdefault(mask_of(place[j] for j in bits(mask & whole)), k)
        sets.append(list(known))
        which.append(list(known.values()))
        values.append(scores[x][which[-1]])
    return sets, values, which
