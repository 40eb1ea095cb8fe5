"""The arguments of `read`, checked before anything is read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bnml._checks import one_of, refuse
from bnml._text import clip, quoted
from bnml.data.bene import read_vd
from bnml.data.bins import Bins, parse_bins
from bnml.data.engine_sources import COUNTING_CHOICES, limit_of_reading
from bnml.data.labels import MISSING_CHOICES, is_missing, kept_table_names, label_text, name_not_in_table, plain_label
from bnml.errors import ArgumentError, DataError, argument

OTHERS = "*"  # in a mapping of bins: all columns that it does not name


@dataclass(frozen=True)
class ReadOptions:
    """Options of `read`, validated; ``limit`` is how many bytes a table in an engine may take here."""

    columns: list[str] | None
    states: dict[str, list[Any]]
    states_file: Path | None
    missing: str
    na_texts: frozenset[str]
    bins: Bins | None
    bins_of: dict[str, Bins]
    weights: str | None
    drop: list[str]
    interventions: str | None = None
    counting: str = "auto"
    limit: int = 0

    def kept(self, names: Sequence[str]) -> list[str]:
        """Return which of a table's columns to read, once all that was asked for has been checked against them."""
        self.check_columns(names)
        kept = [name for name in kept_table_names(names, self.columns) if name not in self.drop]
        if not kept:
            raise ArgumentError(argument("drop") + " leaves no columns")
        for target in self.targets:
            if target not in kept or target in self.no_variables:
                raise refuse("bins", f"target:{target}", f"column {clip(target)!r} is left out, or no variable")
        return kept + [name for name in self.no_variables if name not in kept]

    @property
    def no_variables(self) -> list[str]:
        """The columns that are read, and are no variables: weights and interventions."""
        return [name for name in (self.weights, self.interventions) if name is not None]

    @property
    def targets(self) -> list[str]:
        """The columns that others are cut for."""
        asked = [*self.bins_of.values(), *([] if self.bins is None else [self.bins])]
        return sorted({str(bins[1]) for bins in asked if bins[:1] == ("target",)})

    def check_columns(self, names: Sequence[str]) -> None:
        """Check what was asked for against the columns that are there.

        Raises
        ------
        ArgumentError
            If a column is named that is not there.
        DataError
            If a ``.vd`` file goes with another table.
        """
        known = set(names)
        if self.weights is not None and self.weights not in known:
            raise name_not_in_table("weights", self.weights, names)
        if self.interventions is not None and self.interventions not in known:
            raise name_not_in_table("interventions", self.interventions, names)
        for name in (*self.bins_of, *self.targets):
            if name not in known:
                raise name_not_in_table("bins", name, names)
        for name in self.drop:
            if name not in known:
                raise name_not_in_table("drop", name, names)
        absent = [name for name in self.states if name not in known]
        if absent and self.states_file is None:
            raise name_not_in_table("states", absent[0], names)
        undeclared = [name for name in names if name not in self.states and name not in self.no_variables]
        if absent and undeclared:  # either alone is fine
            raise DataError(
                f"{str(self.states_file)!r} declares {quoted(map(clip, absent), most=3)}, which the table does not "
                f"have, and not {quoted(map(clip, undeclared), most=3)}, which it has: use the same names"
            )


