"""What a study holds."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnml._checks import a_path
from bnml._files import check_writable, written_whole
from bnml.errors import ArgumentError

if TYPE_CHECKING:
    import pandas as pd

    from bnml.data import Data
    from bnml.five_steps.features import Features
    from bnml.five_steps.links import Link
    from bnml.graph import PDAG, Constraints
    from bnml.independence import IndependenceResult
    from bnml.search import SearchResult
    from bnml.uncertainty import Bootstrap, Posterior

__all__ = ["Study"]

SUFFIXES = (".html", ".htm")


@dataclass(frozen=True, eq=False, repr=False)
class Study:
    """The five steps and what each of them found; print it for a summary, save it for a report.

    Attributes
    ----------
    data
        The table.
    target
        The variable of interest; None for none.
    alpha
        The significance level of the tests.
    features
        Step 1: which pairs depend on each other, and which variables tell something of the target.
    constraints
        Step 2: what was known; None for nothing.
    pc, npc
        Step 3: the structures that tests of independence leave over. ``npc`` is None where it was not affordable.
    learned
        Step 3: the network, by default the best one by score.
    other_scores
        Step 3: the classes of the best networks by other scores, each with the score's name; empty where they were not
        searched for.
    bootstrap, posterior
        Step 4: how often each arc is found in halves of the rows, and how probable each is; None where that was
        not affordable, or not asked for.
    strength
        Step 5: what each arc of the network is worth; see `bnml.strength`.
    max_condition
        The most variables that a test of independence was given; None for any number.
    rows_per_cell
        How many rows each combination of values of a variable and its parents had to have on average.
    left_out
        What was not done, each with the reason.
    seconds
        How long it took.

    Examples
    --------
    >>> import bnml
    >>> found = bnml.study(bnml.example(), "lung", repetitions=10)
    >>> found.features.selected[:3], found.learned.optimal
    (('either', 'xray', 'smoke'), True)
    >>> found.html().startswith("<!DOCTYPE html>")
    True
    """

    data: Data
    target: str | None
    alpha: float
    features: Features
    constraints: Constraints | None
    pc: IndependenceResult
    npc: IndependenceResult | None
    learned: SearchResult
    other_scores: tuple[tuple[str, PDAG], ...]
    bootstrap: Bootstrap | None
    posterior: Posterior | None
    strength: pd.DataFrame
    max_condition: int | None
    rows_per_cell: float
    left_out: tuple[tuple[str, str], ...]
    seed: int
    seconds: float = field(compare=False)

    @property
    def arcs(self) -> tuple[tuple[str, str], ...]:
        """The arcs of the network; where none fits what PC or NPC found, the links of their graph, one way round."""
        graph = self.learned.directions
        return (*graph.directed, *graph.undirected) if self.learned.dag is None else self.learned.dag.arcs

    @cached_property
    def directions(self) -> PDAG:
        """The class of the network, with a direction only where the best networks by all scores have the same."""
        from bnml.five_steps.other_scores import disputing
        from bnml.search.ties import opened

        graph = self.learned.shared_directions
        return opened(graph, tuple(arc for arc in graph.directed if disputing(arc, self.other_scores)))

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The links of the network, the surest first, and after them what else was found."""
        from bnml.five_steps.links import links_of

        return links_of(self)

    def html(self, title: str | None = None) -> str:
        """Return the report as one page that needs nothing else: pictures and style are in it.

        Parameters
        ----------
        title
            The heading; by default what the study is of.
        """
        from bnml.five_steps.page import page

        return page(self, title)

    def save(self, path: str | os.PathLike[str], title: str | None = None) -> None:
        """Write the report to an HTML file, whole or not at all.

        Parameters
        ----------
        path
            A name that ends in ``.html`` or ``.htm``.
        title
            The heading.

        Raises
        ------
        ArgumentError
            If it cannot be written, or has another suffix.
        """
        target = _check_report(path)
        content = self.html(title).encode("utf-8")
        with written_whole(target) as stream:
            stream.write(content)

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as plain values, for JSON."""
        from bnml.five_steps.values import values

        return values(self)

    def __str__(self) -> str:
        from bnml.five_steps.text_summary import summary

        return summary(self)

    def _repr_html_(self) -> str:
        from bnml.five_steps.page import excerpt

        return excerpt(self)

    def __repr__(self) -> str:
        about = f" about {self.target!r}" if self.target is not None else ""
        return f"<Study of {len(self.data.names)} variables{about}: {len(self.arcs)} arcs>"


def _check_report(path: str | os.PathLike[str]) -> Path:
    """Return where a report is to be written, or refuse it."""
    target = a_path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise ArgumentError(f"{str(target)!r}: the name of a report must end in {' or '.join(SUFFIXES)}")
    check_writable(target)
    return target
