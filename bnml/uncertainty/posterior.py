"""The posterior over structures, by sums over subsets."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from bnml._arrays import Floats
from bnml._checks import one_of
from bnml._memory import enough_memory
from bnml._threads import cores
from bnml._watch import Watch
from bnml.data import as_data
from bnml.errors import ArgumentError, ScoreError, SearchError, argument
from bnml.graph import Constraints, count_dags
from bnml.graph.rules import ROWS_PER_CELL
from bnml.scores import SCORES, Score, parse_score
from bnml.scores.priors import StructurePrior, check_prior
from bnml.search.task import task_request
from bnml.uncertainty import sums_over_layers, sums_over_orders
from bnml.uncertainty.all_structures import Listed
from bnml.uncertainty.allowed import Allowed, allowed_families
from bnml.uncertainty.families import posterior_families
from bnml.uncertainty.posterior_cost import check_posterior_memory, prior_for
from bnml.uncertainty.posterior_result import PRIORS, Posterior
from bnml.uncertainty.sums_over_parents import StructureSums, subset_sums

__all__ = ["posterior"]

IMPOSSIBLE = "no structure that is allowed gives these data a positive probability"


@enough_memory(SearchError, "structures were scored", "take fewer columns, another search, or a machine with more")
def posterior(
    data: Any,
    score: Score | str = "bdeu",
    *,
    prior: str | None = None,
    structure_prior: StructurePrior | None = None,
    max_parents: int | None = None,
    rows_per_cell: float = ROWS_PER_CELL,
    constraints: Constraints | None = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Posterior:
    """Return the posterior over structures: the exact probability of every arc.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes; up to 22 variables.
    score
        A score that can be read as the log-probability of the data given a structure: ``bdeu``, ``k2``, ``bd``,
        ``bdj``, ``bdq``, ``bds``, ``fnml``, ``qnml`` or a `BDe` object.
    prior
        ``"uniform"``: all DAGs are equally probable; up to 14 variables. ``"order"``: all pairs of an order of the
        variables and a DAG that fits it are equally probable, so that the prior of a DAG is proportional to the number
        of its linear extensions (Koivisto & Sood 2004). None: uniform up to 14 variables, else order; the result says
        which. ``"classes"``: all equivalence classes are equally probable, and the members of a class among them; up
        to 6 variables.
    structure_prior
        A prior of `bnml.priors` by which that is multiplied.
    max_parents
        The most parents that a variable may have; other structures have probability 0.
    rows_per_cell
        As for `bnml.learn`: structures with families that have too many cells for the rows have probability 0.
    constraints
        What is known of the structure; others have probability 0. Links that are required in either direction cannot be
        taken into account.
    threads
        How many threads may be used; all cores by default. The result does not depend on it.
    memory_limit
        The most memory that may be used, in bytes or as a text such as ``"8GB"``; by default most of the machine's.
    progress
        Called as ``progress(stage, fraction)`` now and then; the fraction of the work that is done grows from 0 to 1.

    Returns
    -------
    Posterior
        Probabilities of arcs, links, paths and Markov blankets, the evidence, the most probable structures, and
        predictions.

    Raises
    ------
    BnmlError
        If an argument is wrong, the score is no log-probability, or there are too many variables for the prior or
        for the memory. Nothing has been computed then. Also if no structure gives the data a positive probability.

    Notes
    -----
    P(G | D) ∝ P(G) exp(score of G), and an arc's probability is the sum over all G that have it. The sums go over
    subsets of the variables: `bnml.uncertainty.sums_over_parents`, `bnml.uncertainty.sums_over_orders` and
    `bnml.uncertainty.sums_over_layers` say how.

    fNML and qNML are normalised maximum likelihoods, read here as marginal likelihoods. BDs is a marginal likelihood
    whose prior depends on which configurations of the parents occur.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.posterior(bnml.example(), "bdeu")
    >>> result.prior, round(result.log_evidence, 2)
    ('uniform', -11290.06)
    >>> float(result.arc_probabilities.loc["smoke", "lung"].round(3))
    0.546
    >>> float(result.link_probabilities.loc["smoke", "lung"].round(3))
    0.999
    """
    if isinstance(prior, StructurePrior):
        raise ArgumentError(
            f"{argument('prior')}: expected 'uniform', 'order' or 'classes'; pass a prior of bnml.priors as "
            f"{argument('structure_prior')}"
        )
    if prior is not None:
        one_of(prior, "prior", PRIORS)
    asked = task_request(
        None, {}, score=_checked_score(score), constraints=constraints, max_parents=max_parents,
        rows_per_cell=rows_per_cell, threads=threads, memory_limit=memory_limit, progress=progress,
    )  # fmt: skip
    check_prior(structure_prior)
    task = asked.open(as_data(data))
    table, chosen, local, watch = task.table.data, asked.score, task.table, task.watch
    workers = cores(threads)
    if structure_prior is not None:
        structure_prior.check(table.names)
    kind = prior_for(len(table.names), prior)
    allowed = allowed_families(task.rules, structure_prior)
    check_posterior_memory(local, kind, workers, task.memory)
    weights = posterior_families(local, workers, watch.part("family scores", 0.0, 0.6))
    if kind == "classes":
        sums, log_prior = _sum_over_classes(weights, allowed, watch)
    else:
        if not allowed.everything:
            for i in range(len(table.names)):
                weights[i] += allowed.terms(i)
        sums, log_prior = _sum(weights, allowed, kind, workers, watch)
    return Posterior(
        table.names,
        score if isinstance(score, str) else repr(score),
        kind,
        sums.log_total - log_prior,
        table.n_rows,
        watch.seconds,
        np.clip(sums.arcs, 0.0, 1.0),
        allowed,
        table,
        chosen,
    )


def _sum_over_classes(scores: Floats, allowed: Allowed, watch: Watch) -> tuple[StructureSums, float]:
    """Return the sums over structures with data, and without, where all classes are alike: one by one."""
    tick = watch.part("sums over structures", 0.6, 1.0)
    listed = Listed(allowed.names, scores, allowed.all_terms(), "classes")
    total, log_prior = listed.log_totals
    if math.isinf(total):
        raise ScoreError(IMPOSSIBLE)
    sums = StructureSums(total, listed.arcs)
    tick(1.0)
    return sums, log_prior


def _sum(weights: Floats, allowed: Allowed, kind: str, threads: int, watch: Watch) -> tuple[StructureSums, float]:
    """Return the sums over structures with data, and the logarithm of the sum without; ``weights`` is used up."""
    subsets = subset_sums(weights, threads, watch.part("sums over parent sets", 0.6, 0.75))
    if not subsets.possible:
        raise ScoreError(IMPOSSIBLE)
    sum_over = sums_over_orders.sum_over_orders if kind == "order" else sums_over_layers.sum_over_layers
    sums = sum_over(subsets, threads, watch.part("sums over structures", 0.75, 1.0))
    del subsets  # the memory is needed again
    return sums, _log_prior_total(weights, allowed, kind, threads)


def _log_prior_total(memory: Floats, allowed: Allowed, kind: str, threads: int) -> float:
    """Return the logarithm of what the prior's weights of all structures sum to; ``memory`` is written to."""
    n = len(allowed.names)
    if allowed.everything:
        return math.log(count_dags(n)) if kind == "uniform" else math.lgamma(n + 1) + n * (n - 1) / 2 * math.log(2)
    for i in range(n):
        memory[i] = allowed.terms(i)
    subsets = subset_sums(memory, threads, lambda part: None)
    return sums_over_orders.log_total(subsets) if kind == "order" else sums_over_layers.log_total(subsets, threads)


def _checked_score(score: Score | str) -> Score:
    chosen = parse_score(score)
    if not chosen.admits_posterior:
        names = ", ".join(name for name, kind in SCORES.items() if kind.admits_posterior)
        raise ScoreError(
            f"{argument('score', chosen.name)}: it is not the log-probability of the data given a structure, so there "
            f"is no posterior; take one of {names}, or a BDe"
        )
    return chosen
