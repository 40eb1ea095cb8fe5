"""How much memory it takes to score all families of a table, beside what is kept of their scores."""

from __future__ import annotations

from bnml._costs import BYTES
from bnml._machine import gigabytes, memory_limit_of
from bnml.counts import Counts
from bnml.counts.batches import DIRECT
from bnml.counts.lattice import WalkOrder
from bnml.errors import SearchError
from bnml.nml.rising import STIRLING_FROM
from bnml.scores.family_terms import MOST_CACHED
from bnml.scores.lattice.lattice import has_lattice
from bnml.scores.lattice.terms import terms_that_rise
from bnml.scores.local import LocalScores


def scoring_bytes(local: LocalScores, threads: int, *, walks: bool = True) -> int:
    """Return how many bytes the scores of all families take at most, beside these scores and the terms of sets.

    Parameters
    ----------
    local
        The local scores; their lookup tables are not made for this.
    threads
        How many threads are used.
    walks
        Whether a walk over all sets may find the scores; otherwise each set is counted afresh.

    Returns
    -------
    int
        The sum of what the table takes, the score's lookup tables, and for each thread its counts, or the partitions
        of the rows on its way to a set.
    """
    data = local.data
    outline = local.outline
    tables = 0 if outline is None else 1 + len(outline.margin)
    ess = 0.0 if outline is None else outline.ess
    alone = outline is None  # each family is scored on its own
    walks = walks and not alone
    needed = data.nbytes + 16 * local.counts.n_distinct
    needed += threads * (BYTES.dense + (_partitions(local.counts) if walks else BYTES.hashed * local.counts.n_distinct))
    if alone:
        needed += BYTES.remembered * min(len(data.names) << (len(data.names) - 1), MOST_CACHED)
    if ess == 0.0:
        needed += BYTES.lookup * tables * min(data.n_rows + 1, DIRECT)
    if walks:
        n_indices = WalkOrder(local.counts).n_indices
        needed += BYTES.index * n_indices
        if ess > 0.0:
            each = BYTES.rising if ess < STIRLING_FROM else BYTES.stirling
            needed += each * n_indices * terms_that_rise(local.counts, n_indices)
    return needed


def _partitions(counts: Counts) -> int:
    """Return the bytes of the partitions on the way from no columns to all: cell, weight and values of each row."""
    n, widest = len(counts.arities), max(counts.arities)
    words = 1 + sum(max(1, int(r - 1).bit_length()) for r in counts.arities) // 60
    return (counts.n_distinct + 1) * ((n + 1) * (12 + 8 * words) + 12 * widest)


def check_all_families(local: LocalScores, limit: int | str | None = None) -> None:
    """Refuse to list all families of the lattice where that takes more memory than there is."""
    n, limit = len(local.data.names), memory_limit_of(limit)
    tables = len(local.views) * (1 + len(local.outline.margin)) if local.outline is not None else 0
    needed = (8 * tables + 16) << n if has_lattice(local) else 60 * n << (n - 1)
    if needed > limit:
        raise SearchError(
            f"to list the families of {n} variables takes {gigabytes(needed)} of memory; {gigabytes(limit)} are "
            "allowed. Take fewer columns, or allow more with memory_limit"
        )
