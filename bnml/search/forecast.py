"""What an exact search will take: subsets, memory, time; and which of its two ways it goes.

How long branch and cut takes no model knows: it depends on how many families can be in an optimal structure. So these
are listed first, and where all subsets fit into memory, they are gone over once listing has taken as long.

A deterministic model of the number of variables, distinct rows, arities and tables decides what `auto` does, so that
the same table gives the same choice on every run and on every machine with as much memory. Only what is shown to a
person may come from a short measurement.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bnml._checks import one_of
from bnml._costs import BYTES, SECONDS
from bnml._machine import gigabytes
from bnml._plain import attributes
from bnml._text import number_of, seconds_text, time_text
from bnml._watch import Watch
from bnml.counts.lattice import WalkOrder
from bnml.data import as_data
from bnml.data.targets import without_targets
from bnml.graph import Constraints, Rules
from bnml.graph.rules import ROWS_PER_CELL
from bnml.scores import FamilyScores, LocalScores, Score
from bnml.scores.lattice import has_lattice, listable_by_bounds
from bnml.scores.lattice.memory import scoring_bytes
from bnml.scores.lattice.terms import terms_that_rise
from bnml.scores.priors import DEFAULT_PRIOR, StructurePrior
from bnml.search.options import SearchOptions
from bnml.search.problem import Problem, bind

METHODS = ("auto", "lattice", "cuts")
QUICK = 0.3  # seconds by the model in which all subsets are done before a list would pay
FEW_FOR_LISTS = 20  # variables up to which there are fewer subsets than parent sets on a list
FEW_LISTED = 18  # variables up to which listed families are solved over all subsets

AFFORDABLE = 60.0  # seconds of work on two cores that `auto` thinks nothing of
CORES = 2  # that are thought of, whatever the machine has
MOST_VARIABLES = 40  # nobody has the memory for more

PROBE_SECONDS = 0.02
LISTING_PROBE = 0.3  # seconds for a look at the list of families


@dataclass(frozen=True)
class SearchPlan:
    """How an exact search is to be done: in integers or floats, with how many low variables, with bounds or without."""

    integers: bool
    n_low: int
    prune: bool = True


@dataclass(frozen=True)
class Listing:
    """What a short listing of candidate families has come to, on this machine.

    Attributes
    ----------
    complete_to
        The number of parents up to which all sets were looked at.
    counted, families
        How many parent sets were counted, and how many families can be in an optimal structure so far.
    complete
        Whether these are all.
    seconds
        How long it took.
    """

    complete_to: int
    counted: int
    families: int
    complete: bool
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return attributes(self, "complete_to", "counted", "families", "complete", "seconds")

    def __str__(self) -> str:
        counted, listed = number_of(self.counted, "parent set"), number_of(self.families, "family", "families")
        so_far = "the list is complete" if self.complete else f"complete to {number_of(self.complete_to, 'parent')}"
        return f"{counted} counted in {seconds_text(self.seconds)}, {listed} listed, {so_far}"


@dataclass(frozen=True)
class Forecast:
    """What an exact search will take.

    Attributes
    ----------
    variables, subsets
        How many variables, and how many subsets of these.
    bytes, limit
        The peak of the memory for all subsets, and how much there may be.
    seconds
        About how long all subsets take, without what bounds save.
    affordable
        Whether that is about a minute's work on two cores, or less.
    plan
        How it would be done.
    method
        The way that exact search goes: ``"lattice"``, over all subsets, or ``"cuts"``, which lists the families that
        can be in an optimal structure; where these are too many and all subsets fit into memory, it goes over to them.
    listing
        What a short listing has come to, if ``method`` is ``"cuts"`` and that was measured.
    """

    variables: int
    subsets: int
    bytes: int
    limit: int
    seconds: float
    affordable: bool
    plan: SearchPlan
    method: str = "lattice"
    listing: Listing | None = None

    @property
    def fits(self) -> bool:
        """Whether there is enough memory for all subsets."""
        return self.bytes <= self.limit and self.variables <= MOST_VARIABLES

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        values = attributes(self, "variables", "subsets", "bytes", "limit", "seconds", "affordable", "fits", "method")
        return {**values, "listing": None if self.listing is None else self.listing.to_dict()}

    def __str__(self) -> str:
        subsets = (
            f"{_number(self.subsets)} subsets, {gigabytes(self.bytes)} of memory ({gigabytes(self.limit)} allowed), "
            f"{time_text(self.seconds)}"
        )
        variables = number_of(self.variables, "variable")
        if self.method == "lattice":
            return f"{variables}, {subsets}"
        parts = [f"{variables}, by branch and cut: families that can be in an optimal structure are listed first"]
        parts += [str(self.listing)] if self.listing is not None else []
        if self.fits and not (self.listing is not None and self.listing.complete):
            parts.append(f"should they be too many: {subsets}")
        return "; ".join(parts)


def forecast(
    data: Any,
    score: Score | str = "qnml",
    *,
    probe: bool = False,
    method: str = "auto",
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    rows_per_cell: float = ROWS_PER_CELL,
    prior: StructurePrior | str | None = DEFAULT_PRIOR,
    threads: int | None = None,
    memory_limit: int | str | None = None,
) -> Forecast:
    """Return what an exact search of a table will take, without starting it.

    Parameters
    ----------
    data, score, constraints, max_parents, rows_per_cell, prior, threads, memory_limit
        As for `bnml.learn`.
    probe
        Measure a few of the subsets, for a better guess at the seconds on this machine; by cuts, list families for a
        moment, and tell how far that has come.
    method
        As for `bnml.search.exact`.

    Returns
    -------
    Forecast
        Which way, subsets, memory and time.

    Examples
    --------
    >>> import bnml
    >>> from bnml.search import forecast
    >>> cost = forecast(bnml.example(), "bic")
    >>> cost.subsets, cost.fits, cost.affordable, cost.method
    (256, True, True, 'lattice')
    """
    options = SearchOptions.checked(
        None, score=score, constraints=constraints, max_parents=max_parents, rows_per_cell=rows_per_cell,
        prior=prior, threads=threads, memory_limit=memory_limit,
    )  # fmt: skip
    table = data if isinstance(data, FamilyScores) else as_data(data, memory_limit)
    problem = bind(options, table)
    cost = cost_of_method(problem, method)
    return measured_cost(problem, cost) if probe else cost


def estimate_cost(problem: Problem) -> Forecast:
    """Return what an exact search of a problem will take, and how it is to be done so that it fits."""
    cost = _work_of(problem).planned(problem.memory)
    return replace(cost, method=_way(problem, cost))


def cost_of_method(problem: Problem, method: str) -> Forecast:
    """Return the cost of an exact search that goes a given way."""
    one_of(method, "method", METHODS)
    return problem.cost if method == "auto" else replace(problem.cost, method=method)


def measured_cost(problem: Problem, cost: Forecast) -> Forecast:
    """Return a cost corrected by a short measurement on this machine."""
    local = problem.local
    if not isinstance(local, LocalScores):
        return cost
    if cost.method == "cuts" and listable_by_bounds(local, problem.rules):
        return replace(cost, listing=_listing(problem))
    if cost.fits and has_lattice(local):
        return replace(cost, seconds=cost.seconds * _slowness(local))
    return cost


def _way(problem: Problem, cost: Forecast) -> str:
    """Return the way that exact search goes, or begins with; the same on every machine with as much memory."""
    local = problem.local
    if isinstance(local, LocalScores) and (not listable_by_bounds(local, problem.rules) or problem.memory < BYTES.base):
        return "lattice"
    if not cost.fits:
        return "cuts"
    if not isinstance(local, LocalScores):
        return "lattice" if len(problem.names) <= FEW_LISTED else "cuts"
    return "lattice" if cost.seconds <= QUICK or len(problem.names) <= FEW_FOR_LISTS else "cuts"


def _listing(problem: Problem) -> Listing:
    """List families for a moment, and return how far that has come."""
    from bnml.search.candidates import candidates_of

    watch = _WatchOfListing(time_limit=LISTING_PROBE)
    found = candidates_of(problem, watch)
    families = found.families
    listed = sum(map(len, families.parents))
    return Listing(families.complete_to or 0, found.visited, listed, found.complete, watch.seconds)


class _WatchOfListing(Watch):
    """A watch whose time begins when it is first looked at: what is prepared before takes the same for any list."""

    _looked_at = False

    @property
    def over(self) -> bool:
        if not self._looked_at:
            self._looked_at = True
            self._started += self.seconds
        return super().over


def listing_seconds(problem: Problem) -> float:
    """Forecast how long it takes to count one parent set of the list of candidates, on one thread."""
    return SECONDS.parent_set + SECONDS.parent_set_row * problem.n_distinct


def most_variables(problem: Problem) -> int:
    """Forecast how many of the variables would fit; 0 if there is no room for any."""
    work = _work_of(problem)
    sizes = range(min(work.n, MOST_VARIABLES), 0, -1)
    return next((n for n in sizes if replace(work, n=n, allowed=None).planned(problem.memory).fits), 0)


@dataclass(frozen=True)
class _Work:
    """What the cost of a search depends on; ``tables`` is 0 if families are scored one by one, or listed.

    ``most``: the most parents; ``listed``: how many families are listed; ``marks``: whether it matters which of several
    optimal structures is found; ``entries``: of lookup tables that change with the set; ``extra``: bytes for the rest;
    ``allowed``: how many sets and families the rows allow, where they do not allow all.
    """

    n: int
    most: int
    rows: int
    tables: int
    extra: int
    marks: bool
    listed: int | None = None
    entries: int = 0
    allowed: tuple[float, float] | None = None

    @property
    def subsets(self) -> float:
        if self.allowed is not None:
            return self.allowed[0]
        return sum(math.comb(self.n, k) for k in range(min(self.most, self.n - 1) + 2))

    @property
    def families(self) -> float:
        if self.listed is not None:
            return self.listed
        if self.allowed is not None:
            return self.allowed[1]
        return self.n * sum(math.comb(self.n - 1, k) for k in range(min(self.most, self.n - 1) + 1))

    def planned(self, limit: int) -> Forecast:
        """Return the forecast of the search as it would be done: in floats if there is room for these."""
        floats = self.forecast(integers=False, limit=limit)
        # floats if they take 60 % of the memory at most, else 32-bit integers
        if floats.bytes <= 0.6 * limit or not self.tables:
            return floats
        integers = self.forecast(integers=True, limit=limit)
        return integers if integers.fits or not floats.fits else floats

    def forecast(self, *, integers: bool, limit: int) -> Forecast:
        n, size = self.n, 4 if integers else 8
        if n > MOST_VARIABLES:
            return Forecast(
                n, 2**n, BYTES.base + 2 * size * 2**n, limit, math.inf, affordable=False, plan=SearchPlan(integers, 1)
            )
        n_low = n
        # beyond 2 GB for the best parents of all variables, the sets are split into blocks
        while n_low > 1 and n_low * 2 ** (n_low - 1) * size > 2.0e9:
            n_low -= 1
        n_high = n - n_low
        needed = (self.tables + 1) * size * 2**n + n_low * 2 ** (n_low - 1) * size + n_high * 2**n_low * size
        needed += self.extra + (2**n if self.marks else 0) + (0 if self.tables else 50 * self.families)
        seconds = self._seconds(n_low)
        plan = SearchPlan(integers, n_low)
        return Forecast(n, 2**n, BYTES.base + needed, limit, seconds, affordable=seconds <= AFFORDABLE, plan=plan)

    @property
    def walk(self) -> float:
        """Seconds for the walk, on one thread."""
        return self.entries * SECONDS.entry + self.subsets * (SECONDS.subset + SECONDS.row * self.rows * self.tables)

    def _seconds(self, n_low: int) -> float:
        n, n_high = self.n, self.n - n_low
        scoring = self.walk if self.tables else (0.0 if self.listed is not None else SECONDS.family * self.families)
        half = 2.0 ** (n_low - 1)
        blocks = 3.0**n_high * n_low * half * SECONDS.fill + 2.0**n_high * n_low**2 * half * SECONDS.step
        return (scoring + (blocks + n * 2.0 ** (n - 1) * SECONDS.sink) * (2 if self.marks and n_high else 1)) / CORES


def _work_of(problem: Problem) -> _Work:
    local, n = problem.local, len(problem.names)
    if not isinstance(local, LocalScores):
        return _Work(n, n - 1, 0, 0, 0, marks=True, listed=sum(map(len, local.parents)))
    limit = problem.options.max_parents
    most = n - 1 if limit is None else min(limit, n - 1)
    marks = problem.constraints is not None or limit is not None or not problem.equivalent
    rows, outline = problem.n_distinct, local.outline
    allowed = _allowed(problem, most) if problem.rules.sparse and n <= MOST_VARIABLES else None
    if outline is None or not has_lattice(local):
        return _Work(n, most, rows, 0, 0, marks, allowed=allowed)
    if n > MOST_VARIABLES:  # far too many: what else there is does not matter
        return _Work(n, most, rows, len(local.views) * (1 + len(outline.margin)), 0, marks)
    layout = WalkOrder(local.counts)
    entries = layout.n_indices * terms_that_rise(local.counts, layout.n_indices) if outline.ess > 0.0 else 0
    extra = scoring_bytes(local, CORES)  # not of the threads: the same choice for any number of them
    tables = len(local.views) * (1 + len(outline.margin))
    return _Work(n, most, rows, tables, extra, marks, entries=len(local.views) * entries, allowed=allowed)


def _allowed(problem: Problem, most: int) -> tuple[float, float]:
    """Return how many sets the rules' rows per cell allow, and how many families."""
    order = WalkOrder(problem.table.counts)
    wanted = order.wanted(most + 1, problem.rules.cells)
    numbers = np.ones(1)
    for number in order.kinds[1].tolist():
        numbers = (numbers * np.array([float(math.comb(number, k)) for k in range(number + 1)])[:, None]).ravel()
    return float(numbers[wanted].sum()), float((numbers * order.sizes)[wanted].sum())


def _slowness(local: LocalScores) -> float:
    """Return how much slower this machine is than that of the model: by a walk over some of the columns."""
    from bnml.scores.lattice import lattice_of

    def seconds(columns: int) -> tuple[float, float]:
        few = LocalScores(without_targets(local.data).select(local.names[:columns]), local.score_function)
        rules = Rules.none(few.names)
        work = _work_of(Problem.of(few))
        rules = rules.among(WalkOrder(few.counts).columns)
        watch = Watch()
        lattice_of(few, rules, prune=False)
        return watch.seconds, work.walk

    columns = 2 + int(math.log2(PROBE_SECONDS / (SECONDS.subset + SECONDS.row * local.counts.n_distinct)))
    columns = max(2, min(columns, len(local.names)))
    seconds(columns)  # machine code is compiled or loaded
    measured, expected = seconds(columns)
    return max(0.1, measured / expected)


def _number(value: int) -> str:
    return f"{value:,}" if value < 10**15 else f"2^{value.bit_length() - 1}"
