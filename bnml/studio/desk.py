"""The desk: what requests do. It has the session, what can be undone, the job that is being done, and the results.

All that changes the session happens here, in one thread, and is written to the folder before the page is told. What
takes a moment (a result as the page shows it, a question) is done in another thread; what takes long, by the worker.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from bnml.data.sources import SUFFIXES
from bnml.errors import ArgumentError, BnmlError, DataError
from bnml.five_steps.decisions import Decisions
from bnml.five_steps.open_answers import OpenAnswer
from bnml.studio import questions
from bnml.studio.cut_gain import CutGains
from bnml.studio.events import Events
from bnml.studio.forecasts import forecast_values
from bnml.studio.jobs import Job, Jobs
from bnml.studio.learning import learning_request
from bnml.studio.page_words import in_page_words
from bnml.studio.read_tables import ReadTables, table_source_in
from bnml.studio.result_titles import titles_of_results
from bnml.studio.results import Results
from bnml.studio.session import (
    KnownStructure,
    ResultEntry,
    Session,
    TableChoices,
    TableEntry,
    chosen_in_session,
    decisions_of,
    learning_settings,
    plain_fields,
    session_labels,
    session_of,
)
from bnml.studio.session_archive import about_archive, pack_session, unpack_session
from bnml.studio.session_folder import BEFORE, SESSION, SessionFolder

MOST_UNDONE = 100
PARTS = {"npc": ["npc"], "support": ["bootstrap"], "posterior": ["posterior"], "study": None}
EXAMPLE = "chest_clinic.csv.gz"

T = TypeVar("T")


class BusyError(BnmlError):
    """Something else is being done, or was changed meanwhile."""


class Desk:
    """What a server works on.

    Parameters
    ----------
    folder
        The folder of the session, open.
    data
        A table to begin with; None for the one that the session has.

    Raises
    ------
    BnmlError
        If the table is not there, or the session is damaged.
    """

    def __init__(self, folder: SessionFolder, data: Path | None = None) -> None:
        self.folder = folder
        self.events = Events()
        self.tables = ReadTables()
        self.results = Results(folder.path, self.tables)
        self.session, self.past, self.future = folder.read(SESSION, _restored) or (Session(), [], [])
        if (table := self.session.table) is not None and table.look is not None and folder.look(table.look) is None:
            self.session = replace(self.session, table=replace(table, look=None))  # it is looked at anew
        self._gains = CutGains(folder.path)
        self._looks: dict[str, dict[str, Any]] = {}
        self._unreadable: dict[str, str] = {}
        self._jobs: Jobs | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._waiting: dict[str, Any] = {}
        self._opening = False
        self._before = about_archive(folder.path / BEFORE)
        if data is not None:
            self._take_file(data)

    # --- beginning and end ---

    async def begin(self) -> None:
        """Start the worker, and look at the table if that has not been done."""
        folder = self.folder
        folder.keep_only(self._files())
        await self.jobs.warm()
        if self.session.table is not None and self.session.table.look is None:
            await self._look(self.session.table, advised=self.session.table.choices == TableChoices())
        self._prepare()

    async def end(self) -> None:
        """Let go of the pages and end the worker."""
        self.events.end()
        await self.jobs.cancel()

    @property
    def jobs(self) -> Jobs:
        """The jobs of the worker; they belong to the loop that runs."""
        if self._jobs is None:
            self._jobs = Jobs(self._job_told, self._job_ended)
        return self._jobs

    def _take_file(self, data: Path) -> None:
        """Make a file the table, unless it is that already."""
        suffix = _table_suffix(data.name)
        beside = data.with_suffix(".vd") if suffix == ".idt" else None
        try:
            file = self.folder.add_table(data, suffix, beside)
        except OSError as error:
            raise DataError(f"{str(data)!r} cannot be read: {error.strerror or error}") from None
        if self.session.table is None or self.session.table.file != file:
            self._change(
                replace(self.session, table=TableEntry(file, data.name)), undone=self.session.table is not None
            )

    # --- the session ---

    def document(self) -> dict[str, Any]:
        """Return the session as the page is shown it."""
        session, table = self.session, self.session.table
        columns = self._columns()
        titles = titles_of_results(session.results)
        job = self.jobs.current
        return {
            "version": 1,
            "revision": session.revision,
            "can_undo": bool(self.past),
            "can_redo": bool(self.future),
            "table": None if table is None else self._table_values(table),
            "knowledge": {
                **plain_fields(session.knowledge),
                "contradiction": session.knowledge.contradiction(self.used_columns(), in_page_words),
                "not_used": session.knowledge.not_used(columns) if columns else {},
            },
            "settings": plain_fields(session.settings),
            "results": [
                {**one.summary, "id": one.id, "title": titles[one.id], "stale": one.is_stale(session)}
                for one in session.results
            ],
            "current": session.current,
            "compared": session.compared,
            "decisions": plain_fields(session.decided),
            "evidence": dict(session.evidence),
            "do": dict(session.do),
            "job": None if job is None else job.values(),
            "before": self._before,
        }  # fmt: skip

    def _table_values(self, table: TableEntry) -> dict[str, Any]:
        looked = self._look_of(table)
        choices, reason = table.choices, None if table.look is not None else self._unreadable.get(table.file)
        return {
            "name": table.name,
            "rows": None,
            "columns": [],
            "readable": None if reason is None else False,
            "reason": reason,
            "notes": [],
            "preview": [],
            **looked,
            "missing": choices.missing,
            "na_values": list(choices.na_values),
            "bins": choices.bins,
            "target": choices.target,
        }

    def _look_of(self, table: TableEntry) -> dict[str, Any]:
        if table.look is None:
            return {}
        if table.look not in self._looks:
            self._looks = {table.look: self.folder.look(table.look) or {}}
        return self._looks[table.look]

    def used_columns(self) -> list[str]:
        """Return the columns that take part."""
        return [name for name, used in self._columns().items() if used]

    def _columns(self) -> dict[str, bool]:
        """Return the columns of the table, and whether they take part."""
        table = self.session.table
        columns = [] if table is None else self._look_of(table).get("columns", [])
        return {column["name"]: column["used"] for column in columns}

    def check_revision(self, told: str | None) -> None:
        """Refuse a change that was made to a session as it is no more.

        Raises
        ------
        BusyError
            If the page has seen another revision.
        """
        if told is not None and told != str(self.session.revision):
            raise BusyError(
                "this was changed elsewhere meanwhile, in another window perhaps; look at it, and try again"
            )

    def _change(self, later: Session, *, undone: bool = True) -> None:
        """Take a new session, keep it, and tell the pages."""
        if undone and later.chosen() != self.session.chosen():
            self.past = [*self.past, self.session.chosen()][-MOST_UNDONE:]
            self.future = []
        self._keep(later)

    def _keep(self, later: Session) -> None:
        later = replace(later, revision=self.session.revision + 1)
        self.folder.write(
            SESSION,
            {
                "session": later.values(),
                "past": [plain_fields(one) for one in self.past],
                "future": [plain_fields(one) for one in self.future],
            },
        )
        self.session = later
        self.events.tell("session", {"revision": later.revision})

    def undo(self) -> None:
        """Take the last choice back."""
        self._go_to(self.past, self.future, "undo")

    def redo(self) -> None:
        """Make the choice that was taken back again."""
        self._go_to(self.future, self.past, "redo")

    def _go_to(self, there: list[dict[str, Any]], back: list[dict[str, Any]], word: str) -> None:
        """Take the last of some choices, from which what was chosen until now is a way back."""
        self._check_not_reading()
        if not there:
            raise ArgumentError(f"there is nothing to {word}")
        chosen = there.pop()
        back.append(self.session.chosen())
        self._keep(self.session.with_chosen(chosen))

    def _files(self) -> set[str]:
        """Return the files that the session needs, now or after undo and redo."""
        tables = [one["table"] for one in (*self.past, *self.future) if one["table"] is not None]
        older = {name for table in tables for name in (table.file, table.look) if name is not None}
        return self.session.files() | older

    # --- the table ---

    async def take_table(self, arrived: Path, name: str) -> Job:
        """Make a file that has arrived the table, and look at it."""
        suffix = _table_suffix(name)
        self._check_idle()
        file = await asyncio.to_thread(self.folder.add_table, arrived, suffix, copied=False)
        try:
            return await self._look(TableEntry(file, name), advised=True)
        except BusyError:
            self._forget_table(file)
            raise

    async def take_example(self) -> Job:
        """Make the bundled example the table."""
        from importlib import resources

        from bnml.data.example import example_path

        self._check_idle()
        with resources.as_file(example_path()) as path:
            file = self.folder.add_table(path, ".csv.gz")
        return await self._look(TableEntry(file, EXAMPLE), advised=True)

    async def choose_table(self, values: Mapping[str, Any]) -> Job | None:
        """Read the table in another way; a target alone needs no reading."""
        self._check_not_reading()
        unseen = self.session.table
        if unseen is not None and unseen.look is None:  # the first look was cancelled, or failed
            return await self._look(unseen, advised=True)
        table = self._a_table()
        choices = self._table_choices(table, values)
        if choices == table.choices:
            return None
        if choices.arguments == table.choices.arguments:
            self._change(replace(self.session, table=replace(table, choices=choices)))
            return None
        return await self._look(replace(table, choices=choices), advised=False)

    def _table_choices(self, table: TableEntry, values: Mapping[str, Any]) -> TableChoices:
        columns = [column["name"] for column in self._look_of(table).get("columns", [])]
        given = {**plain_fields(table.choices), **{name: values[name] for name in values if name != "used"}}
        if "used" in values:
            used = values["used"] if isinstance(values["used"], list) else []
            given["left_out"] = [name for name in columns if name not in used]
        if isinstance(values.get("cuts"), Mapping):
            cuts = {**plain_fields(table.choices.cuts), **values["cuts"]}
            given["cuts"] = {name: points for name, points in cuts.items() if points is not None}
        choices = TableChoices.of(given)
        used_now = [name for name in columns if name not in choices.left_out]
        if not used_now:
            raise ArgumentError("switch at least one column on", argument="columns")
        for name in choices.cuts:
            if name not in columns:
                raise ArgumentError(f"there is no column {name!r}", argument="cuts")
        if choices.target is not None and choices.target not in used_now:
            if choices.target == values.get("target"):
                raise ArgumentError(f"{choices.target!r} is switched off, or no column", argument="target")
            choices = replace(choices, target=None)
        return choices

    async def _look(self, table: TableEntry, *, advised: bool) -> Job:
        task = {"path": self.folder.path / table.file, "choices": None if advised else table.choices}
        return await self._start(
            "table", task, lambda found: self._take_look(table, found), lambda: self._forget_table(table.file)
        )  # fmt: skip

    def _forget_table(self, file: str) -> None:
        """Remove the file of a table that could not be read, unless it is needed all the same."""
        if file not in self._files():
            self.folder.remove_table(file)

    def _take_look(self, table: TableEntry, found: Mapping[str, Any]) -> None:
        look = self.folder.add_look(found["look"])
        seen = replace(table, choices=TableChoices.of(found["choices"]), look=look)
        first = self.session.table is not None and self.session.table.look is None
        self._change(replace(self.session, table=seen), undone=not first)

    def _a_table(self) -> TableEntry:
        table = self.session.table
        if table is None or table.look is None:
            raise ArgumentError("there is no table yet: open one first")
        return table

    async def gain(self, column: Any, cuts: Any) -> dict[str, Any]:
        """Return what cuts of a column gain."""
        table, session = self._a_table(), self.session
        current = next((one for one in session.results if one.id == session.current), None)
        graph = None
        if current is not None and not current.is_stale(session):
            graph = await asyncio.to_thread(self.results.graph, current, session.decided)
        return await asyncio.to_thread(self._gains.gain, table, column, cuts, graph)

    # --- knowledge, settings, what is shown ---

    def know(self, values: Mapping[str, Any]) -> None:
        """Take what is known of the structure, whether it contradicts itself or not."""
        self._change(replace(self.session, knowledge=KnownStructure.of(values)))

    def set_learning(self, values: Mapping[str, Any]) -> None:
        """Take how structures are learned.

        Raises
        ------
        BnmlError
            If a setting is wrong.
        """
        settings = learning_settings(values, usual=self.session.settings)
        table = self.session.table
        if table is not None:
            learning_request(table, KnownStructure(), settings, self.used_columns())
        self._change(replace(self.session, settings=settings))

    async def forecast(self) -> dict[str, Any]:
        """Return what a search with the present settings will take."""
        table, session = self._a_table(), self.session
        return await asyncio.to_thread(
            forecast_values, self.tables, self.folder.path, table, session.knowledge, session.settings
        )

    def show(self, values: Mapping[str, Any]) -> None:
        """Choose which result is shown, and which beside it."""
        session = self.session
        current, compared = (values.get(name, getattr(session, name)) for name in ("current", "compared"))
        for name in (current, compared):
            if name is not None:
                self.result(name)
        if current != session.current:
            session = replace(session, evidence={}, do={})
        self._change(replace(session, current=current, compared=compared))

    # --- results ---

    def result(self, name: Any) -> ResultEntry:
        """Return a result by its name.

        Raises
        ------
        LookupError
            If there is none.
        """
        found = next((one for one in self.session.results if one.id == name), None)
        if found is None:
            raise LookupError(f"there is no result {name!r}")
        return found

    def current(self) -> ResultEntry:
        """Return the result that is shown.

        Raises
        ------
        ArgumentError
            If there is none.
        """
        if self.session.current is None:
            raise ArgumentError("there is no network yet: learn one first")
        return self.result(self.session.current)

    def decisions_of(self, entry: ResultEntry) -> Decisions:
        """Return what was decided by hand of a result."""
        return self.session.decisions.get(entry.id, Decisions())

    async def view(self, name: str) -> dict[str, Any]:
        """Return a result as the page shows it."""
        entry = self.result(name)
        return await asyncio.to_thread(self.results.view, entry, self.decisions_of(entry))

    async def comparison(self, name: str, other: str) -> dict[str, Any]:
        """Return how two results differ."""
        first, second = self.result(name), self.result(other)
        return await asyncio.to_thread(
            self.results.comparison, first, self.decisions_of(first), second, self.decisions_of(second)
        )

    def remove(self, name: str) -> None:
        """Remove a result."""
        entry, session = self.result(name), self.session
        self._check_idle()  # what a job writes is named by the session only when it is done
        left = tuple(one for one in session.results if one != entry)
        current = session.current if session.current != name else (left[-1].id if left else None)
        decisions = {key: value for key, value in session.decisions.items() if key != name}
        for files in (self.past, self.future):
            for k, one in enumerate(files):
                files[k] = {
                    **one,
                    "current": None if one["current"] == name else one["current"],
                    "compared": None if one["compared"] == name else one["compared"],
                    "decisions": {key: value for key, value in one["decisions"].items() if key != name},
                }
        self._change(
            replace(
                session,
                results=left,
                current=current,
                compared=None if session.compared == name else session.compared,
                decisions=decisions,
                evidence=session.evidence if current == session.current else {},
                do=session.do if current == session.current else {},
            ),
            undone=False,
        )
        self.results.forget(name)
        self.folder.keep_only(self._files())

    async def decide(self, values: Mapping[str, Any]) -> None:
        """Take all that is decided by hand of the current result.

        Raises
        ------
        BnmlError
            If it contradicts itself or what was found.
        """
        entry, made = self.current(), decisions_of(values)
        await asyncio.to_thread(self.results.decided, entry, made)
        session = self.session
        if not session.has(entry.id):
            raise BusyError("the result was removed meanwhile")
        decisions = {**session.decisions, entry.id: made}
        self._change(replace(session, decisions=decisions))
        self._prepare()

    # --- questions ---

    async def ask(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the probabilities of all variables given what is observed and set, and keep these.

        Where something is set the answer says which links without a direction it hangs on, and how far.
        """
        entry = self.current()
        made = self.decisions_of(entry)
        evidence, do = (session_labels(values.get(name, {}), name) for name in ("evidence", "do"))
        network = await asyncio.to_thread(self.results.network, entry, made)
        found = await asyncio.to_thread(questions.ask, network, evidence, do)
        hanging = OpenAnswer()
        if do:
            hanging = await asyncio.to_thread(self.results.open_answer, entry, made, evidence, do)
        if (evidence, do) != (dict(self.session.evidence), dict(self.session.do)):
            self._change(replace(self.session, evidence=evidence, do=do), undone=False)
        return found | questions.hanging_values(hanging)

    async def prior(self) -> dict[str, Any]:
        """Return the probabilities of all variables before anything is said; what is said stays as it is."""
        entry = self.current()
        network = await asyncio.to_thread(self.results.network, entry, self.decisions_of(entry))
        return await asyncio.to_thread(questions.ask, network, {}, {})

    async def most_probable(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the most probable row given what is observed and set."""
        entry = self.current()
        evidence, do = (session_labels(values.get(name, {}), name) for name in ("evidence", "do"))
        network = await asyncio.to_thread(self.results.network, entry, self.decisions_of(entry))
        return await asyncio.to_thread(questions.most_probable, network, evidence, do)

    async def cpt(self, name: str) -> dict[str, Any]:
        """Return the conditional table of a variable."""
        entry = self.current()
        network = await asyncio.to_thread(self.results.network, entry, self.decisions_of(entry))
        return questions.conditional_table(network, name)

    # --- jobs ---

    async def do(self, kind: Any) -> Job:
        """Begin a job: learn a structure, or find out more about the current one."""
        if kind == "learn":
            return await self._learn()
        if not isinstance(kind, str) or kind not in PARTS:
            raise ArgumentError(f"kind {kind!r}: expected one of learn, {', '.join(PARTS)}")
        entry = self.current()
        source = table_source_in(self.folder.path, entry.table)
        task = {"folder": self.folder.path, "result": entry.id, "source": source, "parts": PARTS[kind]}
        return await self._start(kind, task, lambda summary: self._take_parts(entry, summary))

    async def _learn(self) -> Job:
        table, session = self._a_table(), self.session
        look = self._look_of(table)
        if not look.get("readable"):
            raise DataError(look.get("reason") or "the table cannot be read")
        asked = learning_request(table, session.knowledge, session.settings, self.used_columns())
        name = f"r{session.last_result + 1}"
        source = table_source_in(self.folder.path, table)
        task = {"folder": self.folder.path, "result": name, "asked": asked, "source": source, "like": session.current}
        kept = replace(table, look=None)
        return await self._start(
            "learn",
            task,
            lambda summary: self._take_result(
                ResultEntry(name, summary, kept, session.knowledge, session.settings)
            ),
        )  # fmt: skip

    def _take_result(self, entry: ResultEntry) -> None:
        later = replace(
            self.session,
            results=(*self.session.results, entry),
            current=entry.id,
            compared=None,
            evidence={},
            do={},
            last_result=int(entry.id[1:]),
        )
        self._change(later, undone=False)
        self._prepare()

    def _take_parts(self, entry: ResultEntry, summary: Mapping[str, Any]) -> None:
        results = tuple(
            replace(one, summary=summary) if one.id == entry.id else one for one in self.session.results
        )  # fmt: skip
        self._change(replace(self.session, results=results), undone=False)

    def _check_idle(self) -> None:
        if self._opening:
            raise BusyError("a session is being opened; wait for it")
        if self.jobs.current is not None:
            raise BusyError("something else is being done; wait for it, or cancel it")

    def _check_not_reading(self) -> None:
        job = self.jobs.current
        if job is not None and job.kind == "table":
            raise BusyError("the table is being read; wait for it, or cancel it")

    async def _start(
        self,
        kind: str,
        task: Mapping[str, Any],
        take: Callable[[Mapping[str, Any]], None],
        leave: Callable[[], None] | None = None,
    ) -> Job:
        """Begin a job; ``take`` is given what comes of it, and ``leave`` is called where nothing does."""
        self._check_idle()
        self._waiting = {"take": take, "leave": leave}
        return await self.jobs.start(kind, task)

    def _job_told(self, job: Job) -> None:
        self.events.tell("progress", job.values())

    def _job_ended(self, job: Job, message: Mapping[str, Any]) -> None:
        """Take what came of a job, and tell the pages."""
        about = {"id": job.id, "kind": job.kind}
        take, leave = (self._waiting.pop(name, None) for name in ("take", "leave"))
        if "done" not in message and leave is not None:
            leave()
        if "done" in message and take is not None:
            try:
                take(message["done"])
            except (BnmlError, OSError) as error:
                if leave is not None:
                    leave()
                said = in_page_words(error) if isinstance(error, BnmlError) else str(error)
                self.events.tell("failed", {**about, "error": said})
                return
            self.events.tell("done", about)
        elif "cancelled" in message:
            self.events.tell("failed", {**about, "error": "cancelled", "cancelled": True})
        else:
            said = str(message.get("failed"))
            table = self.session.table
            if job.kind == "table" and table is not None and table.look is None:
                self._unreadable = {table.file: said}
            self.events.tell("failed", {**about, "error": said})

    async def cancel(self, name: str) -> None:
        """Cancel a job; one that has ended already is no mistake."""
        job = self.jobs.current
        if job is not None and job.id == name:
            await self.jobs.cancel()
            self._in_background(self.jobs.warm())

    def _prepare(self) -> None:
        """Make what questions to the current network need, while nobody waits for it."""
        entry = next((one for one in self.session.results if one.id == self.session.current), None)
        if entry is not None:
            self._in_background(asyncio.to_thread(self.results.prepare, entry, self.decisions_of(entry)))

    def _in_background(self, work: Any) -> None:
        task = asyncio.ensure_future(_quietly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- another session ---

    async def take_session(self, archive: Path, *, own: bool = False) -> None:
        """Take the session of an archive in place of this one, which is kept as the one before.

        Parameters
        ----------
        archive
            The archive.
        own
            Whether it is the one before.

        Raises
        ------
        BnmlError
            If it is no session, or damaged; nothing is changed then.
        """
        self._check_idle()
        self._opening = True
        try:
            session = await self._unpacked(archive, own=own)
        finally:
            self._opening = False
        self.past, self.future = [], []
        self.results.forget_all()
        self._keep(session)
        self.folder.keep_only(self._files())
        self._before = about_archive(self.folder.path / BEFORE)
        if session.table is not None:
            await self._look(session.table, advised=False)
        self._prepare()

    async def _unpacked(self, archive: Path, *, own: bool) -> Session:
        """Return the session of an archive, its files among those of this one, once this one is kept in an archive."""
        before, kept = self.session, self.folder.incoming()
        try:
            found = await asyncio.to_thread(unpack_session, archive, self.folder, before.last_result + 1, own=own)
            if not before.is_empty:
                await asyncio.to_thread(pack_session, before, self.folder, kept)
            if self.session is not before:
                raise BusyError("this session was changed while the other one was read; open that one again")
            if not before.is_empty:
                kept.replace(self.folder.path / BEFORE)
        except BaseException:
            kept.unlink(missing_ok=True)
            self.folder.keep_only(self._files())
            raise
        return found

    async def go_back(self) -> None:
        """Take the session that was open before the last one was opened; this one is the one before then.

        Raises
        ------
        BnmlError
            If there is none.
        """
        if self._before is None:
            raise ArgumentError("there is no session before this one")
        await self.take_session(self.folder.path / BEFORE, own=True)


def _restored(kept: Any) -> tuple[Session, list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the session that a file holds, with what can be undone and redone."""
    if not isinstance(kept, dict) or not all(isinstance(kept.get(name), list) for name in ("past", "future")):
        raise ArgumentError("it has no session")
    past, future = ([chosen_in_session(one) for one in kept[name]] for name in ("past", "future"))
    return session_of(kept.get("session")), past, future


def _table_suffix(name: str) -> str:
    """Return how the name of a table ends, which says how it is read.

    Raises
    ------
    DataError
        If it is none of those that can be read.

    Examples
    --------
    >>> _table_suffix("../Survey.CSV.gz")
    '.csv.gz'
    """
    lower = name.lower()
    found = max((suffix for suffix in SUFFIXES if lower.endswith(suffix)), key=len, default=None)
    if found is None:
        raise DataError(f"{name!r} is no table that can be read; its name must end in one of {' '.join(SUFFIXES)}")
    return found


async def _quietly(work: Any) -> None:
    with suppress(BnmlError, OSError, MemoryError):
        await work
