"""The problem: options bound to data, once.

`bind` is the only way from options to a problem. It makes the local scores, compiles the rules, starts the clock, and
checks what can be checked only against a table. A search is a function of the problem and of its own options; it
returns ``problem.result(…)``. Nothing after it parses, checks or estimates again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

from bnml._watch import Tell, Watch
from bnml.data import Data
from bnml.data.targets import refuse_targets
from bnml.errors import ArgumentError, SearchError, argument
from bnml.graph import DAG, Constraints, Rules
from bnml.graph.rules import ROWS_PER_CELL
from bnml.scores import FamilyScores, LocalScores, Score, parse_score
from bnml.scores.base import score_rounding
from bnml.scores.local import local_scores
from bnml.scores.priors import SPARSE
from bnml.search.options import SearchOptions
from bnml.search.search_result import SearchResult

if TYPE_CHECKING:
    from bnml.search.forecast import Forecast

AS_ASKED = "as asked"  # the reason for a search that was named
MAX_ROUNDING = 0.1  # nats of rounding with which structures are compared
UNCHANGED = ("cost", "columns", "by_name", "with_prior")  # by another name, reason or watch


class TimeOverError(SearchError):
    """A search without intermediate results has reached its time limit."""


class MemoryOverError(SearchError):
    """A search has run out of memory."""


@dataclass(frozen=True)
class Problem:
    """What a search works from.

    Attributes
    ----------
    local
        The scores of families, by column.
    rules
        Which structures are allowed, by column.
    options
        The options that it was made of.
    search
        The name of the search.
    watch
        Reports progress and tracks the deadline.
    reason
        Why this search.
    beside
        A table for the parameters of the network, where the local scores come without one.
    observed
        The incomplete table, where the local scores are of a completed one: tests of independence go by it.
    """

    local: LocalScores | FamilyScores
    rules: Rules
    options: SearchOptions
    search: str = "auto"
    watch: Watch = field(default_factory=Watch)
    reason: str = AS_ASKED
    beside: Data | None = None
    observed: Data | None = None

    @classmethod
    def of(
        cls,
        local: LocalScores | FamilyScores,
        constraints: Constraints | None = None,
        max_parents: int | None = None,
        *,
        search: str = "auto",
        watch: Watch | None = None,
        **options: Any,
    ) -> Problem:
        """Return the problem on local scores that are at hand, without a rule on rows per cell."""
        given = {"constraints": constraints, "max_parents": max_parents, "rows_per_cell": 0, **options}
        if isinstance(local, LocalScores):
            given["score"] = local.score_function
        rules = (constraints or Constraints()).compiled(local.names, max_parents)
        return cls(local, rules, SearchOptions.checked(None, **given), search, watch or Watch())

    def _with(self, **changes: Any) -> Problem:
        """Return the problem with changes that leave its rules, scores and cost as they are."""
        other = replace(self, **changes)
        other.__dict__.update({name: self.__dict__[name] for name in UNCHANGED if name in self.__dict__})
        return other

    def named(self, search: str, reason: str) -> Problem:
        """Return the same problem for a search that was chosen, with the reason."""
        return self._with(search=search, reason=reason)

    def watched(self, watch: Watch) -> Problem:
        """Return the same problem with another watch."""
        return self._with(watch=watch)

    def asked(self, options: SearchOptions) -> Problem:
        """Return the same problem for another call, with options that give the same rules and scores."""
        watch = Watch(options.progress, options.time_limit)
        return self._with(options=options, search=options.search_name, reason=AS_ASKED, watch=watch)

    def scored(self, options: SearchOptions) -> Problem:
        """Return the problem of the same table and rules, with options for another score."""
        assert self.data is not None
        local = _scored(options, self.data)
        return replace(self, local=local, options=options, search=options.search_name, watch=Watch(options.progress))

    @property
    def kept(self) -> Problem:
        """The problem without what belongs to one call alone."""
        return self._with(options=self.options.kept(), watch=Watch())

    @cached_property
    def cost(self) -> Forecast:
        """What an exact search will take: estimated once."""
        from bnml.search.forecast import estimate_cost

        return estimate_cost(self)

    @property
    def score(self) -> Score:
        """The score that was asked for: that of ``local`` unless the search goes by another."""
        return self.options.score

    @property
    def constraints(self) -> Constraints | None:
        """The prior knowledge that the rules were made of."""
        return self.options.constraints

    @property
    def seed(self) -> int:
        """The random seed."""
        return self.options.seed

    @property
    def threads(self) -> int | None:
        """How many threads may be used."""
        return self.options.threads

    @property
    def memory(self) -> int:
        """How many bytes may be used."""
        return self.options.memory

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
        assert isinstance(self.local, LocalScores), "bind has refused it"
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
                    argument("search", self.search)
                    + " did not end within "
                    + argument("time_limit", float(self.watch.limit or 0))
                    + " seconds and has no result before its end",
                    hint="allow more time, or take fewer columns",
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
                argument("search", self.search)
                + " found only structures that are impossible under the score or the prior",
                hint="drop what rules them out, or take another search",
            )
        most, least = self.options.max_parents, self.options.rows_per_cell
        limit: dict[str, Any] = {} if most is None else {"max_parents": most}
        if self.rules.sparse and least:
            limit |= {"rows_per_cell": least, "links_too_large": self._links_too_large}
        told = {**info, **limit, "reason": self.reason}
        fields = {"optimal": False, **more}
        return SearchResult(
            dag, score, search=self.search, seconds=self.watch.seconds, info=told, problem=self.kept, **fields
        )


def bind(options: SearchOptions, data: Data | FamilyScores) -> Problem:
    """Return the problem of learning from a table, or from local scores without one.

    Raises
    ------
    BnmlError
        If the options do not go with the data.
    """
    watch = Watch(options.progress, options.time_limit)
    local = _listed(options, data) if isinstance(data, FamilyScores) else _scored(options, data)
    rules = (
        Rules.none(local.names, options.max_parents)
        if options.constraints is None
        else options.constraints.compiled(local.names, options.max_parents)
    )
    if isinstance(local, LocalScores) and options.by_score:
        rules = _rules_with_rows(rules, local, options.rows_per_cell)
    return Problem(local, rules, options, options.search_name, watch)


def _listed(options: SearchOptions, scores: FamilyScores) -> FamilyScores:
    """Return local scores that come without a table, if the options go with them."""
    if options.search is not None and options.search.needs_table:
        raise ArgumentError(
            argument("search", options.search.name) + " needs a table",
            hint="with local scores alone, take "
            + argument("search", "exact")
            + ", "
            + argument("search", "order")
            + " or another that goes by them",
        )
    if options.prior is not None and options.prior != SPARSE:
        raise ArgumentError("local scores from elsewhere have theirs already", argument="prior", hint="leave it out")
    if options.prior is None and scores.prior is not None:
        raise ArgumentError(
            "these local scores include the prior they were listed with",
            argument="prior",
            value="uniform",
            hint="list them with " + argument("prior", "uniform"),
        )
    if options.rows_per_cell not in (0, ROWS_PER_CELL):
        raise ArgumentError(
            "local scores from elsewhere have no rows",
            argument="rows_per_cell",
            value=options.rows_per_cell,
            hint="leave it out",
        )
    return scores


def _scored(options: SearchOptions, table: Data) -> LocalScores:
    """Return the local scores of a table."""
    search = options.search
    if search is not None and search.pools_rows:
        refuse_targets(table, argument("search", search.name))
    score = options.score if search is None or search.goes_by is None else parse_score(search.goes_by)
    local = local_scores(table, score, options.prior_for(table))
    rounding = score_rounding(local.counts.n_rows)
    if rounding > MAX_ROUNDING:
        raise SearchError(
            f"the table has {local.counts.n_rows:,} rows: scores of so many are rounded to {rounding:.2g} nats, "
            "which is too coarse to compare structures; divide the weights, or draw a sample of the rows"
        )
    return local


def _rules_with_rows(rules: Rules, local: LocalScores, rows_per_cell: float) -> Rules:
    """Return rules that leave out families with too few rows per cell, of the rows that each is scored on.

    Without any such row nothing can be told about parents, and a variable has none.
    """
    rows = {child: view.data.n_rows for view, children in local.views for child in children}
    if rows_per_cell == 0 and min(rows.values()):
        return rules
    cells = [(rows[i] / rows_per_cell if rows_per_cell else math.inf) if rows[i] else 0.0 for i in range(rules.n)]
    return rules.with_cells(local.data.arities, cells)
