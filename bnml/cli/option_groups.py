"""Groups of options that commands share: how to read a table, the score, the search, what is known of the structure."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from bnml.cli.constraints import known_structure
from bnml.cli.reading import (
    look_at_table,
    read_structured_table,
    read_table,
    source_to_read,
    structure_to_read,
    table_to_read,
)
from bnml.cli.searches import LIMITS, read_chosen_score, search_options, structure_prior


def takes_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command groups of options that commands share, each in place of one parameter.

    ==============  =====================================================================================
    ``table``       how to read the table; it is called to read it, and what it is called with goes before
                    the options
    ``source``      the same; it is called for where the table is, and how it is to be read
    ``look``        the same; it is called for an overview of the table
    ``structured``  a structure, and how to read the table that it is about; it is called for both
    ``chosen``      the score
    ``known``       what is known of the structure; it is called with the variables for the constraints
    ``known_arcs``  the same without ``--require-link``
    ``own``         what single searches take
    ``limits``      options shared by all searches; ``untimed`` without ``--time-limit``
    ``arc_prior``   the structure prior
    ==============  =====================================================================================

    An option of two groups, or of a group and the command itself, is one option and goes to both.
    """
    own = inspect.signature(command, eval_str=True).parameters
    asked = {name: _GROUPS[name].options for name in own if name in _GROUPS}
    parameters: dict[str, inspect.Parameter] = {}
    for name, parameter in own.items():
        if name in asked:
            parameters |= {option: asked[name][option] for option in asked[name] if option not in own}
        else:
            parameters[name] = parameter

    def run(**given: Any) -> None:
        made = {name: _GROUPS[name].made({key: given[key] for key in options}) for name, options in asked.items()}
        command(**{name: value for name, value in given.items() if name in own}, **made)

    run.__doc__ = command.__doc__
    run.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # read by `inspect.signature`
        [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters.values()]
    )
    return run


class _Group(NamedTuple):
    """Options that go together: the functions whose parameters they are, what they make, others, and those left out."""

    declared: tuple[Callable[..., Any], ...]
    made: Callable[[dict[str, Any]], Any]
    others: Mapping[str, inspect.Parameter] = MappingProxyType({})
    without: tuple[str, ...] = ()

    @property
    def options(self) -> dict[str, inspect.Parameter]:
        """The options by name."""
        options = dict(self.others)
        for declared in self.declared:
            options |= inspect.signature(declared, eval_str=True).parameters
        return {name: parameter for name, parameter in options.items() if name not in self.without}


_GROUPS = {
    "table": _Group((table_to_read,), lambda given: partial(read_table, given)),
    "source": _Group((table_to_read,), lambda given: partial(source_to_read, given)),
    "look": _Group((table_to_read,), lambda given: partial(look_at_table, given)),
    "structured": _Group((structure_to_read, table_to_read), lambda given: partial(read_structured_table, given)),
    "chosen": _Group((read_chosen_score,), lambda given: read_chosen_score(**given)),
    "known": _Group((known_structure,), lambda given: known_structure(**given)),
    "known_arcs": _Group((known_structure,), lambda given: known_structure(**given), without=("require_link",)),
    "own": _Group((search_options,), lambda given: search_options(**given)),
    "limits": _Group((), dict, LIMITS),
    "untimed": _Group((), dict, LIMITS, ("time_limit",)),
    "arc_prior": _Group((structure_prior,), lambda given: structure_prior(**given)),
}
