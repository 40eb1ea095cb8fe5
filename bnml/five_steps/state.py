"""The state of a study: what was asked, the table, and the parts that are done.

A study is made of parts, each of them a function of the state before it (`bnml.five_steps.parts.PARTS`). So it can be
left after any of them and gone on from later, with the same result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from bnml._pickled import PickledByFields
from bnml.data import Data
from bnml.five_steps.decisions import Decisions
from bnml.five_steps.table_source import TableSource
from bnml.graph import Constraints
from bnml.scores import Score
from bnml.scores.priors import DEFAULT_PRIOR, StructurePrior

__all__ = ["StudySettings", "StudyState"]


@dataclass(frozen=True)
class StudySettings:
    """What was asked of a study: all that its result depends on, beside the table.

    The attributes are the arguments of `bnml.study`, checked; ``options`` are those of the search.
    """

    target: str | None
    select: str | tuple[str, ...]
    score: Score
    alpha: float
    constraints: Constraints | None
    max_parents: int | None
    rows_per_cell: float
    search: str
    repetitions: int
    seed: int
    memory_limit: int | str | None
    prior: StructurePrior | str | None = DEFAULT_PRIOR
    options: Mapping[str, Any] = field(default_factory=dict)
    event: tuple[str, ...] | None = None
    folds: int = 10


@dataclass(frozen=True, eq=False, repr=False)
class StudyState(PickledByFields):
    """How far a study is.

    Attributes
    ----------
    settings
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
    """

    settings: StudySettings
    table: Data
    source: TableSource | None
    data: Data
    parts: Mapping[str, Any] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    decisions: Decisions = Decisions()  # noqa: RUF009  # nothing in it can be changed
    seconds: float = 0.0

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
