"""What a study holds."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bnml._files import a_file_path, check_writable, written_whole
from bnml.errors import ArgumentError

if TYPE_CHECKING:
    import pandas as pd

    from bnml.data import Data
    from bnml.five_steps.decisions import Decisions
    from bnml.five_steps.features import Features
    from bnml.five_steps.links import Link
    from bnml.five_steps.risk import Risk
    from bnml.five_steps.selection import Selection
    from bnml.five_steps.state import StudyState
    from bnml.five_steps.validation import Validation
    from bnml.graph import PDAG, Constraints
    from bnml.independence import IndependenceResult
    from bnml.network import BayesianNetwork
    from bnml.search import SearchResult
    from bnml.uncertainty import Bootstrap, Posterior, SampledPosterior

SUFFIXES = (".html", ".htm")
STATE = ".json"


@dataclass(frozen=True, eq=False, repr=False)
class Study:
    """The five steps and what each of them found; print it for a summary, save it for a report.

    Attributes
    ----------
    data
        The table of the variables that take part: all that a study finds after its first step is about these.
    target
        The variable of interest; None for none.
    event
        The values of the target that its risk is of; None if that was left open.
    alpha
        The significance level of the tests.
    features
        Step 1: which pairs depend on each other, and which variables tell something of the target.
    constraints
        Step 2: what was known of the variables that take part; None for nothing.
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
    validation
        How well the target is predicted in rows that were not learned from; None without a target, or where that was
        left out.
    max_condition
        The most variables that a test of independence was given; None for any number.
    left_out
        What was not done, each with the reason.
    seconds
        How long it took.
    table
        The table of all variables.
    selection
        Step 1: which variables take part, how they were selected, and why the others do not.
    notes
        Step 2: what was not heeded of constraints and options, as it is about variables that take no part.
    decisions
        Step 4: what was decided by hand; see `resolve`.
    state
        All of it, in the form that is saved and gone on from.

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
    event: tuple[str, ...] | None
    alpha: float
    features: Features
    constraints: Constraints | None
    pc: IndependenceResult
    npc: IndependenceResult | None
    learned: SearchResult
    other_scores: tuple[tuple[str, PDAG], ...]
    bootstrap: Bootstrap | None
    posterior: Posterior | SampledPosterior | None
    strength: pd.DataFrame
    validation: Validation | None
    max_condition: int | None
    left_out: tuple[tuple[str, str], ...]
    seed: int
    seconds: float = field(compare=False)
    table: Data
    selection: Selection
    notes: tuple[str, ...]
    decisions: Decisions
    state: StudyState

    @property
    def rows_per_cell(self) -> float:
        """How many rows per cell a family needs for a variable to have parents, on average."""
        return self.state.options.learning.rows_per_cell

    @property
    def arcs(self) -> tuple[tuple[str, str], ...]:
        """The arcs of the network; where none fits what PC or NPC found, the links of their graph, one way round."""
        graph = self.learned.directions
        return (*graph.directed, *graph.undirected) if self.learned.dag is None else self.learned.dag.arcs

    @property
    def network(self) -> BayesianNetwork | None:
        """The network with parameters, as of `bnml.fit`; None where none fits what the tests of PC or NPC found."""
        return self.learned.network

    @cached_property
    def directions(self) -> PDAG:
        """The class of the network, with a direction only where the best networks by all scores have the same.

        Directions that were decided by hand, and what follows from them, are there as well.
        """
        from bnml.five_steps.decisions import graph_with_decisions
        from bnml.five_steps.other_scores import disputing_scores
        from bnml.search.best_networks import ties_opened

        graph = self.learned.shared_directions
        told = ties_opened(graph, tuple(arc for arc in graph.directed if disputing_scores(arc, self.other_scores)))
        if not self.by_hand:
            return told
        graph = graph_with_decisions(self.learned, self.decisions.directed)
        known = {*told.directed, *self.by_hand}
        return ties_opened(graph, tuple(arc for arc in graph.directed if arc not in known))

    @cached_property
    def by_hand(self) -> frozenset[tuple[str, str]]:
        """The arcs whose direction was decided by hand, or follows from such a decision."""
        from bnml.five_steps.decisions import decided_arcs

        return decided_arcs(self.learned, self.decisions.directed)

    @cached_property
    def open_links(self) -> tuple[tuple[str, str], ...]:
        """The links of NPC that are in ambiguous regions, or hang on one, and that nobody has decided."""
        if self.npc is None:
            return ()
        at = self.data.names.index
        links = self.npc.undecided.union(*self.npc.ambiguous_regions)
        found = [tuple(sorted(link, key=at)) for link in links]
        return tuple((a, b) for a, b in sorted(found, key=lambda link: tuple(map(at, link))))

    def resolve(
        self,
        keep: Iterable[Collection[str]] = (),
        drop: Iterable[Collection[str]] = (),
        directed: Iterable[Collection[str]] = (),
        *,
        threads: int | None = None,
    ) -> Study:
        """Return the study once more is decided by hand, by someone who knows what the data do not tell.

        Parameters
        ----------
        keep, drop
            Links of NPC's ambiguous regions that stay, and that go; see
            `bnml.independence.IndependenceResult.resolve`. The network of NPC follows with all that this leads to; one
            that a score found gets and loses these links alone. To have the best network with them, learn anew with
            required and forbidden links.
        directed
            Arcs (parent, child): links of the network that get this direction. It must be one that the data leave
            open, and what follows from it by Meek's rules is directed as well.
        threads
            How many threads may be used.

        Returns
        -------
        Study
            The study with these decisions, which its report tells, beside those that were made before.

        Raises
        ------
        BnmlError
            If a link is in no ambiguous region, or a direction is not open.

        Examples
        --------
        >>> import bnml
        >>> found = bnml.study(bnml.example(), repetitions=0).resolve(directed=[("bronc", "smoke")])
        >>> sorted(found.by_hand)
        [('bronc', 'smoke'), ('smoke', 'lung')]
        """
        from bnml.five_steps.decisions import checked_decisions
        from bnml.five_steps.study_steps import resolved_study, study_of

        return study_of(resolved_study(self.state, checked_decisions(keep, drop, directed), threads=threads))

    @cached_property
    def risk(self) -> Risk | None:
        """What the target depends on directly, and how often it has its values; None without a target."""
        from bnml.five_steps.risk import risk_of

        return risk_of(self)

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
        from bnml.report.study_page import report_page

        return report_page(self, title)

    def save(self, path: str | os.PathLike[str], title: str | None = None) -> None:
        """Write the report to an HTML file, or all of the study to a JSON file, whole or not at all.

        Parameters
        ----------
        path
            A name that ends in ``.html`` or ``.htm`` for the report, in ``.json`` for what `bnml.load_study` reads.
        title
            The heading of the report.

        Raises
        ------
        BnmlError
            If it cannot be written, or has another suffix; of ``.json`` also if a setting is an object of your own.

        Examples
        --------
        >>> import bnml, pathlib, tempfile
        >>> found = bnml.study(bnml.example(), repetitions=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found.save(pathlib.Path(folder, "study.json"))
        ...     again = bnml.load_study(pathlib.Path(folder, "study.json"), bnml.example())
        >>> again.to_dict() == found.to_dict()
        True
        """
        target = a_file_path(path)
        if target.suffix.lower() == STATE:
            from bnml.five_steps.saving import check_saving, save_state

            save_state(self.state, check_saving(target, self.state.options))
            return
        if target.suffix.lower() not in SUFFIXES:
            known = ", ".join(SUFFIXES)
            raise ArgumentError(f"{str(target)!r}: the name must end in {known} for a report, or {STATE} for the study")
        check_writable(target)
        content = self.html(title).encode("utf-8")
        with written_whole(target) as stream:
            stream.write(content)

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as plain values, for JSON."""
        from bnml.five_steps.values import study_values

        return study_values(self)

    def __str__(self) -> str:
        from bnml.report.study_text import text_summary

        return text_summary(self)

    def _repr_html_(self) -> str:
        from bnml.report.study_page import page_excerpt

        return page_excerpt(self)

    def __repr__(self) -> str:
        about = f" about {self.target!r}" if self.target is not None else ""
        return f"<Study of {len(self.data.names)} variables{about}: {len(self.arcs)} arcs>"
