"""What the worker does with a table: a result is a study of which only the parts are made that were asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bnml.errors import ArgumentError, argument
from bnml.five_steps.parts import PARTS
from bnml.five_steps.saving import load_saved_state, save_state
from bnml.five_steps.state import Progress, StudyOptions, StudyState
from bnml.five_steps.study_steps import begin_study, study_options, study_with_part
from bnml.five_steps.table_source import TableSource
from bnml.plot.layout_near import layout_near
from bnml.search.options import OF_SCORES
from bnml.search.search_result import SearchResult
from bnml.search.searches import SEARCHES
from bnml.studio.read_tables import ReadTables
from bnml.studio.result_layout import read_layout, write_layout
from bnml.studio.result_summary import result_summary
from bnml.studio.session import KnownStructure, TableEntry
from bnml.studio.session_folder import result_file

OF_LEARNING = ("features", "selection", "knowledge", "learned", "strength")
SHARES = {"features": 0.05, "selection": 0.05, "knowledge": 0.05, "learned": 0.9}  # of the work that is done with them
BY_NAME = {part.name: part for part in PARTS}


def learning_request(
    table: TableEntry, known: KnownStructure, settings: Mapping[str, Any], names: Sequence[str]
) -> StudyOptions:
    """Return what is asked of a study, checked.

    Raises
    ------
    BnmlError
        If a setting is wrong, or what is known contradicts itself.
    """
    given, own = dict(settings), dict[str, Any]()
    name = given.pop("search")
    search = SEARCHES.get(name)
    if search is not None and "class_variable" in search.needed:
        if table.choices.target is None:
            raise ArgumentError(argument("search", name) + " is about a target", hint="choose one in the table")
        own["class_variable"] = table.choices.target
    if search is not None and "order" in search.needed:
        own["order"] = list(names)
    if search is not None and not search.by_score:
        given = {name: value for name, value in given.items() if name not in OF_SCORES}
    return study_options(table.choices.target, name, own, constraints=known.constraints(names), **given)


def learn_result(
    tables: ReadTables,
    *,
    folder: Path,
    result: str,
    asked: StudyOptions,
    source: TableSource,
    like: str | None,
    progress: Progress,
) -> dict[str, Any]:
    """Learn a structure, keep it in a file, and return what the list of results says of it.

    Parameters
    ----------
    tables
        Tables that were read.
    folder, result
        Where results are kept, and the name of this one.
    asked
        How it is learned, checked.
    source
        The table that it is learned from.
    like
        A result whose nodes stay where they are if the graph is much the same.
    progress
        Is told how far it is.

    Raises
    ------
    BnmlError
        If something cannot be done as asked; nothing is kept then.
    """
    progress("reading the table", 0.0)
    state = begin_study(asked, tables.data(source), source)
    for name in OF_LEARNING:
        state = _with_part(state, asked, name, progress)
    learned: SearchResult = state.parts["learned"]
    if learned.search == "npc":
        state = _with_part(state, asked, "npc", progress)
    before = None if like is None else read_layout(folder, like)
    place = layout_near(learned.directions if learned.dag is None else learned.dag, before)
    write_layout(place, folder, result)
    save_state(state, result_file(folder, result))
    learned.to_dict()  # what the page asks for next: on a new machine, kernels are compiled here, not in the server
    if learned.network is not None:
        learned.network.marginals()
    return result_summary(state)


def learn_parts(
    tables: ReadTables,
    *,
    folder: Path,
    result: str,
    source: TableSource,
    parts: Sequence[str] | None,
    progress: Progress,
) -> dict[str, Any]:
    """Learn more parts of a result, all if none are named; return the summary, with what was left out and why."""
    progress("reading the table", 0.0)
    file = result_file(folder, result)
    state = load_saved_state(file, tables.data(source))
    asked = state.options.resumed()
    wanted = [part.name for part in PARTS if parts is None or part.name in parts]
    missing = [name for name in wanted if name not in state.parts]
    for k, name in enumerate(missing):
        start, stop = k / len(missing), (k + 1) / len(missing)
        state = study_with_part(state, asked, BY_NAME[name], _within(progress, _said(name), start, stop))
        save_state(state, file)
    return result_summary(state)


def _with_part(state: StudyState, asked: StudyOptions, name: str, progress: Progress) -> StudyState:
    start = max((share for other, share in SHARES.items() if other in state.parts), default=0.0)
    return study_with_part(state, asked, BY_NAME[name], _within(progress, _said(name), start, SHARES.get(name, 1.0)))


def _said(name: str) -> str:
    return {"learned": "searching", "bootstrap": "halves of the rows"}.get(name, name.replace("_", " "))


def _within(progress: Progress, name: str, start: float, stop: float) -> Progress:
    progress(name, start)
    return lambda stage, share: progress(f"{name}: {stage}", start + (stop - start) * share)
