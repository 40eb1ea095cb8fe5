"""A figure: what was measured, the bar it is held against, and whether it clears it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One measured number.

    ``bar``: None for a figure that is only reported. ``higher``: more is better. ``note``: how it was measured.
    """

    name: str
    value: float
    unit: str
    bar: float | None = None
    higher: bool = False
    note: str = ""

    @property
    def verdict(self) -> str:
        """``ok``, ``miss``, or nothing where there is no bar."""
        if self.bar is None:
            return ""
        return "ok" if (self.value >= self.bar if self.higher else self.value <= self.bar) else "miss"

    def row(self) -> list[str]:
        """Return the cells of its row in the table."""
        sign = "≥" if self.higher else "≤"
        bar = "" if self.bar is None else f"{sign} {_short(self.bar)} {self.unit}".rstrip()
        return [self.name, f"{_short(self.value)} {self.unit}".rstrip(), bar, self.verdict, self.note]


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def best_of(action: Callable[[], object], repetitions: int = 5) -> float:
    """Return the shortest time of several runs, in seconds, after one to warm up."""
    action()
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)
