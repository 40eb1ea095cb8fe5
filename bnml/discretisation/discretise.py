"""`discretise`: learn a network, cut each column of numbers anew given its neighbours there, and so on.

The idea is Friedman and Goldszmidt's (Discretizing continuous attributes while learning Bayesian networks, ICML 1996),
with NML in place of their MDL. In a network the bins of a column matter to its own family and to those of its children.
So it is cut where the NML code of its parents (as one variable) given the bins, and of each child given the bins and
its other parents, is shortest; this is the dynamic programming of `bnml.nml.partition`, with the price of the cuts.

**What is compared.** Scores of tables that are cut in different ways are about different data. What is the same is the
table of numbers: within a bin of n_b rows, each of them is at one of n_b ranks, which takes log n_b nats a row. So

    score + Σ over columns of Σ_b n_b log(N / n_b) - log binomial(E, K - 1)

is comparable: the entropies of the bins, which the score counts against a column with many bins, are not lost. Rounds
go on as long as this grows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from inspect import signature
from typing import Any

from bnml._text import quoted
from bnml.counts import contingency
from bnml.data import Data
from bnml.data.labels import MISSING_LABEL
from bnml.data.read import read, read_draft
from bnml.data.states import DraftTable
from bnml.errors import ArgumentError
from bnml.graph import DAG
from bnml.nml.intervals import edge_prices
from bnml.scores.priors import DEFAULT_PRIOR, StructurePrior, parse_prior
from bnml.search import learn
from bnml.search.search_result import uninterrupted_result

OPTIONS = tuple(signature(read).parameters)[1:]


def discretise(
    source: Any,
    score: Any = "qnml",
    search: str = "auto",
    *,
    prior: StructurePrior | str | None = DEFAULT_PRIOR,
    **read_options: Any,
) -> Data:
    """Read a table and cut its numbers by turns with a network that is learned from it.

    It starts from ``bins="auto"``; then a network is learned, and each of these columns is cut anew for what it tells
    about its neighbours there, until that gains no more. Columns without neighbours keep the cuts that they have.

    Parameters
    ----------
    source
        Anything that `bnml.read` takes.
    score
        The score of the networks.
    search
        How they are searched for; see `bnml.learn`.
    prior
        Their structure prior, as for `bnml.learn`.
    **read_options
        Other arguments of `bnml.read`. In ``bins`` only columns that are cut by ``"auto"`` are cut anew.

    Returns
    -------
    Data
        The table of categories; ``cuts`` has the cuts.

    Raises
    ------
    BnmlError
        If the table cannot be read, or nothing can be learned from it, as `bnml.read` and `bnml.learn` say.

    Notes
    -----
    After Friedman and Goldszmidt (1996), with NML in place of MDL; `bnml.discretisation.discretise` says what is
    compared. The result does not depend on the order of columns or rows.

    Examples
    --------
    >>> import bnml, numpy, pandas
    >>> rng = numpy.random.default_rng(0)
    >>> age = rng.uniform(20, 80, 500).round(1)
    >>> ill = rng.random(500) < numpy.where(age > 60, 0.8, 0.1)
    >>> bnml.discretise(pandas.DataFrame({"age": age, "ill": ill})).cuts["age"]
    (59.7,)
    """
    for name in read_options:
        if name not in OPTIONS:
            raise ArgumentError(f"discretise has no argument {name!r}; those of bnml.read are {quoted(OPTIONS)}")
    parse_prior(prior)
    best = read_draft(source, **{"bins": "auto", **read_options})
    data = best.data()
    if not best.automatic or len(data.names) < 2:
        return data
    result = uninterrupted_result(learn(data, score, search, prior=prior))
    reached = _comparable(best, data, result.score)
    for _ in range(20):
        if result.dag is None:
            break
        tried = best
        for name in sorted(best.automatic):
            if families := families_to_discretise(result.dag, name):
                tried = tried.cut_anew(name, families)
        found = tried.data()
        result = uninterrupted_result(learn(found, score, search, prior=prior))
        now = _comparable(tried, found, result.score)
        if not now > reached + 1e-6:  # nats that a round must gain
            break
        best, data, reached = tried, found, now
    return data


def families_to_discretise(dag: DAG, name: str) -> list[tuple[Sequence[str], Sequence[str]]]:
    """Return what the bins of a variable describe: its parents, and each child given the child's other parents."""
    parents = dag.parents(name)
    children = sorted(dag.children(name))
    found: list[tuple[Sequence[str], Sequence[str]]] = [(parents, ())] if parents else []
    return found + [((child,), [p for p in dag.parents(child) if p != name]) for child in children]


def _comparable(table: DraftTable, data: Data, score: float) -> float:
    """Return a score that tables which are cut in different ways have in common; see the top of the module."""
    parts = [score]
    for name in sorted(table.automatic):
        i = data.index(name)
        states = zip(data.states[i], contingency(data, [i]).tolist(), strict=True)
        counts = [n for label, n in states if n > 0 and label != MISSING_LABEL]
        total = sum(counts)
        parts += [n * math.log(total / n) for n in counts]
        cuts = len(data.cuts[name])
        parts.append(-float(edge_prices(max(table.n_candidates(name), cuts), cuts)[-1]))
    return math.fsum(parts)
