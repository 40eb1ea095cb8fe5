"""How frozen results are pickled: by their fields, without what they have computed from them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, eq=False, repr=False)
class PickledByFields:
    """A frozen dataclass that is pickled by its fields; views of mappings, which cannot be, become dicts."""

    def __post_init__(self) -> None:
        """Make views of mappings, and keep arrays from being written to; done again when it is unpickled."""

    def __getstate__(self) -> dict[str, Any]:
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: dict(value) if isinstance(value, MappingProxyType) else value for name, value in values.items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)
        self.__post_init__()
