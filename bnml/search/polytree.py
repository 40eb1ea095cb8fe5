"""Polytrees: trees in which a variable may have several parents, after Rebane and Pearl (1987).

If the variables depend on each other as in a polytree, its links are those of Chow and Liu's tree, and some directions
can be found as well: two neighbours of a variable are independent of each other exactly if both are its parents. From
there the directions spread: another neighbour that depends on a parent cannot be a parent, so it is a child, and so on
from child to child. What is left could be directed either way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from bnml._arrays import Bools, Floats
from bnml._checks import significance_level
from bnml._machine import cores
from bnml._text import quoted
from bnml.counts import Counts, Questions
from bnml.counts.pair_information import pair_information
from bnml.data import Data
from bnml.errors import SearchError
from bnml.graph import Rules
from bnml.graph.rules import ROWS_PER_CELL
from bnml.graph.spanning import spanning_links, spanning_neighbours, spanning_parents
from bnml.independence.oracles import DataJudge
from bnml.independence.sparse import smallest_sparse_p_value, sparse_p_values
from bnml.independence.tests import G2
from bnml.search.best_tree import whole_tree_gains
from bnml.search.local_optimum import verified_result
from bnml.search.problem import Problem
from bnml.search.search_result import SearchResult


def polytree(problem: Problem, *, alpha: float = 0.05) -> SearchResult:
    """Return a polytree: the significant links of Chow and Liu's tree, directed by tests of independence."""
    level = significance_level(alpha)
    rules, counts = problem.with_prior, problem.table.counts
    required = _required_links(rules)
    if problem.observed is None:
        gains = pair_information(counts, problem.columns, (), problem.threads, problem.part("mutual information"))
        independent_by = _p_values(counts, problem.columns, gains, cores(problem.threads))
    else:
        gains, independent_by = _by_observed_pairs(problem.observed, problem)
    allowed = (rules.may_matrix | rules.may_matrix.T) & (independent_by <= level)
    links = spanning_links(whole_tree_gains(gains, counts.n_rows), allowed, required)
    parents, free = _directed(rules, links, independent_by, level)
    n = len(parents)
    info = {
        "pairs": n * (n - 1) // 2,
        "families": 0,
        "undirected": tuple((rules.names[a], rules.names[b]) for a, b in free),
        "alpha": level,
    }
    return verified_result(problem, parents, info)


def _required_links(rules: Rules) -> Bools:
    """Return the links that must be there, in whichever direction; refuse them if they close a cycle."""
    required = rules.required_matrix | rules.required_matrix.T
    nothing = np.zeros(required.shape)
    kept = spanning_links(nothing, required, required)
    if len(kept) < int(required.sum()) // 2:
        odd = next((a, b) for a, b in np.argwhere(np.triu(required)).tolist() if (a, b) not in kept)
        raise SearchError(
            f"the required arcs and links close a cycle with {quoted(rules.names[x] for x in odd)}, and in a polytree "
            "none do, whatever their directions; require fewer, or take another search"
        )
    return required


def _p_values(counts: Counts, columns: Sequence[int], gains: Floats, threads: int = 1) -> Floats:
    """Return the p-value of the G² test of each pair; of sparse ones from random tables, 0 where none comes near."""
    from scipy.special import gammaincc

    occurring = np.array([len(counts.cells([column])) for column in columns])
    freedom = (occurring[:, None] - 1) * (occurring[None, :] - 1)
    p_values = np.where(freedom > 0, gammaincc(np.maximum(freedom, 1) / 2.0, gains), 1.0)
    few = np.argwhere(np.triu((occurring[:, None] * occurring * ROWS_PER_CELL > counts.n_rows) & (freedom > 0), 1))
    if len(few):
        drawn = sparse_p_values(counts, np.array(columns, np.int64)[few], threads=threads)
        drawn[drawn <= smallest_sparse_p_value(counts.n_rows)] = 0.0
        p_values[few[:, 0], few[:, 1]] = p_values[few[:, 1], few[:, 0]] = drawn
    return p_values


def _by_observed_pairs(data: Data, problem: Problem) -> tuple[Floats, Floats]:
    """Return for each pair N times its mutual information, and the p-value, by the rows in which both are observed.

    A pair that these rows cannot test has no information, and a p-value that is not a number: neither linked for what
    is known of it, nor independent.
    """
    n = len(problem.columns)
    first, second = np.triu_indices(n, 1)
    at = np.array(problem.columns, np.int64)
    batch = Questions(at[first], at[second], np.arange(first.size + 1), np.zeros((first.size, 0), np.int64))
    judge = DataJudge(data, data.names, G2(), 0.5, problem.threads)
    answers = judge.decide(batch, stop=False)
    gains, p_values = np.zeros((n, n)), np.ones((n, n))
    information = answers.results[:, 0] / np.maximum(2.0 * judge.rows(batch), 1.0)
    gains[first, second] = gains[second, first] = problem.n_rows * np.nan_to_num(information)
    found, rows = np.exp(answers.results[:, 2]), judge.rows(batch)
    least = np.array([smallest_sparse_p_value(int(n)) for n in rows])
    found[judge.sparse(batch) & (found <= least)] = 0.0
    p_values[first, second] = p_values[second, first] = found
    problem.watch("mutual information", 1.0)
    return gains, p_values


def _directed(
    rules: Rules, links: Iterable[tuple[int, int]], p_values: Floats, alpha: float
) -> tuple[list[list[int]], list[tuple[int, int]]]:
    """Return the parents of each variable, and the links that nothing directed."""
    n = len(rules.names)
    free = spanning_neighbours(n, links)
    work = _Directions(free, p_values, alpha)
    work.begin([(a, b) for b in range(n) for a in sorted(free[b]) if not rules.may[a] >> b & 1])
    for _, c, a, b in sorted(_colliders(free, p_values, alpha)):
        if a in free[c] and b in free[c]:
            work.begin([(a, c), (b, c)])
    rest = [(a, b) for a in range(n) for b in sorted(free[a]) if a < b]
    for child, above in enumerate(spanning_parents(free)):
        work.parents[child] |= set(above)
    return [sorted(above) for above in work.parents], rest


def _colliders(neighbours: Sequence[set[int]], p_values: Floats, alpha: float) -> list[tuple[float, int, int, int]]:
    """Return pairs of neighbours of a variable that are independent of each other, to be sorted: surest first."""
    return [
        (-float(p_values[a, b]), c, a, b)
        for c, around in enumerate(neighbours)
        for a in around
        for b in around
        if a < b and p_values[a, b] > alpha
    ]


class _Directions:
    """Links in the course of being directed; ``free`` has those that are not, and is changed."""

    def __init__(self, free: list[set[int]], p_values: Floats, alpha: float) -> None:
        self.free, self.p_values, self.alpha = free, p_values, alpha
        self.parents: list[set[int]] = [set() for _ in free]

    def begin(self, arcs: Iterable[tuple[int, int]]) -> None:
        """Direct some links, and all that follow from them."""
        todo = []
        for a, b in arcs:
            self._direct(a, b)
            todo.append(b)
        while todo:
            todo += self._spread(todo.pop())

    def _direct(self, a: int, b: int) -> None:
        self.free[a].discard(b)
        self.free[b].discard(a)
        self.parents[b].add(a)

    def _spread(self, c: int) -> list[int]:
        """Direct all links of a variable that has a parent; return its children by them."""
        children = []
        for d in sorted(self.free[c]):
            if all(self.p_values[d, parent] > self.alpha for parent in self.parents[c]):
                self._direct(d, c)
            else:
                self._direct(c, d)
                children.append(d)
        return children
