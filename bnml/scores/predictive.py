"""What a score predicts for one more row: the probability of a variable's state given those of its parents.

With the counts N_ijk and N_ij of the rows before it is for

- BD, K2, BDJ, BDeu, BDe: the posterior mean (N_ijk + α_ijk) / (N_ij + α_ij). What a structure predicts for one row
  after the other then multiplies to its score.
- BDs: the same with α_ijk = ess / (r_i q̃_i) where the parents' configuration occurred; elsewhere its prior is silent,
  and all states are equally probable.
- BDq: the score is a quotient of the probabilities of two tables; the family's table alone predicts
  (N_ijk + α) / (N + q_i r_i α) for a cell, and so (N_ijk + α) / (N_ij + r_i α) given the parents.
- fNML, qNML: the normalised maximum likelihood of a table depends on how long it will become; for one more row it is
  sequential NML, e(N_ijk) (N_ijk + 1) divided by its sum over k, with e(n) = ((n + 1) / n)^n and e(0) = 1
  (Rissanen & Roos 2007; qNML paper, section 4.2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats, Ints
from bnml.counts import Counts


@dataclass(frozen=True, eq=False)
class FamilyTable:
    """The cells of a family, those of the rows to predict among them.

    ``n_ijk``: how often each cell occurred; ``j``: its parent configuration; ``n_ij``: how often each of these did;
    ``of_row``: the parent configuration of each row to predict.
    """

    n_ijk: Ints
    j: Ints
    n_ij: Ints
    of_row: Ints

    @property
    def occurring(self) -> int:
        """How many parent configurations occurred."""
        return int(np.count_nonzero(self.n_ij))


@dataclass(frozen=True, eq=False)
class FamilyRows:
    """Rows to predict in one family.

    Attributes
    ----------
    counts
        The table they are predicted from.
    child, parents
        The family, by columns of the table.
    states_of
        Returns a column's state in each row; a function, as most scores do not ask for it.
    n_ijk, n_ij
        For each row how many rows before it share its states of all of these, and of the parents.
    table
        All cells of the family; None where a row is predicted from those before it only.
    """

    counts: Counts
    child: int
    parents: tuple[int, ...]
    states_of: Callable[[int], npt.NDArray[Any]]
    n_ijk: Ints
    n_ij: Ints
    table: FamilyTable | None = None

    @property
    def r(self) -> int:
        """Number of states of the child."""
        return self.counts.arities[self.child]

    @property
    def states(self) -> tuple[npt.NDArray[Any], ...]:
        """For each of the parents, and last for the child, its state in each row."""
        return tuple(self.states_of(v) for v in (*self.parents, self.child))

    def sum_over_states(self, term: Callable[[Floats], Floats]) -> Floats:
        """Return for each row the sum of a term of N_ijk over all states k of the child; 1 is the term of 0."""
        assert self.table is not None
        terms = term(self.table.n_ijk.astype(np.float64))
        total = self.r + np.bincount(self.table.j, terms - 1.0)
        return np.asarray(total[self.table.of_row], np.float64)


def dirichlet(rows: FamilyRows, log_a_ijk: Floats | float, log_a_ij: Floats | float) -> Floats:
    """Return log (α_ijk + n_ijk) / (α_ij + n_ij) for each row; minus infinity where α_ijk is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        log_n_ijk, log_n_ij = np.log(rows.n_ijk), np.log(rows.n_ij)
        value = np.logaddexp(log_a_ijk, log_n_ijk) - np.logaddexp(log_a_ij, log_n_ij)
    return np.where(np.isneginf(log_a_ijk), -np.inf, value)


def sequential_nml(rows: FamilyRows) -> Floats:
    """Return the predictive log-probability by sequential NML; a cell that never occurred weighs 1."""
    own, total = _growth(rows.n_ijk.astype(np.float64)), rows.sum_over_states(_growth)
    result: Floats = np.log(own) - np.log(total)
    return result


def _growth(n: Floats) -> Floats:
    """Return ((n + 1) / n)^n (n + 1)."""
    grown: Floats = np.exp(n * np.log1p(1.0 / np.maximum(n, 1.0))) * (n + 1.0)
    return grown
