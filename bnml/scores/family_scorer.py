"""What a search asks of scores, whether they are computed on demand (`LocalScores`) or listed (`FamilyScores`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from bnml._arrays import Floats, Ints
from bnml.graph import DAG


@runtime_checkable
class FamilyScorer(Protocol):
    """Scores of families, by numbers of variables: natural logarithms, higher is better, -inf for the impossible."""

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""

    def family(self, child: int, parents: Sequence[int]) -> float:
        """Return the score of one family."""

    def families(
        self, child: int | Sequence[int], candidates: Sequence[Sequence[int]], threads: int | None = None
    ) -> Floats:
        """Return the scores of many families: parent sets of one child, or of a child for each."""

    def additions(
        self, child: int, parents: Sequence[int], candidates: Sequence[int] | Ints, threads: int | None = None
    ) -> Floats:
        """Return the child's scores with each candidate added to its parents."""

    def score(self, dag: DAG) -> float:
        """Return the score of a structure."""
