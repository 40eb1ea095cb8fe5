"""A session: all that a person has chosen and found so far, as one document.

Nothing in it can be changed; each step makes a new one. What the page is shown is made of it (`Session.document`), and
so is the file that it is kept in (`Session.values`, `session_of`). Tables and results are files beside it, which the
document names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

from bnml._checks import is_number
from bnml.errors import ArgumentError, BnmlError, argument
from bnml.five_steps.decisions import Decisions
from bnml.graph import Constraints
from bnml.search.options import OF_STRUCTURES, SHARED
from bnml.studio.session_folder import ENTRY

VERSION = 1
MISSING = ("error", "drop", "state")
BEFORE_PRIORS = "uniform"  # of results in files from before there was a setting
MOST_REPETITIONS = 10_000
LARGEST = 10**300  # that a number may be; beyond, JSON has whole numbers that no float holds

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class TableChoices:
    """How a table is read: which columns, what missing values become, where numbers are cut, what is of interest.

    The attributes are those of `bnml.read`; ``cuts`` are cut points that were set by hand.
    """

    left_out: tuple[str, ...] = ()
    missing: str = "error"
    na_values: tuple[str, ...] = ()
    bins: str = "auto"
    cuts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    target: str | None = None

    @property
    def arguments(self) -> dict[str, Any]:
        """The choices as arguments of `bnml.read`."""
        bins = {"*": self.bins, **{x: list(points) for x, points in self.cuts.items() if x not in self.left_out}}
        given = {"missing": self.missing, "na_values": list(self.na_values), "bins": bins}
        return {**given, "drop": list(self.left_out)} if self.left_out else given

    @staticmethod
    def of(values: Mapping[str, Any]) -> TableChoices:
        """Return checked choices."""
        cuts = _mapping(values.get("cuts", {}), "cuts")
        return TableChoices(
            left_out=_texts(values.get("left_out", ()), "left_out"),
            missing=_one_of(values.get("missing", "error"), "missing", MISSING),
            na_values=_texts(values.get("na_values", ()), "na_values"),
            bins=_text(values.get("bins", "auto"), "bins"),
            cuts={x: session_cut_points(points) for x, points in cuts.items()},
            target=_text_or_none(values.get("target"), "target"),
        )


@dataclass(frozen=True)
class TableEntry:
    """A table of the session.

    ``file``: its name in the folder. ``name``: what it was called. ``choices``: how it is read. ``look``: the name of
    what is in it, read so; None until it has been looked at.
    """

    file: str
    name: str
    choices: TableChoices = TableChoices()  # nothing in it can be changed
    look: str | None = None

    @staticmethod
    def of(values: Mapping[str, Any]) -> TableEntry:
        """Return a checked entry."""
        look = values.get("look")
        return TableEntry(
            _entry(values.get("file"), "tables/"),
            _text(values.get("name"), "name"),
            TableChoices.of(_mapping(values.get("choices"), "choices")),
            None if look is None else _entry(look, "looks/"),
        )


@dataclass(frozen=True)
class KnownStructure:
    """What is known of the structure, as it was said; it may contradict itself. See `bnml.Constraints`."""

    required: Pairs = ()
    forbidden: Pairs = ()
    required_links: Pairs = ()
    forbidden_links: Pairs = ()
    tiers: tuple[tuple[str, ...], ...] = ()

    @staticmethod
    def of(values: Mapping[str, Any]) -> KnownStructure:
        """Return what was said, checked for its form alone."""
        pairs = {one.name: _pairs(values.get(one.name, ()), one.name) for one in fields(KnownStructure)[:4]}
        tiers = tuple(_texts(tier, "tiers") for tier in _items(values.get("tiers", ()), "tiers"))
        return KnownStructure(**pairs, tiers=tiers)

    def constraints(self, names: Sequence[str]) -> Constraints | None:
        """Return it as constraints on variables; None for nothing. What is about others is left out.

        Raises
        ------
        BnmlError
            If it contradicts itself.
        """
        known = set(names)
        pairs = {
            one.name: [pair for pair in getattr(self, one.name) if known.issuperset(pair)]
            for one in fields(KnownStructure)[:4]
        }
        tiers = [[name for name in tier if name in known] for tier in self.tiers]
        tiers = [tier for tier in tiers if tier]
        if not any(pairs.values()) and len(tiers) < 2:
            return None
        return Constraints(**pairs, tiers=tiers)

    def not_used(self, columns: Mapping[str, bool]) -> dict[str, str]:
        """Return the variables that it is about and that do not take part, each with the reason.

        Parameters
        ----------
        columns
            The columns of the table, and whether they take part.

        Examples
        --------
        >>> known = KnownStructure(required=(("A", "B"),), tiers=(("C",), ("A",)))
        >>> known.not_used({"A": True, "B": False})
        {'B': 'is switched off', 'C': 'is not in the table'}
        """
        pairs = (pair for one in fields(KnownStructure)[:4] for pair in getattr(self, one.name))
        named = dict.fromkeys(name for group in (*pairs, *self.tiers) for name in group)
        return {
            name: "is switched off" if name in columns else "is not in the table"
            for name in named
            if not columns.get(name, False)
        }

    def contradiction(self, names: Sequence[str], words: Callable[[BnmlError], str]) -> str | None:
        """Return what contradicts what, or None."""
        try:
            self.constraints(names)
        except BnmlError as error:
            return words(error)
        return None


SETTINGS: Mapping[str, Any] = MappingProxyType(
    {"search": "auto", "alpha": 0.05, "repetitions": 100}
    | {name: SHARED[name].default for name in ("score", "prior", *OF_STRUCTURES)}
)
"""How a structure is learned, with the defaults: options of `bnml.study` that the page has."""


def learning_settings(values: Mapping[str, Any], usual: Mapping[str, Any] = SETTINGS) -> dict[str, Any]:
    """Return settings, checked for their form alone: `learning_request` checks the rest.

    Raises
    ------
    ArgumentError
        If a value is of another kind than the default.
    """
    found = {name: values.get(name, value) for name, value in usual.items()}
    for name, value in found.items():
        if isinstance(SETTINGS[name], str):
            _text(value, name)
        elif value is not None or SETTINGS[name] is not None:
            found[name] = _whole(value, name) if SETTINGS[name] is None else _number(value, name)
    _whole(found["repetitions"], "repetitions", MOST_REPETITIONS)
    return found


def decisions_of(values: Mapping[str, Any]) -> Decisions:
    """Return decisions, checked for their form alone."""
    return Decisions(**{one.name: _pairs(values.get(one.name, ()), one.name) for one in fields(Decisions)})


@dataclass(frozen=True)
class ResultEntry:
    """A result that was found.

    Attributes
    ----------
    id
        Its name.
    summary
        What the list of results says of it, as plain values.
    table, knowledge, settings
        What it was learned from, and how; where the session has others by now it is stale.
    """

    id: str
    summary: Mapping[str, Any]
    table: TableEntry
    knowledge: KnownStructure
    settings: Mapping[str, Any]

    def is_stale(self, session: Session) -> bool:
        """Return whether the table, how it is read, or what is known has changed since."""
        now = session.table
        same = now is not None and (now.file, now.choices.arguments) == (self.table.file, self.table.choices.arguments)
        return not same or session.knowledge != self.knowledge

    @staticmethod
    def of(values: Mapping[str, Any]) -> ResultEntry:
        """Return a checked entry."""
        name = _text(values.get("id"), "id")
        _entry(f"results/{name}.json", "results/")
        return ResultEntry(
            name,
            _mapping(values.get("summary"), "summary"),
            TableEntry.of(_mapping(values.get("table"), "table")),
            KnownStructure.of(_mapping(values.get("knowledge"), "knowledge")),
            learning_settings({"prior": BEFORE_PRIORS, **_mapping(values.get("settings"), "settings")}),
        )


UNDONE = ("table", "knowledge", "settings", "current", "compared", "decisions")
"""What undo takes back: what a person chose. What was found stays."""


@dataclass(frozen=True)
class Session:
    """All that was chosen and found so far.

    Attributes
    ----------
    table, knowledge, settings
        The table, what is known of the structure, and how it is learned.
    results
        What was found.
    current, compared
        Which result is shown, and which beside it.
    decisions
        For each result what was decided by hand.
    evidence, do
        What is asked: variables that are observed, and that are set.
    revision
        Grows with every change.
    last_result
        The number of the last result that was found.
    """

    table: TableEntry | None = None
    knowledge: KnownStructure = KnownStructure()
    settings: Mapping[str, Any] = field(default_factory=lambda: SETTINGS)
    results: tuple[ResultEntry, ...] = ()
    current: str | None = None
    compared: str | None = None
    decisions: Mapping[str, Decisions] = field(default_factory=dict)
    evidence: Mapping[str, str] = field(default_factory=dict)
    do: Mapping[str, str] = field(default_factory=dict)
    revision: int = 0
    last_result: int = 0

    def chosen(self) -> dict[str, Any]:
        """Return what undo takes back."""
        return {name: getattr(self, name) for name in UNDONE}

    def with_chosen(self, values: Mapping[str, Any]) -> Session:
        """Return the session with what was chosen at another time; of results that are no more nothing is shown."""
        later = replace(self, **values)
        current = later.current if self.has(later.current) else self.current
        compared = later.compared if self.has(later.compared) else None
        if current != self.current:
            later = replace(later, evidence={}, do={})  # questions are to the current network
        return replace(later, current=current if self.has(current) else None, compared=compared)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was chosen or found yet."""
        return self.table is None and not self.results and self.knowledge == KnownStructure()

    def has(self, result: str | None) -> bool:
        """Return whether there is such a result."""
        return any(one.id == result for one in self.results)

    @property
    def decided(self) -> Decisions:
        """What was decided by hand of the current result."""
        return self.decisions.get(self.current or "", Decisions())

    def files(self) -> set[str]:
        """Return the files beside it that it names."""
        tables = [one.table for one in self.results] + ([] if self.table is None else [self.table])
        named = [name for table in tables for name in (table.file, table.look) if name is not None]
        return {*named, *(f"results/{one.id}" for one in self.results)}

    def values(self) -> dict[str, Any]:
        """Return it as plain values, for a file."""
        return {**plain_fields(self), "version": VERSION}


