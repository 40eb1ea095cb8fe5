"""The posterior over structures: exactly, by sums over subsets, or sampled."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from bnml._arrays import Floats
from bnml._checks import one_of, whole_number
from bnml._executor import checked_executor
from bnml._machine import cores, enough_memory
from bnml._watch import Watch
from bnml.data import as_data
from bnml.data.data import refuse_gaps
from bnml.errors import ArgumentError, ScoreError, SearchError, argument
from bnml.graph import DAG, Constraints
from bnml.graph.counting import sum_over_dags
from bnml.graph.rules import ROWS_PER_CELL
from bnml.scores import SCORES, Score, parse_score
from bnml.scores.priors import DEFAULT_PRIOR, StructurePrior, parse_prior
from bnml.search.options import SearchOptions
from bnml.search.problem import Problem, bind
from bnml.search.search_result import uninterrupted_result
from bnml.uncertainty import sums_over_layers, sums_over_orders
from bnml.uncertainty.all_structures import Listed
from bnml.uncertainty.allowed import Allowed, allowed_families
from bnml.uncertainty.chains import MAX_SHORTFALL, Chains, unpacked_parents
from bnml.uncertainty.families import posterior_families
from bnml.uncertainty.posterior_cost import check_posterior_memory, exact_posterior_fits, posterior_prior_for
from bnml.uncertainty.posterior_result import Posterior
from bnml.uncertainty.sampled_posterior import SampledPosterior
from bnml.uncertainty.sums_over_parents import StructureSums, subset_sums

if TYPE_CHECKING:
    from concurrent.futures import Executor

METHODS = ("auto", "exact", "sample")
SEARCH_SHARE, MOST_SEARCH = 0.2, 0.6  # of a time limit, for the structure that a chain starts from
BUSY = 10.0  # times its estimate that an exact search may take, on a busy machine

IMPOSSIBLE = "no structure that is allowed gives these data a positive probability"


@enough_memory(SearchError, "structures were scored", "take fewer columns, another search, or a machine with more")
def posterior(
    data: Any,
    score: Score | str = "bdeu",
    *,
    prior: str | None = None,
    method: str = "auto",
    chains: int = 4,
    samples: int = 1000,
    seed: int = 0,
    structure_prior: StructurePrior | str | None = DEFAULT_PRIOR,
    max_parents: int | None = None,
    rows_per_cell: float = ROWS_PER_CELL,
    constraints: Constraints | None = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    time_limit: float | None = None,
    progress: Callable[[str, float], None] | None = None,
    executor: Executor | None = None,
) -> Posterior | SampledPosterior:
    """Return the posterior over structures: the probability of every arc, exactly where that fits, else sampled.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes; exactly up to 14 or 22 variables (see `prior`), then sampled.
    score
        A score that can be read as the log-probability of the data given a structure: ``bdeu``, ``k2``, ``bd``,
        ``bdj``, ``bdq``, ``bds``, ``fnml``, ``qnml`` or a `BDe` object.
    prior
        ``"uniform"``: all DAGs are equally probable; exactly up to 14 variables. ``"order"``: all pairs of an order of
        the variables and a DAG that fits it are equally probable, so that the prior of a DAG is proportional to the
        number of its linear extensions (Koivisto & Sood 2004); exactly up to 22. ``"classes"``: all equivalence classes
        are equally probable, and the members of a class among them; exactly up to 6. None: uniform, but order for exact
        sums over more than 14 variables; the result says which.
    method
        ``"exact"``: sums over all structures. ``"sample"``: structures are sampled by tempered chains, without a list
        of candidate parents, and the result says whether the chains have converged. The first chain starts from the
        best structure that `bnml.learn` finds, so that chains which miss it disagree. ``"auto"``: exact where there are
        few enough variables for the prior, enough memory, and no link that is required in either direction.
    chains, samples, seed
        Of sampling: how many chains there are, how many structures each keeps, and where random numbers start. The same
        seed gives the same result.
    structure_prior
        What that is multiplied by: ``"uniform"``, or None; ``"sparse"``, one expected parent per variable (see
        `bnml.priors.Sparse`); or a prior of `bnml.priors`.
    max_parents
        The most parents that a variable may have; other structures have probability 0.
    rows_per_cell
        As for `bnml.learn`: structures with families that have too many cells for the rows have probability 0.
    constraints
        What is known of the structure; others have probability 0. Exact sums cannot take links into account that are
        required in either direction.
    threads
        How many threads may be used; all cores by default. The result does not depend on it.
    memory_limit
        The most memory that may be used, in bytes or as a text such as ``"8GB"``; by default most of the machine's.
    time_limit
        Seconds after which sampling ends with what there is, and says so. Exact sums take the time that they take.
    progress
        Called as ``progress(stage, fraction)`` now and then; the fraction of the work that is done grows from 0 to 1.
    executor
        Of sampling: where chains are run once they have warmed up, a `concurrent.futures.Executor` such as a pool of
        processes, or that of Dask or MPI; None for threads of this process. The structures that are sampled do not
        depend on it, only how many ``families`` were scored: each process scores for itself. ``threads`` is then also
        how many each chain is given; one by default. Exact sums are computed in this process.

    Returns
    -------
    Posterior or SampledPosterior
        Probabilities of arcs, links, paths and Markov blankets, the most probable structures, and predictions; the
        evidence, or the sampled structures with standard errors and diagnostics.

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

    The exponentials of these scores sum to 1 over all tables, except those of BDq and qNML, which are read as marginal
    likelihoods. The prior of BDs depends on which configurations of the parents occur.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.posterior(bnml.example(), "bdeu")
    >>> result.prior, round(result.log_evidence, 2)
    ('uniform', -11285.65)
    >>> float(result.arc_probabilities.loc["smoke", "lung"].round(3))
    0.627
    >>> float(result.link_probabilities.loc["smoke", "lung"].round(3))
    1.0
    >>> sampled = bnml.posterior(bnml.example(), "bdeu", method="sample")
    >>> sampled.converged, float(sampled.link_probabilities.loc["smoke", "lung"].round(2))
    (True, 1.0)
    """
    if isinstance(prior, StructurePrior):
        raise ArgumentError(
            "expected 'uniform', 'order' or 'classes'",
            argument="prior",
            hint="pass a prior of bnml.priors as " + argument("structure_prior"),
        )
    if prior is not None:
        one_of(prior, "prior", ("uniform", "order", "classes"))
    one_of(method, "method", METHODS)
    whole_number(chains, "chains", 1)
    whole_number(samples, "samples", 1)
    given = parse_prior(structure_prior, "structure_prior")
    elsewhere = checked_executor(executor)
    chosen = parse_score(score)
    check_posterior_score(chosen)
    options = SearchOptions.checked(
        None, score=chosen, constraints=constraints, max_parents=max_parents, rows_per_cell=rows_per_cell, prior=given,
        seed=seed, threads=threads, memory_limit=memory_limit, time_limit=time_limit, progress=progress,
    )  # fmt: skip
    table = as_data(data, memory_limit)
    if given is not None:
        given.check(table.names)
    refuse_gaps(table, "the posterior")
    named = score if isinstance(score, str) else None
    return posterior_of(
        bind(options, table), prior, method=method, chains=chains, samples=samples, executor=elsewhere, named=named
    )


@enough_memory(SearchError, "structures were scored", "take fewer columns, another search, or a machine with more")
def posterior_of(
    problem: Problem,
    prior: str | None = None,
    *,
    method: str = "auto",
    chains: int = 4,
    samples: int = 1000,
    executor: Executor | None = None,
    named: str | None = None,
) -> Posterior | SampledPosterior:
    """Return the posterior of a problem without a search; the arguments are those of `posterior`, checked.

    Parameters
    ----------
    problem
        Scores and what is allowed.
    prior, method, chains, samples, executor
        As for `posterior`.
    named
        What the score was called.
    """
    if method == "auto":
        fits = exact_posterior_fits(problem.table, problem.rules, prior, cores(problem.threads), problem.memory)
        method = "exact" if fits else "sample"
    name = repr(problem.score) if named is None else named
    if method == "exact":
        return _exact(problem, name, prior)
    return _sampled(problem, name, prior or "uniform", chains, samples, executor)


def _sampled(
    problem: Problem, named: str, kind: str, chains: int, samples: int, executor: Executor | None
) -> SampledPosterior:
    """Return the posterior by sampling; one chain starts from the best structure that a search finds."""
    from bnml.search.learn import solve
    from bnml.uncertainty.sample_structures import sample_structures

    local = problem.table
    limit, cost = problem.watch.limit, problem.cost
    share = SEARCH_SHARE
    if limit is not None and cost.affordable:
        share = min(MOST_SEARCH, max(SEARCH_SHARE, BUSY * cost.seconds / limit))
    watch = problem.watch.share(share, SEARCH_SHARE)
    searched = uninterrupted_result(solve(problem.watched(watch)))
    search_cut = limit is not None and not searched.optimal and (cost.affordable or watch.cut)
    found = sample_structures(problem, kind, chains, samples, executor, searched.dag)
    found = replace(found, search_cut=search_cut)
    if found.missed_mode:
        found = replace(found, reached=_reach_from_samples(found, problem))
    result = SampledPosterior(
        problem.names, named, kind, local.data.n_rows, problem.watch.seconds, found, problem.rules, local.prior,
        local.data, local.score_function,
    )  # fmt: skip
    if kind == "classes":
        _ = result.structures  # if their classes cannot be counted, that is said here, and not when they are asked for
    return result


def _reach_from_samples(chains: Chains, problem: Problem) -> float:
    """Return the best score that local search reaches from the best sampled structure of each chain."""
    from bnml.search.searches import SEARCHES

    names = problem.with_prior.names
    limit = problem.watch.limit
    reached = chains.reached
    for c in np.argsort(-chains.log_weights.max(axis=1), kind="stable").tolist():
        best = int(chains.log_weights[c].argmax())
        (above,) = unpacked_parents(chains.parents[c, best : best + 1])
        start = DAG.from_parent_sets(names, [np.flatnonzero(own).tolist() for own in above])
        # a share of the time limit for local search from each chain's best structure
        watch = Watch(None, None if limit is None else 0.01 * limit)
        improved = SEARCHES["tabu"].run(problem.watched(watch), start=start.reordered(problem.names))
        reached = max(reached, uninterrupted_result(improved).score)
        if reached >= chains.searched - MAX_SHORTFALL:
            break
    return reached


def _exact(problem: Problem, named: str, prior: str | None) -> Posterior:
    """Return the posterior by sums over subsets."""
    table, local = problem.table.data, problem.table.without_prior()
    watch, workers = problem.watch, cores(problem.threads)
    kind = posterior_prior_for(len(table.names), prior)
    allowed = allowed_families(problem.rules, problem.table.prior)
    check_posterior_memory(local, kind, workers, problem.memory)
    weights = posterior_families(local, workers, watch.part("family scores", 0.0, 0.6))
    if kind == "classes":
        sums, log_prior = _sum_over_classes(weights, allowed, watch)
    else:
        if allowed.arc_cost != 0.0:
            for i in range(len(table.names)):
                weights[i] += allowed.terms(i)
        sums, log_prior = _sum(weights, allowed, kind, workers, watch)
    return Posterior(
        table.names,
        named,
        kind,
        sums.log_total - log_prior,
        table.n_rows,
        watch.seconds,
        np.clip(sums.arcs, 0.0, 1.0),
        allowed,
        table,
        local.score_function,
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
    cost = allowed.arc_cost
    if cost is not None:
        weight = math.exp(-cost)
        if kind == "order":
            return math.lgamma(n + 1) + n * (n - 1) / 2 * math.log1p(weight)
        total = sum_over_dags(n, Fraction(weight))
        return math.log(total.numerator) - math.log(total.denominator)
    for i in range(n):
        memory[i] = allowed.terms(i)
    subsets = subset_sums(memory, threads, lambda part: None)
    return (
        sums_over_orders.log_total_over_orders(subsets)
        if kind == "order"
        else sums_over_layers.log_total_over_layers(subsets, threads)
    )


def check_posterior_score(chosen: Score) -> None:
    """Refuse a score that is no log-probability of the data.

    Raises
    ------
    ScoreError
        If it is none.
    """
    if not chosen.admits_posterior:
        names = ", ".join(name for name, kind in SCORES.items() if kind.admits_posterior)
        problem = (
            "it does not decompose into a term for each family, which the posterior needs"
            if chosen.probability
            else "it is not the log-probability of the data given a structure, so there is no posterior"
        )
        raise ScoreError(problem, argument="score", value=chosen.name, hint=f"take one of {names}, or a BDe")
