"""Predictions and answers averaged over some structures, each weighted by its share.

P(x | D) = Σ_G P(G | D) P(x | G, D), and with evidence e, seen or set from outside,
P(x | e, D) = Σ_G P(G | D) P(x, e | G, D) / Σ_G P(G | D) P(e | G, D). A structure predicts with the parameters that
belong to the score (`bnml.scores.predictive`); a family has the same table in all structures, and it is made once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats, Ints
from bnml._checks import a_variable
from bnml.counts import counts_of
from bnml.data import Data
from bnml.data.matching import match
from bnml.errors import ArgumentError
from bnml.graph import DAG
from bnml.network import BayesianNetwork
from bnml.scores import Score
from bnml.scores.predictive import FamilyRows, FamilyTable

if TYPE_CHECKING:
    import pandas as pd

BLOCK = 1 << 22  # families × rows, or structures × rows, that are worked on together; 32 MB

Family = tuple[int, tuple[int, ...]]
Values = Mapping[str, Any] | None  # of variables


class AveragedStructures:
    """Structures with their shares, and the probabilities that their families give.

    Parameters
    ----------
    data
        The table that structures were learned from.
    score
        The score, which says what a family predicts.
    arcs
        The structures as matrices ``[structure, from, to]``, by column.
    shares
        How much each weighs; they sum to one.
    """

    def __init__(self, data: Data, score: Score, arcs: npt.NDArray[np.bool_], shares: Floats) -> None:
        self.data, self.score, self.shares = data, score, shares
        number, n = arcs.shape[:2]
        known: dict[Family, int] = {}
        self.numbers = np.empty((number, n), np.int64)
        for child in range(n):
            sets, inverse = np.unique(arcs[:, :, child], axis=0, return_inverse=True)
            own = [known.setdefault((child, tuple(np.flatnonzero(row).tolist())), len(known)) for row in sets]
            self.numbers[:, child] = np.array(own, np.int64)[inverse.reshape(-1)]
        self.families: list[Family] = list(known)
        self._tables: dict[Family, Floats] = {}

    def table(self, family: Family) -> Floats:
        """Return the logarithm of P(child | parents): an axis for each parent, and a last one for the child."""
        if family not in self._tables:
            self._tables[family] = self._table(*family)
        return self._tables[family]

    def _table(self, child: int, parents: tuple[int, ...]) -> Floats:
        counts = counts_of(self.data).for_child(child)
        cells = counts.table((*parents, child))
        n_ijk, r = cells.ravel(), cells.shape[-1]
        n_ij = cells.sum(axis=-1).ravel()
        of_cell = np.repeat(np.arange(n_ij.size), r)
        states = np.indices(cells.shape).reshape(cells.ndim, -1)
        at = {v: k for k, v in enumerate((*parents, child))}
        rows = FamilyRows(
            counts, child, parents, lambda v: states[at[v]], n_ijk, n_ij[of_cell],
            FamilyTable(n_ijk, of_cell, n_ij, of_cell),
        )  # fmt: skip
        return self.score.log_predictive(rows).reshape(cells.shape)

    # --- rows ---

    def log_prob(self, new: Any) -> Floats:
        """Return the log-probability of each row of a new table."""
        rows = self._matched(new)
        found: Floats = rows.in_order(self._log_prob(rows.codes))
        return found

    def predict_proba(self, new: Any, name: str) -> pd.DataFrame:
        """Return P(name | all other columns) for each row of a new table."""
        import pandas as pd

        target = a_variable(name, "name", self.data.names)
        rows = self._matched(new, without=target)
        others = [v for v in range(len(self.data.names)) if v != target]
        codes = np.zeros((len(self.data.names), rows.codes.shape[1]), np.int64)
        codes[others] = rows.codes
        logs = np.empty((codes.shape[1], self.data.arities[target]))
        for k in range(logs.shape[1]):
            codes[target] = k
            logs[:, k] = self._log_prob(codes)
        top = logs.max(axis=1, keepdims=True)
        if np.isneginf(top).any():
            raise ArgumentError(f"predict_proba: a row of the data has probability zero, whatever {name!r} is")
        weights = np.exp(logs - top)
        states = pd.Index(list(self.data.states[target]), name=name)
        index = new.index if isinstance(new, pd.DataFrame) else None
        return pd.DataFrame(rows.in_order(weights / weights.sum(axis=1, keepdims=True)), index=index, columns=states)

    def _matched(self, new: Any, without: int = -1) -> Any:
        data = self.data
        states = {x: s for i, (x, s) in enumerate(zip(data.names, data.states, strict=True)) if i != without}
        return match(new, states, data.cuts, data.reading)

    def _log_prob(self, codes: npt.NDArray[Any]) -> Floats:
        found = np.empty(codes.shape[1])
        with np.errstate(divide="ignore"):
            weights = np.log(self.shares)
        step = max(1, BLOCK // max(len(self.families), self.shares.size))
        for start in range(0, found.size, step):
            block = codes[:, start : start + step].astype(np.int64)
            logs = np.stack([self._of_rows(family, block) for family in self.families])
            each = np.repeat(weights[:, None], block.shape[1], axis=1)
            for numbers in self.numbers.T:
                each += logs[numbers]
            found[start : start + step] = np.logaddexp.reduce(each, axis=0)
        return found

    def _of_rows(self, family: Family, codes: Ints) -> Floats:
        child, parents = family
        values: Floats = self.table(family)[tuple(codes[v] for v in (*parents, child))]
        return values

    # --- answers ---

    def query(self, names: str | Sequence[str], evidence: Values, do: Values) -> pd.Series[float]:
        """Return P(names | evidence, do) as a series over the states of the variables."""
        best = int(self.shares.argmax())
        answer = self._network(range(len(self.data.names)), self.numbers[best]).query(names, evidence, do)  # checks
        asked = [names] if isinstance(names, str) else list(names)
        fixed = [self.data.index(x) for x in do or ()]
        wanted = sorted({self.data.index(x) for x in (*asked, *(evidence or ()), *(do or ()))})
        shares: dict[tuple[tuple[int, int], ...], float] = {}
        alone = {v: self._number((v, ())) for v in fixed}
        for numbers, share in zip(self.numbers, self.shares.tolist(), strict=True):
            key = tuple(sorted(self._ancestral(wanted, numbers, alone).items()))
            shares[key] = shares.get(key, 0.0) + share
        total, sums = 0.0, np.zeros(len(answer))
        for key, share in shares.items():
            network = self._network([v for v, _ in key], dict(key))
            mass = share * network.probability(evidence, do)
            if mass > 0.0:
                sums += mass * network.query(names, evidence, do).to_numpy()
                total += mass
        answer[:] = sums / total
        return answer

    def _number(self, family: Family) -> int:
        """Return the number of a family, which may be a new one."""
        if family not in self.families:
            self.families.append(family)
        return self.families.index(family)

    def _ancestral(self, wanted: Sequence[int], numbers: Ints, alone: Mapping[int, int]) -> dict[int, int]:
        """Return the families of some variables and their ancestors; those that are set have no parents."""
        found: dict[int, int] = {}
        todo = list(wanted)
        while todo:
            v = todo.pop()
            if v not in found:
                found[v] = alone[v] if v in alone else int(numbers[v])
                todo.extend(self.families[found[v]][1])
        return found

    def _network(self, variables: Sequence[int], numbers: Mapping[int, int] | Ints) -> BayesianNetwork:
        """Return the network of some variables, parents included, with the parameters of the score."""
        data, at = self.data, {v: k for k, v in enumerate(variables)}
        families = [self.families[int(numbers[v])] for v in variables]
        names = [data.names[v] for v in variables]
        dag = DAG.from_parent_sets(names, [[at[p] for p in parents] for _, parents in families])
        tables = {}
        for name, (child, parents) in zip(names, families, strict=True):
            place = {data.names[p]: k for k, p in enumerate(parents)}
            axes = [place[p] for p in dag.parents(name)]
            tables[name] = np.exp(self.table((child, parents))).transpose([*axes, len(parents)])
        states = {data.names[v]: data.states[v] for v in variables}
        cuts = {x: cut for x, cut in data.cuts.items() if x in states}
        return BayesianNetwork(dag, states, tables, cuts, data.reading)
