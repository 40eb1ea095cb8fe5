"""What all searches check of their arguments."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

from bnml._memory import limit_of
from bnml._threads import cores
from bnml.errors import ArgumentError
from bnml.graph import Constraints
from bnml.scores import parse_score
from bnml.scores.priors import check_prior

__all__ = ["check_arguments"]


def check_arguments(
    *,
    score: Any = "qnml",
    constraints: Any = None,
    max_parents: Any = None,
    prior: Any = None,
    seed: Any = 0,
    threads: Any = None,
    memory_limit: Any = None,
    time_limit: Any = None,
    progress: Any = None,
) -> None:
    """Refuse values out of range."""
    parse_score(score)
    check_prior(prior)
    if constraints is not None and not isinstance(constraints, Constraints):
        raise ArgumentError(f"constraints={constraints!r}: expected bnml.Constraints(…), or None")
    for name, value in (("seed", seed), *([("max_parents", max_parents)] if max_parents is not None else [])):
        if isinstance(value, bool) or not isinstance(value, Integral) or value < 0:
            raise ArgumentError(f"{name}={value!r}: expected a whole number from 0")
    cores(threads)
    limit_of(memory_limit)
    if time_limit is not None and (not _is_number(time_limit) or not 0.0 < time_limit < math.inf):
        raise ArgumentError(f"time_limit={time_limit!r}: expected a positive number of seconds, or None for no limit")
    if progress is not None and not callable(progress):
        raise ArgumentError(f"progress={progress!r}: expected a function of a stage and a fraction, or None")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
