"""The forest with the highest exact NML: local search over forests, from the best under qNML, and then a proof.

The normaliser of a forest is no sum of gains of links, so no spanning tree is known to be the best. But qNML comes
near, and a change of one link is cheap to evaluate (`bnml.nml.forest_joins`). A step *cuts* a link, *joins* two trees
by one, or *re-hangs* a part of a tree: it cuts a link and ties one of the two parts to a tree again, with another
link.

Whether another forest is better is then asked by branch and bound. A forest with more links is a larger model, so its
normaliser is larger: the log-likelihood that the links which are left could add at most, less the complexity of the
links that are chosen, is a bound for all forests with these.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from bnml._arrays import Floats
from bnml._bits import mask_of
from bnml._watch import Watch
from bnml.counts.pair_information import pair_information
from bnml.graph import Rules
from bnml.graph.spanning import spanning_neighbours, spanning_parents
from bnml.scores import NML, LogLikelihood
from bnml.scores.forest_nml import Tree, forest_score_joins
from bnml.scores.local import local_scores
from bnml.search.best_tree import best_tree, check_tree, tree_gains, tree_rules
from bnml.search.local_optimum import verify_local_optimum
from bnml.search.problem import Problem
from bnml.search.search_result import SearchResult

MOST_BOUNDED, MOST_WORK = 20_000, 2.0**35  # forests that a proof may look at, and numbers that it may multiply
GAIN = 1e-7  # a step gains more than the rounding of a normaliser can

Link = tuple[int, int]


def nml_forest(problem: Problem) -> SearchResult:
    """Return the forest with the highest exact NML, or one that no change of a single link can raise."""
    local, rules, watch = problem.table, tree_rules(problem.by_name), problem.watch
    check_tree(rules, "a forest")
    gains = tree_gains(problem, problem.columns, (), problem.part("gains of arcs"))
    parents = best_tree(gains, rules, spanning=False)
    worth = pair_information(local.counts, problem.columns, (), problem.threads)
    climb = _Climb(problem, rules, worth, parents)
    start, steps, placed = climb.value, 0, sum(map(len, parents))
    while climb.step(watch):
        steps += 1
    proof = _Proof(climb)
    while not watch.over and proof.improves(watch):
        steps += 1
        while climb.step(watch):
            steps += 1
    dag = problem.structure(climb.parents)
    nml = local_scores(local.data, LogLikelihood()).score(dag) - climb.complexity
    n = len(parents)
    info: dict[str, Any] = {
        "nml": nml,
        "qnml": local.score(dag),
        "start_nml": nml - (climb.value - start),
        "moves": placed + steps,
        "steps": steps,
        "pairs": n * (n - 1) // 2,
        "forests": climb.tried,
        "skipped": climb.skipped,
        "best_forest": proof.proven,
        "bounded": proof.n_forests,
    }
    if isinstance(problem.score, NML):
        value = nml
        if proof.proven:
            info["optimal_among"] = "forests" + ("" if problem.constraints is None else " that the constraints allow")
        found = {"families": 0, "local_optimum": rules.most <= 1 and climb.skipped == 0 and not watch.over}
    else:
        problem = replace(problem, local=local_scores(local.data, problem.score))
        value = problem.local.score(dag)
        found = verify_local_optimum(problem, dag, value)
    scored = n + n * (n - 1) // 2 + 2 * n  # for the gains, and for the two scores of the result
    info |= {**found, "families": scored + found["families"]}
    watch("nml-forest", 1.0)
    return problem.result(dag, value, info)


class _Move(NamedTuple):
    """What a step gains; the link that it cuts and the link that it adds, if any; the complexity after it."""

    gain: float
    cut: Link | None
    added: Link | None
    complexity: float

    @property
    def rank(self) -> tuple[float, tuple[int, ...], tuple[int, ...]]:
        """What the best step is the first by."""
        return -round(self.gain, 7), self.cut or (), self.added or ()


class _Climb:
    """A forest, and steps to better ones. Variables are numbered by name.

    ``worth``: what links add to the log-likelihood. ``value``: log-likelihood less complexity, up to a constant.
    """

    def __init__(self, problem: Problem, rules: Rules, worth: Floats, parents: Sequence[Sequence[int]]) -> None:
        self.rules, self.worth, self.parents = rules, worth, parents
        data, self.required = problem.table.data, rules.required_matrix
        self.allowed = rules.may_matrix | rules.may_matrix.T
        self.arities = [data.arities[column] for column in problem.columns]
        self.joins = forest_score_joins(data, problem.columns, problem.memory)
        links = [(x, p) for x, above in enumerate(parents) for p in above]
        self.dead = [link for link in links if not self.informative(*link)]  # a variable with one value tells nothing
        self.links = {(min(link), max(link)) for link in links if self.informative(*link)}
        self.joins.check(self.trees(self.links))
        self.complexity = math.fsum(self.joins.total(tree) for tree in self.trees(self.links))
        self.tried, self.skipped = 1, 0

    @property
    def value(self) -> float:
        """The score of the forest, up to a constant."""
        return math.fsum([*(float(self.worth[link]) for link in sorted(self.links)), -self.complexity])

    def step(self, watch: Watch) -> bool:
        """Take the best step; return whether there was one, and time for it."""
        self.skipped = 0
        moves: list[_Move] = []
        for share, found in self._moves():
            moves += found
            watch("nml-forest", 1.0 - 0.9 ** (1.0 + share))
            if watch.over:
                return False
        for move in sorted(moves, key=lambda move: move.rank):
            links = {link for link in (*self.links, move.added) if link is not None and link != move.cut}
            if self.moved(links, move.complexity):
                return True
        return False

    def moved(self, links: set[Link], complexity: float) -> bool:
        """Go to a forest with these links, if the rules allow directions for them."""
        parents = self._directed(links)
        if parents is not None:
            self.links, self.parents, self.complexity = links, parents, complexity
        return parents is not None

    def _moves(self) -> Iterator[tuple[float, list[_Move]]]:
        """Yield the share of the work that is done, and steps that gain something: joins, then those of each link."""
        trees = self.trees(self.links)
        yield 0.0, self._joining(trees, 0.0, None)
        for k, link in enumerate(sorted(self.links)):
            if self.required[link] or self.required[link[::-1]]:
                continue
            parts = self.trees(self.links - {link})
            rest = self.complexity - next(self.joins.total(tree) for tree in trees if link[0] in tree)
            new = [tree for tree in parts if link[0] in tree or link[1] in tree]
            rest += math.fsum(self.joins.total(tree) for tree in new)
            gain = self.complexity - rest - float(self.worth[link])
            found = [_Move(gain, link, None, rest)] if gain > GAIN else []
            self.tried += 1
            yield (k + 1) / len(self.links), found + self._joining(parts, gain, link)

    def _joining(self, trees: list[Tree], gain: float, cut: Link | None) -> list[_Move]:
        """Return the steps that join two of the trees, one of them with an end of the link that was cut, if one was."""
        found = []
        complexity = self.complexity - gain - (0.0 if cut is None else float(self.worth[cut]))
        for i, a in enumerate(trees):
            for b in trees[:i]:
                if cut is not None and not any(x in tree for tree in (a, b) for x in cut):
                    continue
                rows, columns = sorted(a), sorted(b)
                allowed = self.allowed[np.ix_(rows, columns)]
                allowed &= np.array([[self.informative(x, y) for y in columns] for x in rows])
                if cut is not None:
                    allowed &= np.array([[cut not in ((x, y), (y, x)) for y in columns] for x in rows])
                if not allowed.any():
                    continue
                after = self.joins.joined(a, b) - self.joins.total(a) - self.joins.total(b)
                gains = gain + self.worth[np.ix_(rows, columns)] - after
                self.tried += int(allowed.sum())
                self.skipped += int((allowed & np.isinf(after)).sum())
                for k, j in np.argwhere(allowed & (gains > GAIN)).tolist():
                    link = min(rows[k], columns[j]), max(rows[k], columns[j])
                    found.append(_Move(float(gains[k, j]), cut, link, complexity + float(after[k, j])))
        return found

    def informative(self, x: int, y: int) -> bool:
        """Tell whether a link can say anything: a variable with one value tells nothing."""
        return self.arities[x] > 1 and self.arities[y] > 1

    def trees(self, links: set[Link]) -> list[Tree]:
        """Return the trees of a forest, by their first variables."""
        near = [sorted(ys) for ys in spanning_neighbours(len(self.arities), links)]
        trees: list[Tree] = []
        seen: set[int] = set()
        for start in range(len(near)):
            if start not in seen:
                members = [start]
                for x in members:
                    members += [y for y in near[x] if y not in seen and y not in members]
                    seen.add(x)
                trees.append({x: near[x] for x in sorted(members)})
        return trees

    def _directed(self, links: set[Link]) -> list[list[int]] | None:
        """Return parents of all variables that keep the rules; None if the links form a cycle or no parents do."""
        links = {(min(link), max(link)) for link in (*links, *self.dead)}
        trees = self.trees(links)
        if len(links) > sum(len(tree) - 1 for tree in trees):
            return None  # a required link to a variable with one value closes a cycle
        neighbours = spanning_neighbours(len(self.arities), links)
        parents = spanning_parents(neighbours)
        if self.rules.undirected:
            return parents
        for tree in trees:
            turned = (spanning_parents(neighbours, root) for root in tree)
            kept = next((found for found in turned if self._keeps(found, tree)), None)
            if kept is None:
                return None
            for x in tree:
                parents[x] = kept[x]
        return parents

    def _keeps(self, parents: list[list[int]], tree: Tree) -> bool:
        may, must = self.rules.may, self.rules.must
        masks = {x: mask_of(parents[x]) for x in tree}
        return all(not (mask & ~may[x] or must[x] & ~mask) for x, mask in masks.items())


class _Proof:
    """Whether no forest is better than the one that steps have led to, by branch and bound over its links.

    ``proven``: whether that is so. ``n_forests``: how many forests were looked at.
    """

    def __init__(self, climb: _Climb) -> None:
        self.climb, self.proven, self.n_forests = climb, False, 0
        self._work = 0.0
        n, allowed = len(climb.arities), climb.allowed
        pairs = [(x, y) for x in range(n) for y in range(x + 1, n) if allowed[x, y] and climb.informative(x, y)]
        self._required = {(x, y) for x, y in pairs if climb.required[x, y] or climb.required[y, x]}
        others = [link for link in pairs if link not in self._required]
        self._links = sorted(others, key=lambda link: (-float(climb.worth[link]), link))

    def improves(self, watch: Watch) -> bool:
        """Look for a better forest, and take it; if there is none, that is proven, unless it takes too much."""
        links = frozenset(self._required)
        trees = {x: tree for tree in self.climb.trees(set(links)) for x in tree}
        totals = [self.climb.joins.total(tree) for tree in self.climb.trees(set(links))]
        worth = math.fsum(float(self.climb.worth[link]) for link in links)
        open_nodes = [(0, links, trees, worth, math.fsum(totals))]
        while open_nodes:
            k, links, trees, worth, complexity = open_nodes.pop()
            if worth + self._most_worth(k, trees) - complexity <= self.climb.value + GAIN:
                continue
            if k == len(self._links):  # it is better, and there are no directions for it
                continue
            if self.n_forests >= MOST_BOUNDED or watch.over:
                return False
            x, y = link = self._links[k]
            open_nodes.append((k + 1, links, trees, worth, complexity))
            a, b = trees[x], trees[y]
            if a is b:
                continue
            self.n_forests += 1
            self._work += self.climb.joins.work(a, b)
            if self._work > MOST_WORK:
                return False
            after = float(self.climb.joins.joined(a, b)[sorted(a).index(x), sorted(b).index(y)])
            if math.isinf(after):  # it would take too much, and so nothing is known
                return False
            more, gain = links | {link}, float(self.climb.worth[link])
            total = complexity + after - self.climb.joins.total(a) - self.climb.joins.total(b)
            if worth + gain - total > self.climb.value + GAIN and self.climb.moved(set(more), total):
                return True
            joined = next(tree for tree in self.climb.trees(set(more)) if x in tree)
            open_nodes.append((k + 1, more, {**trees, **dict.fromkeys(joined, joined)}, worth + gain, total))
        self.proven = True
        return False

    def _most_worth(self, k: int, trees: Mapping[int, Tree]) -> float:
        """Return what links from the k-th on can add to the log-likelihood at most: a maximum spanning forest."""
        part = {x: id(tree) for x, tree in trees.items()}
        total = 0.0
        for link in self._links[k:]:
            a, b = part[link[0]], part[link[1]]
            if a != b:
                total += float(self.climb.worth[link])
                part = {x: a if own == b else own for x, own in part.items()}
        return total
