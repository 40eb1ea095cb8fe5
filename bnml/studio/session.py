"""A session: all that a person has chosen and found so far, as one document.

Nothing in it can be changed; each step makes a new one. What the page is shown is made of it (`Session.document`), and
so is the file that it is kept in (`Session.values`, `session_of`). Tables and results are files beside it, which the
document names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import cache
from types import MappingProxyType, UnionType
from typing import Annotated, Any, Literal, Self, Union, get_args, get_origin, get_type_hints

from bnml._checks import is_number
from bnml.errors import ArgumentError, BnmlError
from bnml.five_steps.decisions import Decisions
from bnml.graph import Constraints
from bnml.search.options import OF_STRUCTURES, SHARED
from bnml.studio.session_folder import ENTRY

VERSION = 1
BEFORE_PRIORS = "uniform"  # of results in files from before there was a setting
MOST_REPETITIONS = 10_000


def _refusal(name: str, expected: str) -> ArgumentError:
    return ArgumentError(f"expected {expected}", argument=name)


def _once(value: tuple[Any, ...], name: str) -> tuple[Any, ...]:
    """Check a field: each item once."""
    return tuple(dict.fromkeys(value))


def _increasing(value: tuple[float, ...], name: str) -> tuple[float, ...]:
    """Check a field: numbers that increase."""
    if list(value) != sorted(set(value)):
        raise _refusal(name, "numbers that increase")
    return value


def _repetitions(value: int, name: str) -> int:
    """Check a field: so many repetitions as a person can wait for."""
    if value > MOST_REPETITIONS:
        raise _refusal(name, f"a whole number from 0 to {MOST_REPETITIONS:,}")
    return value


def _file_in(folder: str) -> Callable[[str, str], str]:
    """Return the check of a field that names a file of the session's folder; nothing else leads anywhere."""

    def check(value: str, name: str) -> str:
        if not value.startswith(folder) or not ENTRY.fullmatch(value):
            raise _refusal("session", f"the name of a file of a session, not {value!r}")
        return value

    return check


def _result_name(value: str, name: str) -> str:
    """Check a field: the name of a result."""
    _file_in("results/")(f"results/{value}.json", name)
    return value


Names = Annotated[tuple[str, ...], _once]
Pairs = Annotated[tuple[tuple[str, str], ...], _once]
Points = Annotated[tuple[float, ...], _increasing]


class _Checked:
    """A dataclass whose fields are checked, by their annotations, when they come from a file or from the page."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return what these plain values say, checked for their form alone."""
        checked: Self = _checked(cls, values, "session")
        return checked


@dataclass(frozen=True)
class TableChoices(_Checked):
    """How a table is read: which columns, what missing values become, where numbers are cut, what is of interest.

    The attributes are those of `bnml.read`; ``cuts`` are cut points that were set by hand.
    """

    left_out: Names = ()
    missing: Literal["error", "drop", "state"] = "error"
    na_values: Names = ()
    bins: str = "auto"
    cuts: Mapping[str, Points] = field(default_factory=dict)
    target: str | None = None

    @property
    def arguments(self) -> dict[str, Any]:
        """The choices as arguments of `bnml.read`."""
        bins = {"*": self.bins, **{x: list(points) for x, points in self.cuts.items() if x not in self.left_out}}
        given = {"missing": self.missing, "na_values": list(self.na_values), "bins": bins}
        return {**given, "drop": list(self.left_out)} if self.left_out else given


@dataclass(frozen=True)
class TableEntry(_Checked):
    """A table of the session.

    ``file``: its name in the folder. ``name``: what it was called. ``choices``: how it is read. ``look``: the name of
    what is in it, read so; None until it has been looked at.
    """

    file: Annotated[str, _file_in("tables/")]
    name: str
    choices: TableChoices = TableChoices()  # nothing in it can be changed
    look: Annotated[str, _file_in("looks/")] | None = None


@dataclass(frozen=True)
class KnownStructure(_Checked):
    """What is known of the structure, as it was said; it may contradict itself. See `bnml.Constraints`."""

    required: Pairs = ()
    forbidden: Pairs = ()
    required_links: Pairs = ()
    forbidden_links: Pairs = ()
    tiers: tuple[Names, ...] = ()

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


def learning_settings(
    values: Mapping[str, Any], name: str = "settings", usual: Mapping[str, Any] = SETTINGS
) -> dict[str, Any]:
    """Return settings, checked for their form alone: `bnml.studio.learning.learning_request` checks the rest.

    Raises
    ------
    ArgumentError
        If a value is of another kind than the default.
    """
    kinds: dict[str, Any] = {
        own: str if isinstance(value, str) else int | None if value is None else float
        for own, value in SETTINGS.items()
    }
    kinds["repetitions"] = Annotated[int, _repetitions]
    return {own: _checked(kind, values.get(own, usual[own]), own) for own, kind in kinds.items()}


