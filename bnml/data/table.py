"""What every source becomes: a list of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bnml.data.columns import Column


@dataclass(frozen=True)
class Table:
    """The columns of a source that were asked for, and the names of all of them.

    ``untyped``: the labels are text because the source knows nothing else, so ``1.0`` may be the number 1.
    ``counts``: how often each row occurs, where an engine has grouped equal rows already.
    ``states``: by column, the labels that the source declares although they look like missing values.
    """

    columns: list[Column]
    names: tuple[str, ...]
    untyped: bool = False
    counts: Column | None = None
    states: Mapping[str, Sequence[str]] = field(default_factory=dict)
