"""What a search found, and how much is known about it.

Data can tell equivalent networks not apart, so a network is found together with its class: the
arcs that all members of the class share, and the links that they direct differently. Constraints may direct some of
these links; `SearchResult.directions` has both kinds of knowledge in one graph. Where several classes share the highest
score, `SearchResult.disputed` has the arcs on which they disagree.

PC and NPC go by tests of independence. Their answer is a partially directed graph, and the network is one of the DAGs
that fit it. There may be none, as tests can contradict each other: then there is no DAG and no score, and the graph is
all there is to see.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from bnml._pickled import PickledByFields
from bnml._plain import plain
from bnml.data import Data
from bnml.data.targets import rows_set
from bnml.errors import SearchError
from bnml.graph import DAG, PDAG, Constraints, Rules, apply_meek_rules, interventional_class
from bnml.scores import NML, FamilyScores, LocalScores

if TYPE_CHECKING:
    from bnml.independence import IndependenceResult
    from bnml.network import BayesianNetwork
    from bnml.scores.priors import StructurePrior
    from bnml.search.problem import Problem


class Family(NamedTuple):
    """A variable with its parents, and what it adds to the score: fit less penalty, where these are known."""

    variable: str
    parents: tuple[str, ...]
    score: float
    fit: float | None
    penalty: float | None


@dataclass(frozen=True, repr=False)
class SearchResult(PickledByFields):
    """A network that a search found; print it for a report, show it in a notebook for a picture.

    Attributes
    ----------
    dag
        The network's structure; None where no DAG fits what the tests of PC or NPC found.
    score
        What was maximised: natural logarithm, higher is better; not a number where there is no DAG. It includes
        `log_prior`, the logarithm of the structure prior.
    optimal
        Whether it is proven that no other structure has a higher score.
    search
        The search that found it.
    seconds
        How long that took.
    info
        What else the search has to say. Every one: ``moves`` (changes made, or arcs placed), ``families`` (how many
        were scored), ``local_optimum`` (whether it was verified that no change of one arc that the constraints and
        options allow raises the score; where one is known to raise it, ``arc_gain`` is by how much). Some:
        ``within`` (how much higher a score could still be), ``reason`` (of the choice of this search),
        ``interrupted`` (true where Ctrl-C ended branch and cut, and this is the best so far), and numbers of their own.
        Where values are missing: ``missing`` (their share in each column), ``em`` (rounds, starts, and parts of a row)
        and ``under_state`` (how the structure differs with gaps as states).
    problem
        What it was learned from: options bound to data, with local scores and rules; None if it was not kept.
    tested
        What `bnml.pc` or `bnml.npc` returned: the separating sets, every test, conflicts; None for other searches.
    regions
        The ambiguous regions of NPC, before they were resolved.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.learn(bnml.example(), search="exact")
    >>> result.optimal, round(result.score, 1), result.n_parameters
    (True, -11284.4, 17)
    >>> result.cpdag.undirected
    (('smoke', 'lung'), ('smoke', 'bronc'))
    >>> result.network.query("lung", {"smoke": "yes", "xray": "yes"}).round(2).to_dict()
    {'no': 0.34, 'yes': 0.66}
    """

    dag: DAG | None
    score: float
    optimal: bool
    search: str
    seconds: float = field(compare=False)
    info: Mapping[str, Any] = field(default_factory=dict, compare=False)
    problem: Problem | None = field(default=None, compare=False)
    tested: IndependenceResult | None = field(default=None, compare=False)
    regions: tuple[frozenset[frozenset[str]], ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "info", MappingProxyType(dict(self.info)))

    @property
    def data(self) -> Data | None:
        """The table it was learned from; None if it was learned from local scores alone."""
        return None if self.problem is None else self.problem.observed or self.problem.data

    @property
    def local(self) -> LocalScores | FamilyScores | None:
        """The local scores; None if they were not kept, or the score is no sum over families."""
        local = None if self.problem is None else self.problem.local
        whole = isinstance(local, LocalScores) and self.problem is not None and isinstance(self.problem.score, NML)
        return None if whole else local

    @property
    def constraints(self) -> Constraints | None:
        """The prior knowledge that had to hold; None for none."""
        return None if self.problem is None else self.problem.constraints

    @property
    def rules(self) -> Rules | None:
        """Which structures were allowed, by constraints, numbers of parents and rows per cell."""
        return None if self.problem is None else self.problem.rules

    @property
    def structure(self) -> DAG:
        """The network's structure, where there must be one.

        Raises
        ------
        SearchError
            If no DAG fits what the tests of PC or NPC found.
        """
        if self.dag is None:
            raise SearchError(
                f"no network fits what {self.search} found: the tests contradict each other; take another test or "
                "level, or a search by score"
            )
        return self.dag

    @cached_property
    def cpdag(self) -> PDAG:
        """The class of networks that no data can tell from this one: directed are the arcs that all of them share.

        Data in which variables were set can tell more: see `directions`. Where no DAG fits what tests found, the graph
        that they left.
        """
        return self.directions if self.dag is None else self.dag.cpdag()

    @cached_property
    def directions(self) -> PDAG:
        """The class without the networks that the constraints rule out: as `cpdag`, with what they direct directed.

        Where variables were set, the interventional class (`bnml.graph.interventional_class`), which directs more arcs
        than `cpdag`. Of PC and NPC the graph that the tests left.
        """
        if self.tested is not None:
            return self.tested.pdag
        graph = self.cpdag if not self.target_sets else interventional_class(self.structure, self.target_sets)
        if self.constraints is None:
            return graph
        dag = self.structure
        rules = self.rules
        if rules is None or rules.names != dag.names:
            rules = self.constraints.compiled(dag.names)
        at, may = dag.variables.index, rules.may
        one_way = [(a, b) for a, b in dag.arcs if not may[at[a]] >> at[b] & 1]
        return apply_meek_rules(graph, background=one_way)

    @property
    def target_sets(self) -> tuple[tuple[str, ...], ...]:
        """The sets of variables that were set together in rows of the table; none where nothing was set."""
        if self.data is None or self.data.targets is None:
            return ()
        names = self.data.names
        return tuple(tuple(names[column] for column in own) for own in self.data.targets.sets)

    @cached_property
    def disputed(self) -> tuple[tuple[str, str], ...] | None:
        """The arcs of `directions` that another network with the same, highest score turns round or does without.

        None where that is not known: it is looked for where the result is proven to be the best, and a second exact
        search is a matter of a moment (up to 14 variables).
        """
        from bnml.search.best_networks import disputed_arcs

        return disputed_arcs(self)

    @cached_property
    def shared_directions(self) -> PDAG:
        """As `directions`, without the directions that are `disputed`."""
        from bnml.search.best_networks import ties_opened

        return ties_opened(self.directions, self.disputed or ())

    @cached_property
    def network(self) -> BayesianNetwork | None:
        """The network with parameters from the data, by sequential NML (at expected counts if values are missing).

        None if there are no data, or no DAG.
        """
        from bnml.network import fit

        return None if self.data is None or self.dag is None else fit(self.dag, self.data)

    def with_network(self, network: BayesianNetwork) -> SearchResult:
        """Return this result with its network, where that has been fitted already."""
        result = replace(self)
        result.__dict__["network"] = network
        return result

    @cached_property
    def n_parameters(self) -> int | None:
        """Number of free parameters, Σ q_i (r_i - 1); None if there are no data, or no DAG."""
        dag = self.dag
        if self.data is None or dag is None:
            return None
        r = dict(zip(self.data.names, self.data.arities, strict=True))
        return sum(math.prod(r[p] for p in dag.parents(x)) * (r[x] - 1) for x in dag.names)

    @cached_property
    def families(self) -> tuple[Family, ...]:
        """What each variable adds to the score; empty if the local scores were not kept, or there is no DAG."""
        local, dag = self.local, self.dag
        return () if local is None or dag is None else tuple(_family(local, x, dag.parents(x)) for x in dag.names)

    @property
    def score_name(self) -> str | None:
        """The name of the score, with its parameter; None if only local scores are known."""
        from bnml.scores.registry import score_text

        return score_text(self.local.score_function) if isinstance(self.local, LocalScores) else None

    @property
    def structure_prior(self) -> StructurePrior | None:
        """The structure prior that is a part of the score; None for the uniform one."""
        return None if self.local is None else self.local.prior

    @cached_property
    def log_prior(self) -> float:
        """The structure prior's part of the score: ``score - log_prior == bnml.score(dag, data, score)``."""
        prior = self.structure_prior
        return 0.0 if prior is None or self.dag is None else prior.log_prob(self.dag)

    @property
    def bound(self) -> float | None:
        """A number that no allowed structure's score exceeds; None if none is known."""
        return None if self.within is None else self.score + self.within

    @property
    def within(self) -> float | None:
        """By how much a score could still be higher: 0 if none is, up to rounding; None if that is not known."""
        within: float | None = self.info.get("within", 0.0 if self.optimal else None)
        return within

    def certify(
        self,
        time_limit: float | None = 60,
        *,
        threads: int | None = None,
        memory_limit: int | str | None = None,
        progress: Callable[[str, float], None] | None = None,
    ) -> SearchResult:
        """Return how far from the best this network can be, and a better one where that is found.

        The families that can be in an optimal structure are listed, and the best structure of these is sought by branch
        and cut, as exact search does with ``method="cuts"``, from this network on.

        Parameters
        ----------
        time_limit
            Seconds after which the bound is taken as it is; None for no limit.
        threads, memory_limit, progress
            As for `bnml.learn`.

        Returns
        -------
        SearchResult
            This network, or one with a higher score, with a ``bound`` that no allowed structure's score exceeds.

        Raises
        ------
        SearchError
            If there is no network, or its local scores were not kept.

        Examples
        --------
        >>> import bnml
        >>> result = bnml.learn(bnml.example(), search="climb").certify()
        >>> result.optimal, result.within < 1e-6
        (True, True)
        """
        from bnml.search.by_cuts import certify_by_cuts
        from bnml.search.options import SearchOptions

        limits = SearchOptions.checked(
            None, threads=threads, memory_limit=memory_limit, time_limit=time_limit, progress=progress
        )
        return certify_by_cuts(self, limits)

    def to_dict(self, *, steps: bool = False) -> dict[str, Any]:
        """Return the report as plain values: what ``bnml learn --json`` prints.

        Parameters
        ----------
        steps
            With the single steps of a search that lists them, which can be many.
        """
        info = {key: value for key, value in self.info.items() if key != "trace"}
        if steps:
            info["trace"] = [trial._asdict() for trial in self.info.get("trace", ())]
        values = {
            "arcs": None if self.dag is None else self.dag.arcs,
            "cpdag_directed": self.cpdag.directed,
            "cpdag_undirected": self.cpdag.undirected,
            "disputed": self.disputed,
            "interventions": _interventions(self),
            "score": self.score,
            "log_prior": self.log_prior,
            "score_name": self.score_name,
            "optimal": self.optimal,
            "within": self.within,
            "bound": self.bound,
            "search": self.search,
            "seconds": self.seconds,
            "parameters": self.n_parameters,
            "rows": None if self.data is None else self.data.n_rows,
            "variables": [
                {"name": x, "parents": parents, "score": value, "fit": fit, "penalty": penalty}
                for x, parents, value, fit, penalty in self.families
            ],
            "info": info,
        }
        return {key: plain(value) for key, value in values.items()}

    def __str__(self) -> str:
        from bnml.report.result_text import search_text

        return search_text(self)

    def _repr_html_(self) -> str:
        from bnml.report.result_text import search_html

        return search_html(self) if self.dag is not None or self.tested is None else self.tested._repr_html_()

    def __repr__(self) -> str:
        if self.dag is None:
            return f"<SearchResult by {self.search}: no network fits the tests>"
        known = self.within is not None and math.isfinite(self.within)
        proven = "proven optimal" if self.optimal else f"within {self.within:.2g}" if known else "not proven optimal"
        size = f"{len(self.dag.names)} variables, {len(self.dag.arcs)} arcs"
        return f"<SearchResult by {self.search}: {size}, score {self.score:.6g}, {proven}>"


def uninterrupted_result(result: SearchResult) -> SearchResult:
    """Return a search result that more is made of, unless its search was interrupted.

    Raises
    ------
    KeyboardInterrupt
        If the user has interrupted its search: what was to follow is to end as well.
    """
    if result.info.get("interrupted"):
        raise KeyboardInterrupt
    return result


def _interventions(result: SearchResult) -> dict[str, Any] | None:
    """Return in how many rows variables were set, and which directions are known; None where nothing was set."""
    found = None if result.data is None else rows_set(result.data)
    if found is None:
        return None
    return {
        **found,
        "directed": result.directions.directed,
        "undirected": result.directions.undirected,
    }


def _family(local: LocalScores | FamilyScores, x: str, parents: tuple[str, ...]) -> Family:
    names = local.names
    child, above = names.index(x), tuple(sorted(names.index(p) for p in parents))
    if not isinstance(local, LocalScores):
        return Family(x, parents, local.family(child, above), None, None)
    fit, penalty = local.parts(child, above)
    return Family(x, parents, local.family(child, above), fit, penalty)
