"""What a prior over structures is, in words, with all that limits it."""

from __future__ import annotations

import math

from bnml._text import number_of
from bnml.graph import Rules
from bnml.scores.priors import StructurePrior
from bnml.search.report import describe_prior

PRIORS = {
    "uniform": "all DAGs{limits} are equally probable",
    "order": "all pairs of an order and a DAG that fits it are equally probable{limits}; "
    "a DAG counts once for each of its linear extensions",
    "classes": "all equivalence classes of DAGs{limits} are equally probable, and so are the members of each",
}


def prior_words(prior: str, rules: Rules, structure_prior: StructurePrior | None) -> str:
    """Return what a prior says.

    Parameters
    ----------
    prior
        ``"uniform"``, ``"order"`` or ``"classes"``.
    rules
        What structures are allowed.
    structure_prior
        What it is multiplied by, or None.

    Examples
    --------
    >>> from bnml.graph import Rules
    >>> prior_words("uniform", Rules.none("ABC", 1), None)
    'all DAGs with at most 1 parent each are equally probable'
    >>> from bnml.scores.priors import Sparse
    >>> prior_words("uniform", Rules.none("ABC"), Sparse(variables=8))
    'all DAGs are equally probable, but for the structure prior: each arc makes a structure 6 times less probable'
    """
    limits = f" with at most {number_of(rules.most, 'parent')} each" if rules.most < rules.n - 1 else ""
    limits += " that the constraints allow" if rules.constrained else ""
    if rules.sparse and math.isinf(rules.cells):
        limits += " in which variables that were set in every row have no parents"
    elif rules.sparse:
        fewest = f"{min(rules.own_cells):,.0f} to " if rules.own_cells else ""
        limits += f" with families of at most {fewest}{rules.cells:,.0f} cells"
    if limits and prior == "order":
        limits = f", among the DAGs{limits}"
    text = PRIORS[prior].format(limits=limits)
    if structure_prior is None:
        return text
    cost = structure_prior.arc_cost(rules.names)
    if cost is None or cost <= 0.0:
        return f"{text}, but for the structure prior: {describe_prior(structure_prior, rules.names)}"
    factor = f"{math.exp(cost):,.0f}" if cost > math.log(100.0) else f"{math.exp(cost):.3g}"
    return f"{text}, but for the structure prior: each arc makes a structure {factor} times less probable"
