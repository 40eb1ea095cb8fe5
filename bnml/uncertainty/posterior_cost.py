"""What a posterior will cost, before it is begun."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bnml._costs import BYTES, SECONDS
from bnml._machine import cores, gigabytes
from bnml._plain import attributes
from bnml.errors import ArgumentError, argument
from bnml.graph import Rules, count_dags
from bnml.scores import LocalScores
from bnml.scores.lattice.memory import scoring_bytes
from bnml.uncertainty.all_structures import MOST_CLASSES
from bnml.uncertainty.families import BLOCK, MOST_EXACT
from bnml.uncertainty.sums_over_layers import PARTS

MOST_VARIABLES = {"uniform": 14, "order": 22, "classes": MOST_CLASSES}


@dataclass(frozen=True)
class Cost:
    """An estimate of the time, and an upper bound for the memory."""

    seconds: float
    bytes: int

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return attributes(self, "seconds", "bytes")

    def __str__(self) -> str:
        seconds = f"{self.seconds:,.0f} s" if self.seconds < 120 else f"{self.seconds / 60:,.0f} min"
        return f"about {seconds}, {gigabytes(self.bytes)} of memory at most"


def posterior_cost(local: LocalScores, prior: str, threads: int | None = None) -> Cost:
    """Return what the posterior of a table under a prior will cost."""
    n, rows, workers = len(local.data.names), local.counts.n_distinct, cores(threads)
    families, sets = n << (n - 1), 1 << n
    seconds = SECONDS.family * families if local.terms is None else SECONDS.set_row * sets * rows / workers
    seconds += SECONDS.order_sum * n * n * sets / workers
    if prior == "uniform":
        seconds += SECONDS.layer_step * 4**n / workers
    elif prior == "classes":
        seconds += SECONDS.structure * count_dags(n)
    return Cost(seconds, posterior_memory(local, prior, workers))


def posterior_prior_for(n: int, prior: str | None) -> str:
    """Return the structure prior of a posterior that is meant, or refuse its cost: too many variables."""
    kind = prior or ("uniform" if n <= MOST_VARIABLES["uniform"] else "order")
    sampled = "sample structures with " + argument("method", "sample")
    if n > MOST_VARIABLES["order"]:
        most = MOST_VARIABLES["order"]
        raise ArgumentError(
            f"{n} variables are too many: {most} are the most",
            hint="choose with " + argument("columns") + ", or " + sampled,
        )
    if n > MOST_VARIABLES[kind]:
        other = next(name for name, most in MOST_VARIABLES.items() if n <= most)
        raise ArgumentError(
            argument("prior", kind) + f" goes up to {MOST_VARIABLES[kind]} variables, and there are {n}",
            hint=sampled + ", take " + argument("prior", other) + ", or fewer with " + argument("columns"),
        )
    return kind


def exact_posterior_fits(local: LocalScores, rules: Rules, prior: str | None, threads: int, limit: int) -> bool:
    """Whether a posterior can be had exactly: few variables, enough memory, and no link that is required either way."""
    n = len(local.data.names)
    kind = prior or ("uniform" if n <= MOST_VARIABLES["uniform"] else "order")
    if n > MOST_VARIABLES.get(kind, 0) or any(rules.links):
        return False
    return posterior_memory(local, kind, threads) <= limit


def check_posterior_memory(local: LocalScores, prior: str, threads: int, limit: int) -> None:
    """Refuse a posterior that does not fit, before anything is allocated."""
    n, needed = len(local.data.names), posterior_memory(local, prior, threads)
    if needed <= limit:
        return
    fits = next((size for size in range(n - 1, 0, -1) if posterior_memory(local, prior, threads, size) <= limit), 0)
    fewer = " or choose with " + argument("columns") + f": {fits} would fit" if fits else " to that"
    raise ArgumentError(
        f"sums over {n} variables need {gigabytes(needed)} of memory, and the limit is {gigabytes(limit)}",
        hint="raise " + argument("memory_limit") + fewer,
    )


def posterior_memory(local: LocalScores, prior: str, threads: int, n: int | None = None) -> int:
    """Return how many bytes the posterior takes at most.

    Parameters
    ----------
    local
        The local scores of the table.
    prior
        The prior.
    threads
        How many threads are used.
    n
        How many of the columns are taken; all of them by default.

    Notes
    -----
    Python itself takes some, and so does what it takes to score families. First there are the scores, a number of 8
    bytes for each of the n 2^(n-1) families, beside the terms of all 2^n sets and three lists of half as many for each
    thread. Then there are two numbers for each family; for each set some, and one for each thread; with the uniform
    prior two for each of the 3^n states, and one for each family and part. With all classes alike, all DAGs are listed.
    """
    n = len(local.data.names) if n is None else n
    families, sets = n << (n - 1), 1 << n
    terms = 1 + len(set(local.data.arities))
    scores = 8 * families + 8 * sets * terms + 12 * sets * threads + BYTES.asked * min(sets, BLOCK)
    sums = 17 * families + 8 * sets * (5 + threads)
    sums += 16 * 3**n + 8 * PARTS * families if prior == "uniform" else 0
    sums += BYTES.structure * count_dags(n) if prior == "classes" else 0
    return BYTES.base + scoring_bytes(local, threads, walks=n > MOST_EXACT) + max(scores, sums)
