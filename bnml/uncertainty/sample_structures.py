"""Sample structures from their posterior, by tempered chains.

Each chain is a ladder of replicas (`bnml.uncertainty.tempering`) that change by single arcs
(`bnml.uncertainty.single_arcs`) and by whole neighbourhoods (`bnml.uncertainty.edge_reversal`), or under the order
prior together with an order (`bnml.uncertainty.order_moves`). Chains run in threads, each until it wants scores that
nobody has computed; these are then computed together (`bnml.uncertainty.scored_families`). What a chain does depends
on its own random numbers only, so that the result is the same for any number of threads.

While they warm up the chains share their rungs and the families that neighbourhoods are made of. After that none
needs another, and with an ``executor`` each goes on wherever there is room, a stretch at a time: it is sent its
replicas, and comes back with them and with what it has kept.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats, Ints
from bnml._bits import bits, masks_of_words, words_of_masks
from bnml._executor import Crew, Place
from bnml._machine import cores, gigabytes, run_all
from bnml._watch import Tell, Watch
from bnml.errors import ArgumentError, ScoreError, argument
from bnml.graph import DAG, Rules
from bnml.search.problem import Problem
from bnml.uncertainty import edge_reversal
from bnml.uncertainty.chains import Chains, first_structure, searched_structure
from bnml.uncertainty.scored_families import ScoredFamilies
from bnml.uncertainty.tempering import (
    ARCS,
    MOST_RUNGS,
    ORDERS,
    first_tempering_ladder,
    run_tempering,
    tempering_ladder_for,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor

Words = npt.NDArray[np.uint64]

SWEEPS_PER_SAMPLE = 16
FEWEST_STEPS = 15  # of a replica in a sweep
PAIRS_PER_STEP = 12  # of variables, ordered: in a sweep each has a twelfth of a step
FEWEST_HOT = 0.25  # of these steps at the hottest rungs: their structures change quickly, and cost most
LEAST_WARM_UP = 1600  # sweeps
WARM_UP_STAGES = (1 / 16, 1 / 16, 1 / 8, 1 / 4, 1 / 2)  # of the warm-up: the rungs are set anew after all but the last
MOST_WANTED = 64  # scores that a replica asks for at a time
TABLE_SHARE = 0.4  # of the memory, for the table of scores
STRETCH_SECONDS = 2.0  # of a chain elsewhere, between two times that it is heard of
STRETCHES_LEFT = 4  # before a time limit, at least


@dataclass
class _Run:
    """The ladders of all chains, as the kernel takes them."""

    betas: Floats
    steps: Ints
    at: Ints
    until: Ints
    made: Ints  # sweeps
    exchanges: Floats
    chain_keys: Words
    state: tuple[Any, ...]
    wanted: Any
    n_wanted: Ints
    lists: tuple[Any, ...]

    @property
    def ladder(self) -> tuple[Any, ...]:
        return self.betas, self.steps, self.at, self.until, self.made, self.exchanges, self.chain_keys

    def replicas(self, c: int) -> tuple[Any, ...]:
        """Return what there is of one chain, to go on elsewhere: all but what can be found again."""
        first, stop = c * self.betas.size, (c + 1) * self.betas.size
        parents, own, _, keys, count, orders, place = (array[first:stop] for array in self.state)
        ladder = self.at[c] - first, self.until[first:stop], self.made[c], self.exchanges[c], self.chain_keys[c]
        return (*ladder, parents, own, keys, count, orders, place)

    def take_back(self, c: int, replicas: tuple[Any, ...]) -> None:
        """Put back what has become of a chain elsewhere."""
        first, stop = c * self.betas.size, (c + 1) * self.betas.size
        self.at[c], self.until[first:stop], self.made[c], self.exchanges[c] = replicas[0] + first, *replicas[1:4]
        for array, values in zip((self.state[k] for k in (0, 1, 3, 4, 5, 6)), replicas[5:], strict=True):
            array[first:stop] = values

    @classmethod
    def of_one_chain(cls, betas: Floats, steps: Ints, lists: tuple[Any, ...], replicas: tuple[Any, ...]) -> _Run:
        """Return the ladder of one chain that has come from elsewhere."""
        at, until, made, exchanges, chain_key, *state = replicas
        parents, own, keys, count, orders, place = (np.array(array) for array in state)
        rungs, n = own.shape
        return cls(
            betas, steps, np.array(at)[None], np.array(until), np.array([made]), np.array(exchanges)[None],
            np.array([chain_key]), (parents, own, np.full((rungs, n, n), np.nan), keys, count, orders, place),
            np.zeros((rungs, max(MOST_WANTED, n), 2), np.int32), np.zeros(rungs, np.int64), lists,
        )  # fmt: skip

    @property
    def rejected(self) -> Floats:
        """How often neighbours were not exchanged, in all chains together."""
        tried, accepted = self.exchanges.sum(axis=0).T
        found: Floats = 1.0 - np.divide(accepted, tried, out=np.ones_like(accepted), where=tried > 0)
        return found


def sample_structures(
    problem: Problem,
    kind: str,
    chains: int,
    samples: int,
    executor: Executor | None = None,
    searched: DAG | None = None,
) -> Chains:
    """Return structures that are sampled from their posterior.

    Parameters
    ----------
    problem
        Scores with any structure prior, rules, seed, threads, memory, and a watch.
    kind
        ``"order"`` if a structure counts once for each order that fits it, else each counts once.
    chains, samples
        How many chains there are, and how many structures each keeps.
    executor
        Where chains are run once they have warmed up; None for this process.
    searched
        A structure for the first chain to start from; the others start from what is required alone.

    Raises
    ------
    BnmlError
        If there is too little memory, or no structure has a positive probability.
    """
    rules = problem.with_prior
    _check_memory(rules.n, chains, samples, problem.memory)
    work = _Sampling(problem, rules, kind, chains, samples, executor)
    if rules.n == 1:
        return work.alone()
    with np.errstate(over="ignore"):  # random numbers, where kernels run as plain Python
        return work.run(searched)


def _check_memory(n: int, chains: int, samples: int, memory: int) -> None:
    """Refuse what would not fit."""
    words = max(1, -(-n // 64))
    needed = chains * (MOST_RUNGS * 8 * n * (n + words + 3) + samples * 8 * (n * words + 1))
    if needed > (1 - TABLE_SHARE) * memory:
        raise ArgumentError(
            f"{chains} chains of {samples:,} structures of {n} variables need {gigabytes(needed)} of memory, and "
            f"the limit is {gigabytes(memory)}",
            hint="lower "
            + argument("samples")
            + " or "
            + argument("chains")
            + ", or raise "
            + argument("memory_limit"),
        )


class _Sampling:
    """What stays the same through a run: the table of scores, rules, numbers of chains and samples."""

    def __init__(
        self, problem: Problem, rules: Rules, kind: str, chains: int, samples: int, executor: Executor | None = None
    ) -> None:
        self.problem, self.kind, self.executor = problem, kind, executor
        self.rules, self.chains, self.samples = rules, chains, samples
        self.moves = ORDERS if kind == "order" else ARCS
        self.seed, self.threads, self.watch = problem.seed, problem.threads, problem.watch
        self.table = ScoredFamilies(problem.table, problem.columns, int(TABLE_SHARE * problem.memory))
        self.kappa = math.log(max(rules.n, 2))
        arities = rules.arities if rules.sparse else (1,) * rules.n
        self.plain_rules = (
            rules.may_matrix.astype(np.uint8),
            rules.must_matrix.astype(np.uint8),
            rules.link_matrix.astype(np.uint8),
            rules.most,
            np.array(arities, np.float64),
            np.array([rules.most_cells(v) if rules.sparse else math.inf for v in range(rules.n)]),
        )
        n = rules.n
        self.steps_per_sweep = max(FEWEST_STEPS, n * (n - 1) // PAIRS_PER_STEP)

    # --- replicas ---

    def _start(self, searched: DAG | None) -> _Run:
        starts = [first_structure(self.rules)] * self.chains
        if searched is not None:
            starts[0] = searched_structure(searched, self.rules)
        n, chains = self.rules.n, self.chains
        betas = first_tempering_ladder(14)
        number = chains * betas.size
        state_parents = np.repeat(np.stack([parents for parents, _ in starts]), betas.size, axis=0)
        orders = np.repeat(np.stack([order for _, order in starts]), betas.size, axis=0)
        own = np.zeros((number, n))
        self.table.score_if_few(self.rules, self.threads)
        run = self._ladders(betas, state_parents, own, orders, 0)
        for r in (0, number - 1):
            run.wanted[r, :n] = np.stack([np.arange(n), np.full(n, -1)], axis=1)
            run.n_wanted[r] = n
        self.table.score_wanted(run.state[0], run.wanted, run.n_wanted, self.threads)
        own[:] = np.repeat(np.stack([self._scores_of(parents) for parents, _ in starts]), betas.size, axis=0)
        if not np.isfinite(own).all():
            name = self.rules.names[int(np.flatnonzero(~np.isfinite(own).all(axis=0))[0])]
            raise ScoreError(f"the parents that {name!r} must have give these data no positive probability")
        return run

    def _scores_of(self, parents: Words) -> Floats:
        from bnml.uncertainty._sampling_kernels import find_family

        values = self.table.arrays[2]
        return np.array([values[find_family(self.table.arrays, v, parents[v], -1)] for v in range(len(parents))])

    def _ladders(self, betas: Floats, parents: Words, own: Floats, orders: Ints, stage: int) -> _Run:
        """Return ladders with replicas that start from some structures, a rung after the other, chain by chain."""
        chains, rungs, n = self.chains, betas.size, self.rules.n
        number = chains * rungs
        seeds = [
            np.random.SeedSequence([self.seed, stage, c]).generate_state(rungs + 1, np.uint64) for c in range(chains)
        ]
        place = np.argsort(orders, axis=1)
        state = (
            parents, own, np.full((number, n, n), np.nan), np.concatenate([s[:-1] for s in seeds]),
            np.zeros(number, np.int64), orders, np.ascontiguousarray(place.astype(np.int64)),
        )  # fmt: skip
        steps = np.ceil(self.steps_per_sweep * np.maximum(FEWEST_HOT, np.sqrt(betas))).astype(np.int64)
        return _Run(
            betas, steps, np.arange(number).reshape(chains, rungs), np.tile(steps, chains), np.zeros(chains, np.int64),
            np.zeros((chains, rungs - 1, 2)), np.array([s[-1] for s in seeds]), state,
            np.zeros((number, max(MOST_WANTED, n), 2), np.int32), np.zeros(number, np.int64),
            edge_reversal.no_reversal_lists(n, parents.shape[2]),
        )  # fmt: skip

    def _moved(self, run: _Run, betas: Floats, stage: int) -> _Run:
        """Return ladders with other rungs: each begins with the structure of the rung that was nearest."""
        nearest = np.abs(run.betas[None, :] - betas[:, None]).argmin(axis=1)
        source = run.at[:, nearest].ravel()
        parents, own, orders = (np.ascontiguousarray(run.state[k][source]) for k in (0, 1, 5))
        return self._ladders(betas, parents, own, orders, stage)

    def _score_turned(self, structure: Words) -> None:
        """Score the families with another member of each family of a structure as the child.

        Where a child depends on its parents only jointly, as in parity, any of them may be the child. No single arc
        leads from one to another, and moves of whole neighbourhoods need all of these families on their lists.
        """
        rules, masks = self.rules, masks_of_words(structure)
        turned = [
            (u, own)
            for v, mask in enumerate(masks)
            for u in bits(mask)
            for own in [mask & ~(1 << u) | 1 << v]
            if rules.fits(u, own) and not (own & ~rules.may[u] or rules.must[u] & ~own)
        ]
        parents = np.zeros((len(turned), rules.n, self.table.width), np.uint64)
        for r, (u, own) in enumerate(turned):
            parents[r, u] = words_of_masks([own], rules.n)[0]
        wanted = np.array([[(u, -1)] for u, _ in turned], np.int32).reshape(-1, 1, 2)
        self.table.score_wanted(parents, wanted, np.ones(len(turned), np.int64), self.threads)

    # --- sweeps ---

    def _sweeps(self, run: _Run, goal: int, kept: tuple[Any, ...], tick: Tell, watch: Watch) -> bool:
        """Let all chains make so many sweeps; return whether there was time for it."""
        workers = cores(self.threads)
        # steps of a chain between two looks at the clock: some hundredths of a second
        at_once = max(1, 400_000 // int(run.steps.sum()))
        while True:
            made = int(run.made.min())
            if made >= goal:
                tick(1.0)
                return True
            if watch.over:
                return False
            tick(made / goal)
            reached = min(goal, made + at_once)

            def task(start: int, stop: int, reached: int = reached) -> None:
                for c in range(start, stop):
                    run_tempering(
                        c, reached, self.moves, self.kappa, run.ladder, run.state, self.table.arrays, self.plain_rules,
                        run.lists, run.wanted, run.n_wanted, kept,
                    )  # fmt: skip

            run_all(task, [(c, c + 1) for c in range(self.chains)], workers)
            self.table.score_wanted(run.state[0], run.wanted, run.n_wanted, self.threads)

    def _sweeps_elsewhere(
        self, run: _Run, goal: int, kept: tuple[Any, ...], tick: Callable[[float], None], watch: Watch
    ) -> bool:
        """Let all chains make so many sweeps wherever there is room; return whether there was time for it."""
        assert self.executor is not None
        threads = 1 if self.threads is None else self.threads
        options = self.problem.options.within(threads, self.problem.memory // self.chains)
        problem = replace(self.problem, options=options)
        shared = _Stretches(problem, self.kind, run.betas, run.steps, run.lists, self.table.known())
        reached, stretch = 0, SWEEPS_PER_SAMPLE
        with Crew(self.executor, _run_stretch, shared) as crew:
            while reached < goal:
                left = None if watch.limit is None else watch.limit - watch.seconds
                if watch.over:
                    return False
                tick(reached / goal)
                reached, slowest = min(goal, reached + stretch), 0.0
                keys = [(run.replicas(c), reached, left) for c in range(self.chains)]
                for c, came in enumerate(crew.in_order(keys)):
                    run.take_back(c, came.replicas)
                    at, more = int(kept[3][c]), len(came.scores)
                    kept[1][c, at : at + more], kept[2][c, at : at + more] = came.parents, came.scores
                    kept[3][c] += more
                    kept[4][c] = max(kept[4][c], came.best)
                    self.table.scored += came.scored
                    slowest = max(slowest, came.seconds)
                aim = STRETCH_SECONDS if left is None else min(STRETCH_SECONDS, left / STRETCHES_LEFT)
                stretch = math.ceil(stretch * min(8.0, max(0.25, aim / max(slowest, 1e-3))))
                if int(run.made.min()) < reached:
                    return False
        tick(1.0)
        return True

    def run(self, searched: DAG | None) -> Chains:
        """Warm up, then sample."""
        n, chains, samples = self.rules.n, self.chains, self.samples
        run = self._start(searched)
        best, best_parents = float(run.state[1][0].sum()), run.state[0][0].copy()
        self._score_turned(best_parents)
        warm_up = max(LEAST_WARM_UP, samples * SWEEPS_PER_SAMPLE // 4)
        whole, done = warm_up + samples * SWEEPS_PER_SAMPLE, 0
        nothing = (
            0,
            np.zeros((chains, 0, n, self.table.width), np.uint64),
            np.zeros((chains, 0)),
            np.zeros(chains, np.int64),
            np.full(chains, -math.inf),
        )
        early = self.watch.share(0.35)
        for stage, share in enumerate(WARM_UP_STAGES, 1):
            goal = math.ceil(share * warm_up)
            tick = self.watch.part("chains warm up", done / whole, (done + goal) / whole)
            self._sweeps(run, goal, nothing, tick, early)
            done += int(run.made.min())
            last = stage == len(WARM_UP_STAGES)
            run = self._moved(run, run.betas if last else tempering_ladder_for(run.betas, run.rejected), stage)
            if stage >= len(WARM_UP_STAGES) - 1 and self.moves == ARCS:
                run.lists = edge_reversal.reversal_lists(self.table.arrays, n)
        warmed = done
        parents = np.zeros((chains, samples, n, self.table.width), np.uint64)
        kept = (
            SWEEPS_PER_SAMPLE,
            parents,
            np.zeros((chains, samples)),
            np.zeros(chains, np.int64),
            run.state[1][run.at[:, 0]].sum(axis=1),
        )
        tick = self.watch.part("structures are sampled", warmed / whole, 1.0)
        ended = ""
        sweeps = self._sweeps if self.executor is None else self._sweeps_elsewhere
        try:
            if not sweeps(run, samples * SWEEPS_PER_SAMPLE, kept, tick, self.watch):
                ended = "time"
        except KeyboardInterrupt:
            if not kept[3].min():
                raise
            ended = "interrupted"
        number = int(kept[3].min())
        if not number:  # the time was over before the first sample
            number = 1
            parents[:, 0] = run.state[0][run.at[:, 0]]
            kept[2][:, 0] = run.state[1][run.at[:, 0]].sum(axis=1)
        return Chains(
            parents[:, :number], kept[2][:, :number], run.betas, 1.0 - run.rejected, SWEEPS_PER_SAMPLE, run.steps,
            warmed, self.table.scored, samples, ended, best, best_parents, float(kept[4].max()),
        )  # fmt: skip

    def alone(self) -> Chains:
        """Return what there is to sample for one variable."""
        score = float(self.table.local.family(int(self.table.columns[0]), []))
        if not math.isfinite(score):
            raise ScoreError("no structure that is allowed gives these data a positive probability")
        shape = (self.chains, self.samples)
        return Chains(
            np.zeros((*shape, 1, 1), np.uint64), np.full(shape, score), np.ones(1), np.zeros(0), 1,
            np.ones(1, np.int64), 0, 1, self.samples, searched=score, reached=score,
        )  # fmt: skip


# --- elsewhere ---


@dataclass(frozen=True)
class _Stretches:
    """What all stretches of all chains share."""

    problem: Problem
    kind: str
    betas: Floats
    steps: Ints
    lists: tuple[Any, ...]
    known: tuple[Any, ...]


@dataclass(frozen=True)
class _Stretch:
    """What a chain comes back with: its replicas, structures and scores that it has kept, and what it took."""

    replicas: tuple[Any, ...]
    parents: Words
    scores: Floats
    best: float
    scored: int
    seconds: float


def _run_stretch(shared: _Stretches, key: tuple[Any, int, float | None], place: Place) -> _Stretch:
    """Let one chain go on, wherever this is done."""
    replicas, goal, left = key
    if "sampling" not in place.kept:
        own = replace(shared.problem, local=copy.copy(shared.problem.local))  # threads do not share what they compute
        place.kept["sampling"] = _Sampling(own, own.with_prior, shared.kind, 1, 0)
        place.kept["sampling"].table.enter_known(shared.known)
    sampling: _Sampling = place.kept["sampling"]
    before, watch = sampling.table.scored, Watch(place.go_on, left)
    run = _Run.of_one_chain(shared.betas, shared.steps, shared.lists, replicas)
    room = goal // SWEEPS_PER_SAMPLE - int(run.made[0]) // SWEEPS_PER_SAMPLE
    kept = (
        SWEEPS_PER_SAMPLE,
        np.zeros((1, room, sampling.rules.n, sampling.table.width), np.uint64),
        np.zeros((1, room)),
        np.zeros(1, np.int64),
        np.full(1, -math.inf),
    )
    with np.errstate(over="ignore"):  # random numbers, where kernels run as plain Python
        sampling._sweeps(run, goal, kept, lambda share: watch("", share), watch)
    number = int(kept[3][0])
    return _Stretch(
        run.replicas(0), kept[1][0, :number], kept[2][0, :number], float(kept[4][0]), sampling.table.scored - before,
        watch.seconds,
    )  # fmt: skip
