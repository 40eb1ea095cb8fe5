"""What an experiment is: work in parts that do not depend on each other, and what to make of their rows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bnml.experiments.claims import Claim

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

ANY_FAMILY: dict[str, Any] = {"rows_per_cell": 0}
"""As in the papers, families may have any number of rows per cell."""

Row = dict[str, Any]
"""One line of a table: texts and numbers by the names of columns."""


@dataclass(frozen=True)
class Part:
    """A part of the work, small enough to be lost when the work is interrupted.

    ``key``: what is to be done, as texts and numbers that JSON can hold; different for each part. ``cost``: about how
    long it takes, in any unit; what takes longest is begun first.
    """

    key: tuple[str | int | float, ...]
    cost: float = 1.0


@dataclass(frozen=True)
class Outputs:
    """What the rows of all parts come to.

    ``tables``: by the name of the file without its suffix: ``results``, ``comparison`` and whatever else there is.
    ``figures``: the drawings, by the name of the file without its suffix. ``findings``: what was found, and how it
    compares with what was published, in plain sentences. ``claims``: what was said before, with a verdict each.
    """

    tables: Mapping[str, pd.DataFrame]
    figures: Mapping[str, Figure]
    findings: Sequence[str]
    claims: Sequence[Claim] = ()


@dataclass(frozen=True)
class Experiment:
    """A published experiment.

    Attributes
    ----------
    name
        What it is called on the command line.
    parts
        The parts of the work, given the folder of the data and the number of repetitions. It reads every file that is
        read at any time, so that one that is broken is found before any work is done.
    work
        The rows of one part, given the folder, the key of the part and the seed. They depend on nothing else, so that
        any process may do any part at any time.
    outcome
        What the rows of all parts come to, given the folder and the number of repetitions as well, and each choice by
        its name.
    repetitions
        How often random things are repeated by default; None if nothing is random.
    in_all
        How often they are repeated where all experiments are run; None for as often as by default, and 0 if this one is
        left out there, since it takes too long.
    choices
        What can be chosen, by name, the default first: which of several ways the outcome is about. The work is the same
        for all of them.
    files
        The files that the work depends on, relative to the folder of the data.
    published
        The files with published numbers, which only the outcome depends on.
    """

    name: str
    parts: Callable[[Path, int], Sequence[Part]]
    work: Callable[[Path, tuple[Any, ...], int], Sequence[Row]]
    outcome: Callable[..., Outputs]
    repetitions: int | None = None
    in_all: int | None = None
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    files: Sequence[str] = ()
    published: Sequence[str] = ()


def experiment_generator(seed: int, *key: str | int | float) -> np.random.Generator:
    """Return random numbers of their own for each seed and key, the same in every process."""
    digest = hashlib.blake2b(repr((seed, *key)).encode(), digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))


def experiment_blocks(repetitions: int, size: int) -> list[tuple[int, int]]:
    """Cut repetitions into blocks, first to last; more repetitions keep all whole blocks as they are."""
    return [(first, min(first + size, repetitions)) for first in range(0, repetitions, size)]
