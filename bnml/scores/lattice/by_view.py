"""The scores of all families of a table in which variables were set: a lattice for each view of its rows.

A variable's families are scored on the rows in which it was not set. So each view has a walk of its own, and a variable
takes its gains from the lattice of its view. Gains of different variables are added up, so all are counted in one unit:
the coarsest that one of the lattices needs, or their sum. A view without rows has no lattice: there the families that
are allowed, as a rule those without parents, are listed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from bnml._arrays import Numbers
from bnml._bits import mask_of, members, minimal_masks
from bnml._watch import Tell
from bnml.counts.lattice import WalkOrder
from bnml.graph import Rules
from bnml.scores.lattice.allowed_sets import allowed_sets
from bnml.scores.lattice.lattice import Lattice, LatticeOptions
from bnml.scores.lattice.terms import MANTISSA
from bnml.scores.local import LocalScores


class LatticeByView:
    """As `Lattice`, with a lattice for each view of the rows.

    Parameters
    ----------
    local
        The local scores of a table in which variables were set.
    rules, done, **options
        As for `Lattice`.
    """

    def __init__(
        self, local: LocalScores, rules: Rules, *, done: Tell | None = None, **options: Unpack[LatticeOptions]
    ) -> None:
        integers, whole = options.get("integers", False), options.get("whole", False)
        self.local, self.rules, self.layout = local, rules, WalkOrder(local.counts)
        self.n = self.layout.n
        self.dtype = np.dtype(np.int32 if integers else np.float64)
        self.never = np.array([-(1 << 30) if integers else -np.inf], self.dtype)
        place = {column: i for i, column in enumerate(self.layout.columns)}
        views = [(view, [place[column] for column in columns]) for view, columns in local.views]
        counted = [(view, own, _rules_of(rules, own[0])) for view, own in views if view.data.n_rows]
        self.unit = _common_unit(counted, integers=integers, whole=whole)
        families: dict[int, Lattice | _NoRows] = {}
        self._lattices = []
        for k, (view, own, allowed) in enumerate(counted):
            lattice = Lattice(view, allowed, done=_part_of(done, k, len(counted)), coarser=self.unit, **options)
            self._lattices.append(lattice)
            families |= dict.fromkeys(own, lattice)
        for view, own in views:
            if not view.data.n_rows:
                families |= {i: _NoRows(view, self.layout, rules, i, self.unit) for i in own}
        self._of = [families[i] for i in range(self.n)]
        self.base = [one.base[i] for i, one in enumerate(self._of)]

    @property
    def links(self) -> tuple[int, ...]:
        """For each variable the others that must be its parents or its children."""
        return self.rules.links

    @property
    def within(self) -> float:
        """How much better than the found structure another may be, in nats: with floats nothing that matters."""
        return max((lattice.within for lattice in self._lattices), default=0.0)

    @property
    def visited(self) -> int:
        """How many subsets were visited, in the lattice with most."""
        return max((lattice.visited for lattice in self._lattices), default=0)

    @property
    def scored(self) -> int:
        """How many families were scored."""
        return sum(
            lattice.scored_of(mask_of(i for i, one in enumerate(self._of) if one is lattice))
            for lattice in self._lattices
        )

    def fill(self, i: int, n_low: int, top: int, start: int, gains: Numbers, least: float = -0.5) -> None:
        """Raise ``gains`` to those of families of a variable: see `Lattice.fill`."""
        self._of[i].fill(i, n_low, top, start, gains, least)

    def equals(self, i: int, candidates: int, slack: float) -> tuple[float, list[int]]:
        """Return the best gain of a variable's families among candidates, and the parents that reach it."""
        return self._of[i].equals(i, candidates, slack)


class _NoRows:
    """The families of a variable that was set in every row: those that are allowed, listed."""

    def __init__(self, view: LocalScores, layout: WalkOrder, rules: Rules, i: int, unit: float) -> None:
        columns = layout.columns
        self._masks, self._links = allowed_sets(rules, i), rules.links[i]
        sets = [[columns[j] for j in members(mask)] for mask in self._masks.tolist()]
        scores = np.asarray(view.families(columns[i], sets))
        self._masks, scores = self._masks[scores > -np.inf], scores[scores > -np.inf]
        self.base = {i: float(scores.min(initial=0.0))}
        self._gains = np.rint((scores - self.base[i]) / unit)

    def fill(self, i: int, n_low: int, top: int, start: int, gains: Numbers, least: float = -0.5) -> None:
        """Raise ``gains`` to those of the families."""
        tied = self._links >> n_low
        high, low = self._masks >> n_low, self._masks & ((1 << n_low) - 1)
        if i < n_low:
            low = (low & ((1 << i) - 1)) | (low >> (i + 1) << i)
        here = (high & ~top == 0) & (high & tied == top & tied) & (low >= start) & (low < start + gains.size)
        np.maximum.at(gains, low[here] - start, self._gains[here].astype(gains.dtype))

    def equals(self, i: int, candidates: int, slack: float) -> tuple[float, list[int]]:
        """Return the best gain among candidates, and the parents that reach it."""
        tied = candidates & self._links
        fits = (self._masks & ~candidates == 0) & (self._masks & tied == tied)
        if not fits.any():
            return -math.inf, []
        gains = self._gains[fits]
        best = float(gains.max())
        return best, minimal_masks(self._masks[fits][gains >= best - slack].tolist())


def _rules_of(rules: Rules, child: int) -> Rules:
    """Return the rules for the families of a view, with the bound on cells of one of its variables."""
    return replace(rules, cells=rules.most_cells(child), own_cells=())


def _common_unit(counted: Sequence[tuple[LocalScores, Sequence[int], Rules]], *, integers: bool, whole: bool) -> float:
    """Return the finest unit in which all lattices fit, and a sum of gains of variables from any of them."""
    found = [Lattice.unit_for(view, own, integers=integers, whole=whole) for view, _, own in counted]
    total = 1.0 + sum(-worst[i] for (_, children, _), (_, worst) in zip(counted, found, strict=True) for i in children)
    of_sum = 1.01 * total / 2**30 if integers else 2.0 ** (math.ceil(math.log2(total)) - MANTISSA)
    return max([of_sum, *(unit for unit, _ in found)])


def _part_of(done: Tell | None, k: int, n: int) -> Tell | None:
    """Return what is to be told the share that is done of the k-th of n lattices."""
    return None if done is None else lambda share: done((k + share) / n)