def _each_once(value: Decisions, name: str) -> Decisions:
    """Check a field: decisions by hand, each once."""
    return Decisions() + value


Settings = Annotated[Mapping[str, Any], learning_settings]
Decided = Annotated[Decisions, _each_once]


def decisions_of(values: Mapping[str, Any]) -> Decisions:
    """Return decisions, checked for their form alone."""
    decided: Decisions = _checked(Decided, values, "decisions")
    return decided


@dataclass(frozen=True)
class ResultEntry(_Checked):
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

    id: Annotated[str, _result_name]
    summary: Mapping[str, Any]
    table: TableEntry
    knowledge: KnownStructure
    settings: Settings

    def is_stale(self, session: Session) -> bool:
        """Return whether the table, how it is read, or what is known has changed since."""
        now = session.table
        same = now is not None and (now.file, now.choices.arguments) == (self.table.file, self.table.choices.arguments)
        return not same or session.knowledge != self.knowledge

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return a checked entry."""
        values = _checked(Mapping[str, Any], values, "results")
        settings = _checked(Mapping[str, Any], values.get("settings"), "settings")
        return super().of({**values, "settings": {"prior": BEFORE_PRIORS, **settings}})


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
    settings: Settings = field(default_factory=lambda: SETTINGS)
    results: tuple[ResultEntry, ...] = ()
    current: str | None = None
    compared: str | None = None
    decisions: Mapping[str, Decided] = field(default_factory=dict)
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
    values = _checked(Mapping[str, Any], values, "session")
    found: Session = _checked(Session, {name: values[name] for name in UNDONE if name in values}, "session")
    return found.chosen()


def session_of(values: Any) -> Session:
    """Return the session of values that `Session.values` gave.

    Raises
    ------
    ArgumentError
        If they are something else.
    """
    values = _checked(Mapping[str, Any], values, "session")
    if values.get("version") != VERSION:
        raise ArgumentError(f"this is no session of version {VERSION}, which this bnml reads")
    results = tuple(map(ResultEntry.of, _checked(tuple[Any, ...], values.get("results", ()), "results")))
    found: Session = replace(_checked(Session, {**values, "results": ()}, "session"), results=results)
    last = max([found.last_result, *(int(one.id[1:]) for one in found.results)])
    shown = replace(found, current=None, compared=None, last_result=last).with_chosen(found.chosen())
    return replace(shown, evidence=found.evidence, do=found.do)


# --- what arrives, checked ---


def session_labels(value: Any, name: str) -> dict[str, str]:
    """Return the label that a session has for each of some variables, from plain values.

    Raises
    ------
    ArgumentError
        If it is something else.
    """
    labels: dict[str, str] = _checked(Mapping[str, str], value, name)
    return labels


def session_cut_points(value: Any) -> tuple[float, ...]:
    """Return the cut points that a session has, from plain values; they increase.

    Raises
    ------
    ArgumentError
        If they are something else.
    """
    points: tuple[float, ...] = _checked(Points, value, "cuts")
    return points


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _checked(kind: Any, value: Any, name: str) -> Any:
    """Return a plain value as an annotation says: a dataclass by its fields, a tuple, a mapping, a number, a text."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if origin is Annotated:
        return inner[1](_checked(inner[0], value, name), name)
    if origin in (Union, UnionType):
        return None if value is None else _checked(inner[0], value, name)
    if origin is Literal:
        if value not in inner:
            raise _refusal(name, f"one of {', '.join(inner)}")
        return value
    if isinstance(kind, type) and is_dataclass(kind):
        values = _checked(Mapping[str, Any], value, name)
        needed = [
            one.name for one in fields(kind)
            if one.name in values or (one.default is MISSING and one.default_factory is MISSING)
        ]  # fmt: skip
        return kind(**{own: _checked(_hints(kind)[own], values.get(own), own) for own in needed})
    if origin is Mapping:
        if not isinstance(value, Mapping):
            raise _refusal(name, "an object")
        return {_checked(str, key, name): _checked(inner[1], item, name) for key, item in value.items()}
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise _refusal(name, "a list")
        if inner[-1] is not ... and len(value) != len(inner):
            raise _refusal(name, "pairs of variables")
        return tuple(_checked(inner[0], item, name) for item in value)
    return _text(value, name) if kind is str else _number(kind, value, name)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise _refusal(name, "a text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:  # half of a letter, which no file can hold
        raise _refusal(name, "a text of whole letters") from None
    return value


def _number(kind: type, value: Any, name: str) -> float:
    # beyond, JSON has whole numbers that no float holds
    if not is_number(value) or abs(value) > 10**300 or not math.isfinite(value):
        raise _refusal(name, "a number")
    number = int(value) if float(value).is_integer() else float(value)
    if kind is int and (number < 0 or not isinstance(number, int)):
        raise _refusal(name, "a whole number from 0")
    return number
