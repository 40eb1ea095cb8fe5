"""The linear program over families: the highest score of fractions of families that meet some inequalities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bnml._watch import Watch
from bnml.search.cuts.family_arrays import Bools, FamilyArrays, Floats
from bnml.search.cuts.proof import Proof, proven_bound
from bnml.search.cuts.rows import Row

SLICE = 1000  # iterations of the simplex method between two looks at the watch
IDLE = 10  # solutions for which a row may be slack before it is dropped


class Relaxation:
    """The families of a problem, an equation for each variable, and inequalities that come and go.

    Parameters
    ----------
    problem
        The families.
    watch
        Ends the simplex method.

    Attributes
    ----------
    problem
        The families that are left.
    rows
        The inequalities.
    values
        The fraction of each family in the last solution.
    centre
        A mean of the solutions so far, the last ones with more weight.
    multipliers
        Those of the inequalities; where there is no solution, some that prove it.
    objective
        The value of the last solution.
    """

    def __init__(self, problem: FamilyArrays, watch: Watch) -> None:
        from highspy import Highs

        self.problem, self.watch = problem, watch
        self.rows: list[Row] = []
        self.values: Floats = np.zeros(problem.scores.size)
        self.multipliers: Floats = np.zeros(0)
        self.objective = np.inf
        self.centre = self.values
        self._idle = np.zeros(0, np.int64)
        self._allowed: Bools = np.ones(problem.scores.size, bool)
        self._solver: Any = Highs()
        for option, value in (("output_flag", False), ("threads", 1), ("random_seed", 0), ("parallel", "off"),
                              ("simplex_iteration_limit", SLICE), ("presolve", "off")):  # fmt: skip
            self._solver.setOptionValue(option, value)
        count = problem.scores.size
        self._solver.addVars(count, np.zeros(count), np.ones(count))
        best = np.maximum.reduceat(problem.scores, problem.first[:-1])
        self._solver.changeColsCost(count, np.arange(count, dtype=np.int32), best[problem.child] - problem.scores)
        self._solver.addRows(
            problem.n, np.ones(problem.n), np.ones(problem.n), count, problem.first[:-1].astype(np.int32),
            np.arange(count, dtype=np.int32), np.ones(count),
        )  # fmt: skip

    def add(self, rows: Sequence[Row]) -> None:
        """Add inequalities."""
        if not rows:
            return
        sizes = [row.families.size for row in rows]
        starts = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int32)
        self._solver.addRows(
            len(rows), np.full(len(rows), -np.inf), np.array([row.most for row in rows], float), sum(sizes), starts,
            np.concatenate([row.families for row in rows]).astype(np.int32),
            np.concatenate([row.coefficients for row in rows]).astype(np.float64),
        )  # fmt: skip
        self.rows += rows
        self._idle = np.concatenate((self._idle, np.zeros(len(rows), np.int64)))

    def solve(self, allowed: Bools | None = None) -> bool:
        """Find the best fractions; return whether there are any. Unfinished where the watch is over."""
        from highspy import HighsModelStatus

        self._allow(allowed)
        while True:
            self._solver.run()
            status = self._solver.getModelStatus()
            if status != HighsModelStatus.kIterationLimit or self.watch.over:
                break
        if status not in (HighsModelStatus.kOptimal, HighsModelStatus.kIterationLimit):
            self._take_ray()
            return False
        self.objective = -float(self._solver.getObjectiveValue())
        solution = self._solver.getSolution()
        self.values = np.asarray(solution.col_value)
        self.centre = 0.5 * (self.centre + self.values)
        self.multipliers = np.maximum(0.0, -np.asarray(solution.row_dual)[self.problem.n :])
        self._idle = np.where(self.multipliers > 1e-9, 0, self._idle + 1)
        return True

    def _allow(self, allowed: Bools | None) -> None:
        if allowed is not None and not np.array_equal(allowed, self._allowed):
            count = allowed.size
            self._solver.changeColsBounds(
                count, np.arange(count, dtype=np.int32), np.zeros(count), allowed.astype(np.float64)
            )
            self._allowed = allowed

    def _take_ray(self) -> None:
        """Set the multipliers to what proves that there is no solution: the larger they are, the lower the bound."""
        _, there, ray = self._solver.getDualRay()
        if there:
            weights = np.maximum(0.0, -np.asarray(ray)[self.problem.n :])
            spread = float(np.abs(self.problem.scores).max()) * self.problem.n
            # multipliers that prove the lack of a solution, in terms of all scores
            self.multipliers = 1e3 * spread * weights / max(weights.max(initial=0.0), 1e-300)
        else:
            self.multipliers = np.zeros(len(self.rows))

    def trial(self, allowed: Bools, iterations: int) -> float:
        """Return the value after some iterations, -inf if there is no solution; the last solution stays."""
        from highspy import HighsModelStatus

        self._allow(allowed)
        self._solver.setOptionValue("simplex_iteration_limit", iterations)
        self._solver.run()
        self._solver.setOptionValue("simplex_iteration_limit", SLICE)
        if self._solver.getModelStatus() == HighsModelStatus.kInfeasible:
            return -np.inf
        return -float(self._solver.getObjectiveValue())

    def basis(self) -> Any:
        """Return the basis of the last solution."""
        return self._solver.getBasis()

    def restore(self, basis: Any) -> None:
        """Go back to a basis."""
        self._solver.setBasis(basis)

    def proof(self, allowed: Bools | None = None) -> Proof:
        """Return what the multipliers of the last solution prove."""
        return proven_bound(self.problem, self.rows, self.multipliers, allowed)

    def _basis(self) -> tuple[Any, list[Any], list[Any]]:
        basis = self._solver.getBasis()
        return basis, list(basis.col_status), list(basis.row_status)

    def drop_idle(self) -> None:
        """Drop inequalities that have long been slack."""
        from highspy import HighsBasisStatus

        basis, columns, rows = self._basis()
        n = self.problem.n
        basic = np.array([status == HighsBasisStatus.kBasic for status in rows[n:]], bool)
        lasting = np.array([row.lasting for row in self.rows], bool)
        drop = basic & (self._idle > IDLE) & ~lasting
        if not drop.any():
            return
        self._solver.deleteRows(int(drop.sum()), (n + np.flatnonzero(drop)).astype(np.int32))
        keep = np.flatnonzero(~drop).tolist()
        self.rows = [self.rows[k] for k in keep]
        self.multipliers, self._idle = self.multipliers[~drop], self._idle[~drop]
        basis.row_status = rows[:n] + [rows[n + k] for k in keep]
        basis.col_status = columns
        self._solver.setBasis(basis)

    def keep(self, keep: Bools) -> Bools:
        """Drop families, but for those in the basis; return which were kept."""
        from highspy import HighsBasisStatus

        basis, columns, rows = self._basis()
        keep = keep | np.array([status == HighsBasisStatus.kBasic for status in columns], bool)
        drop = np.flatnonzero(~keep)
        if not drop.size:
            return keep
        self._solver.deleteCols(drop.size, drop.astype(np.int32))
        place = np.where(keep, np.cumsum(keep) - 1, -1)
        self.rows = [row.renumbered(place) for row in self.rows]
        self.problem, self.values = self.problem.kept(keep), self.values[keep]
        self._allowed = self._allowed[keep]
        self.centre = self.centre[keep]
        basis.col_status = [columns[k] for k in np.flatnonzero(keep).tolist()]
        basis.row_status = rows
        self._solver.setBasis(basis)
        return keep
