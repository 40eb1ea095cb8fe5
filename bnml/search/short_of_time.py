"""What a search falls back on that had too little time: the best forest, from the gains of single arcs.

Climbing begins with the gains of all single arcs. With thousands of variables there may not be the time for much more,
and then the arcs that were added by then are worth less than the best forest, for which these gains are enough (see
`bnml.search.best_tree`). Where there was not even the time for all of them, it is the best forest of those arcs whose
gains are known.
"""

from __future__ import annotations

import numpy as np

from bnml._arrays import Bools, Floats
from bnml.errors import SearchError
from bnml.search.best_tree import best_tree, check_tree, tree_gain, tree_rules, whole_tree_gains
from bnml.search.moves import Structure


def fall_back_on_forest(structure: Structure) -> bool:
    """Short of time, go over to the best forest that the rules allow, if its score is higher; return whether it is."""
    try:
        rules = tree_rules(structure.rules)
        check_tree(rules, "a forest")
    except SearchError:  # what is required does not fit into a forest
        return False
    gains = _gains(structure)
    arcs = np.zeros_like(structure.arcs)
    largest = float(np.abs(structure.own).max(initial=0.0))
    for child, parents in enumerate(
        best_tree(whole_tree_gains(gains, structure.problem.n_rows, largest), rules, spanning=False)
    ):
        arcs[parents, child] = True
    score = float(structure.family_scores(range(structure.n), arcs).sum())
    structure.families += structure.n
    if score <= structure.score + structure.equal:
        return False
    structure.reset(arcs)
    return True


def _gains(structure: Structure) -> Floats:
    """Return what each arc gains where there is no other; minus infinity where that is not known or not allowed."""
    assert structure.first_gains is not None
    gains, local, columns = structure.first_gains.copy(), structure.local, structure.columns
    begun: Bools = np.any(structure.first_arcs, axis=0)
    for child in np.flatnonzero(begun | structure.rules.link_matrix.any(axis=0)).tolist():  # what is required is known
        parents = np.flatnonzero(structure.rules.required_matrix[:, child])
        values = local.additions(columns[child], (), [columns[p] for p in parents], structure.threads)
        if begun[child]:
            gains[:, child] = -np.inf
        gains[parents, child] = tree_gain(values, local.family(columns[child], ()))
    if structure.problem.equivalent and structure.rules.undirected:
        lower = np.tril(np.ones_like(structure.arcs), -1)  # an arc and its reverse gain the same, up to rounding
        one = np.where(lower & (gains > -np.inf), gains, np.where(lower, gains.T, -np.inf))
        gains = np.maximum(one, one.T)
    return gains
