"""The scores of all families of a table: n · 2^(n-1) of them from the terms of 2^n subsets.

`Lattice` holds the terms ``J(S)``, and ``M(S)`` where they differ, of every subset of the columns. It gives the scores
of a variable's families as *gains*: how much more than the least that the variable can have, in units. The unit is a
power of two so small that nothing is lost that matters, and everything is a whole number of it. Sums of gains are then
exact, so equivalent structures tie exactly and nothing depends on the order of columns, rows or threads.

With 64-bit floats the unit is some 10^-11 nats at a thousand rows. With 32-bit integers, which take half the memory,
it is some 10^-5, and the optimum is found to within a few units for each variable.

**Bounds.** For scores that are a log-likelihood less a price for the number of configurations (AIC, BIC, HQC, MDL,
qNML) no superset of the parents P of i can score more than LL(i | all others) - price_i(P): the likelihood cannot be
larger than with all other variables as parents, and the price never falls when parents are added (checked here for the
arities at hand). Where a small subset of P is known to reach that already, P and all its supersets are left out.
"""

from __future__ import annotations

from bnml.scores.lattice.all_families import score_all_families, undominated_families
from bnml.scores.lattice.allowed_sets import allowed_sets
from bnml.scores.lattice.by_view import LatticeByView
from bnml.scores.lattice.lattice import Lattice, has_lattice, lattice_of, listable_by_bounds
from bnml.scores.lattice.memory import check_all_families

__all__ = [
    "Lattice",
    "LatticeByView",
    "allowed_sets",
    "check_all_families",
    "has_lattice",
    "lattice_of",
    "listable_by_bounds",
    "score_all_families",
    "undominated_families",
]
