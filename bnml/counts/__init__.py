"""Counts: contingency tables of any set of columns over the distinct rows, and sums over their cells."""

from __future__ import annotations

from bnml.counts.sums import FamilyBatch, Lookups, addition_sums, as_float, batch_of, configurations, family_sums
from bnml.counts.tables import FamilyCounts, Occupied, contingency, family_counts, occupied

__all__ = [
    "FamilyBatch",
    "FamilyCounts",
    "Lookups",
    "Occupied",
    "addition_sums",
    "as_float",
    "batch_of",
    "configurations",
    "contingency",
    "family_counts",
    "family_sums",
    "occupied",
]
