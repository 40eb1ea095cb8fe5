"""A structure prior as what each arc adds."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from bnml._arrays import Floats
from bnml.counts.lattice import WalkOrder
from bnml.graph import Rules
from bnml.scores.local import LocalScores


@dataclass(frozen=True)
class ArcTerms:
    """The prior as what each arc adds; arcs that it requires or rules out have become rules.

    ``constant``: what is added to every family of a variable; ``gain[i, j]``: what the parent j adds for the child i.
    """

    rules: Rules
    constant: tuple[float, ...]
    gain: Floats

    @classmethod
    def of(cls, local: LocalScores, layout: WalkOrder, rules: Rules) -> ArcTerms:
        """Return the terms of the prior of local scores, for variables in the order of a walk."""
        n = layout.n
        terms = local.prior.arc_terms(local.data.names) if local.prior is not None else None
        if terms is None:
            return cls(rules, (0.0,) * n, np.zeros((n, n)))
        order = np.ix_(layout.columns, layout.columns)
        there, absent = (matrix[order].T for matrix in terms)
        heeded = rules.heeding(np.isneginf(there.T), np.isneginf(absent.T))
        sure = np.where(np.isneginf(absent), there, absent)  # what an arc that must be there adds, it always adds
        np.fill_diagonal(sure, 0.0)
        open_ = np.isfinite(there) & np.isfinite(absent)
        gain = np.where(open_, there, 0.0) - np.where(open_, absent, 0.0)
        return cls(heeded, tuple(math.fsum(row) for row in sure.tolist()), gain)

    def without_useless(self, layout: WalkOrder) -> ArcTerms:
        """Return these with rules that spare variables the parents that tell nothing, unless something asks for them.

        Nothing can be told of a variable with one state, nor by one.
        """
        single = layout.arities == 1
        alone = sum(1 << j for j in np.flatnonzero(single).tolist())
        may = list(self.rules.may)
        for i, allowed in enumerate(may):
            wanted = sum(1 << j for j in np.flatnonzero(self.gain[i] > 0.0).tolist())
            needed = wanted | self.rules.must[i] | self.rules.links[i]
            may[i] = allowed & (needed if single[i] else ~alone | needed)
        return replace(self, rules=replace(self.rules, may=tuple(may)))

    @property
    def most(self) -> list[float]:
        """The most that the prior can add to a family of each variable."""
        return [c + float(np.maximum(g, 0.0).sum()) for c, g in zip(self.constant, self.gain, strict=True)]

    def tables(self, i: int, unit: float, split: int) -> tuple[Floats, Floats, int]:
        """Return what prior and rules add for the lowest ``split`` bits of a parent set, for the others, and to all."""
        gains = np.rint(self.gain[i] / unit)

        def table(places: range) -> Floats:
            result = np.zeros(1)
            for j in places:
                there = gains[j] if self.rules.may[i] >> j & 1 else -np.inf
                absent = -np.inf if self.rules.must[i] >> j & 1 else 0.0
                result = np.concatenate([result + absent, result + there])
            return result

        n = len(gains)
        return table(range(min(n, split))), table(range(split, n)), round(self.constant[i] / unit)