def check_arguments(
    *,
    columns: Any = None,
    states: Any = None,
    missing: Any = "error",
    na_values: Any = (),
    bins: Any = None,
    weights: Any = None,
    drop: Any = None,
    interventions: Any = None,
    counting: Any = "auto",
    memory_limit: Any = None,
) -> ReadOptions:
    """Return the arguments of `read` in one form.

    Raises
    ------
    ArgumentError
        If one of them is not what it should be; the message names it.
    DataError
        If the file of states cannot be read.
    """
    one_of(missing, "missing", MISSING_CHOICES)
    one_of(counting, "counting", COUNTING_CHOICES)
    every_bins, bins_of = _checked_bins(bins)
    states_file = Path(os.fsdecode(states)) if isinstance(states, str | os.PathLike) else None
    asked = ReadOptions(
        columns=_checked_columns(columns),
        states=_checked_states(states) if states_file is None else dict(read_vd(states_file)),
        states_file=states_file,
        missing=missing,
        na_texts=_checked_na_values(na_values),
        bins=every_bins,
        bins_of=bins_of,
        weights=_checked_name(weights, "weights", "frequencies"),
        drop=_checked_drop(drop),
        interventions=_checked_name(interventions, "interventions", "targets"),
        counting=counting,
        limit=limit_of_reading(memory_limit),
    )
    if both := set(asked.states) & set(bins_of):
        raise ArgumentError(
            f"column {clip(min(both))!r} has both "
            + argument("states")
            + " and "
            + argument("bins")
            + ": give one of them"
        )
    for name in ("weights", "interventions"):
        own = getattr(asked, name)
        if own in bins_of or (own in asked.states and states_file is None):
            raise ArgumentError(f"column {clip(own)!r} is no variable, it has neither states nor bins", argument=name)
        if own in asked.drop:
            raise ArgumentError(f"column {clip(own)!r} is both " + argument(name) + " and " + argument("drop"))
    if asked.weights is not None and asked.weights == asked.interventions:
        raise ArgumentError(
            f"column {clip(asked.weights)!r} is both " + argument("weights") + " and " + argument("interventions")
        )
    return asked


def _checked_bins(bins: Any) -> tuple[Bins | None, dict[str, Bins]]:
    if bins is None:
        return None, {}
    if isinstance(bins, Mapping):
        parsed = {str(name): parse_bins(spec, f"bins[{clip(name)!r}]") for name, spec in bins.items()}
        every = parsed.pop(OTHERS, None)
        if every is not None and not isinstance(bins[OTHERS], str):
            raise refuse(f"bins[{OTHERS!r}]", bins[OTHERS], "expected a text such as 'auto', for all other columns")
        for name, own in parsed.items():
            if own == ("target", name):
                raise refuse(f"bins[{clip(name)!r}]", bins[name], "a column cannot be cut for itself")
        return every, parsed
    if isinstance(bins, str):
        return parse_bins(bins, "bins"), {}
    raise refuse("bins", bins, "expected a text such as 'quantile:4', or a mapping from columns to bins")


def _listed(values: Any, name: str, what: str) -> list[Any]:
    """Return values that come in an order as a list; a single text, a mapping or a set does not."""
    if isinstance(values, str | bytes | Mapping | Set) or not isinstance(values, Iterable):
        order = ", which has an order" if isinstance(values, Set) else ""
        raise refuse(name, values, f"expected a list of {what}{order}")
    items = list(values)
    if not items:
        raise ArgumentError(argument(name) + f" is empty: give at least one of the {what}")
    return items


def _checked_columns(columns: Any) -> list[str] | None:
    if columns is None:
        return None
    wanted = [str(name) for name in _listed(columns, "columns", "column names")]
    if len(set(wanted)) < len(wanted):
        twice = next(name for name in wanted if wanted.count(name) > 1)
        raise ArgumentError(f"{clip(twice)!r} is named twice", argument="columns")
    return wanted


def _checked_drop(drop: Any) -> list[str]:
    if drop is None or (isinstance(drop, list | tuple) and not drop):
        return []
    return [str(name) for name in _listed(drop, "drop", "column names")]


def _checked_states(states: Any) -> dict[str, list[Any]]:
    if states is None:
        return {}
    if not isinstance(states, Mapping):
        raise refuse("states", states, "expected a mapping from columns to labels, or the path of a .vd file")
    declared = {}
    for name, labels in states.items():
        declared[str(name)] = [plain_label(label) for label in _listed(labels, f"states[{clip(name)!r}]", "labels")]
        if any(is_missing(label) for label in declared[str(name)]):
            raise ArgumentError(
                f"states[{clip(name)!r}] holds None or NaN, which is no label: for a state of the missing values pass "
                + argument("missing", "state")
            )
    return declared


def _checked_na_values(na_values: Any) -> frozenset[str]:
    if isinstance(na_values, Mapping):
        raise refuse("na_values", na_values, "expected texts, which hold for all columns")
    single = isinstance(na_values, str) or not isinstance(na_values, Iterable)
    values = [na_values] if single else list(na_values)
    return frozenset(label_text(value) for value in values if not is_missing(value))


def _checked_name(name: Any, which: str, holds: str) -> str | None:
    if name is None or isinstance(name, str):
        return name
    if isinstance(name, int | np.integer):
        return str(name)
    raise refuse(which, name, f"expected the name of a column of {holds}")
