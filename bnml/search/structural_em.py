"""Structural EM: learning from tables with gaps (Friedman 1997), around any search.

A network expects counts where values are missing; a search finds a structure that fits these better; its parameters are
fitted to what was observed, and it expects counts in turn. Each round completes the table once
(`bnml.network.completions`), as an ordinary table of parts of rows, and scores say of these what they say of rows
(`bnml.scores.fractional`), with prices at the table's own number of rows: neither searches nor scores know of gaps.

What a network leaves out, its completions leave out too, and so a structure confirms itself. So the first completions
come from networks with more links than are worth their price, by AIC and by HQC, which tabu search finds from a tree of
pairs, each told by the rows in which both are observed; a third start is the structure with gaps as states. Tabu search
goes ahead from each; the best, by the likelihood of what was observed less the penalty, is searched as asked, first
with the completions it came from and then with its own, until the same structure comes back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from bnml._arrays import Floats
from bnml._watch import Watch
from bnml.counts import counts_of
from bnml.counts.observed import counts_for_tests
from bnml.data import Data
from bnml.data.gap_tables import count_rows_with_gaps, gaps_as_states, gaps_filled_by_mode
from bnml.errors import NetworkError, SearchError, argument
from bnml.graph import DAG, shd
from bnml.network import BayesianNetwork
from bnml.network.completions import completed_table
from bnml.network.em import em_steps, fit_by_em
from bnml.network.estimators import estimate
from bnml.scores import AIC, HQC, Score
from bnml.scores.expected import ExpectedScores
from bnml.scores.fractional import Fractional, times_prior
from bnml.scores.priors import StructurePrior
from bnml.search.forecast import AFFORDABLE, forecast_of
from bnml.search.search_result import SearchResult
from bnml.search.task import MemoryOverError, Request, Search, Task, TimeOverError

__all__ = ["check_with_gaps", "expected_scores", "learn_with_gaps", "network_for_draws", "pairwise_tree"]

LEADING_PARTS, PARTS = 8, 16  # to a row, while a start is led on, and for the search that was asked for
LEAST_PARTS, MOST_COMPLETED = 4, 20_000  # of many rows with gaps fewer parts are enough: their noise averages out
RICH_ROUNDS, MOST_ROUNDS = 2, 8
RICH_WORK = 2.0**29  # numbers that a step of EM may look at for a network with more links than are worth their price
EM_STEPS = 3  # between two searches
LEAST_GAIN = 1e-3  # nats; a round that gains less is the last
ROUNDS_OF_AUTO = 3  # that a minute is to be enough for, where `auto` is exact
LEADER = "tabu"
LED = ("exact", "climb", "tabu", "order", "ges")  # searches for any structure: tabu search can go ahead of them
OF_THE_LAST_ROUND = ("within", "arc_gain", "trace", "optimal_among")  # said of its counts, not of the table

Run = Callable[[Request, Task], SearchResult]


@dataclass(frozen=True)
class _Found:
    """A structure with its network, the score of what was observed, and the completed table it was found in."""

    result: SearchResult
    network: BayesianNetwork
    value: float
    completed: Data
    parts: int


class _Rounds:
    """Structural EM at work: what is asked, of which table, and the best so far."""

    def __init__(self, asked: Request, data: Data, run: Run, searches: Mapping[str, Search]) -> None:
        self.asked, self.data, self._run, self._searches = asked, data, run, searches
        self._leader = searches[LEADER]
        self.watch = Watch(asked.progress, asked.time_limit)
        self._n_gaps = count_rows_with_gaps(data)
        self.n_rounds = 0
        self.starts: list[str] = []
        self.best: _Found | None = None
        self.before: BayesianNetwork | None = None
        self.too_large: NetworkError | None = None

    @property
    def led(self) -> bool:
        """Whether another search can go ahead of the one that was asked for."""
        return self.asked.search is None or self.asked.search.name in LED

    def ahead(self) -> Request:
        """Return the request for the search that goes ahead; the one that was asked for if none does."""
        return replace(self.asked, search=self._leader, options={}) if self.led else self.asked

    def parts(self, wanted: int) -> int:
        """Return how many parts a row is to have."""
        return max(LEAST_PARTS, min(wanted, MOST_COMPLETED // self._n_gaps))

    def lead(self, start: DAG, name: str, imputer: Score | None, first: float, last: float) -> None:
        """Begin with a structure: let a richer network than the score allows complete the table, then search as asked.

        What a network leaves out, its completions leave out as well, and so a structure confirms itself. One with more
        links than are worth their price passes on what the data have.
        """
        step = (last - first) / (RICH_ROUNDS + 1)
        try:
            network = _fit_roughly(start, self.data, self.asked.threads)
            if imputer is not None:
                network = self.richer(network, imputer, first, step)
            found = self._round(network, self.parts(LEADING_PARTS), self.ahead(), last - step, last)
        except NetworkError as error:  # a network on the way is too large for exact inference
            self.too_large = error
            return
        self.starts.append(name)
        if self.best is None or found.value > self.best.value + LEAST_GAIN:
            self.best, self.before = found, network

    def richer(self, network: BayesianNetwork, imputer: Score, first: float, step: float) -> BayesianNetwork:
        """Return a network with more links than the score allows."""
        asked = replace(self.asked, search=self._leader, score=imputer, options={})
        for k in range(RICH_ROUNDS):
            at = first + k * step
            network = self._round(network, self.parts(LEADING_PARTS), asked, at, at, RICH_WORK).network
        return network

    def go_on(self, first: float) -> None:
        """Go on from the best structure, with its own completions, until it comes back or nothing is gained."""
        assert self.best is not None
        assert self.before is not None
        if self.led:
            self.best = self._round(self.before, self.parts(PARTS), self.asked, first, first)
        for k in range(MOST_ROUNDS):
            if self.watch.over or self.best.result.dag is None or "interrupted" in self.best.result.info:
                return
            low, high = (first + (1.0 - first) * share / MOST_ROUNDS for share in (k, k + 1))
            found = self._round(self.best.network, self.parts(PARTS), self.asked, low, high)
            same, gain = found.result.dag == self.best.result.dag, found.value - self.best.value
            if same or gain > LEAST_GAIN:
                self.best = found
            if same or gain <= LEAST_GAIN:
                return

    def _chosen(self, task: Task) -> Task:
        """Return a task for the search that ``auto`` stands for: exact where several rounds of it are affordable."""
        cost = forecast_of(task)
        if cost.fits and cost.seconds <= AFFORDABLE / ROUNDS_OF_AUTO:
            return task.named("exact", "chosen by auto, as a round takes some seconds")
        return task.named("order", "chosen by auto, as exact search would take long in each round")

    def _round(
        self,
        network: BayesianNetwork,
        parts: int,
        asked: Request,
        low: float,
        high: float,
        most_work: float = math.inf,
    ) -> _Found:
        """Complete the table, search, and fit what was found to what was observed."""
        self.n_rounds += 1
        completed = completed_table(network, self.data, parts, seed=asked.seed, threads=asked.threads)
        left = None if self.watch.limit is None else max(self.watch.limit - self.watch.seconds, 1e-3)
        request = _fractional_request(asked, parts, left)
        stage = f"round {self.n_rounds}"
        told = replace(request, progress=lambda what, share: self.watch(f"{stage}: {what}", low + (high - low) * share))
        task = replace(told.open(completed), observed=self.data)
        if told.search is None:
            task = self._chosen(task)
            told = replace(told, search=self._searches[task.search])
        result = self._run(told, task)
        if result.dag is None:
            return _Found(result, network, -math.inf, completed, parts)
        started = _network_at_counts(result.dag, completed, parts)
        steps = em_steps(result.dag, self.data, started, threads=asked.threads, most_work=most_work)
        fitted, likelihood = list(islice(steps, EM_STEPS))[-1]
        local = ExpectedScores(completed, asked.score, asked.prior, parts)
        penalty = sum(local.parts(i, above)[1] for i, above in enumerate(_parent_columns(result.dag, self.data)))
        return _Found(result, fitted, likelihood - penalty, completed, parts)


def learn_with_gaps(asked: Request, data: Data, run: Run, searches: Mapping[str, Search]) -> SearchResult:
    """Learn from a table with gaps by structural EM.

    Parameters
    ----------
    asked
        What is asked.
    data
        The table.
    run
        What runs a request on a task that was opened for it.
    searches
        All searches, by name.

    Raises
    ------
    BnmlError
        If the request does not go with the table, or with gaps.
    """
    check_with_gaps(asked, data)
    ordered = data.select(sorted(data.names))  # completions depend on the order of rows, which must not matter
    rounds = _Rounds(asked, ordered, run, searches)
    under_state, interrupted = None, False
    try:
        tree = pairwise_tree(ordered)
        under_state = _learn_with_states(rounds, run)
        if rounds.led:
            rounds.lead(tree, "a tree of pairs, completed by a network under aic", AIC(), 0.0, 0.25)
            if not rounds.watch.over:
                rounds.lead(tree, "a tree of pairs, completed by a network under hqc", HQC(), 0.25, 0.5)
            if not rounds.watch.over:
                rounds.lead(under_state.structure, "the structure with gaps as states", None, 0.5, 0.55)
            if rounds.best is None:
                rounds.lead(tree, "a tree of pairs", None, 0.55, 0.6)
        else:
            rounds.lead(tree, "a tree of pairs", None, 0.0, 0.6)
        if rounds.best is None and rounds.too_large is not None:
            raise rounds.too_large
        if not rounds.watch.over:
            rounds.go_on(0.6)
    except (TimeOverError, MemoryOverError, NetworkError, KeyboardInterrupt) as error:
        if rounds.best is None:
            raise
        interrupted = isinstance(error, KeyboardInterrupt)
    assert rounds.best is not None
    return _answer(rounds, rounds.best, data, under_state, interrupted=interrupted)


def network_for_draws(asked: Request, data: Data, run: Run, searches: Mapping[str, Search]) -> BayesianNetwork:
    """Return a network that gaps can be filled from by draws: of more links than the score allows, by AIC."""
    ordered = data.select(sorted(data.names))
    rounds = _Rounds(replace(asked, progress=None, time_limit=None), ordered, run, searches)
    tree = _fit_roughly(pairwise_tree(ordered), ordered, asked.threads)
    try:
        return rounds.richer(tree, AIC(), 0.0, 0.0)
    except NetworkError:  # too many links for exact inference
        return tree


def _learn_with_states(rounds: _Rounds, run: Run) -> SearchResult:
    """Return what is learned from the table with gaps as states, by the search that goes ahead if there is one."""
    request = replace(rounds.ahead(), progress=None)
    return run(request, request.open(gaps_as_states(rounds.data)))


def _answer(
    rounds: _Rounds, found: _Found, data: Data, under_state: SearchResult | None, *, interrupted: bool
) -> SearchResult:
    """Return what was found as the result of the search that was asked for, with what is to be said of gaps."""
    asked, result = rounds.asked, found.result
    local = ExpectedScores(found.completed, asked.score, asked.prior, found.parts)
    info = {key: value for key, value in result.info.items() if key not in OF_THE_LAST_ROUND}
    if "rows_per_cell" in info:
        info["rows_per_cell"] = asked.rows_per_cell
    info["missing"] = {name: count / data.n_rows for name, count in data.gap_counts().items()}
    info["em"] = {"rounds": rounds.n_rounds, "starts": rounds.starts, "parts": found.parts}
    if under_state is not None and under_state.dag is not None and result.dag is not None:
        info["under_state"] = _compare_with_states(result.dag, under_state.dag)
    if interrupted:
        info["interrupted"] = True
    return replace(
        result,
        dag=None if result.dag is None else result.dag.reordered(data.names),
        score=math.nan if result.dag is None else local.score(result.dag),
        optimal=False,
        seconds=rounds.watch.seconds,
        info=info,
        data=data,
        local=local,
    )


def expected_scores(dag: DAG, data: Data, score: Score, prior: StructurePrior | None = None) -> ExpectedScores:
    """Return local scores at the counts that a structure, fitted by EM, expects of a table with gaps."""
    network = fit_by_em(dag, data)
    return ExpectedScores(completed_table(network, data, PARTS), score, prior, PARTS)


def _compare_with_states(dag: DAG, other: DAG) -> dict[str, Any]:
    """Return how a structure differs from the one with gaps as states: the distance, and links of one alone."""
    own, theirs = ({tuple(sorted(arc)) for arc in one.arcs} for one in (dag, other))
    texts = [sorted(" - ".join(link) for link in links) for links in (own - theirs, theirs - own)]
    return {"shd": shd(dag, other), "only_here": texts[0], "only_there": texts[1]}


def check_with_gaps(asked: Request, data: Data) -> None:
    """Refuse what does not go with a table, or has no meaning for expected counts.

    Raises
    ------
    BnmlError
        If that is so, or a search counts whole rows.
    """
    if asked.search is not None and asked.search.name == "nml-forest":
        raise SearchError(
            f"{argument('search', 'nml-forest')} counts whole rows and cannot take the gaps that "
            f"{argument('missing', 'em')} keeps; take "
            f"{argument('search', 'forest')}, or read the table with {argument('missing', 'state')} or "
            f"{argument('missing', 'drop')}"
        )
    _fractional_request(asked, 1, None).open(gaps_filled_by_mode(data))


def _fractional_request(asked: Request, parts: int, time_limit: float | None) -> Request:
    """Return a request for a table whose rows are so many parts each."""
    return replace(
        asked,
        score=Fractional(asked.score, parts),
        prior=times_prior(asked.prior, parts),
        rows_per_cell=asked.rows_per_cell * parts,
        time_limit=time_limit,
        progress=None,
    )


def _fit_roughly(dag: DAG, data: Data, threads: int | None) -> BayesianNetwork:
    """Return a network with some steps of EM."""
    steps = islice(em_steps(dag, data, threads=threads), EM_STEPS)
    return list(steps)[-1][0]


def _network_at_counts(dag: DAG, completed: Data, parts: int) -> BayesianNetwork:
    """Return parameters from a completed table."""
    counts = counts_of(completed)
    tables = {
        x: estimate(counts.table([completed.index(v) for v in (*dag.parents(x), x)]) / parts, "bpp") for x in dag.names
    }
    return BayesianNetwork(dag, {x: completed.states[completed.index(x)] for x in dag.names}, tables, completed.cuts)


def _parent_columns(dag: DAG, data: Data) -> list[tuple[int, ...]]:
    """Return for each column of a table its parents, by column."""
    return [tuple(sorted(data.index(p) for p in dag.parents(x))) for x in data.names]


def pairwise_tree(data: Data) -> DAG:
    """Return a forest of the pairs that tell most of each other, each told by the rows in which both are observed.

    A pair is worth N times its mutual information, less half a log N for each parameter of the link.
    """
    names, gains = data.names, _pairwise_gains(data)
    pairs = [(gains[i, j], *sorted((names[i], names[j]))) for i in range(len(names)) for j in range(i)]
    links = sorted((-gain, a, b) for gain, a, b in pairs if gain > 0.0)
    part = {x: {x} for x in data.names}
    near: dict[str, list[str]] = {x: [] for x in data.names}
    for _, a, b in links:
        if part[a] is not part[b]:
            part[a] |= part[b]
            for x in part[b]:
                part[x] = part[a]
            near[a].append(b)
            near[b].append(a)
    arcs, done = [], set[str]()
    for root in sorted(data.names):
        stack = [] if root in done else [root]
        done.update(stack)
        while stack:
            x = stack.pop()
            below = [y for y in near[x] if y not in done]
            arcs += [(x, y) for y in below]
            done.update(below)
            stack += below
    return DAG(data.names, arcs)


def _pairwise_gains(data: Data) -> Floats:
    """Return for each pair what a link between them is worth, by the rows in which both are observed."""
    arities, n = data.arities, data.n_rows
    counts = counts_for_tests(data)
    gains = np.zeros((len(arities), len(arities)))
    for i in range(len(arities)):
        for j in range(i):
            table = counts.table([i, j]).astype(np.float64)
            total = float(table.sum())
            if total > 0.0:
                margins = (table.sum(axis=0), table.sum(axis=1))
                fit = _n_log_n(table) - sum(map(_n_log_n, margins)) + total * math.log(total)
                price = 0.5 * (arities[i] - 1) * (arities[j] - 1) * math.log(max(n, 2))
                gains[i, j] = gains[j, i] = n * fit / total - price
    return gains


def _n_log_n(counts: Floats) -> float:
    from scipy.special import xlogy

    return float(xlogy(counts, counts).sum())
