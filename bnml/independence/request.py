"""What is asked of PC and NPC: checked, and in one form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from bnml._checks import flag, one_of, refuse, significance_level, whole_number
from bnml._machine import cores
from bnml._watch import Watch
from bnml.data import as_data
from bnml.data.targets import refuse_targets
from bnml.errors import ArgumentError, argument
from bnml.graph import DAG, Constraints, Rules
from bnml.independence.oracles import DataJudge, Judge, OracleJudge
from bnml.independence.orientation import COLLIDERS
from bnml.independence.statements import statements_of
from bnml.independence.tests import parse_test


@dataclass(frozen=True)
class Asked:
    """What is asked, in one form; the names are as in the table, the judge's sorted where order must not matter.

    ``known`` are the rules in the order of the judge's names.
    """

    names: tuple[str, ...]
    judge: Judge
    known: Rules
    stable: bool
    test: str
    alpha: float | None
    colliders: str
    max_condition: int | None
    watch: Watch | None = field(default=None, compare=False)

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return 0.0 if self.watch is None else self.watch.seconds

    def tell(self, stage: str, fraction: float) -> None:
        """Tell how far the work is."""
        if self.watch is not None:
            self.watch(stage, fraction)

    def level(self, size: int, share: float) -> None:
        """Tell how far tests with sets of some size are; each size takes half of what is left."""
        self.tell(f"tests given {size}", 1.0 - 0.5**size * (1.0 - 0.5 * share))


def independence_request(
    data: Any,
    alpha: Any = 0.05,
    test: Any = "g2",
    *,
    stable: Any = True,
    oracle: Any = None,
    variables: Any = None,
    max_condition: Any = None,
    colliders: Any = "sepset",
    constraints: Any = None,
    rules: Rules | None = None,
    threads: Any = None,
    watch: Watch | None = None,
) -> Asked:
    """Refuse wrong arguments, and return the right ones in one form; nothing is tested yet.

    ``rules`` are constraints that are compiled already, in the order of the table's columns.
    """
    level, criterion = significance_level(alpha), parse_test(test)
    flag(stable, "stable")
    one_of(colliders, "colliders", COLLIDERS)
    most = None if max_condition is None else whole_number(max_condition, "max_condition", otherwise=", or None")
    if constraints is not None and not isinstance(constraints, Constraints):
        raise refuse("constraints", constraints, "expected bnml.Constraints(…), or None")
    cores(threads)
    source = None if data is None else as_data(data)
    if source is not None and oracle is None:
        refuse_targets(source, "a test of independence")
    if variables is not None and (oracle is None or source is not None or isinstance(oracle, DAG)):
        raise ArgumentError(
            argument("variables") + " is for an " + argument("oracle") + " without a table",
            hint="a table and a DAG have names of their own",
        )
    names = _checked_variables(variables) if source is None and variables is not None else None
    if source is not None:
        names = source.names
    elif isinstance(oracle, DAG):
        names = oracle.names
    if names is None:
        raise ArgumentError(
            "without a table, give a DAG as "
            + argument("oracle")
            + ", which has the names of its variables, or the names as "
            + argument("variables"),
            argument="data",
            value=None,
        )
    if oracle is not None and not isinstance(oracle, DAG) and not callable(oracle):
        oracle = statements_of(oracle, names)
    if isinstance(oracle, DAG) and set(names) != set(oracle.names):
        raise ArgumentError("the DAG and the table must be about the same variables", argument="oracle")
    if rules is None:
        rules = Rules.none(names) if constraints is None else constraints.compiled(names)
    order = sorted(range(len(names)), key=names.__getitem__) if stable else list(range(len(names)))
    asked = [names[k] for k in order]
    judge: Judge
    if oracle is not None:
        judge = OracleJudge(asked, oracle)
    else:
        assert source is not None
        judge = DataJudge(source, asked, criterion, level, threads)
    return Asked(
        names=tuple(names),
        judge=judge,
        known=rules.among(order),
        stable=stable,
        test="an oracle" if oracle is not None else str(criterion),
        alpha=level if oracle is None and criterion.uses_alpha else None,
        colliders=colliders,
        max_condition=most,
        watch=watch,
    )


def _checked_variables(value: Any) -> tuple[str, ...]:
    """Check the argument ``variables``: names that differ."""
    if not isinstance(value, Iterable):
        raise refuse("variables", value, "expected names of variables")
    names = tuple(value)
    if not names or not all(isinstance(name, str) and name for name in names) or len(set(names)) < len(names):
        raise refuse("variables", value, "expected names of variables, at least one, that differ")
    return names
