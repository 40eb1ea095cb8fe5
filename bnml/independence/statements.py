"""Statements of independence, one by one, as an oracle."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bnml._checks import refuse
from bnml._text import clip, did_you_mean, quoted

Statement = tuple[str, str, str | Iterable[str]]
"""Two variables and what is given, if anything."""

EXPECTED = "expected a DAG, a function (x, y, given) -> bool, or a list of statements (x, y, given)"


@dataclass(frozen=True)
class Statements:
    """An oracle that answers by a list: what is on it is independent, everything else depends."""

    known: frozenset[tuple[frozenset[str], frozenset[str]]]

    def __call__(self, x: str, y: str, given: frozenset[str]) -> bool:
        """Tell whether the list has it that x and y are independent given others."""
        return (frozenset((x, y)), given) in self.known


def statements_of(value: Any, names: Sequence[str]) -> Statements:
    """Return the oracle of a list of statements (x, y, given) about some variables; x and y can change places.

    Raises
    ------
    ArgumentError
        If it is no such list, or names something else.

    Examples
    --------
    >>> oracle = statements_of([("A", "B", ()), ("A", "D", "C")], "ABCD")
    >>> oracle("B", "A", frozenset()), oracle("A", "B", frozenset("C"))
    (True, False)
    """
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise refuse("oracle", value, EXPECTED)
    return Statements(frozenset(_statement(one, names) for one in value))


def _statement(one: Any, names: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    if isinstance(one, str) or not isinstance(one, Sequence) or not 2 <= len(one) <= 3:
        raise refuse("oracle", one, "a statement is two variables and what is given: (x, y, given)")
    x, y, *rest = one
    given = rest[0] if rest else ()
    others = [given] if isinstance(given, str) else given
    if not isinstance(others, Iterable):
        raise refuse("oracle", one, "what is given must be names of variables")
    every = [x, y, *others]
    for name in every:
        if not isinstance(name, str) or name not in names:
            hint = did_you_mean(clip(name), names)
            raise refuse("oracle", one, f"there is no variable {clip(name)!r} among {quoted(names)}.{hint}")
    if len(set(every)) < len(every):
        raise refuse("oracle", one, "a variable is named twice")
    return frozenset((x, y)), frozenset(every[2:])
