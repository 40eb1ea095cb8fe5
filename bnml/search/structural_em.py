"""Structural EM: learning from tables with gaps (Friedman 1997), around any search.

A network expects counts where values are missing; a search finds a structure that fits these better; its parameters are
fitted to what was observed, and it expects counts in turn. Each round completes the table once
(`bnml.network.completions`), as an ordinary table of parts of rows, and scores say of these what they say of rows
(`bnml.scores.fractional`), with prices at the table's own number of rows: neither searches nor scores know of gaps.

What a network leaves out, its completions leave out too, and so a structure confirms itself. So the first completions
come from networks with more links than are worth their price, by AIC and by HQC, which tabu search finds from a tree of
pairs, each told by the rows in which both are observed; a third start is the structure with gaps as states. Tabu search
goes ahead from each; the best, by the likelihood of what was observed less the penalty, is searched as asked, first
with the completions it came from and then with its own, until the same structure comes back. In the end arcs go that
what was observed does not pay for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from bnml._arrays import Floats
from bnml._watch import Watch
from bnml.counts import chi_square_statistic, counts_of
from bnml.counts.counts import counts_for_tests
from bnml.data import Data
from bnml.data.gap_tables import count_rows_with_gaps, gaps_as_states, gaps_filled_by_mode, table_of_counts
from bnml.errors import BnmlError, NetworkError, ScoreError, SearchError, argument
from bnml.graph import DAG, shd
from bnml.graph.dag import dag_without
from bnml.network import BayesianNetwork
from bnml.network.completions import completed_table
from bnml.network.em import em_steps, estimate_at_expected_counts, expected_counts, fit_by_em
from bnml.network.estimators import DEFAULT_ESTIMATOR, estimate
from bnml.scores import AIC, HQC, LogLikelihood, Score
from bnml.scores.expected import ExpectedScores, KnownFamily
from bnml.scores.fractional import Fractional, times_prior
from bnml.scores.local import local_scores
from bnml.scores.priors import StructurePrior
from bnml.search.forecast import AFFORDABLE
from bnml.search.options import Search, SearchOptions
from bnml.search.pairwise_tree import pairwise_tree
from bnml.search.problem import MemoryOverError, Problem, TimeOverError, bind
from bnml.search.search_result import SearchResult

LEADING_PARTS, PARTS = 8, 16  # to a row, while a start is led on, and for the search that was asked for
LEAST_PARTS, MOST_COMPLETED = 4, 20_000  # of many rows with gaps fewer parts are enough: their noise averages out
MOST_PARTS, MOST_COUNTED = 256, 4_000_000  # for counts that are exact: parts to a row, and in all
RICH_ROUNDS, MOST_ROUNDS = 2, 8
RICH_WORK = 2.0**29  # numbers that a step of EM may look at for a network with more links than are worth their price
EM_STEPS = 3  # between two searches
MOST_STEPS, STEP_GAIN = 200, 1e-3  # of EM where structures are compared, and nats; a smaller step is the last
FAR = 50  # steps of EM that would all have to gain as much as the last, for a structure to be given up
PLENTY = 6.0  # nats by which an arc must pay more than its price, by rows that are whole, to need no second look
LEAST_GAIN = 1e-3  # nats; a round that gains less is the last
ROUNDS_OF_AUTO = 3  # that a minute is to be enough for, where `auto` is exact
LEADER = "tabu"
LED = ("exact", "climb", "tabu", "order", "ges")  # searches for any structure: tabu search can go ahead of them
HEURISTIC = "order"  # what `auto` stands for where exact search takes long
TOO_LITTLE = 1e-3  # seconds, in which nothing is searched
TIME_OVER = "the time limit was reached"
ENDED_BY: dict[type[Exception], str] = {
    TimeOverError: TIME_OVER,
    MemoryOverError: "memory ran out",
    NetworkError: "a network on the way was too large for exact inference",
}
OF_THE_LAST_ROUND = ("within", "arc_gain", "trace", "optimal_among", "bytes")  # said of its counts, not of the table

Run = Callable[[Problem], SearchResult]


@dataclass(frozen=True)
class _Found:
    """A structure with its network, the score of what was observed, and the completed table it was found in."""

    result: SearchResult
    network: BayesianNetwork
    value: float
    completed: Data
    parts: int
    cut: bool = False  # whether the time was over before the search had ended


class _Rounds:
    """Structural EM at work: what is asked, of which table, and the best so far."""

    def __init__(self, asked: SearchOptions, data: Data, run: Run, searches: Mapping[str, Search]) -> None:
        self.asked, self.data, self._run, self._searches = asked.with_prior_for(data), data, run, searches
        self._leader = searches[LEADER]
        self.watch = Watch(asked.progress, asked.time_limit)
        self._n_gaps = count_rows_with_gaps(data)
        self.n_rounds = 0
        self.starts: list[str] = []
        self.best: _Found | None = None
        self.before: BayesianNetwork | None = None
        self.too_large: NetworkError | None = None
        self.deleted: list[tuple[str, str]] = []
        self.as_asked = False  # whether the best was found by the search that was asked for
        self.ended = ""  # what ended it before its end, in words
        self.no_states = ""  # why nothing was learned with gaps as states, if not for time

    @property
    def led(self) -> bool:
        """Whether another search can go ahead of the one that was asked for."""
        return self.asked.search is None or self.asked.search.name in LED

    def ahead(self) -> SearchOptions:
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
                if self.asked.prior is not None and self.led:  # arcs worth the score's price, if not the prior's
                    free = replace(self.ahead(), prior=None)
                    network = self._round(network, self.parts(LEADING_PARTS), free, last - step, last - step).network
            found = self._round(network, self.parts(LEADING_PARTS), self.ahead(), last - step, last)
            if found.cut and self.led:
                found = self._start_if_better(network, found)
        except NetworkError as error:  # a network on the way is too large for exact inference
            self.too_large = error
            return
        self.starts.append(name)
        if self.best is None or found.value > self.best.value + LEAST_GAIN:
            self.best, self.before, self.as_asked = found, network, not self.led

    def richer(self, network: BayesianNetwork, imputer: Score, first: float, step: float) -> BayesianNetwork:
        """Return a network with more links than the score allows."""
        asked = replace(self.asked, search=self._leader, score=imputer, prior=None, options={})
        for k in range(RICH_ROUNDS):
            at = first + k * step
            if self.watch.share(at + step).over:
                break
            found = self._round(network, self.parts(LEADING_PARTS), asked, at, at + step, most_work=RICH_WORK)
            if found.cut:  # it may have fewer links than what it began with
                break
            network = found.network
        return network

    def go_on(self, first: float) -> None:
        """Go on from the best structure, with its own completions, until it comes back or nothing is gained."""
        assert self.best is not None
        assert self.before is not None
        if self.led and not self.watch.over:
            half = 0.5 * (first + 1.0)
            found = self._round(self.before, self.parts(PARTS), self.asked, first, first, until=half)
            if not found.cut or found.value > self.best.value:
                self.best, self.as_asked = found, True
        for k in range(MOST_ROUNDS):
            if self.best.result.dag is None or "interrupted" in self.best.result.info:
                return
            if self.watch.over:
                self.ended = TIME_OVER
                return
            low, high = (first + (1.0 - first) * share / MOST_ROUNDS for share in (k, k + 1))
            found = self._round(self.best.network, self.parts(PARTS), self.asked, low, high, until=1.0)
            same, gain = found.result.dag == self.best.result.dag, found.value - self.best.value
            if same or gain > LEAST_GAIN:
                self.best, self.as_asked = found, True
            if found.cut:
                self.ended = TIME_OVER
                return
            if same or gain <= LEAST_GAIN:
                return

    def delete(self) -> None:
        """Delete arcs, the worst first, as long as what was observed is worth more without one.

        A completed table has more rows with all values than were observed, so a search in it counts evidence that is
        not there. Arcs that pay well by the rows in which their family was observed need no second look.
        """
        assert self.best is not None
        known, threads = self.asked.constraints, self.asked.threads
        network = self.best.network
        while (dag := self.best.result.dag) is not None and dag.arcs and self.led:
            best, local = self.best, self._scores(self.best)
            network, value = self._converged(network, local)
            counts, _ = expected_counts(network, self.data, threads=threads)
            found: tuple[float, tuple[str, str], BayesianNetwork] | None = None
            for arc in sorted(dag.arcs):
                if self.watch.over:
                    self.ended = TIME_OVER
                    return
                less = dag_without(dag, arc)
                if (known is None or not known.violations(less)) and not self._paid(dag, arc, local):
                    fitted, without = self._converged(_network_without(network, arc, counts), local, value)
                    if without - value > LEAST_GAIN and (found is None or without - value > found[0]):
                        found = without - value, arc, fitted
            if found is None:
                return
            self.deleted.append(found[1])
            network = found[2]
            table = completed_table(network, self.data, best.parts, seed=self.asked.seed, threads=threads)
            result = replace(best.result, dag=network.dag)
            self.best = self._fitted(result, self.asked, table, best.parts, math.inf)

    def _scores(self, found: _Found) -> ExpectedScores:
        return ExpectedScores(found.completed, self.asked.score, self.asked.structure_prior, found.parts)

    def _converged(
        self, network: BayesianNetwork, local: ExpectedScores, least: float = -math.inf
    ) -> tuple[BayesianNetwork, float]:
        """Return a network fitted by EM, and the log-likelihood of what was observed less the penalty.

        It need not be the whole of it where it stays far below ``least``.
        """
        before, penalty = -math.inf, _penalty(network.dag, local, self.data)
        value = before
        steps = em_steps(network.dag, self.data, network, threads=self.asked.threads)
        for fitted, likelihood in islice(steps, MOST_STEPS):
            network, value = fitted, likelihood - penalty
            if value - before < STEP_GAIN or value + FAR * (value - before) < least:
                break
            before = value
        return network, value

    def _paid(self, dag: DAG, arc: tuple[str, str], local: ExpectedScores) -> bool:
        """Tell whether an arc pays plenty by the rows in which its child and all its parents were observed."""
        x, y = (self.data.index(name) for name in arc)
        above = tuple(sorted(self.data.index(p) for p in dag.parents(arc[1])))
        others = tuple(p for p in above if p != x)
        price = local.parts(y, above)[1] - local.parts(y, others)[1]
        counts = counts_for_tests(self.data).for_child(y)
        g2, _ = chi_square_statistic(counts.cells(sorted((*above, y))), x, y, list(others))
        return bool(0.5 * g2 > price + PLENTY)

    def _start_if_better(self, network: BayesianNetwork, found: _Found) -> _Found:
        """Return what a search began with where it was cut off before it had come as far."""
        problem = bind(_fractional_options(self.ahead(), found.parts, TOO_LITTLE), found.completed)
        try:
            start = self._leader.run(problem, start=network.dag)
        except BnmlError:  # the rules do not allow it
            return found
        again = self._fitted(start, self.asked, found.completed, found.parts, math.inf)
        return replace(again, cut=True) if again.value > found.value else found

    def _chosen(self, problem: Problem) -> Problem:
        """Return a problem for the search that ``auto`` stands for: exact where several rounds of it are affordable."""
        cost, left = problem.cost, problem.watch.limit
        if left is not None and cost.fits and cost.seconds > left / ROUNDS_OF_AUTO:
            return problem.named("order", "chosen by auto, as exact search would take longer than the time limit")
        if cost.fits and cost.seconds <= AFFORDABLE / ROUNDS_OF_AUTO:
            return problem.named("exact", "chosen by auto, as a round takes some seconds")
        return problem.named("order", "chosen by auto, as exact search would take long in each round")

    def _round(
        self,
        network: BayesianNetwork,
        parts: int,
        asked: SearchOptions,
        low: float,
        high: float,
        *,
        until: float | None = None,
        most_work: float = math.inf,
    ) -> _Found:
        """Complete the table, search, and fit what was found to what was observed.

        The share of the work that is done goes from ``low`` to ``high``, and the search is over when that share of the
        time limit is, or the share ``until``.
        """
        self.n_rounds += 1
        completed = completed_table(network, self.data, parts, seed=asked.seed, threads=asked.threads)
        limit = self.watch.share(high if until is None else until).limit
        left = None if limit is None else max(limit - self.watch.seconds, TOO_LITTLE)
        options = _fractional_options(asked, parts, left)
        stage = f"round {self.n_rounds}"
        options = replace(
            options, progress=lambda what, share: self.watch(f"{stage}: {what}", low + (high - low) * share)
        )
        problem = replace(bind(options, completed), observed=self.data)
        if options.search is None:
            problem = self._chosen(problem)
            problem = replace(problem, options=replace(options, search=self._searches[problem.search]))
        result = self._run(problem)
        if result.dag is None:
            return _Found(result, network, -math.inf, completed, parts)
        found = self._fitted(result, asked, completed, parts, most_work)
        return replace(found, cut=bool(problem.watch.over))

    def _fitted(
        self, result: SearchResult, asked: SearchOptions, completed: Data, parts: int, most_work: float
    ) -> _Found:
        """Return a structure fitted to what was observed by some steps of EM, with its value."""
        assert result.dag is not None
        started = _network_at_counts(result.dag, completed, parts)
        steps = em_steps(result.dag, self.data, started, threads=asked.threads, most_work=most_work)
        fitted, likelihood = list(islice(steps, EM_STEPS))[-1]
        local = ExpectedScores(completed, asked.score, asked.structure_prior, parts)
        return _Found(result, fitted, likelihood - _penalty(result.dag, local, self.data), completed, parts)


def learn_with_gaps(asked: SearchOptions, data: Data, run: Run, searches: Mapping[str, Search]) -> SearchResult:
    """Learn from a table with gaps by structural EM.

    Parameters
    ----------
    asked
        What is asked.
    data
        The table.
    run
        Runs the search of a problem.
    searches
        All searches, by name.

    Raises
    ------
    BnmlError
        If the request does not go with the table, or with gaps.
    """
    check_with_gaps(asked, data)
    rounds = _Rounds(asked, _ordered(data), run, searches)
    ordered, under_state, interrupted = rounds.data, None, False
    try:
        tree = pairwise_tree(ordered)
        under_state = _learn_with_states(rounds, run)
        if rounds.led:
            rounds.lead(tree, "a tree of pairs, completed by a network under aic", AIC(), 0.1, 0.35)
            if not rounds.watch.share(0.5).over:
                rounds.lead(tree, "a tree of pairs, completed by a network under hqc", HQC(), 0.35, 0.55)
            if under_state is not None and not rounds.watch.share(0.6).over:
                rounds.lead(under_state.structure, "the structure with gaps as states", None, 0.55, 0.6)
            if not rounds.watch.share(0.65).over:
                rounds.lead(DAG(ordered.names), "no arcs", None, 0.6, 0.65)
            if rounds.best is None:
                rounds.lead(tree, "a tree of pairs", None, 0.6, 0.65)
        else:
            rounds.lead(tree, "a tree of pairs", None, 0.1, 0.65)
        if rounds.best is None and rounds.too_large is not None:
            raise rounds.too_large
        rounds.go_on(0.65)
        if not rounds.watch.over:
            rounds.delete()
    except (TimeOverError, MemoryOverError, NetworkError, KeyboardInterrupt) as error:
        if rounds.best is None:
            raise
        interrupted = isinstance(error, KeyboardInterrupt)
        rounds.ended = next((words for kind, words in ENDED_BY.items() if isinstance(error, kind)), "")
    assert rounds.best is not None
    return _answer(rounds, rounds.best, data, under_state, interrupted=interrupted)


def structure_with_gaps(asked: SearchOptions, data: Data, run: Run, searches: Mapping[str, Search]) -> SearchResult:
    """Learn a structure from a table with gaps, one of many, by structural EM from a tree of pairs.

    What is known of the result is the structure, and the class that it is in: nothing is fitted in the end, and gaps as
    states are not looked at.
    """
    check_with_gaps(asked, data)
    rounds = _Rounds(asked, _ordered(data), run, searches)
    tree = pairwise_tree(rounds.data)
    if rounds.led:
        rounds.lead(tree, "a tree of pairs, completed by a network under aic", AIC(), 0.0, 0.3)
        rounds.lead(tree, "a tree of pairs, completed by a network under hqc", HQC(), 0.3, 0.5)
    if rounds.best is None:
        rounds.lead(tree, "a tree of pairs", None, 0.0, 0.5)
    if rounds.best is None and rounds.too_large is not None:
        raise rounds.too_large
    try:
        rounds.go_on(0.5)
        if not rounds.watch.over:
            rounds.delete()
    except (TimeOverError, MemoryOverError, NetworkError):  # the best so far is good enough
        pass
    assert rounds.best is not None
    result = rounds.best.result
    assert result.problem is not None
    dag = None if result.dag is None else result.dag.reordered(data.names)
    return replace(result, dag=dag, problem=replace(result.problem, observed=data))


def _ordered(data: Data) -> Data:
    """Return a table with its columns in the order of their names: completions depend on it, and it must not matter."""
    return data.select(sorted(data.names))


def _learn_with_states(rounds: _Rounds, run: Run) -> SearchResult | None:
    """Return what is learned from the table with gaps as states, by the search that goes ahead if there is one.

    It has a tenth of the time; None if that is not enough, or if the score knows of no such states.
    """
    options = replace(rounds.ahead(), progress=None, time_limit=rounds.watch.share(0.1).limit)
    try:
        problem = bind(options, gaps_as_states(rounds.data))
        result = run(problem)
    except TimeOverError:
        return None
    except ScoreError:
        rounds.no_states = "the score knows of no such states"
        return None
    return None if problem.watch.over else result


def _answer(
    rounds: _Rounds, found: _Found, data: Data, under_state: SearchResult | None, *, interrupted: bool
) -> SearchResult:
    """Return what was found as the result of the search that was asked for, with what is to be said of gaps."""
    asked, result = rounds.asked, found.result
    assert result.problem is not None
    network, local = None, ExpectedScores(found.completed, asked.score, asked.structure_prior, found.parts)
    if result.dag is not None:
        if not rounds.watch.over and not interrupted:
            network = fit_by_em(result.dag, rounds.data, threads=asked.threads)
        local = _scores_at_counts(
            network or found.network, rounds.data, asked.score, asked.structure_prior, found.parts
        )
    info = {key: value for key, value in result.info.items() if key not in OF_THE_LAST_ROUND}
    if "rows_per_cell" in info:
        info["rows_per_cell"] = asked.rows_per_cell
    info["missing"] = {name: count / data.n_rows for name, count in data.gap_counts().items()}
    info["em"] = {"rounds": rounds.n_rounds, "starts": rounds.starts, "parts": found.parts}
    if rounds.deleted:
        info["em"]["deleted"] = rounds.deleted
        info["local_optimum"] = False
        info.pop("arc_gain", None)
    if under_state is not None and under_state.dag is not None and result.dag is not None:
        info["under_state"] = _compare_with_states(result.dag, under_state.dag)
    elif result.dag is not None:
        info["em"]["without_state"] = rounds.no_states or TIME_OVER
    if interrupted:
        info["interrupted"] = True
    search = result.search
    if not rounds.as_asked:
        search = asked.search.name if asked.search is not None else HEURISTIC
        info["reason"] = "as asked" if asked.search is not None else "chosen by auto"
        info["reason"] += f", but this is what {result.search} search found, which goes ahead of it"
    if rounds.ended:
        info["em"]["ended"] = rounds.ended
        info["reason"] = f"{info.get('reason', 'as asked')}; ended as {rounds.ended}"
    answer = replace(
        result,
        search=search,
        dag=None if result.dag is None else result.dag.reordered(data.names),
        score=math.nan if result.dag is None else local.score(result.dag),
        optimal=False,
        seconds=rounds.watch.seconds,
        info=info,
        problem=replace(result.problem, local=local, options=asked, observed=data),
    )
    if network is None:
        return answer
    smoothed = estimate_at_expected_counts(network, rounds.data, DEFAULT_ESTIMATOR, threads=asked.threads)
    return answer.with_network(smoothed.reordered(data.names))


def scores_by_em(
    dag: DAG, data: Data, score: Score, prior: StructurePrior | None = None, parts: int = PARTS
) -> ExpectedScores:
    """Return local scores at the counts that a structure, fitted by EM, expects of a table with gaps.

    Those of the structure's own families are exact; others are counted in completions, of so many parts to a row.
    """
    return _scores_at_counts(fit_by_em(dag, data), data, score, prior, parts)


def _scores_at_counts(
    network: BayesianNetwork, data: Data, score: Score, prior: StructurePrior | None, parts: int
) -> ExpectedScores:
    """Return local scores at the counts that a network expects."""
    counts, _ = expected_counts(network, data)
    finer = max(parts, min(MOST_PARTS, MOST_COUNTED // data.n_rows))
    known = []
    for x, own in zip(data.names, _parent_columns(network.dag, data), strict=True):
        columns = [data.index(v) for v in (*network.dag.parents(x), x)]
        table = table_of_counts(data, columns, counts[x], finer)
        fit, value = (
            local_scores(table, Fractional(each, finer)).family(data.index(x), own) / finer
            for each in (LogLikelihood(), score)
        )
        known.append(KnownFamily(own, fit, value))
    return ExpectedScores(completed_table(network, data, parts), score, prior, parts, known)


def _compare_with_states(dag: DAG, other: DAG) -> dict[str, Any]:
    """Return how a structure differs from the one with gaps as states: the distance, and links of one alone."""
    own, theirs = ({tuple(sorted(arc)) for arc in one.arcs} for one in (dag, other))
    texts = [sorted(" - ".join(link) for link in links) for links in (own - theirs, theirs - own)]
    return {"shd": shd(dag, other), "only_here": texts[0], "only_there": texts[1]}


def check_with_gaps(asked: SearchOptions, data: Data) -> None:
    """Refuse what does not go with a table, or has no meaning for expected counts.

    Raises
    ------
    BnmlError
        If that is so, or a search counts whole rows.
    """
    problem_with_gaps(asked, data)


def problem_with_gaps(asked: SearchOptions, data: Data) -> Problem:
    """Return the problem of a request as tests and rules see it: its scores are of gaps filled in any way.

    Raises
    ------
    BnmlError
        If that is so, or a search counts whole rows.
    """
    if asked.search is not None and asked.search.name == "nml-forest":
        raise SearchError(
            argument("search", "nml-forest")
            + " counts whole rows and cannot take the gaps that "
            + argument("missing", "em")
            + " keeps",
            hint="take "
            + argument("search", "forest")
            + ", or read the table with "
            + argument("missing", "state")
            + " or "
            + argument("missing", "drop"),
        )
    options = _fractional_options(asked.with_prior_for(data), 1, None)
    return replace(bind(options, gaps_filled_by_mode(data)), observed=data)


def _fractional_options(asked: SearchOptions, parts: int, time_limit: float | None) -> SearchOptions:
    """Return a request, bound to a table, for one whose rows are so many parts each."""
    return replace(
        asked,
        score=Fractional(asked.score, parts),
        prior=times_prior(asked.structure_prior, parts),
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
    tables = {}
    for x in dag.names:
        columns = [completed.index(v) for v in (*dag.parents(x), x)]
        tables[x] = estimate(counts.for_child(columns[-1]).table(columns) / parts, "bpp")
    return BayesianNetwork(dag, {x: completed.states[completed.index(x)] for x in dag.names}, tables, completed.cuts)


def _network_without(network: BayesianNetwork, arc: tuple[str, str], counts: Mapping[str, Floats]) -> BayesianNetwork:
    """Return a network without one of its arcs, the child's parameters from the counts that are expected with it."""
    parent, child = arc
    tables = {x: network.probabilities(x) for x in network.names}
    tables[child] = estimate(counts[child].sum(axis=network.dag.parents(child).index(parent)), "em")
    return BayesianNetwork(dag_without(network.dag, arc), network.states, tables, network.cuts, network.reading)


def _penalty(dag: DAG, local: ExpectedScores, data: Data) -> float:
    """Return the penalty of a structure at expected counts."""
    return sum(local.parts(i, above)[1] for i, above in enumerate(_parent_columns(dag, data)))


def _parent_columns(dag: DAG, data: Data) -> list[tuple[int, ...]]:
    """Return for each column of a table its parents, by column."""
    return [tuple(sorted(data.index(p) for p in dag.parents(x))) for x in data.names]
