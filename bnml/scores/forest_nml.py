"""The normalised maximum likelihood of a whole network, where it is known: components that are trees or complete."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from bnml._checks import plain_float
from bnml.counts import Counts, FamilyCounts
from bnml.data import Data
from bnml.errors import ScoreError, argument
from bnml.nml import regrets
from bnml.nml.forest import check_forest_parents, log_normaliser
from bnml.nml.forest_joins import ForestJoins
from bnml.nml.forest_joins import Tree as Tree
from bnml.nml.forest_sums import ForestSums
from bnml.scores.base import Score, Shape

SUMS = "sums of forests"  # under which they are kept with a table
KEPT_BYTES = 1 << 27  # weights and messages are kept with a table up to this size


@dataclass(frozen=True)
class NML(Score):
    """Exact NML of a network: log-likelihood - log C(network, N)  (forest paper, eq. 4, corrected).

    The probability of the data under their best parameters, divided by the sum of this over all data sets with as many
    rows. It is known for structures whose connected components are trees, in which each variable has one parent at
    most, or complete (qNML paper, theorem 9), and it is not a sum over families. So `bnml.score` takes it, and for
    forests the search ``"nml-forest"``; nothing else does.
    """

    name = "nml"
    equivalent = True
    probability = True

    def check(self, data: Data | Counts) -> NoReturn:
        """Refuse: there are no family scores."""
        raise ScoreError(
            "the exact NML of a forest is not a sum over families, so there are no family scores, and of the "
            "searches only " + argument("search", "nml-forest") + " takes it",
            argument="score",
            value="nml",
            hint="qnml comes nearest",
        )

    def terms(self, shape: Shape) -> None:
        """Return None: there are no terms of families."""
        return

    def family(self, family: FamilyCounts, counts: Counts) -> NoReturn:
        """Refuse: there are no family scores."""
        self.check(counts)


def forest_score_complexity(data: Data, parent_sets: Sequence[Sequence[int]]) -> float:
    """Return log C of a forest, or of complete components: the score is the maximised log-likelihood less this.

    It is the sum of those of the connected components: of trees by the forest paper, of complete ones the regret of
    one variable with all their configurations as its values.

    Raises
    ------
    ScoreError
        If a component is neither a tree nor complete, or it would take too much; before any work.

    Examples
    --------
    >>> import bnml, numpy
    >>> data = bnml.read(numpy.array([[0, 1, 0], [1, 1, 0], [1, 0, 1], [0, 0, 1]]))
    >>> round(forest_score_complexity(data, [(), (0,), (1,)]), 4)  # log 63.5358
    4.1516
    """
    complete = [part for part in _components(parent_sets) if _is_complete(part, parent_sets)]
    apart = {v for part in complete for v in part}
    for x, above in enumerate(parent_sets):
        if x not in apart:
            check_forest_parents(data.names[x], len(above))
    trees = [x for x in range(len(parent_sets)) if x not in apart]
    place = {x: k for k, x in enumerate(trees)}
    parents = [place[parent_sets[x][0]] if parent_sets[x] else None for x in trees]
    sums = forest_score_sums(data)
    complexity = [log_normaliser(sums, parents, [data.arities[x] for x in trees])] if trees else []
    if sums.nbytes > KEPT_BYTES:
        data.memo.pop(SUMS, None)
    sizes = [math.prod(data.arities[v] for v in part) for part in complete]
    logs = [math.log(size) for size in sizes]
    return math.fsum([*complexity, *regrets(data.n_rows, [plain_float(size) for size in sizes], log_rs=logs).tolist()])


def _components(parent_sets: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the connected components."""
    near = [set(above) for above in parent_sets]
    for x, above in enumerate(parent_sets):
        for parent in above:
            near[parent].add(x)
    left, parts = set(range(len(near))), []
    while left:
        part, new = set(), {min(left)}
        while new:
            part |= new
            new = set().union(*(near[v] for v in new)) - part
        left -= part
        parts.append(sorted(part))
    return parts


def _is_complete(part: Sequence[int], parent_sets: Sequence[Sequence[int]]) -> bool:
    """Tell whether a component has all links, and is no tree: from three variables on."""
    return len(part) > 2 and 2 * sum(len(parent_sets[v]) for v in part) == len(part) * (len(part) - 1)


def forest_score_sums(data: Data) -> ForestSums:
    """Return what the score of forests knows of normalisers for a table's number of rows; it is kept with the table."""
    known: ForestSums | None = data.memo.get(SUMS)
    if known is None:
        known = data.memo[SUMS] = ForestSums(data.n_rows)
    return known


def forest_score_joins(data: Data, columns: Sequence[int], limit: int | str | None = None) -> ForestJoins:
    """Return the normalisers in scores of forests over columns, numbered in this order, for a search among them."""
    return ForestJoins(forest_score_sums(data), [data.arities[column] for column in columns], limit)
