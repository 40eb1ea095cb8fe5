"""Candidate families: the parent sets that can be in an optimal structure, without a bound on their number.

Sets are looked at by size, each after all of its subsets, and a set is *closed*, with all that contain it, as soon as
it is certain that none of them is better than its own subsets. Write LL for the log-likelihood of the child given the
set, q for its number of configurations, price(q) for what these cost, and g for what a prior adds for an arc.

- **Dominance.** LL given all others, less price(q), is no better than the best subset.
- **Entropy** (de Campos et al. 2018). A member Y adds to the fit at most what is unknown of it given the other members
  less what is unknown of it given all variables, N H(Y | S - Y) - N H(Y | others), and at most what is unknown of the
  child. If that is no more than the price of the configurations that Y brings, the set without Y is as good. This is
  asked of every member, first with the entropies of smaller sets, which are known before the set is counted. As price
  for q configurations *or more* stands the least over all that are of use: where the growth of the price rises and then
  falls, as it does for qNML, that is at one of the two ends; whether it does is looked up, not believed.
- **Pairs of rows** that differ in the child, each row in one pair at most: those that a set leaves together cost the
  fit 2 log 2 each, and further parents tell apart no more of them than the candidates that tell most of them apart.
- **Cells**, for scores that charge log r for each state that occurs with a configuration of the parents, as BDeu, K2
  and fNML do: larger sets have at least as many cells that are not empty.
- the number of parents, the rows per cell, and what constraints forbid.

Where links are required, sets with and without the linked variable do not compete: each choice has a list of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bnml._bits import bits, mask_of, members, subsets
from bnml._machine import cores, run_all
from bnml.counts.lattice import WalkOrder
from bnml.counts.parent_sets import LevelPart, ParentSets, StartOfSets
from bnml.errors import SearchError
from bnml.graph import Rules
from bnml.nml import log_rising
from bnml.scores.family_scores import FamilyScores
from bnml.scores.lattice.terms import ArcTerms
from bnml.scores.local import LocalScores, local_scores
from bnml.scores.loglik import LogLikelihood, n_log_n

if TYPE_CHECKING:
    from bnml.counts._parent_set_kernels import Costs

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_EXACT = 2.0**53
MOST_NUMBERS = 20_000  # of configurations that prices are known for
MOST_RISING = 1 << 21  # entries of all tables that change with the number of configurations
COPIES = 3  # of the sets of a level that are there at the same time, when the next one is made
SLACK = 1e-9  # of the largest number that is compared


@dataclass(frozen=True)
class Candidates:
    """The families that can be in an optimal structure.

    ``families``: those that are listed, by column. ``unlisted``: for each variable a bound on the score of the parent
    sets that were not looked at; -inf where all were. ``visited``: how many parent sets were counted.
    """

    families: FamilyScores
    unlisted: tuple[float, ...]
    visited: int

    @property
    def complete(self) -> bool:
        """Whether none is missing."""
        return max(self.unlisted) == -math.inf


def list_by_bounds(
    local: LocalScores,
    rules: Rules,
    threads: int | None = None,
    over: Callable[[], bool] = lambda: False,
    done: Callable[[int, int, int], None] = lambda size, visited, listed: None,
    most_bytes: float = math.inf,
    most_sets: float = math.inf,
    least: int = 0,
) -> Candidates | None:
    """List the families that can be in an optimal structure; bounds on scores leave larger sets out.

    Parameters
    ----------
    local, rules
        The scores, `listable_by_bounds`, and what is allowed, by column.
    threads
        How many threads to use; they make no difference.
    over
        Whether the time is over; the sets of the sizes that are done are then listed.
    done
        Told now and then the size of the sets, how many were counted, and how many are listed.
    most_bytes
        How much memory the open sets may take.
    most_sets
        How many sets may be counted: a size of which more are expected is not begun. Unlike time, it stops at the same
        place on every machine.
    least
        Sizes that must be done for the list to be of use: None is returned as soon as it is clear that they will not.

    Raises
    ------
    SearchError
        If a variable has no parent set that is allowed.
    """
    order = WalkOrder(local.counts)
    arcs = ArcTerms.of(local, order, rules.among(order.columns)).without_useless(order)
    shared = {child: own for view, children in local.views for own in [_Shared(view, order)] for child in children}
    walks: list[_Walk] = []
    for i in range(order.n):
        if least and over():
            return None
        walks += _walks(shared[order.columns[i]], arcs, i)
    complete_to, visited, stopped, share = 0, 0, False, 1.0
    workers = cores(threads)
    for walk in walks:
        if least and over():
            return None
        walk.score_listed(local, order.columns, threads)
    while any(walk.sets is not None for walk in walks):
        going = [walk for walk in walks if walk.sets is not None]
        looked_at = sum(walk.n_next for walk in going)
        expected = visited + share * looked_at
        if over() or sum(walk.nbytes for walk in going) > most_bytes or expected > most_sets:
            stopped = True
            break
        parts = _next_level(going, workers, over, most_bytes)
        if parts is None:
            stopped = True
            break
        counted = sum(part.counted for found in parts for part in found)
        visited, share = visited + counted, counted / max(looked_at, 1)
        before = [(walk.reach, walk.listed) for walk in walks]
        for walk, found in zip(going, parts, strict=True):
            walk.advance(found)
        for walk in going:
            if over():
                break
            walk.score_listed(local, order.columns, threads)
        else:
            complete_to += 1
            done(complete_to, visited, sum(len(walk.listed[0]) for walk in walks))
            continue
        for walk, (reach, listed) in zip(walks, before, strict=True):
            walk.interrupt(reach, listed)
        stopped = True
        break
    if stopped and complete_to < least:
        return None
    unlisted = [-math.inf] * order.n
    for walk in walks:
        if stopped or walk.cut_off:
            unlisted[walk.child] = max(unlisted[walk.child], walk.reach)
    most = min(rules.most, order.n - 1)
    whole = complete_to if max(unlisted) > -math.inf else most
    return Candidates(
        _families(local, order, walks, whole),
        tuple(unlisted[order.columns.index(column)] for column in range(order.n)),
        visited,
    )


def _next_level(
    walks: Sequence[_Walk], workers: int, over: Callable[[], bool], most_bytes: float
) -> list[list[LevelPart]] | None:
    """Look at all sets with one more parent; None if the time is over before that is done, or so many bytes are."""
    tasks = [(walk, span) for walk in walks for span in walk.spans()]
    found: list[LevelPart | None] = [None] * len(tasks)
    taken = 0

    def task(first: int, last: int) -> None:
        nonlocal taken
        for k in range(first, last):
            if not over() and COPIES * taken <= most_bytes:
                walk, span = tasks[k]
                part = found[k] = walk.extend(span)
                taken += part.numbers.nbytes + part.values.nbytes + part.subsets.nbytes

    run_all(task, [(k, k + 1) for k in range(len(tasks))], workers)
    done = [part for part in found if part is not None]
    if len(done) < len(tasks) or COPIES * taken > most_bytes:
        return None
    parts: dict[int, list[LevelPart]] = {id(walk): [] for walk in walks}
    for (walk, _), part in zip(tasks, done, strict=True):
        parts[id(walk)].append(part)
    return [parts[id(walk)] for walk in walks]


def _families(local: LocalScores, order: WalkOrder, walks: Sequence[_Walk], complete_to: int) -> FamilyScores:
    """Return the families of all walks together, by column."""
    found: list[tuple[list[int], list[Floats]]] = [([], []) for _ in order.columns]
    for walk in walks:
        sets, scores = walk.listed
        child = order.columns[walk.child]
        found[child][0].extend(sets)
        found[child][1].append(scores)
    for child, (all_sets, _) in enumerate(found):
        if not all_sets:
            raise SearchError(f"no parent set of {local.names[child]!r} is allowed")
    return FamilyScores._of(
        local.names, [(sets, np.concatenate(scores)) for sets, scores in found], complete_to, local.prior
    )


class _Walk:
    """The walk over the parent sets of one child that share what links require."""

    def __init__(self, child: int, fixed: int, places: Sequence[int], sets: ParentSets | None, costs: _CostsOf) -> None:
        self.child, self.fixed, self.places, self.costs = child, fixed, places, costs
        self.sets = sets
        self.cut_off = False
        self.listed: tuple[Sequence[int], Floats] = ((), np.zeros(0))  # by column, best first, with scores
        self._unscored: list[int] = [fixed]
        self._interrupted: float | None = None

    @property
    def nbytes(self) -> int:
        return 0 if self.sets is None else COPIES * self.sets.nbytes

    @property
    def n_next(self) -> int:
        return 0 if self.sets is None else self.sets.n_next

    def spans(self) -> list[tuple[int, int]]:
        assert self.sets is not None
        return self.sets.spans()

    def extend(self, span: tuple[int, int]) -> LevelPart:
        assert self.sets is not None
        cells = self.costs.numbers[int(self.sets.indices[span[0] : span[1]].max())]
        return self.sets.extend(self.costs.kernel, span, float(cells))

    def advance(self, parts: Sequence[LevelPart]) -> None:
        """Go to the next level, or end if no set is open or no more parents are allowed."""
        assert self.sets is not None
        self.cut_off |= self.costs.truncated and any(part.beyond for part in parts)
        listed = self.sets.advance(parts)
        places = self.places
        self._unscored = [self.fixed | mask_of(places[j] for j in own) for own in listed.members.tolist()]
        if self.sets.n_open == 0 or self.sets.size >= self.costs.most:
            self.sets = None

    def score_listed(self, local: LocalScores, columns: Sequence[int], threads: int | None) -> None:
        """Score the sets of the last level as `LocalScores` does, and keep those that no subset dominates."""
        sets = [mask_of(columns[j] for j in bits(mask)) for mask in self._unscored]
        scores = local.families(columns[self.child], [members(mask) for mask in sets], threads)
        together = [*self.listed[0], *sets], np.concatenate([self.listed[1], scores])
        kept = FamilyScores._of(local.names, [together]).undominated()
        self.listed, self._unscored = (kept.parents[0], kept.scores[0]), []

    def interrupt(self, reach: float, listed: tuple[Sequence[int], Floats]) -> None:
        """Go back to the level before, where the time was over before all sets of the last were scored."""
        self._interrupted, self.listed = reach, listed

    @property
    def reach(self) -> float:
        """A bound on the score of the sets that were not looked at."""
        if self._interrupted is not None:
            return self._interrupted
        costs = self.costs
        if self.sets is None:
            return costs.reach(costs.numbers.size - 1) if self.cut_off else -math.inf
        return costs.reach(int(self.sets.indices.min()))


class _Numbers:
    """Numbers of configurations, ascending, and what they cost the children of one arity.

    Parameters
    ----------
    local
        The scores.
    first, arities, last
        The number to begin with, what it is multiplied by, any number of times, and what it may become at most.
    r
        The child's number of states.
    useful
        The price that is of use at most, if that is known.
    """

    def __init__(
        self, local: LocalScores, first: float, arities: Ints, last: float, r: int, useful: float | None
    ) -> None:
        self._local, self.r = local, r
        self.kinds = arities
        if useful is not None:
            last = self._last_useful(first, last, useful)
        exact = min(last, MOST_EXACT)
        self.values, whole = _products(first, arities, exact)
        self.truncated = exact < last or not whole

    def _closed(self, q: Floats, size: Floats) -> Floats:
        outline = self._local.outline
        assert outline is not None
        return np.zeros(q.size) if outline.closed is None else outline.closed(q, np.log(q), size)

    @cached_property
    def per_parent(self) -> float:
        """What each parent costs whatever its states: closed forms may depend on the number of variables as well."""
        first, second, third = self._closed(np.full(3, 4.0), np.array([1.0, 2.0, 3.0])).tolist()
        return float((second - third) - (first - second))

    def prices(self, q: Floats) -> Floats:
        """Return what numbers of configurations cost, without what each parent does."""
        one = np.ones(q.size)
        return np.asarray(self._closed(q, one) - self._closed(q * self.r, 2.0 * one) - self.per_parent)

    def _last_useful(self, first: float, last: float, useful: float) -> float:
        """Return a number, ``last`` at most, beyond which all prices are higher than is of use."""
        q = first
        while q < min(last, MOST_EXACT) and float(self.prices(np.array([q]))[0]) <= useful:
            q *= 2.0
        return min(q, last)

    @cached_property
    def price(self) -> Floats:
        """What each number costs."""
        return self.prices(self.values)

    @cached_property
    def tables(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], Floats]:
        """For each kind of candidates: the next number, the number below, and the growth of the price."""
        q, price = self.values, self.price
        step = np.full((q.size, self.kinds.size), -1, np.int32)
        below, rise = np.zeros(step.shape, np.int32), np.zeros(step.shape)
        for kind, r in enumerate(self.kinds.tolist()):
            there = np.flatnonzero(q * r <= q[-1])
            at = np.searchsorted(q, q[there] * r)
            step[there, kind] = at
            growth = np.zeros(q.size)
            growth[there] = price[at] - price[there]
            below[:, kind] = np.maximum(np.searchsorted(q, np.floor(q / r), side="right") - 1, 0)
            rise[:, kind] = _least_ahead(growth, there.size)
        return step, below, rise


class _Shared:
    """What the children of a view of a table share."""

    def __init__(self, local: LocalScores, order: WalkOrder) -> None:
        self.local, self.order = local, order
        self.likelihood: LocalScores = local_scores(local.data, LogLikelihood())
        self._numbers: dict[tuple[float, ...], _Numbers] = {}
        self._tables: dict[tuple[float, ...], tuple[Floats, Floats, Floats]] = {}

    @cached_property
    def unknown(self) -> Floats:
        """What is unknown of each variable when all others are known: N H(Y | others)."""
        columns = self.order.columns
        others = [[c for c in columns if c != own] for own in columns]
        return np.array([-self.likelihood.family(own, rest) for own, rest in zip(columns, others, strict=True)])

    def numbers(self, first: float, last: float, r: int, useful: float | None) -> _Numbers:
        """Return the numbers of configurations that sets can have, with what they cost children of one arity."""
        key = (first, last, float(r), -1.0 if useful is None else useful)
        if key not in self._numbers:
            self._numbers[key] = _Numbers(self.local, first, self.order.kinds[0], last, r, useful)
        return self._numbers[key]

    def rises(self, r: int) -> bool:
        """Whether more configurations never cost less, up to rounding."""
        price = self.numbers(1.0, MOST_EXACT, r, None).price
        return bool((np.diff(price) >= -1e-12 * self.local.counts.n_rows * math.log(1.0 + r) - 1e-9).all())

    def tables(self, numbers: _Numbers) -> tuple[Floats, Floats, Floats]:
        """Return the lookup tables of sets with the child and without, and hyperparameters where they change with q."""
        outline, n_rows, r = self.local.outline, self.local.counts.n_rows, numbers.r
        assert outline is not None
        key = (float(r), numbers.values[0], numbers.values[-1]) if outline.ess > 0.0 else (float(r),)
        if key not in self._tables:
            if outline.ess > 0.0:
                a = outline.ess / numbers.values
                counts = np.arange(max(2, min(n_rows + 1, MOST_RISING // numbers.values.size)))
                self._tables[key] = log_rising(a[:, None] / r, counts), log_rising(a[:, None], counts), a
            else:
                terms = self.local.terms
                if terms is None or terms.joint.size <= n_rows:
                    terms = self.local.score_function.terms(self.local.shape)
                assert terms is not None
                self._tables[key] = terms.joint[None], terms.margin.get(r, terms.joint)[None], np.zeros(0)
        return self._tables[key]


class _CostsOf:
    """What the kernel needs to know of a child's scores."""

    def __init__(self, shared: _Shared, arcs: ArcTerms, child: int, fixed: int, free: int) -> None:
        self._local, self._order, self._arcs, self.child = shared.local, shared.order, arcs, child
        self._fixed, self._places, self._shared = fixed, members(free), shared
        self.most = min(arcs.rules.most - fixed.bit_count(), len(self._places))
        self.r = int(shared.order.arities[child])

    @cached_property
    def arities(self) -> Ints:
        """Numbers of states of the candidates."""
        return np.asarray(self._order.arities[self._places])

    @cached_property
    def _numbers(self) -> _Numbers:
        first = float(np.prod(self._order.arities[members(self._fixed)], dtype=np.float64))
        rules = self._arcs.rules
        largest = np.sort(self.arities)[len(self._places) - self.most :]
        last = first * float(np.prod(largest, dtype=np.float64))
        if rules.sparse:
            last = min(last, max(first, rules.most_cells(self.child) / self.r))
        useful = self.fit + self.bonus - self.start.score if self.by_price else None
        if useful is not None:
            useful = 2.0 ** math.ceil(math.log2(max(useful, 1.0)))
        return self._shared.numbers(first, last, self.r, useful)

    @property
    def numbers(self) -> Floats:
        """The numbers of configurations that sets can have."""
        return self._numbers.values

    @cached_property
    def truncated(self) -> bool:
        """Whether some sets with more configurations than are known could be of use."""
        return self._numbers.truncated and self.reach(self.numbers.size - 1) > self.start.score

    @cached_property
    def per_parent(self) -> float:
        """What each parent costs whatever its states."""
        return self._shared.numbers(1.0, 1.0, self.r, None).per_parent

    @cached_property
    def gain(self) -> Floats:
        """What each candidate adds by the prior, less what a parent costs."""
        return np.asarray(self._arcs.gain[self.child][self._places] - self.per_parent)

    @cached_property
    def mode(self) -> int:
        """What bounds the scores of larger sets."""
        from bnml.counts._parent_set_kernels import BY_CELLS, BY_PRICE

        outline, score = self._local.outline, self._local.score_function
        assert outline is not None
        if score.pays_for_states and getattr(score, "regret", "exact") == "exact":
            return BY_CELLS
        if outline.ess > 0.0 or outline.margin:
            return 0
        joint = self._local.known.lookups.table[0]
        plain = np.allclose(joint, n_log_n(np.arange(joint.size)), rtol=1e-13)
        return BY_PRICE if plain and self._shared.rises(self.r) else 0

    @property
    def by_price(self) -> bool:
        """Whether the score is a log-likelihood less a price."""
        from bnml.counts._parent_set_kernels import BY_PRICE

        return self.mode == BY_PRICE

    @cached_property
    def fit(self) -> float:
        """The best fit of all: the log-likelihood given all candidates."""
        columns = self._order.columns
        everything = [columns[j] for j in (*members(self._fixed), *self._places)]
        return self._shared.likelihood.family(columns[self.child], everything)

    @cached_property
    def _constant(self) -> float:
        """What the prior adds to every set, less what the fixed parents cost."""
        own = self._arcs.gain[self.child][members(self._fixed)] - self.per_parent
        return self._arcs.constant[self.child] + float(own.sum())

    @cached_property
    def bonus(self) -> float:
        """What the prior adds at most."""
        return self._constant + float(np.maximum(self.gain, 0.0).sum())

    def reach(self, index: int) -> float:
        """Return a bound on the scores of sets with so many configurations or more, by index."""
        return self.bonus + (self.fit - float(self._numbers.price[index]) if self.by_price else 0.0)

    @cached_property
    def start(self) -> StartOfSets:
        """What is known of the fixed parents alone."""
        local, columns = self._local, self._order.columns
        child, fixed = columns[self.child], [columns[j] for j in members(self._fixed)]
        counts = local.counts.cells(fixed).counts if fixed else np.array([local.counts.n_rows])
        fit = self._shared.likelihood.family(child, fixed) if self.by_price else 0.0
        return StartOfSets(local.family(child, fixed), float(n_log_n(counts).sum()), fit, 0)

    @cached_property
    def kernel(self) -> Costs:
        """All that, as the kernel takes it."""
        from bnml.counts._parent_set_kernels import Costs

        least = self._shared.unknown[self._places] if self.by_price else np.zeros(len(self._places))
        n_rows = self._local.counts.n_rows
        largest = max(abs(self.fit), abs(self.start.score), 1.0, 1e-5 * n_rows * math.log(1.0 + n_rows))
        last = float(np.count_nonzero(self.numbers * self.r <= self._arcs.rules.most_cells(self.child)) - 1)
        numbers = np.array([self.fit, self.bonus, math.log(self.r), SLACK * largest, last, self._constant])
        step, below, rise = self._numbers.tables
        kind = np.searchsorted(self._numbers.kinds, self.arities)
        return Costs(
            kind,
            step,
            below,
            self._numbers.price,
            rise,
            *self._shared.tables(self._numbers),
            self.gain,
            least,
            numbers,
            self.mode,
        )


