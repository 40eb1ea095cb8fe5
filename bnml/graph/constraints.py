"""What is known about a structure before the data are seen.

Five kinds of knowledge: arcs that must be there, arcs that must not, links (an arc in one direction or the other)
that must or must not be there, and tiers: groups in an order, such as an order in time, against which no arc runs.
No variable has a parent from a later tier; arcs within a tier are free, and so are variables in no tier.

Constraints that no DAG can meet are refused when they are made. That test is complete: a link with only one allowed
direction counts as a required arc; if the required arcs, these included, have no cycle, then they have a topological
order, and every other required link can be oriented along it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from bnml._bits import transposed
from bnml._text import did_you_mean, quoted
from bnml.errors import ArgumentError, GraphError
from bnml.graph.base import (
    Variables,
    check_name,
    checked_names,
    cycle_text,
    find_cycle,
    pairs_of_names,
    require_dag,
    topological_order,
)
from bnml.graph.dag import DAG
from bnml.graph.rules import Rules

Arc = tuple[str, str]


@dataclass(frozen=True, init=False)
class Constraints:
    """Knowledge about the structure, for every search.

    Parameters
    ----------
    required, forbidden : iterable of (str, str)
        Arcs (parent, child) that must, or must not, be there.
    required_links, forbidden_links : iterable of pairs of str
        Pairs that must, or must not, be adjacent, in whichever direction.
    tiers : iterable of iterables of str
        Groups of variables; none has a parent from a later group. Variables in no group are free.

    Raises
    ------
    GraphError
        If something is malformed or no DAG could satisfy all of it; the message names what contradicts what.

    Examples
    --------
    >>> from bnml.graph import DAG, Constraints
    >>> known = Constraints(required=[("Smoking", "Cancer")], tiers=[["Smoking"], ["Cancer", "Cough"]])
    >>> known.violations(DAG.parse("[Cough][Smoking|Cough][Cancer|Smoking]"))
    ['Cough -> Smoking runs from tier 2 back to tier 1']
    >>> known.allows(DAG.parse("[Smoking][Cancer|Smoking][Cough|Cancer]"))
    True
    """

    required: tuple[Arc, ...]
    forbidden: tuple[Arc, ...]
    required_links: tuple[Arc, ...]
    forbidden_links: tuple[Arc, ...]
    tiers: tuple[tuple[str, ...], ...]
    _tier: dict[str, int] = field(init=False, repr=False, compare=False)
    _barred: frozenset[Arc] = field(
        init=False, repr=False, compare=False
    )  # forbidden arcs, and forbidden links both ways
    _forced: tuple[Arc, ...] = field(init=False, repr=False, compare=False)  # links with only one allowed direction

    def __init__(
        self,
        required: Iterable[Collection[str]] = (),
        forbidden: Iterable[Collection[str]] = (),
        required_links: Iterable[Collection[str]] = (),
        forbidden_links: Iterable[Collection[str]] = (),
        tiers: Iterable[Iterable[str]] = (),
    ) -> None:
        def keep(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        keep("required", _sorted_pairs(required, "required"))
        keep("forbidden", _sorted_pairs(forbidden, "forbidden"))
        keep("required_links", _sorted_pairs(required_links, "required_links", ordered=False))
        keep("forbidden_links", _sorted_pairs(forbidden_links, "forbidden_links", ordered=False))
        keep("tiers", _checked_tiers(tiers))
        keep("_tier", {name: k for k, tier in enumerate(self.tiers, 1) for name in tier})
        both_ways = [arc for a, b in self.forbidden_links for arc in ((a, b), (b, a))]
        keep("_barred", frozenset([*self.forbidden, *both_ways]))
        _refuse_cycle(self.required, "the required arcs")
        for arc in self.required:
            if obstacle := self._obstacle(arc):
                raise GraphError(f"the arc {_arrow(arc)} is required, but {obstacle}. Drop one of the two.")
        keep("_forced", self._forced_links())
        _refuse_cycle(
            [*self.required, *self._forced],
            "the required arcs, with the required links that have one allowed direction,",
        )

    def _obstacle(self, arc: Arc) -> str:
        """Say why an arc is not allowed, or return an empty string."""
        parent, child = arc
        if arc in self._barred:
            is_arc = arc in self.forbidden
            return f"{_arrow(arc)} is forbidden" if is_arc else f"the link {' - '.join(sorted(arc))} is forbidden"
        if parent in self._tier and child in self._tier and self._tier[parent] > self._tier[child]:
            return f"{_arrow(arc)} runs from tier {self._tier[parent]} back to tier {self._tier[child]}"
        return ""

    def _forced_links(self) -> tuple[Arc, ...]:
        present = set(self.required)
        forced = []
        for link in self.required_links:
            forth, back = link, link[::-1]
            if forth in present or back in present:
                continue
            not_forth, not_back = self._obstacle(forth), self._obstacle(back)
            if not_forth and not_back:
                why = not_forth if not_forth == not_back else f"{not_forth} and {not_back}"
                raise GraphError(f"the link {' - '.join(link)} is required, but {why}. Drop one of these.")
            if not_forth or not_back:
                forced.append(back if not_forth else forth)
        return tuple(forced)

    def check(self, names: Iterable[str]) -> None:
        """Refuse constraints that name a variable that is not among these.

        Raises
        ------
        ArgumentError
            With the unknown name and the nearest known one.

        Examples
        --------
        >>> Constraints(required=[("A", "B")]).check(["A", "B", "C"])
        """
        known = dict.fromkeys(checked_names(names, "names"))
        for what, groups in (
            ("required", self.required),
            ("forbidden", self.forbidden),
            ("required_links", self.required_links),
            ("forbidden_links", self.forbidden_links),
            ("tiers", self.tiers),
        ):
            for name in (name for group in groups for name in group):
                if name not in known:
                    raise ArgumentError(
                        f"{what} name {name!r}, which is not a variable.{did_you_mean(name, known)} The variables are "
                        f"{quoted(known)}.",
                        argument="constraints",
                    )

    def compiled(self, names: Iterable[str], most: int | None = None) -> Rules:
        """Return the constraints, and the most parents, as rules about these names, in this order.

        Examples
        --------
        >>> compiled = Constraints(required=[("A", "B")], forbidden=[("C", "B")]).compiled(["A", "B", "C"])
        >>> [bin(mask) for mask in compiled.must], [bin(mask) for mask in compiled.may]
        (['0b0', '0b1', '0b0'], ['0b100', '0b1', '0b11'])
        """
        variables = Variables(names)
        self.check(variables.names)
        at, n = variables.index, len(variables)
        must, barred, links = [0] * n, [1 << j for j in range(n)], [0] * n
        for parent, child in (*self.required, *self._forced):
            must[at[child]] |= 1 << at[parent]
            barred[at[parent]] |= 1 << at[child]
        for parent, child in self._barred:
            barred[at[child]] |= 1 << at[parent]
        later = 0
        for tier in reversed(self.tiers):
            for name in tier:
                barred[at[name]] |= later
            later |= variables.mask(tier)
        decided = {frozenset(arc) for arc in (*self.required, *self._forced)}
        for a, b in self.required_links:
            if frozenset((a, b)) not in decided:
                links[at[a]] |= 1 << at[b]
                links[at[b]] |= 1 << at[a]
        whole, most = (1 << n) - 1, n - 1 if most is None else min(most, n - 1)
        return Rules(variables.names, tuple(must), tuple(whole & ~mask for mask in barred), tuple(links), most)

    def violations(self, dag: DAG) -> list[str]:
        """Return what a DAG does against the constraints, in words; nothing if it satisfies them.

        Examples
        --------
        >>> Constraints(required=[("A", "B")], forbidden_links=[("B", "C")]).violations(DAG.parse("[A][B][C|B]"))
        ['the required arc A -> B is missing', 'B -> C is there, but the link B - C is forbidden']
        """
        self.check(require_dag(dag, "dag").names)
        present = set(dag.arcs)
        found = [f"the required arc {_arrow(arc)} is missing" for arc in self.required if arc not in present]
        found += [
            f"the required link {' - '.join(link)} is missing"
            for link in self.required_links
            if link not in present and link[::-1] not in present
        ]
        for arc in dag.arcs:
            if obstacle := self._obstacle(arc):
                said = obstacle.startswith(_arrow(arc))
                found.append(obstacle if said else f"{_arrow(arc)} is there, but {obstacle}")
        return found

    def allows(self, dag: DAG) -> bool:
        """Tell whether a DAG satisfies all constraints.

        Examples
        --------
        >>> Constraints(forbidden=[("A", "B")]).allows(DAG.parse("[B][A|B]"))
        True
        """
        return not self.violations(dag)


def _arrow(arc: Arc) -> str:
    return " -> ".join(arc)


def _sorted_pairs(pairs: Iterable[Collection[str]], what: str, *, ordered: bool = True) -> tuple[Arc, ...]:
    return tuple(sorted(set(pairs_of_names(pairs, what, ordered=ordered))))


def _checked_tiers(tiers: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    if isinstance(tiers, str) or not isinstance(tiers, Iterable):
        raise GraphError(f"tiers must be a list of lists of names such as [['A', 'B'], ['C']], got {tiers!r}")
    result: list[tuple[str, ...]] = []
    place: dict[str, int] = {}
    for k, tier in enumerate(tiers, 1):
        if isinstance(tier, str) or not isinstance(tier, Iterable):
            raise GraphError(f"each tier must be a list of names such as ['A', 'B'], got {tier!r}")
        members = list(tier)
        for name in members:
            check_name(name, "tiers")
            if name in place:
                raise GraphError(f"tiers hold {name!r} twice, in tier {place[name]} and in tier {k}; put it in one")
            place[name] = k
        if members:  # an empty tier says nothing
            result.append(tuple(sorted(str(name) for name in members)))
    return tuple(result)


def _refuse_cycle(arcs: Sequence[Arc], what: str) -> None:
    names = sorted({name for arc in arcs for name in arc})
    at = {name: i for i, name in enumerate(names)}
    parents = [0] * len(names)
    for parent, child in arcs:
        parents[at[child]] |= 1 << at[parent]
    order = topological_order(parents, transposed(parents))
    if len(order) < len(names):
        raise GraphError(f"{what} close the cycle {cycle_text(names, find_cycle(parents, order))}, and a DAG has none")
