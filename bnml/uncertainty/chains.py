"""Where tempered chains start, what they have kept, and how they were run."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bnml._arrays import Array, Bools, Floats, Ints
from bnml._bits import mask_of, words_of_masks
from bnml.graph import DAG, Rules

Words = npt.NDArray[np.uint64]

MAX_SHORTFALL = 1.0  # nats; less than a factor of three in probability


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
    searched, searched_parents
        The score, with that of a structure prior, and the parents of the structure that the first chain starts from:
        the best that structure learning finds.
    search_cut
        Whether a time limit ended the search for the best structure, or parts of it, without a proof.
    reached
        The highest score that a chain has after a sweep, or that local search reaches from the best samples.
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
    searched: float = -math.inf
    searched_parents: Words | None = None
    reached: float = -math.inf
    search_cut: bool = False

    @property
    def shortfall(self) -> float:
        """Nats by which the structures that chains reach stay below the searched one.

        Where the posterior is spread over very many structures, chains rarely visit the best of them, but local search
        finds it from there. Chains that have missed a mode are not close, and local search does not get there.
        """
        return max(0.0, self.searched - self.reached)

    @property
    def missed_mode(self) -> bool:
        """Whether structure learning finds a structure that is out of reach of every chain."""
        return self.shortfall > MAX_SHORTFALL


def unpacked_parents(words: Words) -> Bools:
    """Return which variables are parents, ``[structure, child, parent]``, from 64-bit words of each child."""
    number, n = words.shape[:2]
    content = np.ascontiguousarray(words.astype("<u8")).view(np.uint8).reshape(number, n, -1)
    return np.unpackbits(content, axis=2, count=n, bitorder="little").astype(bool)


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


def searched_structure(dag: DAG, rules: Rules) -> tuple[Array, Array]:
    """Return the parents of a DAG, as words, and an order that fits them; variables in the order of the rules."""
    place = {name: v for v, name in enumerate(rules.names)}
    masks = [mask_of(place[parent] for parent in dag.parents(name)) for name in rules.names]
    return words_of_masks(masks, rules.n), np.array([place[name] for name in dag.topological_order()], np.int64)
