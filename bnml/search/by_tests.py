"""PC and NPC among the searches: tests of independence find the links, a score is only reported.

`bnml.independence` has the algorithms. Their answer is a partially directed graph; a network is one of the DAGs that
fit it. There may be none, as tests can contradict each other: then there is no DAG and no score, and the graph is all
there is to see.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bnml._watch import Watch
from bnml.graph import PDAG, Constraints
from bnml.scores import Score
from bnml.scores.priors import StructurePrior
from bnml.search.search_result import Family, SearchResult
from bnml.search.trees import checked, opened

if TYPE_CHECKING:
    from bnml.independence import Criterion, IndependenceResult
    from bnml.network import BayesianNetwork

__all__ = ["TestedResult", "npc_search", "pc_search"]


@dataclass(frozen=True, repr=False)
class TestedResult(SearchResult):
    """What PC or NPC found: a `SearchResult` whose ``dag`` is None and ``score`` not a number where no DAG fits.

    ``tested`` is what `bnml.pc` or `bnml.npc` returned: the separating sets, every test, conflicts; ``regions`` are the
    ambiguous regions before they were resolved.
    """

    __test__ = False  # it is no test of pytest's

    tested: IndependenceResult | None = field(default=None, compare=False)
    regions: tuple[frozenset[frozenset[str]], ...] = field(default=(), compare=False)

    @property
    def _fits(self) -> bool:
        return getattr(self, "dag", None) is not None

    @cached_property
    def cpdag(self) -> PDAG:
        """The class of the network; where there is none, the graph that the tests left."""
        return self.dag.cpdag() if self._fits else self.directions

    @cached_property
    def directions(self) -> PDAG:
        """The graph that the tests left, directed where they tell."""
        assert self.tested is not None
        return self.tested.pdag

    @cached_property
    def network(self) -> BayesianNetwork | None:
        """The network with parameters from the data; None if no DAG fits."""
        from bnml.network import fit

        return fit(self.dag, self.data) if self._fits and self.data is not None else None

    @cached_property
    def n_parameters(self) -> int | None:
        """Number of free parameters; None if no DAG fits."""
        return self.network.n_parameters if self.network is not None else None

    @cached_property
    def families(self) -> tuple[Family, ...]:
        """What each variable adds to the score; empty if no DAG fits."""
        return super().families if self._fits else ()

    def __str__(self) -> str:
        return super().__str__() if self._fits else str(self.tested)

    def _repr_html_(self) -> str:
        return super()._repr_html_() if self._fits or self.tested is None else self.tested._repr_html_()

    def __repr__(self) -> str:
        return super().__repr__() if self._fits else f"<SearchResult by {self.search}: no network fits the tests>"

    def __reduce__(self) -> tuple[Any, ...]:
        kept = (self.dag, self.score, self.optimal, self.search, self.seconds, dict(self.info))
        return TestedResult, (*kept, self.data, self.local, self.constraints, self.tested)


def pc_search(
    data: Any,
    score: Score | str = "qnml",
    *,
    alpha: float = 0.05,
    test: str | Criterion = "g2",
    stable: bool = True,
    max_condition: int | None = None,
    colliders: str = "sepset",
    constraints: Constraints | None = None,
    prior: StructurePrior | None = None,
    threads: int | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> TestedResult:
    """Return a network that fits the answer of `bnml.pc`; the score is only reported.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.learn(bnml.example(), search="pc", alpha=0.01)
    >>> result.search, result.tested.n_tests
    ('pc', 107)
    """
    from bnml.independence import pc

    own = {"alpha": alpha, "test": test, "max_condition": max_condition, "colliders": colliders, "stable": stable}
    given = {"constraints": constraints, "threads": threads, "progress": progress}
    return _searched("pc", pc, data, score, prior, own, given)


def npc_search(
    data: Any,
    score: Score | str = "qnml",
    *,
    alpha: float = 0.05,
    test: str | Criterion = "g2",
    max_condition: int | None = None,
    colliders: str = "sepset",
    keep: Iterable[Iterable[str]] = (),
    constraints: Constraints | None = None,
    prior: StructurePrior | None = None,
    threads: int | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> TestedResult:
    """Return a network that fits the answer of `bnml.npc`.

    Of its ambiguous regions the links that are named in ``keep`` stay and the others of their regions go; the other
    regions are resolved for their strongest links.
    """
    from bnml.independence import npc

    own = {"alpha": alpha, "test": test, "max_condition": max_condition, "colliders": colliders}
    given = {"constraints": constraints, "threads": threads, "progress": progress}
    return _searched("npc", npc, data, score, prior, own, given, keep)


def _searched(
    search: str,
    find: Callable[..., IndependenceResult],
    data: Any,
    score: Score | str,
    prior: StructurePrior | None,
    own: dict[str, Any],
    given: dict[str, Any],
    keep: Iterable[Iterable[str]] = (),
) -> TestedResult:
    watch = Watch()
    local = opened(search, data, own, score=score, prior=prior, **given)
    first = find(local.data, **own, **given)
    kept = [tuple(link) for link in keep]
    found = (first.resolve(kept) if kept else first).resolve()
    dag, names = found.dag, local.data.names
    total, judged = math.nan, {"families": 0, "local_optimum": False}
    if dag is not None:
        above = (sorted(names.index(parent) for parent in dag.parents(x)) for x in names)
        total = math.fsum(local.families(range(len(names)), [tuple(parents) for parents in above]))
        judged = checked(local, dag, total, given["constraints"], None, given["threads"], watch)
    info = {
        "moves": 0 if dag is None else len(dag.arcs),
        **judged,
        "tests": found.n_tests,
        "test": found.test,
        "alpha": found.alpha,
        "conflicts": [f"{a} -> {child} <- {b}" for (a, b), child, _ in found.conflicts],
        "ambiguous_regions": [
            sorted(" - ".join(sorted(link)) for link in region) for region in first.ambiguous_regions
        ],
    }
    return TestedResult(
        dag,  # type: ignore[arg-type]  # None where no DAG fits, as the class says
        total, False, search, watch.seconds, info, local.data, local, given["constraints"], found,
        first.ambiguous_regions,
    )  # fmt: skip