def plain_fields(value: Any) -> Any:
    """Return what a session is made of as plain values."""
    if hasattr(value, "__dataclass_fields__"):
        return {one.name: plain_fields(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {name: plain_fields(item) for name, item in value.items()}
    return [plain_fields(item) for item in value] if isinstance(value, list | tuple) else value


def chosen_in_session(values: Any) -> dict[str, Any]:
    """Return what undo takes back in a session, from plain values.

    Raises
    ------
    ArgumentError
        If something is not as it is written.
    """
    values = _mapping(values, "session")
    table = values.get("table")
    decisions = _mapping(values.get("decisions", {}), "decisions")
    return {
        "table": None if table is None else TableEntry.of(_mapping(table, "table")),
        "knowledge": KnownStructure.of(_mapping(values.get("knowledge", {}), "knowledge")),
        "settings": learning_settings(_mapping(values.get("settings", {}), "settings")),
        "current": _text_or_none(values.get("current"), "current"),
        "compared": _text_or_none(values.get("compared"), "compared"),
        "decisions": {name: decisions_of(_mapping(own, "decisions")) for name, own in decisions.items()},
    }


def session_of(values: Any) -> Session:
    """Return the session of values that `Session.values` gave.

    Raises
    ------
    ArgumentError
        If they are something else.
    """
    values = _mapping(values, "session")
    if values.get("version") != VERSION:
        raise ArgumentError(f"this is no session of version {VERSION}, which this bnml reads")
    results = tuple(ResultEntry.of(_mapping(one, "results")) for one in _items(values.get("results", ()), "results"))
    found = Session(
        results=results,
        evidence=session_labels(values.get("evidence", {}), "evidence"),
        do=session_labels(values.get("do", {}), "do"),
        revision=_whole(values.get("revision", 0), "revision"),
        last_result=max([_whole(values.get("last_result", 0), "last_result"), *(int(one.id[1:]) for one in results)]),
    )
    evidence, do = found.evidence, found.do
    return replace(found.with_chosen(chosen_in_session(values)), evidence=evidence, do=do)


# --- what arrives, checked ---


def session_labels(value: Any, name: str) -> dict[str, str]:
    """Return the label that a session has for each of some variables, from plain values.

    Raises
    ------
    ArgumentError
        If it is something else.
    """
    return {x: _text(label, name) for x, label in _mapping(value, name).items()}


def session_cut_points(value: Any) -> tuple[float, ...]:
    """Return the cut points that a session has, from plain values; they increase.

    Raises
    ------
    ArgumentError
        If they are something else.
    """
    points = _numbers(value, "cuts")
    if list(points) != sorted(set(points)):
        raise _refusal("cuts", "numbers that increase")
    return points


def _refusal(name: str, expected: str) -> ArgumentError:
    return ArgumentError(f"{argument(name)}: expected {expected}")


def _mapping(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise _refusal(name, "an object")
    return {_text(key, name): item for key, item in value.items()}


def _items(value: Any, name: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise _refusal(name, "a list")
    return value


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise _refusal(name, "a text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:  # half of a letter, which no file can hold
        raise _refusal(name, "a text of whole letters") from None
    return value


def _text_or_none(value: Any, name: str) -> str | None:
    return None if value is None else _text(value, name)


def _texts(value: Any, name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_text(item, name) for item in _items(value, name)))


def _pairs(value: Any, name: str) -> Pairs:
    pairs = [_items(item, name) for item in _items(value, name)]
    if any(len(pair) != 2 for pair in pairs):
        raise _refusal(name, "pairs of variables")
    return tuple(dict.fromkeys((_text(a, name), _text(b, name)) for a, b in pairs))


def _number(value: Any, name: str) -> float:
    if not is_number(value) or abs(value) > LARGEST or not math.isfinite(value):
        raise _refusal(name, "a number")
    return int(value) if float(value).is_integer() else float(value)


def _whole(value: Any, name: str, most: int | None = None) -> int:
    number = _number(value, name)
    if not isinstance(number, int) or number < 0 or (most is not None and number > most):
        raise _refusal(name, f"a whole number from 0{'' if most is None else f' to {most:,}'}")
    return number


def _numbers(value: Any, name: str) -> tuple[float, ...]:
    return tuple(_number(item, name) for item in _items(value, name))


def _one_of(value: Any, name: str, choices: Sequence[str]) -> str:
    if value not in choices:
        raise _refusal(name, f"one of {', '.join(choices)}")
    return str(value)


def _entry(value: Any, begins: str) -> str:
    """Return the name of a file of the session's folder; nothing else leads anywhere."""
    if not isinstance(value, str) or not value.startswith(begins) or not ENTRY.fullmatch(value):
        raise _refusal("session", f"the name of a file of a session, not {value!r}")
    return value
