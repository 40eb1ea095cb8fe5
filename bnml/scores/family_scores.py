"""Scores of families that are listed: some parent sets of each variable, and no others."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bnml._arrays import Floats, Ints
from bnml._bits import bits, mask_of, set_key
from bnml._checks import refuse
from bnml._text import clip
from bnml.errors import ArgumentError, argument
from bnml.graph import DAG
from bnml.scores.base import parent_sets
from bnml.scores.priors import StructurePrior


@dataclass(frozen=True, eq=False, repr=False)
class FamilyScores:
    """Scores of some candidate parent sets of each variable; all others are out of the question.

    Parameters
    ----------
    names
        The variables.
    parents
        For each variable its candidate parent sets as bit masks: bit j stands for ``names[j]``.
    scores
        For each variable the scores of these sets. Sets with a score of -inf are left out.
    complete_to
        Up to which number of parents no set is missing that could be in an optimal structure; None if it is not known.
    prior
        The structure prior that the scores include; None if they include none, or it is not known.

    Sets and scores are kept best first; sets with equal scores by the number of parents, then by their sorted names.

    Raises
    ------
    BnmlError
        If these do not fit together, a set comes twice, or a variable has no set at all.

    Examples
    --------
    >>> from bnml.graph import DAG
    >>> from bnml.scores import FamilyScores
    >>> table = FamilyScores(["rain", "wet"], [[0b00, 0b10], [0b00, 0b01]], [[-3.1, -2.5], [-4.0, -4.5]])
    >>> table
    FamilyScores(2 variables, 4 parent sets)
    >>> table.family(0, [1]), table.score(DAG.parse("[wet][rain|wet]"))
    (-2.5, -6.5)
    >>> table.undominated().parents
    ((2, 0), (0,))
    """

    names: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]
    scores: tuple[Floats, ...]
    complete_to: int | None = None
    prior: StructurePrior | None = None

    def __post_init__(self) -> None:
        names = DAG(self.names).names  # the names of a graph are checked in the same way
        if self.prior is not None and not isinstance(self.prior, StructurePrior):
            raise refuse("prior", self.prior, "expected a structure prior of bnml.priors, or None")
        masks, scores = _rows(self.parents, "parents", len(names)), _rows(self.scores, "scores", len(names))
        checked = [_checked_sets(names, *sets) for sets in zip(range(len(names)), masks, scores, strict=True)]
        self._fill(names, checked)

    def _fill(self, names: tuple[str, ...], sets: Iterable[tuple[Sequence[int], Floats]]) -> None:
        ordered = [_best_first(names, masks, scores) for masks, scores in sets]
        for _, scores in ordered:
            scores.flags.writeable = False
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "parents", tuple(masks for masks, _ in ordered))
        object.__setattr__(self, "scores", tuple(scores for _, scores in ordered))

    @classmethod
    def _of(
        cls,
        names: tuple[str, ...],
        sets: Iterable[tuple[Sequence[int], Floats]],
        complete_to: int | None = None,
        prior: StructurePrior | None = None,
    ) -> FamilyScores:
        """Return a table of what has been checked already."""
        table = cls.__new__(cls)
        table._fill(names, sets)
        object.__setattr__(table, "complete_to", complete_to)
        object.__setattr__(table, "prior", prior)
        return table

    def __repr__(self) -> str:
        return f"FamilyScores({len(self.names)} variables, {sum(map(len, self.parents))} parent sets)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FamilyScores):
            return NotImplemented
        same = (self.names, self.parents, self.prior) == (other.names, other.parents, other.prior)
        return same and all(map(np.array_equal, self.scores, other.scores))

    def __hash__(self) -> int:
        return hash((self.names, self.parents))

    def __reduce__(self) -> tuple[Any, ...]:
        return FamilyScores, (
            self.names,
            self.parents,
            self.scores,
            self.complete_to,
            self.prior,
        )  # what is kept for look-ups stays behind

    @cached_property
    def _score_of(self) -> tuple[dict[int | bytes, float], ...]:
        """The score of each variable's sets by their keys."""
        pairs = zip(self.parents, self.scores, strict=True)
        return tuple(dict(zip(map(set_key, masks), scores.tolist(), strict=True)) for masks, scores in pairs)

    def family(self, child: int, parents: Sequence[int]) -> float:
        """Return the score of one family; -inf where the set is not listed.

        Raises
        ------
        ArgumentError
            If these are not different variables, by number.
        """
        try:
            members = [operator.index(member) for member in (child, *parents)]
        except TypeError:
            raise ArgumentError(f"child {child!r} and parents {parents!r} must be the numbers of variables") from None
        if min(members) < 0 or max(members) >= len(self.names):
            raise ArgumentError(f"child {child} and parents {list(parents)}: expected 0 to {len(self.names) - 1}")
        if len(set(members)) < len(members):
            raise ArgumentError(f"child {child} and parents {list(parents)} must be different variables")
        return self._score_of[members[0]].get(set_key(mask_of(members[1:])), -math.inf)

    def families(
        self, child: int | Sequence[int], candidates: Sequence[Sequence[int]], threads: int | None = None
    ) -> Floats:
        """Return the scores of many families, of one child or of a child for each; threads make no difference."""
        children = [child] * len(candidates) if isinstance(child, int | np.integer) else list(child)
        if len(children) != len(candidates):
            raise ArgumentError(f"{len(children)} children for {len(candidates)} sets of parents")
        return np.array([self.family(c, p) for c, p in zip(children, candidates, strict=True)], np.float64)

    def additions(
        self, child: int, parents: Sequence[int], candidates: Sequence[int] | Ints, threads: int | None = None
    ) -> Floats:
        """Return the child's scores with each candidate added to its parents."""
        return self.families(child, [(*parents, candidate) for candidate in candidates])

    def score(self, dag: DAG) -> float:
        """Return the score of a structure; -inf if a variable's parents are not listed.

        Parameters
        ----------
        dag
            The structure, over the same variables, in any order.

        Raises
        ------
        ArgumentError
            If the variables differ.
        """
        sets = parent_sets(dag, self.names, "scores")
        return math.fsum(self.family(child, parents) for child, parents in enumerate(sets))

    def undominated(self) -> FamilyScores:
        """Return the table without the sets that have a proper subset with an equal or higher score.

        No best structure is lost: where such a set is chosen, the subset fits in its place.
        """
        return FamilyScores._of(self.names, map(_undominated, self.parents, self.scores), self.complete_to, self.prior)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a ``.jkl`` or ``.jkl.gz`` file, whole or not at all; no bit of a score is lost.

        Raises
        ------
        ArgumentError
            If the suffix is another, the file cannot be written, or a name is empty or holds white space.
        """
        from bnml.scores.jkl import save_jkl

        save_jkl(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> FamilyScores:
        """Return the table of a ``.jkl`` file, as `bnml.scores.jkl.load_jkl` does."""
        from bnml.scores.jkl import load_jkl

        return load_jkl(path)


def _rows(rows: Any, what: str, n: int) -> list[Any]:
    """Return what is given for each variable."""
    if isinstance(rows, str) or not isinstance(rows, Iterable):
        raise ArgumentError(argument(what) + f" must be a list with an entry per variable, got {clip(repr(rows))}")
    entries = list(rows)
    if len(entries) != n:
        raise ArgumentError(
            argument(what) + f" has {len(entries)} entries for {n} variables", hint="give one per variable"
        )
    return entries


def _checked_sets(names: tuple[str, ...], child: int, masks: Any, scores: Any) -> tuple[list[int], Floats]:
    """Return the candidates of a variable and a copy of their scores, or refuse them."""
    where = f"{names[child]!r}: "
    try:
        sets = [operator.index(mask) for mask in masks]
        values = np.array(scores, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(where + "parents must be bit masks and scores numbers") from None
    if values.shape != (len(sets),):
        raise ArgumentError(where + f"{len(sets)} parent sets and scores of shape {values.shape}; give one for each")
    if any(mask < 0 or mask >> len(names) or mask >> child & 1 for mask in sets):
        raise ArgumentError(where + f"a mask has bits other than 0 to {len(names) - 1} without {child} itself")
    if len(set(map(set_key, sets))) < len(sets):
        raise ArgumentError(where + "a parent set comes twice")
    if not (values < math.inf).all():
        raise ArgumentError(where + "a score must be a finite number, or -inf")
    if not (values > -math.inf).any():
        raise ArgumentError(where + "no parent set has a score above -inf; give at least one, 0 for no parents")
    return sets, values


def _best_first(names: tuple[str, ...], masks: Sequence[int], scores: Floats) -> tuple[tuple[int, ...], Floats]:
    """Return the candidates in their order, without those of -inf."""
    if scores[-1] > -math.inf and (scores[1:] < scores[:-1]).all():
        return tuple(masks), scores
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > -math.inf]
    equal = scores[order[1:]] == scores[order[:-1]]
    tied = np.flatnonzero(np.append(equal, False) | np.append(False, equal))
    if tied.size:

        def rank(k: int) -> tuple[float, int, list[str]]:
            return -float(scores[k]), masks[k].bit_count(), sorted(names[j] for j in bits(masks[k]))

        order[tied] = sorted(order[tied].tolist(), key=rank)
    return tuple(masks[k] for k in order.tolist()), scores[order]


def _undominated(masks: Sequence[int], scores: Floats) -> tuple[list[int], Floats]:
    """Return those candidates, given best first, of which none before is a subset."""
    kept = []
    tree: dict[int, Any] = {}  # the sets so far: from the root down their members, smallest first; -1 ends a set
    fewest = math.inf
    for k, mask in enumerate(masks):
        members = list(bits(mask))
        if len(members) <= fewest or not _has_subset(tree, members):
            kept.append(k)
            fewest = min(fewest, len(members))
            node = tree
            for member in members:
                node = node.setdefault(member, {})
            node[-1] = {}
    return [masks[k] for k in kept], scores[kept]


def _has_subset(tree: dict[int, Any], members: Sequence[int]) -> bool:
    todo = [tree]
    while todo:
        node = todo.pop()
        if -1 in node:
            return True
        todo += [node[member] for member in members if member in node]
    return False
