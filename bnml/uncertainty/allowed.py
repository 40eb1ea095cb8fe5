"""Which parents a variable may have, and how probable they are before any data are seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bnml._arrays import Floats
from bnml._bits import bits, masks_without
from bnml._text import quoted
from bnml.errors import ArgumentError
from bnml.graph import Rules
from bnml.scores.lattice.allowed_sets import sets_that_fit
from bnml.scores.priors import StructurePrior


@dataclass(frozen=True)
class Allowed:
    """What parents are allowed, and the structure prior."""

    rules: Rules
    prior: StructurePrior | None

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.rules.names

    @property
    def arc_cost(self) -> float | None:
        """What each arc costs, if all families are allowed and only the number of arcs counts; else None."""
        if self.rules.constrained or self.rules.limited:
            return None
        return 0.0 if self.prior is None else self.prior.arc_cost(self.names)

    def terms(self, child: int) -> Floats:
        """Return the log-weight of each parent set of a variable; minus infinity where it is not allowed."""
        rules, n = self.rules, self.rules.n
        sets = masks_without(n, child)
        weights = np.zeros(sets.size) if self.prior is None else _prior_terms(self.prior, self.names, child)
        refused = (sets & ~rules.may[child] != 0) | (~sets & rules.must[child] != 0)
        weights[refused | ~sets_that_fit(rules, child, sets)] = -np.inf
        return weights

    def all_terms(self) -> Floats:
        """Return the log-weights of the parent sets of all variables, a row for each."""
        return np.stack([self.terms(i) for i in range(self.rules.n)])


def allowed_families(rules: Rules, prior: StructurePrior | None) -> Allowed:
    """Return what is allowed, or refuse what can be no sum over families or leaves no structure.

    Raises
    ------
    BnmlError
        If a link is required in either direction, or more arcs into a variable than it may have parents.
    """
    names = rules.names
    links = [f"{names[a]} - {names[b]}" for a, mask in enumerate(rules.links) for b in bits(mask) if a < b]
    if links:
        raise ArgumentError(
            f"constraints: a required link is no statement about one variable's parents, and the sums take only such "
            f"statements; require an arc in one direction instead of {quoted(links)}"
        )
    rules.check()
    return Allowed(rules, prior)


def _prior_terms(prior: StructurePrior, names: tuple[str, ...], child: int) -> Floats:
    """Return a structure prior's terms for all parent sets of a variable."""
    others = [v for v in range(len(names)) if v != child]
    arcs = prior.arc_terms(names)
    if arcs is None:
        sets = (tuple(v for k, v in enumerate(others) if p >> k & 1) for p in range(1 << len(others)))
        return np.array([prior.family(names, child, parents) for parents in sets], np.float64)
    terms = np.zeros(1)
    for v in others:
        terms = np.concatenate([terms + arcs[1][v, child], terms + arcs[0][v, child]])
    return terms
