"""What tempered chains have kept, and how they were run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats, Ints

__all__ = ["Chains"]

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
