"""Branch and cut by SCIP, from where the root has come to; that there is no cycle is a constraint of its own.

What it proves rests on its tolerances, which `TOLERANCE` stands for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bnml._watch import Watch
from bnml.search.cuts.problem import Bools, FamilyArrays, Floats
from bnml.search.cuts.root import Incumbent
from bnml.search.cuts.rows import Row, cluster_row
from bnml.search.cuts.separation import by_local_search, by_program

__all__ = ["scip_tree"]

TOLERANCE = 1e-5
AT_ONCE = 30
LONG = 1e20


def scip_tree(
    problem: FamilyArrays, rows: list[Row], incumbent: Incumbent, watch: Watch, tell: Callable[[float, float], None]
) -> tuple[float, int]:
    """Search for better structures; return a bound on the score of all, and the number of nodes."""
    from pyscipopt import SCIP_PARAMSETTING, Model, quicksum

    model: Any = Model()
    model.hideOutput()
    if watch.limit is not None:
        model.setParam("limits/time", max(0.01, watch.limit - watch.seconds))
    for name in ("randomization/randomseedshift", "randomization/permutationseed", "randomization/lpseed"):
        model.setParam(name, 0)
    base = np.maximum.reduceat(problem.scores, problem.first[:-1])
    columns = [model.addVar(vtype="B", obj=float(gain)) for gain in problem.scores - base[problem.child]]
    model.setMaximize()
    for x in range(problem.n):
        model.addCons(quicksum(columns[problem.first[x] : problem.first[x + 1]]) == 1)
    for row in rows:
        terms = zip(row.coefficients.tolist(), row.families.tolist(), strict=True)
        model.addCons(quicksum(a * columns[f] for a, f in terms) <= row.most, initial=True, removable=True)
    offset = float(base.sum())
    if incumbent.score > -np.inf:
        model.setObjlimit(incumbent.score - offset)
    model.setHeuristics(SCIP_PARAMSETTING.OFF)
    model.setSeparating(SCIP_PARAMSETTING.AGGRESSIVE)
    handler = _handler(problem, columns, lambda bound: tell(incumbent.score, bound + offset + TOLERANCE), watch)
    model.includeConshdlr(
        handler, "acyclic", "no cycle", sepapriority=100, enfopriority=-10, chckpriority=-10, sepafreq=1, eagerfreq=10,
        needscons=False, maxprerounds=0,
    )  # fmt: skip
    model.optimize()
    status = model.getStatus()
    if status == "userinterrupt":
        raise KeyboardInterrupt
    nodes = int(model.getNTotalNodes())
    bound = incumbent.score if status == "infeasible" else float(model.getDualbound()) + offset
    if model.getNSols():
        best = model.getBestSol()
        values = np.array([model.getSolVal(best, column) for column in columns])
        chosen = np.array([a + np.argmax(values[a:b]) for a, b in zip(problem.first, problem.first[1:], strict=False)])
        if problem.listed[chosen].all():
            incumbent.improve(problem, chosen)
    model.freeProb()
    return max(bound, incumbent.score) + TOLERANCE, nodes


def _handler(problem: FamilyArrays, columns: list[Any], tell: Callable[[float], None], watch: Watch) -> Any:
    from pyscipopt import SCIP_RESULT, Conshdlr

    class Acyclic(Conshdlr):  # type: ignore[misc]  # its class has no types
        """Keeps structures without cycles, by clusters."""

        rounds = 0

        def fractions(self, solution: Any) -> Floats:
            return np.array([self.model.getSolVal(solution, column) for column in columns])

        def cycle(self, solution: Any) -> Bools:
            """Return the variables that are left when those without parents among them have been taken away."""
            values = self.fractions(solution)
            arcs = np.zeros((problem.n, problem.n), bool)
            taken = values > 0.5
            np.logical_or.at(arcs, problem.child[taken], problem.contains[taken])
            left = np.ones(problem.n, bool)
            while True:
                free = left & ~(arcs & left).any(axis=1)
                if not free.any():
                    return left
                left &= ~free

        def cut(self, members: Bools) -> bool:
            own = cluster_row(problem, members)
            row = self.model.createEmptyRowUnspec("cluster", lhs=None, rhs=float(own.most), removable=True)
            self.model.cacheRowExtensions(row)
            for f, a in zip(own.families.tolist(), own.coefficients.tolist(), strict=True):
                self.model.addVarToRow(row, columns[f], float(a))
            self.model.flushRowExtensions(row)
            return bool(self.model.addCut(row, forcecut=False))

        def separate(self, by_integers: bool) -> Any:
            tell(self.model.getDualbound())
            self.rounds += 1
            values = self.fractions(None)
            found = by_local_search(problem, values, 2, self.rounds)[:AT_ONCE]
            if not found and by_integers:
                found = by_program(problem, values, watch)
            infeasible = [self.cut(members) for members in found]
            if any(infeasible):
                return SCIP_RESULT.CUTOFF
            return SCIP_RESULT.SEPARATED if found else SCIP_RESULT.DIDNOTFIND

        def conssepalp(self, constraints: Any, useful: int) -> dict[str, Any]:
            return {"result": self.separate(self.model.getDepth() == 0)}

        def consenfolp(self, constraints: Any, useful: int, infeasible: bool) -> dict[str, Any]:
            left = self.cycle(None)
            if not left.any():
                return {"result": SCIP_RESULT.FEASIBLE}
            result = self.separate(False)
            if result == SCIP_RESULT.DIDNOTFIND:
                result = SCIP_RESULT.CUTOFF if self.cut(left) else SCIP_RESULT.SEPARATED
            return {"result": result}

        def consenfops(self, *arguments: Any) -> dict[str, Any]:
            return {"result": SCIP_RESULT.INFEASIBLE if self.cycle(None).any() else SCIP_RESULT.FEASIBLE}

        def conscheck(self, constraints: Any, solution: Any, *arguments: Any, **more: Any) -> dict[str, Any]:
            return {"result": SCIP_RESULT.INFEASIBLE if self.cycle(solution).any() else SCIP_RESULT.FEASIBLE}

        def conslock(self, constraint: Any, kind: Any, up: int, down: int) -> None:
            for column in columns:
                self.model.addVarLocks(column, up + down, up + down)

    return Acyclic()
