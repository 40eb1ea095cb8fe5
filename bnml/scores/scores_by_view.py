"""Local scores of a table in which variables were set: each family on the rows in which its child was not.

Such rows are a *view* of the table. Within a view everything is as for any table, with its own number of rows: lookup
tables, terms of sets, penalties. Families of one child are compared on the same rows, and a structure's score is the
sum over children, which is how interventional data are scored (Cooper & Yoo 1999). Where no variable of a class of
structures that no such data can tell apart is in two views, its members share their score as they do elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bnml._arrays import Floats, Ints
from bnml.counts.batches import FamilyBatch, check_columns
from bnml.data.targets import rows_not_setting
from bnml.errors import ArgumentError, ScoreError
from bnml.scores.base import Score
from bnml.scores.family_terms import FamilyTerms
from bnml.scores.local import LocalScores, Views, local_scores
from bnml.scores.priors import StructurePrior


class ScoresByView(LocalScores):
    """The family scores of a table in which variables were set: what `LocalScores` makes of such a table.

    Examples
    --------
    >>> import bnml, pandas
    >>> frame = pandas.DataFrame({"a": [0, 0, 1, 1, 0, 1], "b": [0, 0, 1, 1, 1, 0], "set": ["", "", "", "", "b", "b"]})
    >>> local = bnml.scores.LocalScores(bnml.read(frame, interventions="set"), "loglik")
    >>> local.family(1, [0]), round(local.family(0, [1]), 4)
    (0.0, -3.8191)
    """

    def __init__(
        self, data: Any, score: Score | str, prior: StructurePrior | None = None, *, kept: FamilyTerms | None = None
    ) -> None:
        super().__init__(data, score, prior, kept=kept)
        known: dict[int, LocalScores] = {}
        self._of_child: list[LocalScores] = []
        for child in range(len(self.names)):
            view = rows_not_setting(self.data, child)
            if id(view) not in known:
                known[id(view)] = local_scores(view, self.score_function, self.prior)
            self._of_child.append(known[id(view)])
        self._views: Views = tuple(
            (own, tuple(child for child, other in enumerate(self._of_child) if other is own)) for own in known.values()
        )
        self._view_of = np.array([list(known.values()).index(own) for own in self._of_child], np.int64)

    @property
    def views(self) -> Views:
        """The scores of the different rows that families are scored on, with the columns whose families these are."""
        return self._views

    @property
    def equivalent(self) -> bool:
        """Whether equivalent structures are known to share their scores: they do not."""
        return False

    def for_child(self, child: int) -> LocalScores:
        """Return the scores of the rows in which a variable was not set."""
        check_columns(len(self.names), [child])
        return self._of_child[child]

    def family(self, child: int, parents: Sequence[int]) -> float:
        """Return the score of one family."""
        return self.for_child(child).family(child, parents)

    def families(
        self, child: int | Sequence[int], candidates: Sequence[Sequence[int]], threads: int | None = None
    ) -> Floats:
        """Return the scores of many families, counted in one batch for each view."""
        if isinstance(child, int | np.integer):
            return self.for_child(int(child)).families(child, candidates, threads)
        children = list(child)
        if len(children) != len(candidates):
            raise ArgumentError(f"{len(children)} children for {len(candidates)} sets of parents")
        check_columns(len(self.names), {min(children, default=0), max(children, default=0)})
        scores = np.empty(len(children))
        which = self._view_of[np.array(children, np.int64)]
        for number, (view, _) in enumerate(self.views):
            chosen = np.flatnonzero(which == number).tolist()
            if chosen:
                sets = [candidates[k] for k in chosen]
                scores[chosen] = view.families([children[k] for k in chosen], sets, threads)
        return scores

    def batch(self, batch: FamilyBatch, threads: int | None = None) -> Floats:
        """Return the scores of a batch of families that is known to be right; none of them is kept."""
        which = self._view_of[batch.members[batch.offsets[:-1] + batch.position]]
        scores, sizes = np.empty(len(batch)), np.diff(batch.offsets)
        for number, (view, _) in enumerate(self.views):
            own = which == number
            if own.any():
                offsets = np.concatenate([[0], np.cumsum(sizes[own])])
                part = FamilyBatch(batch.members[np.repeat(own, sizes)], offsets, batch.position[own])
                scores[own] = view.batch(part, threads)
        return scores

    def additions(
        self, child: int, parents: Sequence[int], candidates: Sequence[int] | Ints, threads: int | None = None
    ) -> Floats:
        """Return the child's scores with each candidate added to its parents, in one pass over its rows."""
        return self.for_child(child).additions(child, parents, candidates, threads)

    def subsets(self, sets: Sequence[Sequence[int]], arity: int | None = None, threads: int | None = None) -> Floats:
        """Refuse to return terms of sets, which are others for each view."""
        raise ScoreError("the terms of sets are others for each view of the rows; ask those of a variable's own rows")

    def parts(self, child: int, parents: Sequence[int]) -> tuple[float, float]:
        """Return a family's maximised log-likelihood and its penalty."""
        return self.for_child(child).parts(child, parents)