def _least_ahead(growth: Floats, known: int) -> Floats:
    """Return the growth where it rises and then falls, up to rounding; else the least of all that follow."""
    own = growth[:known]
    if not known:
        return growth
    slack, top = SLACK * max(1.0, float(np.abs(own).max())), int(own.argmax())
    if (np.diff(own[: top + 1]) >= -slack).all() and (np.diff(own[top:]) <= slack).all():
        return growth
    least = growth.copy()
    least[:known] = np.minimum.accumulate(own[::-1])[::-1]
    return least


def _products(first: float, factors: Ints, last: float) -> tuple[Floats, bool]:
    """Return the products of a number with any of the factors, any number of times, up to ``last``, ascending.

    If there are very many, those up to a smaller number, and that these are not all.
    """
    whole = True
    while True:
        numbers = np.array([first])
        for factor in factors[factors > 1].tolist():
            layers = [numbers]
            while layers[-1].size and sum(map(len, layers)) <= MOST_NUMBERS:
                more = layers[-1] * factor
                layers.append(more[more <= last])
            numbers = np.unique(np.concatenate(layers))
        if numbers.size <= MOST_NUMBERS:
            return numbers, whole
        last, whole = max(first, last / 16.0), False


def _walks(shared: _Shared, arcs: ArcTerms, child: int) -> list[_Walk]:
    """Return the walks over a child's parent sets: one for each choice of linked variables."""
    rules, order, result = arcs.rules, shared.order, []
    links = rules.links[child] & rules.may[child]
    for some in subsets(links):
        fixed = rules.must[child] | some
        if not rules.fits(child, fixed):
            continue
        free = rules.may[child] & ~(rules.must[child] | rules.links[child])
        costs = _CostsOf(shared, arcs, child, fixed, free)
        places = members(free)
        sets = None
        if costs.most > 0 and places and shared.local.counts.n_rows:
            columns = order.columns
            sets = shared.local.counts.parent_sets(
                columns[child],
                [columns[j] for j in places],
                [columns[j] for j in members(fixed)],
                costs.start,
                paired=costs.by_price,
            )
        result.append(_Walk(child, fixed, places, sets, costs))
    return result
