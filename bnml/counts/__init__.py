"""Counts: the only reader of rows. `Counts` is what all others ask; `counts_of` gives the counts of a table."""

from __future__ import annotations

from bnml.counts.batches import FamilyBatch, Lookups, batch_of, configurations
from bnml.counts.chi_square import Questions, Verdict, chi_square_statistic, log_survival
from bnml.counts.counts import Cells, Counts, FamilyCounts, counts_of, family_counts
from bnml.counts.tables import contingency

__all__ = [
    "Cells",
    "Counts",
    "FamilyBatch",
    "FamilyCounts",
    "Lookups",
    "Questions",
    "Verdict",
    "batch_of",
    "chi_square_statistic",
    "configurations",
    "contingency",
    "counts_of",
    "family_counts",
    "log_survival",
]
