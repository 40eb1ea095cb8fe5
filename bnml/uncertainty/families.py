"""The scores of all families of a table, for sums.

Exact search rounds scores so that equivalent structures tie exactly (`bnml.scores.lattice`); where it pays in time,
sums take these too. For up to 14 variables they take the terms of all subsets as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial

import numpy as np

from bnml._arrays import Floats, Ints
from bnml._bits import masks_without, members
from bnml._watch import Tell
from bnml.scores import LocalScores
from bnml.scores.lattice import has_lattice, score_all_families

MOST_EXACT = 14  # variables
BLOCK = 1 << 14  # sets that are asked for together


def posterior_families(local: LocalScores, threads: int, tick: Tell) -> Floats:
    """Return the families that the posterior sums over: the score of each variable with each set of parents."""
    n = len(local.data.names)
    if local.terms is None:
        return _one_by_one(local, threads, tick)
    if n > MOST_EXACT and has_lattice(local):
        return score_all_families(local, threads, tick)
    scores = np.empty((n, 1 << (n - 1)))
    for number, (view, children) in enumerate(local.views):
        _fill(scores, view, children, threads, partial(_tick_part, tick, number, len(local.views)))
    return scores


def _tick_part(tick: Tell, done: int, n: int, part: float) -> None:
    """Tell which share of all views is done."""
    tick((done + part) / n)


def _fill(scores: Floats, local: LocalScores, children: Sequence[int], threads: int, tick: Tell) -> None:
    """Write the scores of the families of some variables, from the terms of all sets."""
    n, arities = len(local.data.names), local.data.arities
    wanted: list[int | None] = [None] if local.quotient else [None, *sorted({arities[i] for i in children})]
    terms: dict[int | None, Floats] = {}
    for arity in wanted:
        terms[arity] = _terms_of_all_sets(local, arity, threads)
        tick(len(terms) / len(wanted))
    for i in children:
        below = masks_without(n, i)
        joint, margin = terms[None][below | 1 << i], terms[None if local.quotient else arities[i]][below]
        with np.errstate(invalid="ignore"):
            scores[i] = np.where(np.isneginf(joint), -np.inf, joint - margin)


def _terms_of_all_sets(local: LocalScores, arity: int | None, threads: int) -> Floats:
    """Return the terms J(S), or M(S) for a child of some arity, of all sets of columns."""
    size = 1 << len(local.data.names)
    terms = np.empty(size)
    for start in range(0, size, BLOCK):
        stop = min(start + BLOCK, size)
        terms[start:stop] = local.subsets(_sets_between(start, stop), arity, threads)
    return terms


@lru_cache(maxsize=4)
def _sets_between(start: int, stop: int) -> list[tuple[int, ...]]:
    """Return the members of the sets whose bit masks are in a range."""
    return _members(np.arange(start, stop))


def _one_by_one(local: LocalScores, threads: int, tick: Tell) -> Floats:
    """Return the scores of a score that is no difference of terms of sets."""
    n = len(local.data.names)
    scores = np.empty((n, 1 << (n - 1)))
    for i in range(n):
        masks = masks_without(n, i)
        for start in range(0, masks.size, BLOCK):
            part = slice(start, start + BLOCK)
            scores[i, part] = local.families(i, _members(masks[part]), threads)
            tick((i + min(start + BLOCK, masks.size) / masks.size) / n)
    return scores


def _members(masks: Ints) -> list[tuple[int, ...]]:
    """Return sets as tuples of their members."""
    return [tuple(members(mask)) for mask in masks.tolist()]
