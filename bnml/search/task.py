"""The task: what a search is asked, checked and compiled once.

There is one door. What a user gives, to `bnml.learn`, to a function of `bnml.search`, to the bootstrap, the study or
the command line, becomes a `Request`: what all searches share is checked there, before any data are read, and so are
the names of options; the values of its own options a search checks before it begins. Opened on a table the request
becomes a `Task`: local scores, rules, limits and a watch. A search is a function of that task and of its options; it
returns ``task.result(…)``. `as_search` makes a function for users of it, and `bnml.search.searches` lists them all.
"""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from types import MappingProxyType
from typing import Any, Protocol, cast

from bnml._checks import is_number, positive_number, progress_function, refuse, whole_number
from bnml._memory import enough_memory, memory_limit_of
from bnml._text import did_you_mean
from bnml._threads import cores
from bnml._watch import Tell, Watch
from bnml.data import Data, as_data
from bnml.data.targets import refuse_targets
from bnml.errors import ArgumentError, ScoreError, SearchError, argument
from bnml.graph import DAG, Constraints, Rules
from bnml.graph.rules import ROWS_PER_CELL
from bnml.scores import FamilyScores, LocalScores, Score, parse_score
from bnml.scores.equal_scores import score_rounding
from bnml.scores.local import local_scores
from bnml.scores.priors import DEFAULT_PRIOR, SPARSE, Sparse, StructurePrior, parse_prior, prior_for
from bnml.search.search_result import SearchResult

__all__ = [
    "COMMON",
    "Request",
    "Search",
    "SearchFunction",
    "Task",
    "TimeOverError",
    "as_search",
    "rules_with_rows",
    "task_request",
]

CONSTRAINTS = ("required", "forbidden", "required_links", "forbidden_links", "tiers")
MOST_OFF = 0.1  # nats of rounding with which structures are compared

COMMON: Mapping[str, Any] = MappingProxyType(
    {
        "constraints": None,
        "max_parents": None,
        "rows_per_cell": ROWS_PER_CELL,
        "prior": DEFAULT_PRIOR,
        "seed": 0,
        "threads": None,
        "memory_limit": None,
        "time_limit": None,
        "progress": None,
    }
)
"""What all searches take beside data and score, and the values that say nothing."""


class TimeOverError(SearchError):
    """A search that has no result before its end was given up."""


class MemoryOverError(SearchError):
    """A search has run out of memory."""


