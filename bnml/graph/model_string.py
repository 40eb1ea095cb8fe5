r"""Model strings: a whole graph in one line, ``[A][C][B|A:C]``.

Every variable has one pair of brackets; behind the bar stand its parents, separated by colons. This is the form
that bnlearn writes. Between the brackets of two variables there may be white space and line ends; inside them
every character belongs to a name. A name that holds one of ``[ ] | : \`` has a backslash put before each of
them, so that every graph can be written and read back: the variable ``a:b`` is ``[a\:b]``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bnml._text import did_you_mean
from bnml.errors import ArgumentError, GraphError, argument

_NAME = re.compile(r"(?:[^\[\]|:\\]|\\[\[\]|:\\])+")
_SPECIAL = re.compile(r"([\[\]|:\\])")
_SPACE = re.compile(r"\s*")


def format_model_string(names: Sequence[str], parent_sets: Sequence[Sequence[int]], order: Sequence[int]) -> str:
    """Return the model string with the variables in this order."""
    escaped = [_SPECIAL.sub(r"\\\1", name) for name in names]
    nodes = []
    for i in order:
        parents = ":".join(escaped[j] for j in parent_sets[i])
        nodes.append(f"[{escaped[i]}|{parents}]" if parents else f"[{escaped[i]}]")
    return "".join(nodes)


def parse_model_string(text: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the names and the arcs of a model string."""
    if not isinstance(text, str):
        raise ArgumentError(argument("text") + f" must be a model string such as '[A][B|A]', got {text!r}")
    families: dict[str, list[str]] = {}
    at = _skip_space(text, 0)
    while at < len(text):
        at = _expect(text, at, "[")
        child, at = _read_name(text, at)
        if child in families:
            raise GraphError(f"model string: [{child}] is there twice; each variable has one pair of brackets")
        families[child] = []
        closing, separators = False, "|"
        while not closing:
            at, closing = _separator(text, at, separators)
            if not closing:
                parent, at = _read_name(text, at)
                if parent in families[child]:
                    raise GraphError(f"model string: {child!r} has the parent {parent!r} twice")
                families[child].append(parent)
                separators = ":"
        at = _skip_space(text, at)
    if not families:
        raise GraphError("the model string is empty; write at least one variable, for example '[A]' or '[A][B|A]'")
    return list(families), _arcs(families)


def _arcs(families: dict[str, list[str]]) -> list[tuple[str, str]]:
    for child, parents in families.items():
        for parent in parents:
            if parent not in families:
                hint = did_you_mean(parent, families)
                raise GraphError(
                    f"model string: {child!r} has the parent {parent!r}, which has no brackets of its own.{hint}"
                    f" Add [{parent}] or drop the parent."
                )
    return [(parent, child) for child, parents in families.items() for parent in parents]


def _separator(text: str, at: int, separator: str) -> tuple[int, bool]:
    """Step over ``]`` (then the second value is True) or over the separator before the next parent."""
    if text[at : at + 1] == "]":
        return at + 1, True
    if text[at : at + 1] == separator:
        return at + 1, False
    raise _unexpected(text, at, f"{separator!r} or ']'")


def _read_name(text: str, at: int) -> tuple[str, int]:
    match = _NAME.match(text, at)
    if match is None:
        raise _unexpected(text, at, "a name")
    return re.sub(r"\\(.)", r"\1", match.group()), match.end()


def _expect(text: str, at: int, character: str) -> int:
    if text[at : at + 1] != character:
        raise _unexpected(text, at, repr(character))
    return at + 1


def _skip_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _unexpected(text: str, at: int, expected: str) -> GraphError:
    found = repr(text[at]) if at < len(text) else "the end"
    after = f" after {text[max(0, at - 20) : at]!r}" if at else ""
    hint = ""
    if text[at : at + 1] == "\\":
        hint = " A backslash stands only before one of [ ] | : and itself."
    elif text[at : at + 1] in set("[]|:"):
        hint = " Inside a name, put a backslash before it."
    return GraphError(
        f"model string: expected {expected} at character {at + 1}{after}, found {found}.{hint}"
        " A model string looks like '[A][C][B|A:C]'."
    )
