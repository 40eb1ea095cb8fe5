"""Counts: the only reader of rows. `Counts` is what all others ask; `counts_of` gives the counts of a table."""

from __future__ import annotations

from bnml.counts.batches import FamilyBatch, Lookups, as_float, batch_of, configurations
from bnml.counts.cells import Cells, FamilyCounts, family_counts
from bnml.counts.chi_square import Questions, Verdict, log_survival, pair_statistic
from bnml.counts.counts import Counts, counts_of
from bnml.counts.tables import contingency

__all__ = [
    "Cells",
    "Counts",
    "FamilyBatch",
    "FamilyCounts",
    "Lookups",
    "Questions",
    "Verdict",
    "as_float",
    "batch_of",
    "configurations",
    "contingency",
    "counts_of",
    "family_counts",
    "log_survival",
    "pair_statistic",
]
