"""What a search found, and how much is known about it.

Data can tell equivalent networks not apart (see `bnml.graph.cpdag`), so a network is found together with its class: the
arcs that all members of the class share, and the links that they direct differently. Constraints may direct some of
these links; `SearchResult.directions` has both kinds of knowledge in one graph.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from bnml.data import Data
from bnml.graph import DAG, PDAG, Constraints, apply_meek_rules
from bnml.scores import LocalScores

if TYPE_CHECKING:
    from bnml.network import BayesianNetwork
    from bnml.scores import FamilyScores

__all__ = ["Family", "SearchResult"]


class Family(NamedTuple):
    """A variable with its parents, and what it adds to the score: fit less penalty, where these are known."""

    variable: str
    parents: tuple[str, ...]
    score: float
    fit: float | None
    penalty: float | None


@dataclass(frozen=True, repr=False)
class SearchResult:
    """A network that a search found; print it for a report, show it in a notebook for a picture.

    Attributes
    ----------
    dag
        The network's structure.
    score
        Its score: natural logarithm, higher is better.
    optimal
        Whether it is proven that no other structure has a higher score.
    search
        The search that found it.
    seconds
        How long that took.
    info
        What else the search has to say. Every one: ``moves`` (changes made, or arcs placed), ``families`` (how many
        were scored), ``local_optimum`` (whether it was verified that no change of one arc that the constraints and
        ``max_parents`` allow raises the score; where one is known to raise it, ``arc_gain`` is by how much). Some:
        ``within`` (how much higher a score could still be), ``reason`` (of the choice of this search), and numbers of
        their own.
    data
        The table it was learned from; None if it was learned from local scores alone.
    local
        The local scores; None if they were not kept.
    constraints
        What had to hold; None for nothing.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.learn(bnml.example(), search="exact")
    >>> result.optimal, round(result.score, 1), result.n_parameters
    (True, -11271.5, 18)
    >>> result.cpdag.undirected
    (('asia', 'tub'), ('smoke', 'lung'), ('smoke', 'bronc'))
    >>> result.network.query("lung", {"smoke": "yes", "xray": "yes"}).round(2).to_dict()
    {'no': 0.34, 'yes': 0.66}
    """

    dag: DAG
    score: float
    optimal: bool
    search: str
    seconds: float = field(compare=False)
    info: Mapping[str, Any] = field(default_factory=dict, compare=False)
    data: Data | None = field(default=None, compare=False)
    local: LocalScores | FamilyScores | None = field(default=None, compare=False)
    constraints: Constraints | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "info", MappingProxyType(dict(self.info)))

    @cached_property
    def cpdag(self) -> PDAG:
        """The class of networks that no data can tell from this one: directed are the arcs that all of them share."""
        return self.dag.cpdag()

    @cached_property
    def directions(self) -> PDAG:
        """The class without the networks that the constraints rule out: as `cpdag`, with what they direct directed."""
        if self.constraints is None:
            return self.cpdag
        at, may = self.dag.variables.index, self.constraints.compiled(self.dag.names).may
        one_way = [(a, b) for a, b in self.dag.arcs if not may[at[a]] >> at[b] & 1]
        return apply_meek_rules(self.cpdag, background=one_way)

    @cached_property
    def network(self) -> BayesianNetwork | None:
        """The network with parameters (sequential NML) from the data; None if there are no data."""
        from bnml.network import fit

        return None if self.data is None else fit(self.dag, self.data)

    @cached_property
    def n_parameters(self) -> int | None:
        """Number of free parameters, Σ q_i (r_i - 1); None if there are no data."""
        if self.data is None:
            return None
        r = dict(zip(self.data.names, self.data.arities, strict=True))
        return sum(math.prod(r[p] for p in self.dag.parents(x)) * (r[x] - 1) for x in self.dag.names)

    @cached_property
    def families(self) -> tuple[Family, ...]:
        """What each variable adds to the score; empty if the local scores were not kept."""
        if self.local is None:
            return ()
        names = self.local.data.names if isinstance(self.local, LocalScores) else self.local.names
        return tuple(_family(self.local, names, x, self.dag.parents(x)) for x in self.dag.names)

    @property
    def score_name(self) -> str | None:
        """The name of the score, with its parameter; None if only local scores are known."""
        from bnml.search.report import score_text

        return score_text(self.local.score_function) if isinstance(self.local, LocalScores) else None

    @property
    def within(self) -> float | None:
        """By how much a score could still be higher: 0 if none is, up to rounding; None if that is not known."""
        within: float | None = self.info.get("within", 0.0 if self.optimal else None)
        return within

    def __str__(self) -> str:
        from bnml.search.report import report

        return report(self)

    def _repr_html_(self) -> str:
        from bnml.search.report import html

        return html(self)

    def __repr__(self) -> str:
        proven = "proven optimal" if self.optimal else "not proven optimal"
        size = f"{len(self.dag.names)} variables, {len(self.dag.arcs)} arcs"
        return f"<SearchResult by {self.search}: {size}, score {self.score:.6g}, {proven}>"

    def __reduce__(self) -> tuple[Any, ...]:
        kept = (self.dag, self.score, self.optimal, self.search, self.seconds, dict(self.info))
        return SearchResult, (*kept, self.data, self.local, self.constraints)


def _family(local: LocalScores | FamilyScores, names: tuple[str, ...], x: str, parents: tuple[str, ...]) -> Family:
    child, above = names.index(x), tuple(sorted(names.index(p) for p in parents))
    if not isinstance(local, LocalScores):
        return Family(x, parents, local.family(child, above), None, None)
    fit, penalty = local.parts(child, above)
    return Family(x, parents, local.family(child, above), fit, penalty)
