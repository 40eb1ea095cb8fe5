"""Where tempered chains start, what they have kept, and how they were run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bnml._arrays import Array, Floats, Ints
from bnml._bits import words_of_masks
from bnml.graph import Rules

__all__ = ["Chains", "first_structure"]

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Chains:
    """What tempered chains have kept; variables are numbered in the order of names.

    Attributes
    ----------
    parents
        The structures: ``[chain, sample, variable]``, as 64-bit words.
    log_weights
        Their scores, with those of a structure prior: ``[chain, sample]``.
    betas, exchanged
        The inverse temperatures, and how often neighbours were exchanged.
    sweeps, steps
        Sweeps between two samples, and steps of a replica at each rung in a sweep.
    warm_up
        How many sweeps were made before the first sample.
    families
        How many families were scored.
    asked
        How many samples of each chain were asked for.
    ended
        Why there are fewer: ``"time"``, ``"interrupted"``, or nothing.
    """

    parents: Words
    log_weights: Floats
    betas: Floats
    exchanged: Floats
    sweeps: int
    steps: Ints
    warm_up: int
    families: int
    asked: int
    ended: str = ""


def first_structure(rules: Rules) -> tuple[Array, Array]:
    """Return the parents, as words, with which a chain starts, and an order that fits them: what is required alone.

    A link that is required in either direction leads from the variable that comes earlier in that order.
    """
    order = rules.order()
    before, masks = 0, [0] * rules.n
    for v in order:
        masks[v] = rules.must[v] | rules.links[v] & before
        before |= 1 << v
    return words_of_masks(masks, rules.n), np.array(order, np.int64)
