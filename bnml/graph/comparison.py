"""What a learned graph has in common with a known one, and what not.

Three kinds of things are counted, each with precision (which share of what was learned is right), recall (which share
of what is true was found) and F1, their harmonic mean:

==============  ==========================================================================================
``links``       adjacent pairs, whatever their direction, as ``pcalg::compareGraphs`` counts them
``arcs``        arcs of the graphs as they are given, as ``bnlearn::compare`` counts them for two DAGs
``directions``  arcs of the CPDAGs, whose direction data can tell; links without a direction do not count
==============  ==========================================================================================

A direction that no data can reveal is chance in a learned DAG, so ``directions`` judge a search more fairly than
``arcs`` do; and a graph may have none of them to be found.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bnml._notebook import comparison_picture, notebook_comparison
from bnml._plain import attributes, plain
from bnml._text import shortened_in_the_middle, text_table, wrapped_text
from bnml.errors import GraphError
from bnml.graph.base import graph_of, require_same_variables
from bnml.graph.dag import DAG
from bnml.graph.distance import shd
from bnml.graph.equivalence import class_of
from bnml.graph.intervention_distance import sid, sid_bounds
from bnml.graph.pdag import PDAG

if TYPE_CHECKING:
    import os

Pairs = tuple[tuple[str, str], ...]

LONGEST_NAME = 36  # so that an arc of two fits a line


@dataclass(frozen=True)
class Overlap:
    """How much of the true and of the learned there is in both; part of a `Comparison`.

    Examples
    --------
    >>> found = Overlap(common=3, missing=1, extra=2)
    >>> found.precision, found.recall, round(found.f1, 3)
    (0.6, 0.75, 0.667)
    """

    common: int
    """How many are in both."""
    missing: int
    """How many are only in the true graph."""
    extra: int
    """How many are only in the learned graph."""

    @property
    def precision(self) -> float:
        """The share of what was learned that is true; nan if nothing was learned."""
        return _share(self.common, self.common + self.extra)

    @property
    def recall(self) -> float:
        """The share of what is true that was learned; nan if there is nothing."""
        return _share(self.common, self.common + self.missing)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, 2 common / (2 common + missing + extra); nan if all are 0."""
        return _share(2 * self.common, 2 * self.common + self.missing + self.extra)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return attributes(self, "common", "missing", "extra", "precision", "recall", "f1")


