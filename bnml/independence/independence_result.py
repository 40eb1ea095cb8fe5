"""What PC and NPC found: a partially directed graph, and every test behind it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from bnml._pickled import PickledByFields
from bnml._plain import attributes, plain
from bnml.errors import ArgumentError, BnmlError, GraphError, argument
from bnml.graph import DAG, PDAG, canonical_extension
from bnml.graph.base import pairs_of_names
from bnml.independence.orientation import Conflict
from bnml.independence.path_condition import is_supported
from bnml.independence.skeleton import Log
from bnml.independence.tests import parse_test

if TYPE_CHECKING:
    import pandas as pd

    from bnml.independence.npc import Resolver

Link = frozenset[str]


@dataclass(frozen=True, eq=False, repr=False)
class IndependenceResult(PickledByFields):
    """A structure that tests of independence left over; print it for a report, show it in a notebook for a picture.

    Attributes
    ----------
    pdag
        The graph: directed where the tests tell the direction, undirected elsewhere and in ambiguous regions.
    sepsets
        For each pair without a link (a frozenset of two names) the set of names that separates it.
    conflicts
        Colliders that the tests ask for and that contradict others; each with its reason. They are not in the graph.
    ambiguous_regions
        Sets of links, each a frozenset of two names, of which each can be absent only if others are there; see
        `bnml.independence.npc`. Empty for PC.
    undecided
        Links in no region that stand or fall with how regions are resolved; they are in the graph, undirected.
    ambiguous_triples
        Triples (a, middle, b) of which the tests do not tell whether the middle is a collider.
    search
        ``"pc"`` or ``"npc"``.
    test, alpha
        How independence was decided, and the significance level; None where the test has none.
    seconds
        How long it took.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.pc(bnml.example(), alpha=0.01)
    >>> result.sepsets[frozenset(("smoke", "xray"))]
    frozenset({'either'})
    """

    pdag: PDAG
    sepsets: Mapping[Link, frozenset[str]]
    conflicts: tuple[Conflict, ...]
    ambiguous_regions: tuple[frozenset[Link], ...]
    undecided: frozenset[Link]
    ambiguous_triples: tuple[tuple[str, str, str], ...]
    search: str
    test: str
    alpha: float | None
    seconds: float
    _names: tuple[str, ...]
    _log: Log
    _resolve: Resolver | None = field(default=None)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sepsets", MappingProxyType(dict(self.sepsets)))

    @cached_property
    def dag(self) -> DAG | None:
        """A DAG with the links, arcs and v-structures of the graph; None if there is none, as tests may err."""
        ordered = self.pdag.reordered(sorted(self.pdag.names))
        try:
            dag = ordered.to_dag()
        except GraphError:
            return None
        if dag.cpdag() == ordered:
            dag = canonical_extension(ordered)
        return dag.reordered(self.pdag.names)

    @property
    def n_tests(self) -> int:
        """How many tests were made."""
        return self._log.n_tests

    @cached_property
    def tests(self) -> pd.DataFrame:
        """Every test, in order: ``a b given statistic degrees_of_freedom p_value log_p independent``.

        The statistic is G² or X²; for a threshold on the gain, the information gain in bits; for a score, its
        improvement in nats; ``tests.attrs["unit"]`` is the unit. What a test does not have is not a number; an oracle
        has only its answer.
        """
        import pandas as pd

        names = np.array(self._names, object)
        rows: list[tuple[Any, ...]] = []
        for batch, answers in self._log.batches:
            owner = np.repeat(np.arange(batch.xs.size), np.diff(batch.offsets))
            for t in np.flatnonzero(answers.tests_made(batch)).tolist():
                x, y = names[batch.xs[owner[t]]], names[batch.ys[owner[t]]]
                statistic, freedom, log_p = answers.results[t].tolist()
                given = tuple(names[batch.sets[t]].tolist())
                rows.append((x, y, given, statistic, freedom, log_p, bool(answers.independent[t])))
        head = ["a", "b", "given", "statistic", "degrees_of_freedom", "log_p", "independent"]
        frame = pd.DataFrame(rows, columns=head)
        frame.insert(5, "p_value", np.exp(frame["log_p"].astype(float)))
        frame.attrs["unit"] = self._unit
        return frame

    @property
    def _unit(self) -> str:
        """The unit of the statistic; empty where it has none or is not known."""
        try:
            return parse_test(self.test).unit
        except BnmlError:  # an oracle, or a criterion of the user's own
            return ""

    @cached_property
    def untested(self) -> frozenset[Link]:
        """The links of the graph about which some question could not be tested, for want of rows.

        A link goes only where a test finds independence. With more rows, some of these might.
        """
        linked = {frozenset(edge) for edge in (*self.pdag.directed, *self.pdag.undirected)}
        asked = {frozenset((self._names[i], self._names[j])) for i, j in self._log.untested}
        return frozenset(linked & asked)

    @cached_property
    def path_violations(self) -> tuple[Link, ...]:
        """The absent links without the paths that the necessary path condition asks for; always empty for NPC.

        A link is absent because a set separates its variables. To each member of that set a path must lead from either
        of the two without crossing the other (`bnml.independence.path_condition`). PC does not ask for that, and what
        it leaves without paths is listed here.
        """
        masks = [0] * len(self._names)
        at = {name: i for i, name in enumerate(self._names)}
        for a, b in (*self.pdag.directed, *self.pdag.undirected):
            masks[at[a]] |= 1 << at[b]
            masks[at[b]] |= 1 << at[a]
        absent = sorted(self.sepsets, key=sorted)
        pairs = {link: (at[min(link)], at[max(link)]) for link in absent}
        given = {link: tuple(sorted(at[name] for name in self.sepsets[link])) for link in absent}
        return tuple(link for link in absent if not is_supported(masks, pairs[link], given[link]))

    def resolve(
        self, keep: Iterable[Collection[str]] | None = None, drop: Iterable[Collection[str]] | None = None
    ) -> IndependenceResult:
        """Decide links of ambiguous regions, and what follows from that; the rest of a region stays open.

        Links that are kept are put in first, then the others are dropped, one by one. After each choice the necessary
        path condition is worked out anew: a link that can be explained without doubt goes, one that nothing can
        explain stays, and so does one without which a dropped link would have no path. Directions follow.

        Parameters
        ----------
        keep, drop
            Links of ambiguous regions that stay and that go: pairs of names, in either order. Without either,
            everything is decided: the strongest link of the regions stays, what follows is worked out, and so on until
            nothing is open. The strongest link is the one whose independence has the smallest p-value, or the
            largest statistic where the test has none.

        Returns
        -------
        IndependenceResult
            The result after these choices; its ``path_violations`` are empty.

        Raises
        ------
        ArgumentError
            If a link is in no ambiguous region, or is to stay and to go, or if without it an absent link would have no
            path.
        """
        chosen: dict[str, list[Link]] = {}
        for name, links in (("keep", keep), ("drop", drop)):
            pairs = pairs_of_names(links if links is not None else (), name, ordered=False)
            chosen[name] = list(dict.fromkeys(map(frozenset, pairs)))
        self._check_choices(chosen)
        nothing_named = not any(chosen.values()) and not (keep is None and drop is None)
        if self._resolve is None or not self.ambiguous_regions or nothing_named:
            return self
        return self._resolve(chosen["keep"], chosen["drop"])

    def reopened(self) -> IndependenceResult:
        """Return what NPC found before links were kept or dropped by `resolve`; of PC the result itself.

        Examples
        --------
        >>> import bnml
        >>> result = bnml.npc(bnml.example())
        >>> result.resolve().reopened().pdag == result.pdag
        True
        """
        return self if self._resolve is None else self._resolve.reopened()

    def _check_choices(self, chosen: Mapping[str, Sequence[Link]]) -> None:
        regions = frozenset().union(*self.ambiguous_regions)
        for name, links in chosen.items():
            for link in sorted(set(links) - regions, key=sorted):
                there = ", ".join(sorted(_text(one) for one in regions)) or "there are none"
                raise ArgumentError(
                    f"{_text(link)} is in no ambiguous region",
                    argument=name,
                    hint=f"the links of ambiguous regions: {there}",
                )
        for link in sorted(set(chosen["keep"]) & set(chosen["drop"]), key=sorted):
            raise ArgumentError(
                f"{_text(link)} is also in " + argument("keep"), argument="drop", hint="leave one of them out"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as plain values, for JSON; links in the order of the variables."""
        at = {name: i for i, name in enumerate(self.pdag.names)}

        def listed(links: Iterable[Link]) -> list[list[str]]:
            return sorted(sorted(link, key=at.__getitem__) for link in links)

        return {
            **attributes(self, "search", "test", "alpha", "n_tests"),
            "variables": list(self.pdag.names),
            "arcs": None if self.dag is None else plain(self.dag.arcs),
            "directed": plain(self.pdag.directed),
            "undirected": plain(self.pdag.undirected),
            "ambiguous_regions": [listed(region) for region in self.ambiguous_regions],
            "undecided": listed(self.undecided),
            "untested": listed(self.untested),
            "path_violations": listed(self.path_violations),
            "ambiguous_triples": plain(self.ambiguous_triples),
            "conflicts": [plain(conflict._asdict()) for conflict in self.conflicts],
            "separated": [
                {"a": a, "b": b, "given": sorted(self.sepsets[frozenset((a, b))], key=at.__getitem__)}
                for a, b in listed(self.sepsets)
            ],
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        from bnml.report.result_text import independence_text

        return independence_text(self)

    def _repr_html_(self) -> str:
        from bnml.report.result_text import independence_html

        return independence_html(self)

    def __repr__(self) -> str:
        links = len(self.pdag.directed) + len(self.pdag.undirected)
        regions = f", {len(self.ambiguous_regions)} ambiguous regions" if self.ambiguous_regions else ""
        return (
            f"<IndependenceResult by {self.search}: {len(self.pdag.names)} variables, {links} links, "
            f"{self.n_tests:,} tests{regions}>"
        )


def _text(link: Link) -> str:
    return " - ".join(sorted(link))
