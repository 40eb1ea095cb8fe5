"""The scores of families that chains have come by: a hash table that is filled on demand.

A chain that meets a family without a score waits for it, and says which others it will want soon. What all chains wait
for is then counted as one batch. So no list of candidate parents is needed, and no score is computed twice.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from bnml._arrays import Array, Floats, Ints
from bnml._bits import WORD_BITS
from bnml._machine import cores, run_all
from bnml.counts.batches import FamilyBatch
from bnml.graph import Rules
from bnml.scores import LocalScores
from bnml.scores.lattice.allowed_sets import allowed_sets
from bnml.uncertainty._sampling_kernels import batch_members, enter_wanted, rehash

FIRST_SLOTS = 1 << 15
MOST_FILLED = 0.5
MOST_AT_FIRST = 60_000  # families that are all scored before a chain wants one of them


class ScoredFamilies:
    """Scores of families by child and parents.

    Parameters
    ----------
    local
        The scores, by column, with any prior.
    columns
        The column of each variable.
    memory
        How many bytes it may take; when they are used up it begins anew.

    Attributes
    ----------
    arrays
        The table, as `bnml.uncertainty._sampling_kernels` describes it.
    scored
        How many families were scored.
    """

    def __init__(self, local: LocalScores, columns: tuple[int, ...], memory: int) -> None:
        self.local, self.columns = local, np.array(columns, np.int64)
        self.width = max(1, -(-len(columns) // 64))
        self._most_lines = min(1 << 29, memory // 3)  # scores of all families that differ in one parent
        self._most_slots = FIRST_SLOTS
        while 2 * self._most_slots * self.bytes_per_slot * 1.5 <= memory - self._most_lines:
            self._most_slots *= 2
        self.arrays = self._empty(FIRST_SLOTS)
        self.filled = self.scored = 0

    @property
    def bytes_per_slot(self) -> int:
        """How many bytes one place of the table takes."""
        return 12 + 8 * self.width

    def _empty(self, slots: int) -> tuple[Array, Array, Array, Array]:
        n = len(self.columns)
        lines = np.full((slots if 8 * slots * n <= self._most_lines else 0, n), np.nan)
        return np.full(slots, -1, np.int32), np.zeros((slots, self.width), np.uint64), np.zeros(slots), lines

    def known(self) -> tuple[Array, Array, Array]:
        """Return the families whose scores are known, for `enter_known` elsewhere: children, parents and scores."""
        there = np.flatnonzero(self.arrays[0] >= 0)
        return self.arrays[0][there], self.arrays[1][there], self.arrays[2][there]

    def enter_known(self, known: tuple[Array, Array, Array]) -> None:
        """Enter families with their scores into an empty table, unless it may not grow so far."""
        self._make_room(known[0].size)
        if self.filled + known[0].size <= MOST_FILLED * self.arrays[0].size:
            rehash((*known, self.arrays[3][:0]), self.arrays)
            self.filled += known[0].size

    def score_if_few(self, rules: Rules, threads: int | None) -> None:
        """Score all families that the rules allow, unless they are many: to wait for each would take longer."""
        n, listed = rules.n, 0
        if n > WORD_BITS or self.local.outline is None:
            return
        most = min(MOST_AT_FIRST, 60_000_000 // self.local.counts.n_distinct)  # looks at rows
        sets: list[Ints] = []
        for v in range(n):
            sets.append(allowed_sets(rules, v, most - listed))
            listed += sets[-1].size
            if listed > most:
                return
        for v, own in enumerate(sets):
            parents = np.zeros((own.size, n, 1), np.uint64)
            parents[:, v, 0] = own
            wanted = np.full((own.size, 1, 2), (v, -1), np.int32)
            self.score_wanted(parents, wanted, np.ones(own.size, np.int64), threads)

    def score_wanted(self, parents: Array, wanted: Array, n_wanted: Ints, threads: int | None) -> None:
        """Score what replicas with some parents want, and forget that they wanted it."""
        asked = int(n_wanted.sum())
        if not asked:
            return
        self._make_room(asked)
        slots = self.arrays[0].size
        entered = np.empty(asked, np.int64)
        number = enter_wanted(parents, wanted, n_wanted, self.arrays, entered, int(slots * 0.9) - self.filled)
        entered = entered[:number]
        if not number:
            return
        sizes = np.unpackbits(self.arrays[1][entered].view(np.uint8), axis=1).sum(axis=1)
        members = np.empty(int(sizes.sum()) + number, np.int64)
        offsets, position = np.empty(number + 1, np.int64), np.empty(number, np.int64)
        batch_members(self.arrays, entered, self.columns, members, offsets, position)
        scores = self._scores(FamilyBatch(members, offsets, position), threads)
        self.arrays[2][entered] = np.where(np.isnan(scores), -np.inf, scores)
        self.filled += number
        self.scored += number

    def _scores(self, batch: FamilyBatch, threads: int | None) -> Floats:
        """Return the scores of a batch, cut into a part for each thread."""
        workers, number = cores(threads), len(batch)
        if self.local.outline is None or number < 100:  # fewer are not worth a second thread
            return self.local.batch(batch, 1)
        scores = np.empty(number)

        def task(start: int, stop: int) -> None:
            offsets = batch.offsets[start : stop + 1]
            members = batch.members[offsets[0] : offsets[-1]]
            part = FamilyBatch(members, offsets - offsets[0], batch.position[start:stop])
            scores[start:stop] = self.local.batch(part, 1)

        run_all(task, pairwise(number * i // workers for i in range(workers + 1)), workers)
        return scores

    def _make_room(self, more: int) -> None:
        """Make the table large enough for some families more, or empty it if it may not grow."""
        slots = self.arrays[0].size
        if self.filled + more <= MOST_FILLED * slots:
            return
        while self.filled + more > MOST_FILLED * slots and slots < self._most_slots:
            slots *= 2
        larger = self._empty(slots)
        if self.filled + more <= MOST_FILLED * slots:
            rehash(self.arrays, larger)
        else:
            self.filled = 0
        self.arrays = larger
