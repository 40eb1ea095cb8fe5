"""Options shared by all searches, each declared once: its default, its check and its help text.

`bnml.learn`, the functions of `bnml.search`, the posterior, the bootstrap, the study, the studio and the command line
spell their signatures out for editors and type checkers; a test compares these with the declarations here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from bnml._checks import is_number, positive_number, progress_function, refuse, whole_number
from bnml._machine import cores, memory_limit_of
from bnml._text import did_you_mean
from bnml.data import Data
from bnml.errors import ABSENT, ArgumentError, ScoreError, argument, join_texts
from bnml.graph import Constraints
from bnml.graph.rules import ROWS_PER_CELL
from bnml.scores import Score, parse_score
from bnml.scores.priors import DEFAULT_PRIOR, SPARSE, Sparse, StructurePrior, parse_prior, prior_for
from bnml.search.search_result import SearchResult

OF_SCORES = ("rows_per_cell",)  # options that searches by score alone take into account
KNOWLEDGE, COST = "Prior knowledge", "Resource limits"  # panels of options
CONSTRAINTS = ("required", "forbidden", "required_links", "forbidden_links", "tiers")


@dataclass(frozen=True)
class Search:
    """A search algorithm, the options it takes, and what it supports.

    Attributes
    ----------
    name
        Its name in ``search=``.
    run
        The algorithm: a function of a `Problem` and of its own options.
    options
        Its own options by name, with their defaults.
    needed
        Its own options that have no default.
    refuses
        Shared options that it does not support.
    goes_by
        The score that it maximises whatever score is asked for, which is only reported; None for the latter.
    needs_table
        Whether it needs more than local scores.
    of_classes
        Whether it moves between equivalence classes, whose members must then share their scores.
    by_score
        Whether it compares families by their scores, which needs some rows for each cell of a family's table.
    pools_rows
        Whether it counts all rows together, and so refuses a table with interventions.
    """

    name: str
    run: Callable[..., SearchResult]
    options: Mapping[str, Any]
    needed: frozenset[str] = frozenset()
    refuses: tuple[str, ...] = ()
    goes_by: str | None = None
    needs_table: bool = False
    of_classes: bool = False
    by_score: bool = True
    pools_rows: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        return _search_named, (self.name,)

    def check(self, options: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        """Raise if an option is unknown, unsupported or missing."""
        for name, value in options.items():
            if name not in self.options:
                raise _unknown_option(self.name, name, value, tuple(self.options))
        for name in self.options:
            if name in self.needed and name not in options:
                raise ArgumentError(argument("search", self.name) + " needs " + argument(name))
        self.check_shared(given)

    def check_shared(self, given: Mapping[str, Any]) -> None:
        """Raise if a shared option is not supported, unless it has its default or a neutral value."""
        for name, value in given.items():
            if name == "prior" and (parse_prior(value) is None or (isinstance(value, str) and value == SPARSE)):
                continue
            lifted = name in OF_SCORES and _is_default(value, 0)
            unsupported = name in self.refuses or (name in OF_SCORES and not self.by_score and not lifted)
            if unsupported and not _is_default(value, SHARED[name].default):
                raise ArgumentError(
                    argument("search", self.name) + " cannot take it into account",
                    argument=name,
                    value=ABSENT if isinstance(value, StructurePrior) else value,
                    hint="leave it out",
                )

    def check_score(self, score: Score) -> None:
        """Raise if the search moves between equivalence classes and the score tells their members apart."""
        if self.of_classes and not score.equivalent:
            raise ScoreError(
                f"{self.name} searches classes of equivalent networks, and {score.name} gives the members of a class "
                "different scores",
                argument="score",
                value=score.name,
                hint="take one that they share, such as bic, bdeu or qnml, or another search",
            )


def _search_named(name: str) -> Search:
    """Return a search by its name, where options arrive from another process."""
    from bnml.search.searches import SEARCHES

    return SEARCHES[name]


def _is_default(value: Any, default: Any) -> bool:
    """Tell whether a value equals the default: 5.0 is 5, but False is not 0."""
    if is_number(value) and is_number(default):
        return bool(value == default)
    return value is default


def _unknown_option(search: str, name: str, value: Any, own: tuple[str, ...]) -> ArgumentError:
    if name in CONSTRAINTS:
        return ArgumentError(
            "it is a part of " + argument("constraints"),
            argument=name,
            value=value,
            hint=f"pass bnml.Constraints({name}=…)",
        )
    what = f"the options {', '.join(own)}" if own else "no options of its own"
    hint = did_you_mean(name, (*own, *SHARED)).strip()
    return ArgumentError(argument("search", search) + f" takes {what}.", argument=name, value=value, hint=hint)


# --- checks ---


def _check_constraints(value: Any) -> Constraints | None:
    if value is not None and not isinstance(value, Constraints):
        raise ArgumentError("expected bnml.Constraints(…), or None", argument="constraints", value=value)
    return value


def _check_max_parents(value: Any) -> int | None:
    return None if value is None else whole_number(value, "max_parents")


def _check_rows_per_cell(value: Any) -> float:
    if not is_number(value) or not 0 <= value < math.inf:
        raise refuse("rows_per_cell", value, "expected a number from 0, which lifts the rule")
    return float(value) if value % 1 else int(value)


def _check_prior(value: Any) -> StructurePrior | str | None:
    return None if parse_prior(value) is None else value


def _check_seed(value: Any) -> int:
    return whole_number(value, "seed")


def _check_threads(value: Any) -> int | None:
    cores(value)
    return None if value is None else int(value)


def _check_memory_limit(value: Any) -> int | None:
    return None if value is None else memory_limit_of(value)


def _check_time_limit(value: Any) -> float | None:
    otherwise = ", or None for no limit"
    return None if value is None else positive_number(value, "time_limit", of=" of seconds", otherwise=otherwise)


def _option(default: Any, check: Callable[[Any], Any], text: str, metavar: str | None = None, panel: str = COST) -> Any:
    """Declare an option: its default, the function that checks a value, its help text, and how commands show it.

    With a ``metavar`` every command that learns has it; without one commands have it in a form of their own, or not.
    """
    return field(default=default, metadata={"check": check, "help": text, "metavar": metavar, "panel": panel})


@dataclass(frozen=True)
class SearchOptions:
    """What was asked of a search, validated; ``search`` is None where `bnml.learn` chooses."""

    search: Search | None = None
    score: Score = _option("qnml", parse_score, "Scoring method.")
    constraints: Constraints | None = _option(None, _check_constraints, "Prior knowledge of the structure.")
    max_parents: int | None = _option(
        None, _check_max_parents, "Maximum number of parents per variable.", "K", KNOWLEDGE
    )
    rows_per_cell: float = _option(
        ROWS_PER_CELL, _check_rows_per_cell,
        "Minimum average number of rows per cell of a family's table (0: no rule).", "R", KNOWLEDGE,
    )  # fmt: skip
    prior: StructurePrior | str | None = _option(
        DEFAULT_PRIOR, _check_prior, "Structure prior: uniform, or sparse (one expected parent per variable)."
    )
    seed: int = _option(0, _check_seed, "Random seed.", "S")
    threads: int | None = _option(None, _check_threads, "Threads to use (default: all cores).", "T")
    memory_limit: int | str | None = _option(
        None, _check_memory_limit, "Memory limit (default: most of the available memory).", "8GB"
    )
    time_limit: float | None = _option(None, _check_time_limit, "Time limit in seconds.", "S")
    progress: Callable[[str, float], None] | None = _option(None, progress_function, "Called with stage and fraction.")
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def checked(cls, search: Search | None, /, **given: Any) -> SearchOptions:
        """Return the options of a search, checked as far as that is possible before there are data.

        Parameters
        ----------
        search
            The search, or None where `bnml.learn` chooses.
        **given
            Shared options and the search's own; the others have their defaults.

        Raises
        ------
        BnmlError
            If an option is wrong or not supported by the search.
        """
        values = {name: given.pop(name, declared.default) for name, declared in SHARED.items()}
        if search is None:
            for name, value in given.items():
                raise _unknown_option("auto", name, value, ())
        else:
            search.check(given, values)
        checked = {name: SHARED[name].metadata["check"](value) for name, value in values.items()}
        if search is not None:
            search.check_score(checked["score"])
        return cls(search, **checked, options=given)

    def completed(self, constraints: Constraints | None, **options: Any) -> SearchOptions:
        """Return the options with what is known only together with the variables: constraints, options of the search.

        Raises
        ------
        ArgumentError
            If the search does not support constraints.
        """
        if self.search is not None:
            self.search.check_shared({"constraints": constraints})
        return replace(self, constraints=_check_constraints(constraints), options={**self.options, **options})

    def within(self, threads: int | None, memory: int) -> SearchOptions:
        """Return the options with other threads and another memory limit."""
        return replace(self, threads=threads, memory_limit=memory)

    def kept(self) -> SearchOptions:
        """Return the options without what belongs to one call alone: the progress function and an executor."""
        own = {name: value for name, value in self.options.items() if name != "executor"}
        return replace(self, progress=None, options=own)

    def __getstate__(self) -> dict[str, Any]:
        return self.kept().__dict__

    @property
    def memory(self) -> int:
        """How many bytes may be used."""
        return memory_limit_of(self.memory_limit)

    @property
    def reading(self) -> dict[str, Any]:
        """The options that `bnml.read` takes as well."""
        return {} if self.memory_limit is None else {"memory_limit": self.memory_limit}

    @property
    def search_name(self) -> str:
        """The name of the search."""
        return "auto" if self.search is None else self.search.name

    @property
    def by_score(self) -> bool:
        """Whether the search compares families by their scores."""
        return self.search is None or self.search.by_score

    def prior_for(self, data: Data) -> StructurePrior | None:
        """Return the structure prior for a table; None for the uniform one.

        A sparse one is for searches by score; by its name, not for scores that charge for naming parents themselves.
        """
        sparse = self.prior == SPARSE if isinstance(self.prior, str) else isinstance(self.prior, Sparse)
        return prior_for(self.prior, self.score, data) if self.by_score or not sparse else None

    @property
    def structure_prior(self) -> StructurePrior | None:
        """The prior, once it belongs to a table (`with_prior_for`)."""
        assert not isinstance(self.prior, str), "the prior does not belong to a table yet"
        return self.prior

    def with_prior_for(self, data: Data) -> SearchOptions:
        """Return the options with the prior for a table, whatever table they are bound to."""
        return replace(self, prior=self.prior_for(data))


SHARED = {one.name: one for one in fields(SearchOptions) if "check" in one.metadata}
"""The options shared by all searches, by name."""

OF_STRUCTURES = tuple(
    name for name, one in SHARED.items() if one.metadata["metavar"] and one.metadata["panel"] == KNOWLEDGE
)
"""Those that say which structures are allowed, by a number."""


def search_options(search: Any, /, **given: Any) -> SearchOptions:
    """Return the checked options of a search, by its name, or of ``"auto"``; see `SearchOptions.checked`.

    Raises
    ------
    BnmlError
        If there is no such search, or an argument is wrong.
    """
    from bnml.search.searches import SEARCHES

    names = ("auto", *SEARCHES)
    if not isinstance(search, str) or search not in names:
        hint = did_you_mean(search, names).strip() if isinstance(search, str) else ""
        raise refuse("search", search, f"there is no such search; available: {', '.join(names)}.", hint)
    own = SEARCHES.get(search)
    for name in given:
        others = [argument("search", other.name) for other in SEARCHES.values() if name in other.options]
        if others and (own is None or name not in own.options):
            takers = join_texts(" or ", others)
            raise ArgumentError(argument(name) + " goes with " + takers + ", not with " + argument("search", search))
    return SearchOptions.checked(own, **given)
