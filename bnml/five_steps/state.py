"""The state of a study: what was asked, the table, and the parts that are done.

A study is made of parts, each of them a function of the state before it (`bnml.five_steps.parts.PARTS`). So it can be
left after any of them and gone on from later, with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bnml._checks import progress_function
from bnml._pickled import PickledByFields
from bnml.data import Data
from bnml.five_steps.decisions import Decisions
from bnml.five_steps.table_source import TableSource
from bnml.graph import Constraints
from bnml.search.options import SHARED, SearchOptions
from bnml.search.problem import Problem

if TYPE_CHECKING:
    from concurrent.futures import Executor

Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class StudyOptions:
    """Options of a study, validated: the arguments of `bnml.study`; ``learning`` are those of `bnml.learn`.

    ``progress`` and ``executor`` do not change the result, and are not kept with it.
    """

    learning: SearchOptions
    target: str | None = None
    event: tuple[str, ...] | None = None
    select: str | tuple[str, ...] = "all"
    alpha: float = 0.05
    repetitions: int = 100
    folds: int = 10
    progress: Progress | None = field(default=None, compare=False)
    executor: Executor | None = field(default=None, compare=False)

    @property
    def search(self) -> str:
        """The name of the search."""
        return self.learning.search_name

    def completed(
        self, constraints: Constraints | None, select: str | tuple[str, ...] | None = None, **options: Any
    ) -> StudyOptions:
        """Return the options with what is known only together with the variables: constraints, names, options."""
        learning = self.learning.completed(constraints, **options)
        return replace(self, learning=learning, select=self.select if select is None else select)

    def resumed(self, threads: int | None = None, progress: Progress | None = None) -> StudyOptions:
        """Return the options for a study that is resumed, with the threads it may use now."""
        learning = replace(self.learning, threads=SHARED["threads"].metadata["check"](threads))
        return replace(self, learning=learning, progress=progress_function(progress), executor=None)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what belongs to this process alone."""
        return {**self.__dict__, "progress": None, "executor": None}


@dataclass(frozen=True, eq=False, repr=False)
class StudyState(PickledByFields):
    """How far a study is.

    Attributes
    ----------
    options
        What was asked.
    table
        The table with all variables.
    source
        Where the table comes from; None if it cannot be read again.
    data
        The table with the variables that take part; with all of them until they are selected.
    parts
        What is done, by name, in the order of the steps.
    left_out
        What was left out, each with the reason.
    decisions
        What was decided by hand.
    seconds
        How long it took so far.
    problem
        The problem of learning from all variables; None where values are missing.
    """

    options: StudyOptions
    table: Data
    source: TableSource | None
    data: Data
    parts: Mapping[str, Any] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    decisions: Decisions = Decisions()  # noqa: RUF009  # nothing in it can be changed
    seconds: float = 0.0
    problem: Problem | None = None

    def __post_init__(self) -> None:
        for name in ("parts", "left_out"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def with_part(self, name: str, value: Any, left_out: Mapping[str, str], seconds: float = 0.0) -> StudyState:
        """Return the state once a part is done."""
        later = replace(
            self,
            parts={**self.parts, name: value},
            left_out={**self.left_out, **left_out},
            seconds=self.seconds + seconds,
        )
        if name == "selection" and value.names != self.table.names:
            later = replace(later, data=self.table.select(value.names))
        return later

    def without_parts(self, *names: str) -> StudyState:
        """Return the state before some parts were done."""
        return replace(
            self,
            parts={name: value for name, value in self.parts.items() if name not in names},
            left_out={name: reason for name, reason in self.left_out.items() if name not in names},
        )

    def __repr__(self) -> str:
        return f"<StudyState of {len(self.table.names)} variables: {', '.join(self.parts) or 'nothing done'}>"
