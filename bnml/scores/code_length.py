"""The length of a description: structure, parameters and data in bits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from bnml._checks import plain_float
from bnml._plain import attributes
from bnml.data import as_data
from bnml.data.data import refuse_gaps
from bnml.errors import function
from bnml.graph import DAG
from bnml.scores.base import check_dag, parent_sets
from bnml.scores.local import local_scores
from bnml.scores.loglik import LogLikelihood


@dataclass(frozen=True)
class CodeLength:
    """A description length in bits, in its three parts."""

    structure: float
    parameters: float
    data: float

    @property
    def total(self) -> float:
        """The whole length."""
        return self.structure + self.parameters + self.data

    def to_dict(self) -> dict[str, float]:
        """Return it as plain values, for JSON."""
        return attributes(self, "structure", "parameters", "data", "total")

    def __str__(self) -> str:
        return (
            f"{self.total:,.1f} bits: structure {self.structure:,.1f}, parameters {self.parameters:,.1f}, "
            f"data {self.data:,.1f}"
        )


def code_length(dag: DAG, data: Any) -> CodeLength:
    """Return how many bits it takes to describe a table with a structure  (Lam & Bacchus 1994).

    Parameters
    ----------
    dag
        The structure.
    data
        A `Data`, or anything that `bnml.read` takes.

    Returns
    -------
    CodeLength
        ``structure``: log2 n for each parent, n variables. ``parameters``: log2(N) / 2 for each of the q_i (r_i - 1).
        ``data``: minus the maximised log2-likelihood. ``total``: their sum, which is minus the score ``"mdl+parents"``
        in bits.

    Examples
    --------
    >>> import bnml, numpy
    >>> table = numpy.array([[0, 0], [0, 0], [1, 1], [1, 1], [1, 0]])
    >>> print(bnml.code_length(bnml.DAG.parse("[X0][X1|X0]"), table))
    12.1 bits: structure 1.0, parameters 3.5, data 7.6
    """
    check_dag(dag)
    table = as_data(data)
    refuse_gaps(table, function("bnml.code_length"))
    sets = parent_sets(dag, table.names)
    local = local_scores(table, LogLikelihood())
    bits = 0.0
    for child, above in enumerate(sets):
        n_rows = local.for_child(child).data.n_rows
        free = math.prod(table.arities[p] for p in above) * (table.arities[child] - 1)
        bits += plain_float(free) * math.log2(n_rows) / 2 if n_rows > 1 else 0.0
    return CodeLength(
        structure=sum(map(len, sets)) * math.log2(len(sets)),
        parameters=bits,
        data=-math.fsum(local.families(range(len(sets)), sets).tolist()) / math.log(2) + 0.0,
    )
