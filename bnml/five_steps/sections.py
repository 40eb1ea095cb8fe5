"""The sections of a report, in their order: the question first, then what the answer rests on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from bnml._text import name_in_words
from bnml.five_steps.data_section import data_section
from bnml.five_steps.feature_section import features_section
from bnml.five_steps.findings import Findings, findings_of
from bnml.five_steps.markup import Html, bullets, heading
from bnml.five_steps.method_section import method_section
from bnml.five_steps.network_section import network_section
from bnml.five_steps.target_section import target_section

if TYPE_CHECKING:
    from bnml.five_steps.study_result import Study


class ReportSection(NamedTuple):
    """A section: the name that links to it use, its title, and its parts."""

    name: str
    title: str
    parts: Callable[[Study], Iterator[Html]]


def sections(study: Study) -> list[ReportSection]:
    """Return the sections."""
    about = [] if study.target is None else [
        ReportSection("target", f"What {name_in_words(study.target)} depends on", target_section)
    ]  # fmt: skip
    return [
        *about,
        ReportSection("summary", "What was found", _summary),
        ReportSection("network", "The network", network_section),
        ReportSection("features", "Which variables tell something", features_section),
        ReportSection("data", "The table", data_section),
        ReportSection("methods", "Methods and references", method_section),
    ]


def _summary(study: Study) -> Iterator[Html]:
    found = findings_of(study)
    yield _groups((("Main findings", (*found.table, *found.network)), *_sure(found)))


def findings_section(found: Findings) -> Html:
    """Return the section of what was found, with what is sure of it."""
    return _groups((("Main findings", found.main), *_sure(found)))


def _sure(found: Findings) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return (("What is proven or well supported", found.proven), ("What is uncertain", found.uncertain))


def _groups(groups: tuple[tuple[str, tuple[str, ...]], ...]) -> Html:
    return Html("".join(heading(title) + bullets(said) for title, said in groups if said))
