"""What PC and NPC check of their arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

from bnml._threads import cores
from bnml.data import as_data
from bnml.errors import ArgumentError, did_you_mean
from bnml.graph import DAG, Constraints
from bnml.independence.oracles import DataJudge, Judge, OracleJudge
from bnml.independence.orientation import COLLIDERS
from bnml.independence.skeleton import Knowledge, knowledge_of
from bnml.independence.tests import parse_test

__all__ = ["Asked", "check", "level_of"]


@dataclass(frozen=True)
class Asked:
    """What is asked, in one form; the names are as in the table, the judge's sorted where order must not matter."""

    names: tuple[str, ...]
    judge: Judge
    known: Knowledge
    test: str
    alpha: float | None
    colliders: str
    max_condition: int | None
    progress: Callable[[str, float], None] | None = field(default=None, compare=False)

    def tell(self, stage: str, fraction: float) -> None:
        """Tell how far the work is."""
        if self.progress is not None:
            self.progress(stage, fraction)

    def level(self, size: int, share: float) -> None:
        """Tell how far tests with sets of some size are; each size takes half of what is left."""
        self.tell(f"tests given {size}", 1.0 - 0.5**size * (1.0 - 0.5 * share))


def level_of(alpha: Any) -> float:
    """Return a significance level."""
    if isinstance(alpha, bool) or not isinstance(alpha, Real) or not 0.0 < float(alpha) < 1.0:
        raise ArgumentError(f"alpha={alpha!r}: expected a significance level between 0 and 1")
    return float(alpha)


def check(
    data: Any,
    alpha: Any,
    test: Any,
    *,
    stable: bool,
    oracle: Any,
    max_condition: Any,
    colliders: Any,
    constraints: Any,
    threads: Any,
    progress: Any,
) -> Asked:
    """Refuse wrong arguments, and return the right ones in one form; nothing is tested yet."""
    level, criterion = level_of(alpha), parse_test(test)
    if colliders not in COLLIDERS:
        hint = did_you_mean(colliders, COLLIDERS)
        raise ArgumentError(f"colliders={colliders!r}: expected one of {', '.join(COLLIDERS)}.{hint}")
    if max_condition is not None and (
        isinstance(max_condition, bool) or not isinstance(max_condition, Integral) or max_condition < 0
    ):
        raise ArgumentError(f"max_condition={max_condition!r}: expected a whole number from 0, or None")
    if constraints is not None and not isinstance(constraints, Constraints):
        raise ArgumentError(f"constraints={constraints!r}: expected bnml.Constraints(…), or None")
    if progress is not None and not callable(progress):
        raise ArgumentError(f"progress={progress!r}: expected a function of a stage and a fraction, or None")
    if oracle is not None and not isinstance(oracle, DAG) and not callable(oracle):
        raise ArgumentError(f"oracle={oracle!r}: expected a DAG, or a function (x, y, given) -> bool")
    cores(threads)
    if data is None and not isinstance(oracle, DAG):
        raise ArgumentError("data=None: without a table, give a DAG as oracle=; it has the names of the variables")
    source = None if data is None else as_data(data)
    names = oracle.names if source is None else source.names
    if isinstance(oracle, DAG) and set(names) != set(oracle.names):
        raise ArgumentError("oracle: the DAG and the table must be about the same variables")
    order = sorted(names) if stable else names
    judge: Judge
    if oracle is not None:
        judge = OracleJudge(order, oracle)
    else:
        assert source is not None
        judge = DataJudge(source, order, criterion, level, threads)
    return Asked(
        names=tuple(names),
        judge=judge,
        known=knowledge_of(order, constraints),
        test="an oracle" if oracle is not None else str(criterion),
        alpha=level if oracle is None and criterion.uses_alpha else None,
        colliders=colliders,
        max_condition=None if max_condition is None else int(max_condition),
        progress=progress,
    )
