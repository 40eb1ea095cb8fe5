"""Strength of arcs: what a structure would lose without each of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from bnml._arrays import Ints
from bnml.counts import chi_square_statistic
from bnml.counts.counts import Counts, count_occurring_states, counts_for_tests
from bnml.counts.observed import ObservedCounts
from bnml.data import Data, as_data
from bnml.errors import ArgumentError
from bnml.graph import DAG, PDAG
from bnml.graph.dag import dag_without
from bnml.independence.p_values import log_p_values
from bnml.independence.sparse import is_sparse, sparse_p_value
from bnml.network.em import expected_counts, fit_by_em
from bnml.scores import Score, parse_score
from bnml.scores.base import parent_sets
from bnml.scores.expected import ExpectedScores
from bnml.scores.local import local_scores
from bnml.scores.priors import DEFAULT_PRIOR, StructurePrior, prior_for
from bnml.search.structural_em import scores_by_em

if TYPE_CHECKING:
    import pandas as pd


def strength(
    dag: DAG | PDAG, data: Any, score: Score | str = "qnml", *, prior: StructurePrior | str | None = DEFAULT_PRIOR
) -> pd.DataFrame:
    """Return for each arc of a structure what it is worth.

    Parameters
    ----------
    dag
        A structure. The undirected links of a PDAG are taken in the directions of one DAG that fits it, which makes no
        difference to scores that equivalent structures share.
    data
        A `Data`, or anything that `bnml.read` takes, with the same variables. Of a table with gaps a
        gain is that of the log-likelihood of what was observed, fitted by EM with the arc and without it, less what
        the arc adds to the penalty at expected counts; tests take the rows in which their variables are observed.
    score
        A name or an object of `bnml.scores`.
    prior
        The structure prior, as for `bnml.learn`.

    Returns
    -------
    DataFrame
        A row for each arc, the strongest first: ``from``, ``to``; ``score_gain``, what the score loses without the arc;
        ``net_gain``, that gain after what the arc costs under the structure prior;
        ``mutual_information`` of its ends in nats, and the ``p_value`` of its G² test with its ``degrees_of_freedom``,
        all given the child's other parents. Where the table is ``sparse``, with fewer than five rows per cell, the
        p-value comes from random tables and is at least 0.0005 (see `bnml.independence.sparse`). An arc that too few
        rows can test, or none, has a p-value that is not a number. Where variables were set, all that is of the rows in
        which the child was not.

    Raises
    ------
    BnmlError
        If the structure has other variables than the data, or a PDAG fits no DAG.

    Examples
    --------
    >>> import bnml
    >>> dag = bnml.DAG.parse("[smoke][lung|smoke][bronc|smoke]")
    >>> table = bnml.strength(dag, bnml.example().select(["smoke", "lung", "bronc"]), "bic")
    >>> table[["from", "to"]].values.tolist(), table["score_gain"].round(1).tolist()
    ([['smoke', 'bronc'], ['smoke', 'lung']], [202.6, 101.6])
    """
    import pandas as pd

    if not isinstance(dag, DAG | PDAG):
        raise ArgumentError(f"strength: expected a DAG or a PDAG, got {type(dag).__name__}")
    table, chosen = as_data(data), parse_score(score)
    structure = dag if isinstance(dag, DAG) else dag.to_dag()
    parent_sets(structure, table.names)
    chosen_prior = prior_for(prior, chosen, table)
    if chosen_prior is not None:
        chosen_prior.check(table.names)
    local = local_scores(table, chosen) if not table.has_gaps else scores_by_em(structure, table, chosen)
    fit_of_all = _observed_fit(structure, table) if table.has_gaps else 0.0
    known = dict[int, Ints]()
    rows = []
    for child in structure.names:
        parents = [table.index(name) for name in structure.parents(child)]
        y = table.index(child)
        own, counts = local.family(y, parents), counts_for_tests(table).for_child(y)
        if parents and id(counts) not in known:
            known[id(counts)] = count_occurring_states(counts)
        for x in parents:
            others, states = [p for p in parents if p != x], known[id(counts)]
            gain = own - local.family(y, others)
            if isinstance(local, ExpectedScores):
                price = local.parts(y, parents)[1] - local.parts(y, others)[1]
                gain = fit_of_all - _observed_fit(dag_without(structure, (table.names[x], child)), table) - price
            g2, freedom = chi_square_statistic(counts.cells(sorted((*others, x, y))), x, y, others)
            n_rows = counts.n_observed([*others, x, y]) if isinstance(counts, ObservedCounts) else counts.n_rows
            sparse = is_sparse(states[[*others, x, y]], n_rows)
            if freedom:
                p = sparse_p_value(counts, x, y, others) if sparse else float(np.exp(log_p_values(g2, freedom)))
            else:
                p = math.nan if _lacks_rows(counts, x, y, others) else 1.0
            information = max(0.0, g2) / (2.0 * max(n_rows, 1))
            net = gain
            if chosen_prior is not None:
                there, absent = (chosen_prior.family(table.names, y, sets) for sets in (parents, others))
                net += there - absent if there != absent else 0.0  # also where the prior rules out both
            rows.append((table.names[x], child, gain, net, information, p, int(freedom), sparse))
    head = ["from", "to", "score_gain", "net_gain", "mutual_information", "p_value", "degrees_of_freedom", "sparse"]
    frame = pd.DataFrame(rows, columns=head)
    order = sorted(range(len(rows)), key=lambda k: (-rows[k][2] if math.isfinite(rows[k][2]) else 0.0, rows[k][:2]))
    return frame.iloc[order].reset_index(drop=True)


def _lacks_rows(counts: Counts | ObservedCounts, x: int, y: int, given: list[int]) -> bool:
    """Tell whether a test has no degrees of freedom only because there are no, or too few, rows."""
    return counts.lacks_rows(x, y, given) if isinstance(counts, ObservedCounts) else counts.n_rows == 0


def _observed_fit(dag: DAG, data: Data) -> float:
    """Return the log-likelihood of what was observed, at the parameters that EM finds."""
    return expected_counts(fit_by_em(dag, data), data)[1]
