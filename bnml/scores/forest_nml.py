"""The normalised maximum likelihood of a whole forest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from bnml.counts import Counts, FamilyCounts
from bnml.data import Data
from bnml.errors import ScoreError, argument
from bnml.nml.forest import log_normaliser, not_a_forest
from bnml.nml.forest_joins import ForestJoins, Tree
from bnml.nml.forest_sums import ForestSums
from bnml.scores.base import Score, Shape

__all__ = ["NML", "Tree", "forest_complexity", "forest_joins", "forest_sums"]

SUMS = "sums of forests"  # under which they are kept with a table
KEPT_BYTES = 1 << 27  # weights and messages are kept with a table up to this size


@dataclass(frozen=True)
class NML(Score):
    """Exact NML of a forest: log-likelihood - log C(forest, N)  (forest paper, eq. 4, corrected).

    The probability of the data under their best parameters, divided by the sum of this over all data sets with as many
    rows. It is known for structures in which each variable has one parent at most, and it is not a sum over families.
    So `bnml.score` and the search ``"nml-forest"`` take it, and nothing else does.
    """

    name = "nml"
    equivalent = True
    probability = True

    def check(self, data: Data | Counts) -> NoReturn:
        """Refuse: there are no family scores."""
        raise ScoreError(
            f"{argument('score', 'nml')}: the exact NML of a forest is not a sum over families, so there are no family "
            f"scores, and of the searches only {argument('search', 'nml-forest')} takes it; qnml comes nearest"
        )

    def terms(self, shape: Shape) -> None:
        """Return None: there are no terms of families."""
        return

    def family(self, family: FamilyCounts, counts: Counts) -> NoReturn:
        """Refuse: there are no family scores."""
        self.check(counts)


def forest_complexity(data: Data, parent_sets: Sequence[Sequence[int]]) -> float:
    """Return log C of a forest for a table's number of rows: its maximised log-likelihood less this is the score.

    Raises
    ------
    ScoreError
        If a variable has several parents, or it would take too much; before any work.

    Examples
    --------
    >>> import bnml, numpy
    >>> data = bnml.read(numpy.array([[0, 1, 0], [1, 1, 0], [1, 0, 1], [0, 0, 1]]))
    >>> round(forest_complexity(data, [(), (0,), (1,)]), 4)  # log 63.5358
    4.1516
    """
    for name, above in zip(data.names, parent_sets, strict=True):
        if len(above) > 1:
            raise ScoreError(not_a_forest(name, len(above)))
    sums = forest_sums(data)
    complexity = log_normaliser(sums, [above[0] if above else None for above in parent_sets], data.arities)
    if sums.nbytes > KEPT_BYTES:
        data.memo.pop(SUMS, None)
    return complexity


def forest_sums(data: Data) -> ForestSums:
    """Return what is known of the normalisers of forests for a table's number of rows; it is kept with the table."""
    known: ForestSums | None = data.memo.get(SUMS)
    if known is None:
        known = data.memo[SUMS] = ForestSums(data.n_rows)
    return known


def forest_joins(data: Data, columns: Sequence[int], memory_limit: int | str | None = None) -> ForestJoins:
    """Return the normalisers of forests over some columns, numbered in this order, for a search among them."""
    return ForestJoins(forest_sums(data), [data.arities[column] for column in columns], memory_limit)
