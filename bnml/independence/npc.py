"""NPC: the PC algorithm with the necessary path condition (Steck and Tresp 1999; the learner of Hugin).

**The idea.** If X and Y are independent given S, and S is *minimal* (no part of it separates them), then every member
of S has its share in carrying information between X and Y. So in the true graph a path leads from X to it without
crossing Y, and one from Y without crossing X. An independence for which the graph has no such paths is one that the
graph cannot explain: a test that erred, or a near-determinism. PC asks for nothing of the kind. NPC accepts an
independence only on this condition.

**Ambiguous regions.** Let X and Y be all but copies of each other and let T depend on them. Given Y, X tells hardly
more of T, and a test finds T ⟂ X | Y; given X, T ⟂ Y | X. PC takes both, and leaves T alone, though it depends on
both. With the path condition the link T - X can go only while T - Y is there, for else no path leads from T to Y; and
T - Y only while T - X is there. One of the two must stay, and the data do not tell which: the two links are an
*ambiguous region*, a set of links of which each can be absent only if others are present. A result lists its regions,
and shows their links undirected; `IndependenceResult.resolve` decides them, choice by choice, by the links that a user
knows to be there or not to be there, or by the strongest. In every result, resolved or not, each absent link has the
paths that explain it: `IndependenceResult.path_violations` is empty.

**How.** Tests are made as in PC, but all separating sets of a size are kept, not only the first; supersets of a
separating set are not minimal and are not asked for. `bnml.independence.path_condition` works out which links go, which
stay and which are ambiguous, after each size of sets and at the end, until there is nothing more to test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bnml._arrays import Ints
from bnml._bits import bits
from bnml._checks import progress_function
from bnml._watch import Watch
from bnml.errors import ArgumentError
from bnml.graph import Constraints
from bnml.independence.independence_result import IndependenceResult, Link
from bnml.independence.oracles import Oracle
from bnml.independence.path_condition import (
    Standing,
    accepted_statements,
    best_statement,
    drop_link,
    keep_links,
    links_without,
    lost_path,
    settle_path_condition,
    unexplained,
    unsure_regions,
)
from bnml.independence.pc import pc_result
from bnml.independence.request import Asked, independence_request
from bnml.independence.skeleton import (
    Found,
    Log,
    Pair,
    ask_pairs,
    may_separate,
    separating_sets,
    skeleton_links,
    unlink_pair,
)
from bnml.independence.statements import Statement
from bnml.independence.tests import Criterion

Statements = dict[Pair, list[Found]]


def npc(
    data: Any,
    alpha: float = 0.05,
    test: str | Criterion = "g2",
    *,
    oracle: Oracle | Sequence[Statement] | None = None,
    variables: Sequence[str] | None = None,
    max_condition: int | None = None,
    colliders: str = "sepset",
    constraints: Constraints | None = None,
    threads: int | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> IndependenceResult:
    """Find a structure by tests of independence that meet the necessary path condition.

    Parameters
    ----------
    data, alpha, test, oracle, variables, max_condition, colliders, constraints, threads, progress
        As for `bnml.pc`.

    Returns
    -------
    IndependenceResult
        As of `bnml.pc`; ``ambiguous_regions`` are sets of links that need each other, and ``resolve`` decides them.

    Examples
    --------
    Y is all but a copy of X, and T depends on them:

    >>> import bnml, numpy
    >>> rng = numpy.random.default_rng(0)
    >>> x = rng.integers(0, 2, 500)
    >>> y = numpy.where(numpy.arange(500) < 4, 1 - x, x)
    >>> t = numpy.where(rng.random(500) < 0.8, x, 1 - x)
    >>> t[:4] = [x[0], y[1], x[2], y[3]]
    >>> data = bnml.read(numpy.stack([x, y, t], axis=1))
    >>> print(bnml.pc(data).pdag)
    X0 - X1
    >>> result = bnml.npc(data)
    >>> [sorted(sorted(link) for link in region) for region in result.ambiguous_regions]
    [[['X0', 'X2'], ['X1', 'X2']]]
    >>> print(result.resolve(keep=[("X2", "X0")]).pdag)
    X0 - X1, X0 - X2
    """
    return find_npc(
        independence_request(
            data, alpha, test, oracle=oracle, variables=variables, max_condition=max_condition, colliders=colliders,
            constraints=constraints, threads=threads, watch=Watch(progress_function(progress)),
        )
    )  # fmt: skip


def find_npc(asked: Asked) -> IndependenceResult:
    """Find what is asked, once it is checked."""
    log = Log()
    statements = _statements(asked, log)
    standing = settle_path_condition(asked.known.possible, statements, _kept(asked))
    return _result(asked, log, statements, standing, asked.seconds)


def _statements(asked: Asked, log: Log) -> Statements:
    """Return the minimal sets that separate each pair."""
    every, known, judge = asked.known.possible, asked.known, asked.judge
    kept = _kept(asked)
    statements: Statements = {}
    tested: dict[Pair, set[tuple[int, ...]]] = {}
    while True:
        size, before = 0, log.n_tests
        while asked.max_condition is None or size <= asked.max_condition:
            links = settle_path_condition(every, statements, kept).possible
            near = list(every)  # links that no test has spoken against: as in PC, sets are taken from these
            for pair in statements:
                unlink_pair(near, pair)
            around = {
                (i, j): (may_separate(near, known, i, j), may_separate(near, known, j, i))
                for i, j in skeleton_links(links)
            }
            enough = [pair for pair, masks in around.items() if log.askable(judge, pair, *masks, size)]
            if not enough:
                break
            questions = []
            for pair in enough:
                if pair not in kept:
                    sets = separating_sets(*around[pair], size, judge.sets_at_once)
                    seen = tested.setdefault(pair, set())
                    questions.append((pair, _fresh(sets, seen, statements.get(pair, []))))
            for pair, found in ask_pairs(judge, log, questions, stop=False).items():
                statements.setdefault(pair, []).extend(found)
            asked.level(size, 1.0)
            size += 1
        if log.n_tests == before:
            return statements


def _fresh(sets: Iterator[Ints], seen: set[tuple[int, ...]], found: list[Found]) -> Iterator[Ints]:
    """Yield the sets that were not tested before and hold no set that separates already."""
    for chunk in sets:
        rows = [tuple(row) for row in chunk.tolist()]
        new = [t for t, row in enumerate(rows) if row not in seen and not any(set(f.given) <= set(row) for f in found)]
        seen.update(rows[t] for t in new)
        if new:
            yield chunk[np.array(new)]


def _kept(asked: Asked) -> frozenset[Pair]:
    return frozenset((i, j) for i, mask in enumerate(asked.known.adjacent) for j in bits(mask) if i < j)


def _result(asked: Asked, log: Log, statements: Statements, standing: Standing, seconds: float) -> IndependenceResult:
    """Return the result where links are decided so far."""
    names, found = asked.judge.names, unsure_regions(standing, statements)
    in_regions = frozenset().union(*found)
    return pc_result(
        asked, log, list(standing.possible), accepted_statements(standing, asked.known.possible, statements),
        "npc", seconds, standing.unsure,
        ambiguous_regions=tuple(frozenset(_link(names, pair) for pair in region) for region in found),
        undecided=frozenset(_link(names, pair) for pair in standing.unsure - in_regions),
        _resolve=Resolver(replace(asked, watch=None), log, statements, standing),
    )  # fmt: skip


def _link(names: Sequence[str], pair: Pair) -> Link:
    return frozenset((names[pair[0]], names[pair[1]]))


@dataclass(frozen=True)
class Resolver:
    """What goes on from a result of NPC once links are chosen.

    ``asked``, ``log``: what was asked, and the tests that were made. ``statements``: the minimal sets that separate
    each pair. ``standing``: how far links are decided.
    """

    asked: Asked
    log: Log
    statements: Statements
    standing: Standing

    def reopened(self) -> IndependenceResult:
        """Return the result before any choice."""
        watch = Watch()
        standing = settle_path_condition(self.asked.known.possible, self.statements, _kept(self.asked))
        return _result(self.asked, self.log.copy(), self.statements, standing, watch.seconds)

    def __call__(self, stay: Sequence[Link], go: Sequence[Link]) -> IndependenceResult:
        """Keep some links and drop others, one by one; without any, keep the strongest until nothing is open."""
        watch = Watch()
        standing, statements, at = self.standing, self.statements, {v: i for i, v in enumerate(self.asked.judge.names)}
        if not stay and not go:
            standing = _strongest(statements, standing)
        standing = keep_links(standing, statements, [_pair(at, link) for link in stay])
        for pair in (_pair(at, link) for link in go):
            if standing.possible[pair[0]] >> pair[1] & 1:  # it may have gone already, by what follows from the others
                self._check(standing, pair)
                standing = drop_link(standing, statements, pair)
        return _result(self.asked, self.log.copy(), statements, standing, watch.seconds)

    def _check(self, standing: Standing, pair: Pair) -> None:
        """Refuse to drop a link where an absent link would then have no path."""
        links = links_without(standing.possible, pair)
        lost = unexplained(links, self.statements, standing.dropped | {pair})
        if not lost:
            return
        absent = pair if pair in lost else lost[0]
        best = best_statement(links, absent, self.statements[absent])
        path = lost_path(links, absent, best.given)
        assert path is not None
        names = self.asked.judge.names
        start, goal, other = (names[v] for v in path)
        what, which = (" - ".join(sorted(_link(names, one))) for one in (pair, absent))
        given = ", ".join(names[v] for v in best.given)
        raise ArgumentError(
            f"without {what} the absent link {which} would have no path: its variables are independent given "
            f"{given}, and nothing would lead from {start} to {goal} without {other}",
            argument="drop",
            hint=f"keep {what}, or drop others",
        )


def _pair(at: Mapping[str, int], link: Link) -> Pair:
    i, j = sorted(at[name] for name in link)
    return i, j


def _strongest(statements: Statements, standing: Standing) -> Standing:
    """Keep the strongest link of the regions, work out what follows, and go on while regions are left.

    The strongest link is the one whose independence is the least credible: the largest p-value of its statements is the
    smallest.
    """
    ranked: list[Pair] = []
    while standing.unsure:
        ranked = [pair for pair in ranked if pair in standing.unsure]
        if not ranked:
            in_regions = frozenset().union(*unsure_regions(standing, statements))
            ranked = sorted(in_regions, key=lambda pair: (max(one.log_p for one in statements[pair]), pair))
        standing = keep_links(standing, statements, ranked[:1])
    return standing