@dataclass(frozen=True)
class Comparison:
    """What a learned graph has right, wrong and not at all; made by `compare`.

    A is the first graph, taken as the truth, and B the second. Every pair that is adjacent in one of them is in exactly
    one of the six groups from ``shared`` to ``only_b``; links come in the order of names.
    """

    truth: DAG | PDAG
    """The first graph, A."""
    learned: DAG | PDAG
    """The second graph, B, its names in the order of the first."""
    shd: int
    """The structural Hamming distance of the CPDAGs."""
    shd_dag: int | None
    """The structural Hamming distance of the DAGs; None if one is a PDAG."""
    sid: int | None
    """The structural intervention distance of the DAGs, see `bnml.sid`; None if one is a PDAG."""
    sid_bounds: tuple[int, int] | None
    """Its smallest and largest value over the class of the learned graph; None if they are not known."""
    sid_note: str
    """Why ``sid_bounds`` are not known; empty if they are."""
    links: Overlap
    """Adjacent pairs, whatever the direction."""
    arcs: Overlap
    """Arcs of the graphs as given: edges with an arrow."""
    directions: Overlap
    """Arcs of the CPDAGs (of a PDAG as it is): those whose direction data can tell."""
    shared: Pairs
    """Arcs, and links without a direction, that both have."""
    reversed: Pairs
    """Arcs of A that B has the other way round."""
    undirected_in_b: Pairs
    """Arcs of A that B has without a direction."""
    undirected_in_a: Pairs
    """Arcs of B that A has without a direction."""
    only_a: Pairs
    """Arcs and links of A whose ends B does not join: missing in B."""
    only_b: Pairs
    """Arcs and links of B whose ends A does not join: extra in B."""

    @property
    def equivalent(self) -> bool:
        """Whether both are in, or stand for, the same class."""
        return self.shd == 0

    @property
    def true_arcs(self) -> int:
        """Number of arcs that both have."""
        return self.arcs.common

    @property
    def false_arcs(self) -> int:
        """Number of arcs that only the learned graph has."""
        return self.arcs.extra

    @property
    def missed_arcs(self) -> int:
        """Number of arcs that only the true graph has."""
        return self.arcs.missing

    @property
    def true_adjacencies(self) -> int:
        """Number of adjacent pairs, whatever the direction, that both have."""
        return self.links.common

    @property
    def false_adjacencies(self) -> int:
        """Number of adjacent pairs that only the learned graph has."""
        return self.links.extra

    @property
    def missed_adjacencies(self) -> int:
        """Number of adjacent pairs that only the true graph has."""
        return self.links.missing

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON; ``undirected`` are the links without a direction of each graph."""
        names = ("shd", "shd_dag", "equivalent", "sid", "sid_bounds", "sid_note")
        groups = ("shared", "reversed", "undirected_in_b", "undirected_in_a", "only_a", "only_b")
        return {
            **attributes(self, *names),
            "links": self.links.to_dict(),
            "arcs": self.arcs.to_dict(),
            "directions": self.directions.to_dict(),
            **attributes(self, *groups),
            "undirected": {"a": plain(_links(self.truth)), "b": plain(_links(self.learned))},
        }

    def draw(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """Draw both graphs in one picture; see `bnml.plot.draw_comparison`.

        Examples
        --------
        >>> import bnml
        >>> found = bnml.compare(bnml.DAG.parse("[A][B|A][C|B]"), bnml.DAG.parse("[A][B|A][C|A]"))
        >>> [text.get_text() for text in found.draw().axes[0].texts][3:]
        ['in both', 'only in A', 'only in B']
        """
        return comparison_picture(self, path, **options)

    def __str__(self) -> str:
        lines = [
            wrapped_text(f"Structural Hamming distance: {self._shd_text()}."),
            wrapped_text(f"Structural intervention distance: {self._sid_text()}."),
        ]
        if self.truth == self.learned:
            lines.append("The graphs are the same.")
        elif self.equivalent:
            lines.append("The structures are equivalent: no data can tell them apart.")
        rows = [
            [name, *map(str, (of.common, of.missing, of.extra)), *map(_number, (of.precision, of.recall, of.f1))]
            for name, of in (("links", self.links), ("arcs", self.arcs), ("directions", self.directions))
        ]
        head = ["", "in both", "only in A", "only in B", "precision", "recall", "F1"]
        lines += ["", *text_table(rows, "lrrrrrr", head)]
        lines.append(
            wrapped_text(
                "Precision and recall take A for the truth. Arcs are those of the graphs as given, directions those of"
                " their classes: the arcs whose direction data can tell."
            )
        )
        return "\n".join([*lines, *self._groups()])

    def _shd_text(self) -> str:
        classes = f"{self.shd:,} between the classes"
        return classes if self.shd_dag is None else f"{classes}, {self.shd_dag:,} between the DAGs"

    def _sid_text(self) -> str:
        n = len(self.truth.names)
        own = "not for PDAGs" if self.sid is None else f"{self.sid:,} of {n * (n - 1):,} pairs"
        if self.sid_bounds is None:
            return f"{own} (not known for the class of B: {self.sid_note})"
        low, high = self.sid_bounds
        return f"{own} ({low:,}{f' to {high:,}' if low < high else ''} in the class of B)"

    def _groups(self) -> Iterable[str]:
        directed = {*_arcs(self.truth), *_arcs(self.learned)}
        groups = {
            "in both": self.shared,
            "reversed in B": self.reversed,
            "without a direction in B": self.undirected_in_b,
            "without a direction in A": self.undirected_in_a,
            "only in A": self.only_a,
            "only in B": self.only_b,
        }
        for title, pairs in groups.items():
            if pairs:
                yield f"\n{title} ({len(pairs):,}):"
            for pair in pairs:
                a, b = (shortened_in_the_middle(name, LONGEST_NAME) for name in pair)
                yield f"  {a} {'->' if pair in directed else '-'} {b}"

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.truth.names)} variables: shd {self.shd}, sid {self.sid}>"

    def _repr_html_(self) -> str:
        return notebook_comparison(self)


def compare(truth: Any, learned: Any) -> Comparison:
    """Compare a learned graph with a known one: distances, what is right, missing, extra and turned round.

    Parameters
    ----------
    truth, learned : DAG or PDAG, or what has one: a network, or the result of a search
        Graphs over the same variables; of what has a DAG and a PDAG the DAG counts.

    Returns
    -------
    Comparison
        The structural Hamming distance and the structural intervention distance; precision, recall and F1 of links, of
        arcs and of the directions that data can tell; the arcs themselves. It prints as a report, and its `draw` gives
        a picture.

    Raises
    ------
    ArgumentError
        If one is no graph and has none.
    GraphError
        If the variables differ.

    Examples
    --------
    >>> import bnml
    >>> found = bnml.compare(bnml.DAG.parse("[A][B|A][C|B]"), bnml.DAG.parse("[A][B|A][C|A]"))
    >>> found.shd, found.sid, found.links.precision, found.only_a, found.only_b
    (2, 1, 0.5, (('B', 'C'),), (('A', 'C'),))
    >>> print(found)
    Structural Hamming distance: 2 between the classes, 2 between the DAGs.
    Structural intervention distance: 1 of 6 pairs (1 to 4 in the class of B).
    <BLANKLINE>
                in both  only in A  only in B  precision  recall    F1
    links             1          1          1       0.50    0.50  0.50
    arcs              1          1          1       0.50    0.50  0.50
    directions        0          0          0          -       -     -
    Precision and recall take A for the truth. Arcs are those of the graphs as
    given, directions those of their classes: the arcs whose direction data can
    tell.
    <BLANKLINE>
    in both (1):
      A -> B
    <BLANKLINE>
    only in A (1):
      B -> C
    <BLANKLINE>
    only in B (1):
      A -> C
    """
    a, b = graph_of(truth, "truth"), graph_of(learned, "learned")
    require_same_variables(a.names, b.names)
    b = b.reordered(a.names)
    both_dags = isinstance(a, DAG) and isinstance(b, DAG)
    bounds, note = _bounds_and_note(a, b)
    arcs_a, arcs_b, links_a, links_b = _arcs(a), _arcs(b), _links(a), _links(b)
    own_a, own_b = {*arcs_a, *links_a}, {*arcs_b, *links_b}
    free_a, free_b = _either_way(links_a), _either_way(links_b)
    joined_a, joined_b = _either_way(own_a), _either_way(own_b)
    return Comparison(
        truth=a,
        learned=b,
        shd=shd(a, b),
        shd_dag=shd(a, b, of="dag") if both_dags else None,
        sid=sid(a, b) if both_dags else None,
        sid_bounds=bounds,
        sid_note=note,
        links=_overlap(a.skeleton(), b.skeleton()),
        arcs=_overlap(arcs_a, arcs_b),
        directions=_overlap(class_of(a).directed, class_of(b).directed),
        shared=tuple(pair for pair in (*arcs_a, *links_a) if pair in own_b and (pair in free_a) == (pair in free_b)),
        reversed=tuple(arc for arc in arcs_a if arc[::-1] in own_b and arc not in free_b),
        undirected_in_b=tuple(arc for arc in arcs_a if arc in free_b),
        undirected_in_a=tuple(arc for arc in arcs_b if arc in free_a),
        only_a=tuple(pair for pair in (*arcs_a, *links_a) if pair not in joined_b),
        only_b=tuple(pair for pair in (*arcs_b, *links_b) if pair not in joined_a),
    )


def _bounds_and_note(truth: DAG | PDAG, learned: DAG | PDAG) -> tuple[tuple[int, int] | None, str]:
    if isinstance(truth, PDAG):
        return None, "A is a PDAG, and interventions have other effects in each of its members"
    try:
        return sid_bounds(truth, learned), ""
    except GraphError as error:
        return None, str(error)


def _arcs(graph: DAG | PDAG) -> Pairs:
    return graph.arcs if isinstance(graph, DAG) else graph.directed


def _links(graph: DAG | PDAG) -> Pairs:
    return () if isinstance(graph, DAG) else graph.undirected


def _either_way(pairs: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    return {pair for a, b in pairs for pair in ((a, b), (b, a))}


def _overlap(truth: Pairs, learned: Pairs) -> Overlap:
    common = len({*truth} & {*learned})
    return Overlap(common, len(truth) - common, len(learned) - common)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def _number(share: float) -> str:
    return "-" if math.isnan(share) else f"{share:.2f}"
