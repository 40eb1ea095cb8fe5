"""A session that comes from elsewhere is loaded before it is believed: tables, results, decisions, questions.

Tables must be what their names say, which are made from their bytes (`bnml.studio.session_folder`). Results are read as
the studio reads its own, with their checksum and against the fingerprint of the table, and their scores are counted
anew; what the list of results says of them is made anew as well. Decisions must go with them, and what is observed or
set must be values of the network that is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from bnml._files import reading_file
from bnml.data.labels import label_text
from bnml.errors import BnmlError, FormatError
from bnml.five_steps.decisions import Decisions
from bnml.five_steps.state import StudyState
from bnml.scores import LocalScores
from bnml.search.search_result import SearchResult
from bnml.studio.read_tables import ReadTables
from bnml.studio.result_summary import result_summary
from bnml.studio.results import Results
from bnml.studio.session import ResultEntry, Session
from bnml.studio.session_folder import result_file, table_key
from bnml.studio.table_look import table_look


def check_archive_tables(session: Session, place: Path) -> None:
    """Refuse tables of an archive that are not what their names say.

    Raises
    ------
    FormatError
        If one is another one.
    """
    for name in sorted(name for name in session.files() if name.startswith("tables/")):
        file = place / name
        beside = file.with_name("table.vd")
        suffix = file.name.removeprefix("table")
        if name != f"tables/{table_key(file, suffix, beside if beside.is_file() else None)}/{file.name}":
            raise FormatError("this session is damaged: a table in it is not the one that it was made with")


def checked_session(session: Session, place: Path) -> Session:
    """Check a session from an archive: return it once all is loaded, with what its results say of themselves.

    Parameters
    ----------
    session
        The session.
    place
        The folder in which its files are.

    Raises
    ------
    FormatError
        If something in it is damaged, or does not go with the rest.
    """
    if session.table is not None:
        with _told_of("its table", place / session.table.file):
            table_look(place / session.table.file, session.table.choices)
    results = Results(place, ReadTables())
    entries, states = [], {}
    for one in session.results:
        made = session.decisions.get(one.id, Decisions())
        with _told_of(f"its result {one.id.removeprefix('r')}", result_file(place, one.id), place / one.table.file):
            states[one.id] = state = results.found(one)
            _check_result(one, state)
            results.decided(one, made)
            entries.append(replace(one, summary=result_summary(state)))
    _check_said(session, states)
    return replace(session, results=tuple(entries))


def _check_result(entry: ResultEntry, state: StudyState) -> None:
    """Refuse a result that lacks what every one has, or whose score is not that of its network."""
    absent = [name for name in ("features", "learned", "strength") if state.parts.get(name) is None]
    if absent:
        raise FormatError(f"it lacks {', '.join(absent)}")
    learned: SearchResult = state.parts["learned"]
    if learned.dag is None or learned.tested is not None or not isinstance(learned.local, LocalScores):
        return
    counted = learned.local.score(learned.dag)
    if not abs(counted - learned.score) <= 1e-6 * max(1.0, abs(counted)):  # what rounding on another machine may change
        raise FormatError(f"its score is said to be {learned.score:,.3f}, but its network has {counted:,.3f}")


def _check_said(session: Session, states: dict[str, StudyState]) -> None:
    """Refuse questions that the current network cannot be asked."""
    if not session.evidence and not session.do:
        return
    if session.current is None:
        raise FormatError("this session is damaged: something is asked in it, but there is no network to ask")
    both = sorted(set(session.evidence) & set(session.do))
    if both:
        raise FormatError(f"this session is damaged: {both[0]!r} is both observed and set in it")
    data = states[session.current].data
    labels = dict(zip(data.names, data.states, strict=True))
    for x, label in (*session.evidence.items(), *session.do.items()):
        if label not in map(label_text, labels.get(x, ())):
            raise FormatError(f"this session is damaged: {x!r} is said to be {label!r} in it, which its network lacks")


@contextmanager
def _told_of(what: str, *files: Path) -> Iterator[None]:
    """Let errors say which part of the session is meant, not where it lies at the moment."""
    try:
        with reading_file(files[0], "as it was saved", "Save the session anew where it comes from", shown="it"):
            yield
    except BnmlError as error:
        message = error.sentence
        for file in files:
            message = message.replace(repr(str(file)), "it").replace(str(file), "it")
        raise FormatError(
            f"this session is damaged, or something is missing on this machine: {what}: " + message
        ) from error