@dataclass(frozen=True)
class Search:
    """A search: a function of a task, and what it takes.

    Attributes
    ----------
    name
        What it is called in ``search=``.
    run
        The function of a task and of the options.
    options
        The options by name, with their defaults; `Search.needed` are those without one.
    refuses
        The common arguments that it cannot take into account.
    score
        The score that its function for users takes by default.
    goes_by
        The score that it goes by whatever score is asked for, which is only reported; None for that score itself.
    needs_table
        Whether it asks for more than local scores.
    of_classes
        Whether it goes from class to class of equivalent networks, which must then share their scores.
    by_score
        Whether it compares families by their scores, which needs some rows for each cell of a family's table.
    pools_rows
        Whether it counts all rows together, and so refuses a table in which variables were set.
    """

    name: str
    run: Callable[..., SearchResult]
    options: Mapping[str, Any]
    needed: frozenset[str] = frozenset()
    refuses: tuple[str, ...] = ()
    score: str = "qnml"
    goes_by: str | None = None
    needs_table: bool = False
    of_classes: bool = False
    by_score: bool = True
    pools_rows: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        return _search_of, (self.name,)

    def check(self, options: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        """Refuse options that it does not have, common arguments that it cannot take, and miss what it needs."""
        own = tuple(self.options)
        for name, value in options.items():
            if name not in own:
                raise _no_option(self.name, name, value, own)
        for name in own:
            if name in self.needed and name not in options:
                raise ArgumentError(f"{argument('search', self.name)} needs {argument(name)}")
        self.check_common(given)

    def check_common(self, given: Mapping[str, Any]) -> None:
        """Refuse common arguments that it cannot take into account."""
        for name, value in given.items():
            if name == "prior" and (parse_prior(value) is None or (isinstance(value, str) and value == SPARSE)):
                continue
            refused = name in self.refuses or (
                name == "rows_per_cell" and not self.by_score and not _is_default(value, 0)
            )
            if refused and not _is_default(value, COMMON[name]):
                named = argument(name) if isinstance(value, StructurePrior) else argument(name, value)
                raise ArgumentError(
                    f"{named}: {argument('search', self.name)} cannot take it into account; leave it out"
                )

    def check_score(self, score: Score) -> None:
        """Refuse a score that tells equivalent networks apart, if their classes are searched."""
        if self.of_classes and not score.equivalent:
            raise ScoreError(
                f"{argument('score', score.name)}: {self.name} searches classes of equivalent networks, and "
                f"{score.name} gives the members of a class different scores; take one that they share, such as bic, "
                "bdeu or qnml, or another search"
            )


def _is_default(value: Any, default: Any) -> bool:
    """Tell whether a value equals the default: 5.0 is 5, but False is not 0."""
    if is_number(value) and is_number(default):
        return bool(value == default)
    return value is default


def _search_of(name: str) -> Search:
    """Return a search by its name, where a request arrives from another process."""
    from bnml.search.searches import SEARCHES

    return SEARCHES[name]


def _no_option(search: str, name: str, value: Any, own: tuple[str, ...]) -> ArgumentError:
    if name in CONSTRAINTS:
        return ArgumentError(
            f"{argument(name, value)}: it is a part of {argument('constraints')}; pass bnml.Constraints({name}=…)"
        )
    what = f"the options {', '.join(own)}" if own else "no options of its own"
    hint = did_you_mean(name, (*own, "score", *COMMON))
    return ArgumentError(f"{argument(name, value)}: {argument('search', search)} takes {what}.{hint}")


@dataclass(frozen=True)
class Request:
    """What is asked, checked; ``search`` is None for whichever `bnml.search.learn` chooses."""

    search: Search | None
    score: Score
    constraints: Constraints | None = None
    max_parents: int | None = None
    rows_per_cell: float = ROWS_PER_CELL
    prior: StructurePrior | str | None = None
    seed: int = 0
    threads: int | None = None
    memory: int = 0
    time_limit: float | None = None
    progress: Callable[[str, float], None] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def completed(self, constraints: Constraints | None, **options: Any) -> Request:
        """Return the request with what can be said only when the variables are known: constraints, options.

        Raises
        ------
        ArgumentError
            If the search does not take constraints.
        """
        if self.search is not None:
            self.search.check_common({"constraints": constraints})
        return replace(self, constraints=_checked_constraints(constraints), options={**self.options, **options})

    def open(self, data: Any) -> Task:
        """Return the task on a table, or on local scores without one.

        Raises
        ------
        BnmlError
            If the data cannot be read, or do not go with what is asked.
        """
        watch = Watch(self.progress, self.time_limit)
        local = self._local(data)
        rules = (
            Rules.none(local.names, self.max_parents)
            if self.constraints is None
            else self.constraints.compiled(local.names, self.max_parents)
        )
        if isinstance(local, LocalScores) and (self.search is None or self.search.by_score):
            rules = rules_with_rows(rules, local, self.rows_per_cell)
        return Task(
            local, rules, "auto" if self.search is None else self.search.name, self.score, self.constraints,
            self.max_parents, self.rows_per_cell, self.seed, self.threads, self.memory, watch,
        )  # fmt: skip

    def prior_for(self, data: Data) -> StructurePrior | None:
        """Return the structure prior for a table; None for the uniform one.

        A sparse one is for searches by score; by its name, not for scores that charge for naming parents themselves.
        """
        by_score = self.search is None or self.search.by_score
        sparse = self.prior == SPARSE if isinstance(self.prior, str) else isinstance(self.prior, Sparse)
        return prior_for(self.prior, self.score, data) if by_score or not sparse else None

    @property
    def structure_prior(self) -> StructurePrior | None:
        """The prior of a request that was bound to a table."""
        assert not isinstance(self.prior, str), "the request was not bound to a table"
        return self.prior

    def bound(self, data: Data) -> Request:
        """Return the request with the prior for a table, whatever table it is opened on."""
        return replace(self, prior=self.prior_for(data))

    def _local(self, data: Any) -> LocalScores | FamilyScores:
        if isinstance(data, FamilyScores):
            if self.search is not None and self.search.needs_table:
                raise ArgumentError(
                    f"{argument('search', self.search.name)} needs a table; with local scores alone, take "
                    f"{argument('search', 'exact')}, {argument('search', 'order')} or another that goes by them"
                )
            if self.prior is not None and self.prior != SPARSE:
                raise ArgumentError(
                    f"{argument('prior')}: local scores from elsewhere have theirs already; leave it out"
                )
            if self.prior is None and data.prior is not None:
                raise ArgumentError(
                    f"{argument('prior', 'uniform')}: these local scores include the prior they were listed with; list "
                    f"them with {argument('prior', 'uniform')}"
                )
            if self.rows_per_cell not in (0, ROWS_PER_CELL):
                raise ArgumentError(
                    f"{argument('rows_per_cell', self.rows_per_cell)}: local scores from elsewhere have no rows; leave "
                    "it out"
                )
            return data
        table = as_data(data)
        if self.search is not None and self.search.pools_rows:
            refuse_targets(table, argument("search", self.search.name))
        goes_by = None if self.search is None else self.search.goes_by
        local = local_scores(table, self.score if goes_by is None else parse_score(goes_by), self.prior_for(table))
        off = score_rounding(local.counts.n_rows)
        if off > MOST_OFF:
            raise SearchError(
                f"the table has {local.counts.n_rows:,} rows: scores of so many are rounded to {off:.2g} nats, which "
                "is too coarse to compare structures; divide the weights, or draw a sample of the rows"
            )
        return local


def rules_with_rows(rules: Rules, local: LocalScores, rows_per_cell: float) -> Rules:
    """Return rules that leave out families with too few rows per cell, of the rows that each is scored on.

    Without any such row nothing can be told about parents, and a variable has none.
    """
    rows = {child: view.data.n_rows for view, children in local.views for child in children}
    if rows_per_cell == 0 and min(rows.values()):
        return rules
    cells = [(rows[i] / rows_per_cell if rows_per_cell else math.inf) if rows[i] else 0.0 for i in range(rules.n)]
    return rules.with_cells(local.data.arities, cells)


def task_request(
    search: Search | None,
    options: Mapping[str, Any],
    *,
    score: Score | str = "qnml",
    **given: Any,
) -> Request:
    """Check all that can be checked before there are data, and return what a task is opened from.

    Parameters
    ----------
    search, options
        The search, or None for that which is chosen, and its own options.
    score
        The score.
    **given
        Those of the common arguments (`COMMON`) that are given.

    Raises
    ------
    BnmlError
        If an argument is wrong, or the search does not take it.
    """
    common = {**COMMON, **given}
    assert len(common) == len(COMMON), "given has an argument that is not common"
    if search is None:
        for name, value in options.items():
            raise _no_option("auto", name, value, ())
    else:
        search.check(options, common)
    chosen = parse_score(score)
    if search is not None:
        search.check_score(chosen)
    most, limit = common["max_parents"], common["time_limit"]
    prior = None if parse_prior(common["prior"]) is None else common["prior"]
    cores(common["threads"])
    return Request(
        search,
        chosen,
        _checked_constraints(common["constraints"]),
        None if most is None else whole_number(most, "max_parents"),
        _checked_rows_per_cell(common["rows_per_cell"]),
        prior,
        whole_number(common["seed"], "seed"),
        common["threads"],
        memory_limit_of(common["memory_limit"]),
        None
        if limit is None
        else positive_number(limit, "time_limit", of=" of seconds", otherwise=", or None for no limit"),
        progress_function(common["progress"]),
        dict(options),
    )


def _checked_rows_per_cell(rows_per_cell: Any) -> float:
    """Return how many rows a cell must have on average; 0 for no rule."""
    if not is_number(rows_per_cell) or not 0 <= rows_per_cell < math.inf:
        raise refuse("rows_per_cell", rows_per_cell, "expected a number from 0, which lifts the rule")
    return float(rows_per_cell) if rows_per_cell % 1 else int(rows_per_cell)


def _checked_constraints(constraints: Any) -> Constraints | None:
    """Return constraints, or None for none."""
    if constraints is not None and not isinstance(constraints, Constraints):
        raise ArgumentError(f"{argument('constraints', constraints)}: expected bnml.Constraints(…), or None")
    return constraints


@dataclass(frozen=True)
class Task:
    """What a search works from.

    Attributes
    ----------
    local
        The scores of families, by column.
    rules
        What structures are allowed, by column.
    search
        The name of the search.
    score
        The score that is asked for; the one of ``local`` but where a search goes by another.
    constraints, max_parents, rows_per_cell
        What the rules were made of, for the report.
    seed, threads, memory
        Where randomness starts, how many threads may count, and how many bytes there are.
    watch
        Tells how far the search is, and knows when its time is over.
    reason
        Why this search.
    beside
        A table for the parameters of the network, where the local scores come without one.
    observed
        The table with its gaps, where the local scores are of a completed one: tests of independence go by it.
    """

    local: LocalScores | FamilyScores
    rules: Rules
    search: str = "auto"
    score: Score | None = None
    constraints: Constraints | None = None
    max_parents: int | None = None
    rows_per_cell: float = 0
    seed: int = 0
    threads: int | None = None
    memory: int = field(default_factory=lambda: memory_limit_of(None))
    watch: Watch = field(default_factory=Watch)
    reason: str = "as asked"
    beside: Data | None = None
    observed: Data | None = None

    @classmethod
    def of(
        cls,
        local: LocalScores | FamilyScores,
        constraints: Constraints | None = None,
        max_parents: int | None = None,
        **more: Any,
    ) -> Task:
        """Return the task on local scores that are at hand."""
        known = constraints or Constraints()
        rules = known.compiled(local.names, max_parents)
        return cls(local, rules, constraints=constraints, max_parents=max_parents, **more)

    @property
    def nothing_but_the_score(self) -> bool:
        """Whether of an equivalence class any member will do: neither constraints nor a prior prefer one."""
        decided = self.rules.constrained or self.rules.most < self.rules.n - 1  # rows per cell decide for whole classes
        return self.equivalent and not decided

    @property
    def _links_too_large(self) -> int:
        """How many pairs of variables have too many cells for the rows, so that no link between them can be judged."""
        own, states = self.rules.own_cells, self.rules.arities
        if own:
            pairs = combinations(range(self.rules.n), 2)
            return sum(states[i] * states[j] > max(own[i], own[j]) for i, j in pairs)
        often = sorted(Counter(states).items())  # there are few different numbers of states
        return sum(
            math.comb(m, 2) if r == s else m * k
            for at, (r, m) in enumerate(often)
            for s, k in often[at:]
            if r * s > self.rules.cells
        )

    def named(self, search: str, reason: str) -> Task:
        """Return the same task for a search that was chosen, with the reason."""
        return replace(self, search=search, reason=reason)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in the order of columns."""
        return self.local.names

    @property
    def data(self) -> Data | None:
        """The table; None if there are local scores alone."""
        return self.local.data if isinstance(self.local, LocalScores) else self.beside

    @property
    def table(self) -> LocalScores:
        """The local scores of a table, for a search that needs one."""
        assert isinstance(self.local, LocalScores), "the request has refused it"
        return self.local

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """The column of each variable in the order of names: with it nothing depends on the order of columns."""
        return tuple(sorted(range(len(self.names)), key=self.names.__getitem__))

    @cached_property
    def by_name(self) -> Rules:
        """The rules, for variables in the order of names."""
        return self.rules.among(self.columns)

    @cached_property
    def with_prior(self) -> Rules:
        """The rules in the order of names, with the arcs that the prior requires or rules out; some structure fits."""
        prior = self.local.prior if isinstance(self.local, LocalScores) else None
        rules = self.by_name if prior is None else prior.restrict(self.by_name)
        rules.check()
        return rules

    @property
    def hard_rules(self) -> Rules:
        """The rules with those of the prior, for variables in the order of columns."""
        places = {column: place for place, column in enumerate(self.columns)}
        return self.with_prior.among([places[column] for column in range(len(self.columns))])

    @property
    def equivalent(self) -> bool:
        """Whether an arc is known to gain as much as the arc the other way round."""
        local = self.local
        return isinstance(local, LocalScores) and local.shares_classes

    @property
    def n_rows(self) -> int:
        """Number of rows, which the size of sums depends on; 1 if there is no table."""
        return self.local.counts.n_rows if isinstance(self.local, LocalScores) else 1

    @property
    def n_distinct(self) -> int:
        """Number of distinct rows, which the cost of a family depends on; 0 if the scores are there already."""
        return self.local.counts.n_distinct if isinstance(self.local, LocalScores) else 0

    @property
    def in_engine(self) -> bool:
        """Whether an engine counts the rows: many sets at once are one scan for it, and rows cannot be had."""
        return isinstance(self.local, LocalScores) and self.local.counts.in_engine

    def part(self, stage: str, start: float = 0.0, stop: float = 1.0) -> Tell:
        """Return what is to be told the share of one stage that is done.

        For a search that has no result before its end: it is given up, with an error, when its time is over.
        """

        def tell(share: float) -> None:
            self.watch(stage, start + (stop - start) * share)
            if self.watch.over:
                raise TimeOverError(
                    f"{argument('search', self.search)} did not end within "
                    f"{argument('time_limit', float(self.watch.limit or 0))} seconds and has no result before its end; "
                    "allow more time, or take fewer columns"
                )

        return tell

    def structure(self, parents: Any) -> DAG:
        """Return the structure with these parents, for variables in the order of names."""
        sets: list[list[int]] = [[] for _ in self.names]
        for column, above in zip(self.columns, parents, strict=True):
            sets[column] = [self.columns[k] for k in above]
        return DAG.from_parent_sets(self.names, sets)

    def result(self, dag: DAG | None, score: float, info: Mapping[str, Any], **more: Any) -> SearchResult:
        """Return what was found; ``info`` is what the search has to say, and ``more`` further fields of the result.

        Raises
        ------
        SearchError
            If the score is minus infinity: what was found is impossible, under the prior for one.
        """
        if score == -math.inf:
            raise SearchError(
                f"{argument('search', self.search)} found only structures that are impossible under the score or the "
                "prior; drop what rules them out, or take another search"
            )
        limit: dict[str, Any] = {} if self.max_parents is None else {"max_parents": self.max_parents}
        if self.rules.sparse and self.rows_per_cell:
            limit |= {"rows_per_cell": self.rows_per_cell, "links_too_large": self._links_too_large}
        told = {**info, **limit, "reason": self.reason}
        fields = {"optimal": False, "local": self.local, **more}
        return SearchResult(
            dag, score, search=self.search, seconds=self.watch.seconds, info=told, data=self.data,
            constraints=self.constraints, rules=self.rules, **fields,
        )  # fmt: skip


class SearchFunction(Protocol):
    """A search for users: a function of data, a score, options and the common arguments."""

    search: Search
    __name__: str
    __doc__: str | None

    def __call__(self, data: Any, score: Score | str = ..., **arguments: Any) -> SearchResult:
        """Run the search."""


def as_search(
    name: str,
    *,
    refuses: tuple[str, ...] = (),
    score: str = "qnml",
    goes_by: str | None = None,
    needs_table: bool = False,
    of_classes: bool = False,
    by_score: bool = True,
    pools_rows: bool = False,
) -> Callable[[Callable[..., SearchResult]], SearchFunction]:
    """Make a function for users of a function of a task; its keywords are the options of the search.

    The arguments are those of `Search`.
    """

    def decorate(run: Callable[..., SearchResult]) -> SearchFunction:
        own = list(inspect.signature(run).parameters.values())[1:]
        defaults = {one.name: one.default for one in own}
        needed = frozenset(one.name for one in own if one.default is inspect.Parameter.empty)
        safely = enough_memory(MemoryOverError, f"search={name!r} went on", "take fewer columns, or another search")(
            run
        )
        search = Search(
            name, safely, MappingProxyType(defaults), needed, refuses, score, goes_by, needs_table, of_classes,
            by_score, pools_rows,
        )  # fmt: skip
        usual = COMMON if by_score else {**COMMON, "prior": None}

        def function(data: Any, score: Score | str = score, **arguments: Any) -> SearchResult:
            common = {key: arguments.pop(key) for key in COMMON if key in arguments}
            from bnml.search.learn import learn_request

            return learn_request(
                task_request(search, arguments, score=score, **common), data, common.get("memory_limit")
            )

        taken = [key for key in COMMON if key not in refuses and (by_score or key != "rows_per_cell")]
        function.__name__ = function.__qualname__ = run.__name__
        function.__module__ = run.__module__
        function.__doc__ = _documented(run.__doc__ or "", taken)
        function.__signature__ = _signature(own, score, {name: usual[name] for name in taken})  # type: ignore[attr-defined]  # read by `inspect`
        function.search = search  # type: ignore[attr-defined]  # a function has attributes
        return cast("SearchFunction", function)

    return decorate


def _signature(own: list[inspect.Parameter], score: str, taken: Mapping[str, Any]) -> inspect.Signature:
    """Return the signature for users: data, score, the options, the common arguments."""
    kind = inspect.Parameter.KEYWORD_ONLY
    first = [
        inspect.Parameter("data", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        inspect.Parameter("score", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=score),
    ]
    common = [inspect.Parameter(name, kind, default=default) for name, default in taken.items()]
    return inspect.Signature([*first, *own, *common], return_annotation="SearchResult")


PARAMETERS = """    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    score, {taken}
        As for `bnml.learn`.
"""
RAISES = """    Raises
    ------
    BnmlError
        If an argument is wrong, or the constraints cannot be met; before any work.

"""


def _documented(text: str, taken: list[str]) -> str:
    """Return the text of a search with what all of them share: data, score, the common arguments, and errors."""
    heading = "    Parameters\n    ----------\n"
    shared = PARAMETERS.format(taken=", ".join(taken))
    if heading in text:
        text = text.replace(heading, shared)
    else:
        text = text.replace("    Returns\n    -------\n", shared + "\n    Returns\n    -------\n")
    places = [text.find(f"    {title}\n    ---") for title in ("Notes", "Examples")]
    at = min((place for place in places if place >= 0), default=len(text))
    return f"{text[:at].rstrip()}\n\n{RAISES}{text[at:]}"
