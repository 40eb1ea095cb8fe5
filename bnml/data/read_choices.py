"""How a table was read, as far as that holds for every other table of the same variables.

States and cuts belong to the variables. What else `read` was told is here: what stands for a missing value, what became
of missing values, and which columns held codes in place of labels; and what it learned of binned numbers, the median of
each bin. A `Data` keeps it, and a network that is fitted to one; `bnml.data.matching` applies it to new tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from bnml._text import quoted_value
from bnml.data.labels import MISSING_LABEL, is_missing, label_text, label_without_point
from bnml.errors import ArgumentError

MISSING_CHOICES = ("error", "drop", "state", "em")


@dataclass(frozen=True)
class Reading:
    """What `read` was told.

    Attributes
    ----------
    missing
        ``"error"``, ``"drop"``, ``"state"`` or ``"em"``; None if nobody knows: then a missing value is the state ``?``
        of the variables that have one.
    na_values
        The texts that stand for a missing value, besides those that always do.
    coded
        The columns whose tables held codes from 0 in place of the labels that a ``.vd`` file declares.
    medians
        By binned column the median of the numbers in each bin, as pairs. They fill missing values, and do not count
        when two readings are compared.

    Raises
    ------
    ArgumentError
        If one of these is something else.
    """

    missing: str | None = None
    na_values: tuple[str, ...] = ()
    coded: tuple[str, ...] = ()
    medians: tuple[tuple[str, tuple[float, ...]], ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if self.missing not in (None, *MISSING_CHOICES):
            allowed = ", ".join(map(repr, MISSING_CHOICES))
            raise ArgumentError(f"the treatment of missing values is {quoted_value(self.missing)}, none of {allowed}")
        for name, what in (("na_values", "texts of missing values"), ("coded", "columns of codes")):
            given: Any = getattr(self, name)
            if isinstance(given, str) or not isinstance(given, Iterable):
                raise ArgumentError(f"expected a list as {what}, not {quoted_value(given)}")
            texts = tuple(given)
            if not all(isinstance(text, str) for text in texts):
                raise ArgumentError(f"expected texts as {what}, not {quoted_value(list(texts))}")
            object.__setattr__(self, name, tuple(sorted(set(texts))))
        try:
            medians = tuple((str(name), tuple(map(float, numbers))) for name, numbers in dict(self.medians).items())
        except (TypeError, ValueError):
            medians = (("", (math.nan,)),)
        if not all(math.isfinite(number) for _, numbers in medians for number in numbers):
            raise ArgumentError(f"expected the medians of bins by column, not {quoted_value(self.medians)}")
        object.__setattr__(self, "medians", medians)

    @property
    def gaps_are_states(self) -> bool:
        """Whether a missing value is the state ``?`` of a variable that has one."""
        return self.missing in (None, "state")

    def gap_code(self, labels: Iterable[Any]) -> int:
        """Return the place of the state that missing values are; -1 if they are none."""
        if not self.gaps_are_states:
            return -1
        return next((code for code, label in enumerate(labels) if label_text(label) == MISSING_LABEL), -1)

    def proper_labels(self, labels: Sequence[Any]) -> list[Any]:
        """Return a variable's labels without that of missing values."""
        gap = self.gap_code(labels)
        return [label for code, label in enumerate(labels) if code != gap]

    def gap_texts(self, labels: Sequence[Any]) -> frozenset[str]:
        """Return which of ``na_values`` stand for a missing value of a variable: those that are no label of it."""
        own = {label_without_point(label_text(label)) for label in self.proper_labels(labels)}
        return frozenset(map(label_without_point, self.na_values)) - own

    def is_gap(self, value: Any, labels: Sequence[Any]) -> bool:
        """Return whether a value of a variable with these labels stands for a missing one."""
        return is_missing(value) or label_without_point(label_text(value)) in self.gap_texts(labels)

    def medians_of(self, name: str) -> tuple[float, ...] | None:
        """Return the median of each bin of a column; None if they are not known."""
        return dict(self.medians).get(name)

    def of(self, names: Iterable[str]) -> Reading:
        """Return what holds for these columns only."""
        kept = set(names)
        return replace(
            self,
            coded=tuple(name for name in self.coded if name in kept),
            medians=tuple((name, own) for name, own in self.medians if name in kept),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, without what is not there."""
        values = {
            "missing": self.missing,
            "na_values": list(self.na_values),
            "coded": list(self.coded),
            "medians": {name: list(numbers) for name, numbers in self.medians},
        }
        return {key: value for key, value in values.items() if value}

    @staticmethod
    def from_dict(values: Any) -> Reading:
        """Return what `to_dict` gave.

        Raises
        ------
        ArgumentError
            If it is something else.
        """
        if not isinstance(values, Mapping):
            raise ArgumentError(f"expected how a table was read, such as {{'missing': 'drop'}}, not {values!r:.60}")
        return Reading(*(values.get(key, own) for key, own in asdict(Reading()).items()))
