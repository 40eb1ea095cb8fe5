"""Constraints from the texts of a command line: ``A>B``, ``A-B``, ``A,B|C``.

Names may hold the marks that separate them. A text is read in the one way that gives names of the table; where there
is more than one such way, or none, the TOML file of ``--config`` says what is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from bnml._text import did_you_mean, quoted, shortened
from bnml.cli.options import Config, Forbid, ForbidLink, Require, RequireLink, Tiers
from bnml.cli.settings import read_settings
from bnml.errors import ArgumentError
from bnml.graph import Constraints

KEYS = {  # of the library and the TOML file, with the option and the marks between two names
    "required": ("--require", ("->", ">")),
    "forbidden": ("--forbid", ("->", ">")),
    "required_links": ("--require-link", ("-",)),
    "forbidden_links": ("--forbid-link", ("-",)),
}


Known = Callable[[Sequence[str]], Constraints | None]


def known_structure(
    require: Require = None,
    forbid: Forbid = None,
    require_link: RequireLink = None,
    forbid_link: ForbidLink = None,
    tiers: Tiers = None,
    config: Config = None,
) -> Known:
    """Return a function of the variables of a table that gives the constraints on them; None if there are none."""
    pairs = {"required": require, "forbidden": forbid, "required_links": require_link, "forbidden_links": forbid_link}
    return partial(parse_constraints, pairs=pairs, tiers=tiers, settings=read_settings(config))


def parse_constraints(
    names: Sequence[str], pairs: Mapping[str, Sequence[str] | None], tiers: str | None, settings: Mapping[str, Any]
) -> Constraints | None:
    """Parse the constraints of options and of the TOML file on some variables; None if there are none.

    Parameters
    ----------
    names
        The variables.
    pairs
        For each of `KEYS` the texts of its option.
    tiers
        The text of ``--tiers``; it takes the place of that in the file.
    settings
        What the TOML file says; its arcs and links come on top of those of the options.
    """
    known = dict.fromkeys(names)
    arguments: dict[str, Any] = {key: list(settings.get(key, ())) for key in KEYS}
    for key, (option, marks) in KEYS.items():
        arguments[key] += [_pair(text, marks, known, option, key) for text in pairs.get(key) or ()]
    arguments["tiers"] = settings.get("tiers", ()) if tiers is None else _tiers(tiers, known)
    return Constraints(**arguments) if any(arguments.values()) else None


def link_of(text: str, option: str, names: Sequence[str]) -> tuple[str, str]:
    """Return the two variables of a link that an option such as ``--require-link`` names."""
    return _pair(text, ("-",), dict.fromkeys(names), option, "required_links")


def arc_of(text: str, option: str, names: Sequence[str]) -> tuple[str, str]:
    """Return the two variables of an arc that an option such as ``--require`` names."""
    return _pair(text, ("->", ">"), dict.fromkeys(names), option, "required")


def _pair(text: str, marks: Sequence[str], known: Collection[str], option: str, key: str) -> tuple[str, str]:
    """Return the two names that a text holds."""
    cuts = {at for mark in marks for at in _places(text, mark)}
    splits = dict.fromkeys((_name(text[:start], known), _name(text[stop:], known)) for start, stop in sorted(cuts))
    fitting = [split for split in splits if split[0] in known and split[1] in known]
    if len(fitting) == 1:
        return fitting[0]
    given = f"{option} {shortened(text, 60)!r}"
    if not splits:
        raise ArgumentError(f"{given}: expected two names, 'A{marks[-1]}B', in quotes")
    outer = max(cuts, key=lambda cut: cut[1] - cut[0])
    if not fitting and (len(cuts) == 1 or outer == (min(cuts)[0], max(cuts)[1])):
        _refuse_unknown(given, (text[: outer[0]], text[outer[1] :]), known)
    raise ArgumentError(f'{given}: {_why(len(fitting))}; put it into a --config file: {key} = [["A", "B"]]')


def _tiers(text: str, known: Collection[str]) -> list[list[str]]:
    """Return the groups of names that a text holds."""
    pieces = re.split(r"([,|])", text)  # texts and marks in turn
    readings = _readings(pieces, known)
    if len(readings) == 1:
        tiers: list[list[str]] = [[]]
        for name, mark in readings[0]:
            tiers[-1].append(name)
            tiers += [[]] if mark == "|" else []
        return tiers
    given = f"--tiers {shortened(text, 60)!r}"
    if not readings:
        _refuse_unknown(given, pieces[::2], known)
    raise ArgumentError(f'{given}: {_why(len(readings))}; put them into a --config file: tiers = [["A", "B"], ["C"]]')


Reading = tuple[tuple[str, str], ...]


def _readings(pieces: Sequence[str], known: Collection[str]) -> list[Reading]:
    """Return the first two ways to join pieces to known names: the names, each with the mark after it."""
    longest = max(map(len, known), default=0)
    ways: list[list[Reading]] = [[] for _ in range(len(pieces) + 2)]
    ways[-1] = [()]  # after the end there is nothing to read
    for start in range(len(pieces) - 1, -1, -2):
        for stop in range(start + 1, len(pieces) + 1, 2):
            text = "".join(pieces[start:stop])
            if len(text.strip()) > longest or len(ways[start]) > 1:
                break
            name, mark = _name(text, known), pieces[stop] if stop < len(pieces) else ""
            if name in known:
                ways[start] += [((name, mark), *rest) for rest in ways[stop + 1]]
    return ways[0][:2]


def _places(text: str, mark: str) -> list[tuple[int, int]]:
    return [(match.start(), match.start() + len(mark)) for match in re.finditer(f"(?={re.escape(mark)})", text)]


def _name(text: str, known: Collection[str]) -> str:
    """Return a text as a name; the spaces around it may belong to it."""
    return text if text in known else text.strip()


def _refuse_unknown(given: str, texts: Sequence[str], known: Collection[str]) -> None:
    for text in texts:
        name = _name(text, known)
        if not name:
            raise ArgumentError(f"{given}: a name is missing")
        if name not in known:
            raise ArgumentError(
                f"{given}: there is no variable {shortened(name, 60)!r}.{did_you_mean(name, known)}"
                f" The variables are {quoted(known)}."
            )


def _why(readings: int) -> str:
    return "it can be read in more than one way" if readings else "there is no way to read it as names of variables"
