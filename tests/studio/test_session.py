"""The session: kept after every change, whole; handed on and taken over; one server for a folder."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bnml._stored import from_stored, to_stored
from bnml.cli import main
from bnml.data.example import example_path
from bnml.errors import ArgumentError, FormatError
from bnml.search.searches import SEARCHES
from bnml.studio.read_tables import ReadTables
from bnml.studio.session import (
    SETTINGS,
    KnownStructure,
    ResultEntry,
    Session,
    TableChoices,
    TableEntry,
    session_of,
)
from bnml.studio.session_archive import pack_session, unpack_session
from bnml.studio.session_folder import ENTRY, SessionFolder, folder_for
from tests.studio.running import RunningStudio, learned_here, seen, walk


@pytest.fixture(scope="module")
def walk_done(tmp_path_factory, clinic):
    """Walk through all steps, once, and return the folder of the session."""
    studio = RunningStudio(tmp_path_factory.mktemp("walk") / "session", clinic)
    walk(studio)
    studio.stop()
    return studio.folder


@pytest.fixture
def walked(walk_done, start, tmp_path, clinic):
    """Go on from there in a studio of one's own."""
    shutil.copytree(walk_done, tmp_path / "session")
    studio = start(tmp_path / "session", clinic)
    assert studio.settled()["current"] == "r1"
    return studio


def test_a_killed_server_loses_nothing(walked, start, clinic):
    before = seen(walked)
    undone = walked.call("POST", "api/undo")[1]
    walked.call("POST", "api/redo")
    walked.kill()
    again = start(walked.folder, clinic)
    session, result, answers = seen(again)
    assert {**session, "revision": 0} == {**before[0], "revision": 0}
    assert (result, answers) == before[1:]
    back = again.call("POST", "api/undo")[1]
    assert {**back, "revision": 0} == {**undone, "revision": 0}


def test_a_server_that_is_killed_while_it_works(walked, start, clinic):
    """What was being done is not there; everything else is, and the worker does not go on without its server."""
    before = walked.get("api/session")
    worker = children(walked.process.pid)
    walked.call("PUT", "api/settings", {"repetitions": 10_000})
    assert walked.call("POST", "api/jobs", {"kind": "learn"})[0] == 200
    walked.settled()
    assert walked.call("POST", "api/jobs", {"kind": "support"})[0] == 200
    time.sleep(0.5)
    walked.kill()
    again = start(walked.folder, clinic)
    session = again.get("api/session")
    assert (session["job"], session["table"]) == (None, before["table"])
    assert [one["parts"] for one in session["results"]] == [before["results"][0]["parts"]] * 2
    end = time.monotonic() + 10
    while any(map(alive, worker)) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(map(alive, worker))


def children(pid: int) -> list[int]:
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdecimal():
            try:
                parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if parent == pid:
                found.append(int(place.name))
    assert found
    return found


def alive(pid: int) -> bool:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_cancel_takes_less_than_a_second(walked):
    before = walked.get("api/session")
    walked.call("PUT", "api/settings", {"repetitions": 10_000})
    walked.done("POST", "api/jobs", {"kind": "learn"})
    status, job = walked.call("POST", "api/jobs", {"kind": "support"})
    assert status == 200
    time.sleep(0.5)
    status, found = walked.call("POST", "api/jobs", {"kind": "learn"})
    assert (status, found["error"]) == (409, "something else is being done; wait for it, or cancel it")
    assert walked.get("api/session")["job"]["kind"] == "support"
    started = time.monotonic()
    status, session = walked.call("DELETE", f"api/jobs/{job['id']}")
    assert time.monotonic() - started < 1.0
    assert (status, session["job"], session["table"]) == (200, None, before["table"])
    walked.call("PUT", "api/settings", {"repetitions": 5})
    session = walked.done("POST", "api/jobs", {"kind": "learn"})  # the next one is done all the same
    assert session["current"] == "r3"
    assert walked.call("DELETE", "api/jobs/j77")[0] == 200  # it may have ended by itself meanwhile


def test_another_table_under_the_same_name(walked, start, clinic, tmp_path):
    """The table is that of the command; results of the other one stay, and are stale."""
    walked.stop()
    other = tmp_path / "clinic.csv"
    other.write_text(clinic.read_text().replace("yes", "ja"))
    again = start(walked.folder, other)
    session = again.settled()
    assert session["results"][0]["stale"]
    assert "ja" in session["table"]["columns"][0]["states"]
    again.get("api/results/r1")
    assert again.call("POST", "api/undo")[1]["results"][0]["stale"] is False


def test_one_server_for_a_folder(walked, clinic):
    command = [sys.executable, "-m", "bnml", "studio", str(clinic), "--folder", str(walked.folder), "--no-browser"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"bnml: another bnml studio has {str(walked.folder)!r} open")


@pytest.fixture
def refused(monkeypatch, capsys):
    """Give the command what it cannot use, and return what it says; it serves nothing."""
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: pytest.fail("it serves"))

    def say(*arguments: str) -> str:
        try:
            status = main(["studio", *arguments, "--no-browser"])
        except SystemExit as stop:
            status = stop.code
        said = capsys.readouterr()
        assert (status, said.out, "Traceback" in said.err) == (2, "", False)
        return said.err

    return say


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.csv",), "'none.csv' cannot be read"),
        (("setup.py",), "'setup.py' is no table that can be read"),
        (("--port", "70000"), "--port 70000: cannot listen there"),
        (("--port", "x"), "'x' is not a whole number"),
        (("--folder", "/proc/nothing"), "the session cannot be kept in '/proc/nothing'"),
    ],
)
def test_wrong_uses(refused, tmp_path, monkeypatch, arguments, message):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert message in refused(*arguments)


def test_ctrl_c_is_the_usual_end(walked):
    assert walked.stop(signal.SIGINT) == 0


def test_where_sessions_are(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    first, second = folder_for(Path("a/Survey 1.csv")), folder_for(Path("b/Survey 1.csv"))
    assert first.parent == second.parent == tmp_path / "bnml" / "studio"
    assert first != second
    assert first.name.startswith("Survey-1.csv-")
    assert folder_for(Path("a/../a/Survey 1.csv")) == first
    assert folder_for(Path("/")).parent == first.parent
    assert folder_for(None).parent == first.parent


# --- archives that are none ---


def packed(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


OWN = json.dumps({"session": Session().values()}).encode()
TABLE = {"file": "tables/" + "a" * 16 + "/table.csv", "name": "t.csv", "choices": {}, "look": None}
RESULT = {"id": "r1", "summary": {}, "table": TABLE, "knowledge": {}, "settings": {}}


def session_file(**changed: object) -> bytes:
    return json.dumps({"session": {**Session().values(), **changed}}).encode()


def overwritten(archive: bytes) -> bytes:
    """Return an archive whose first entry is packed rubbish."""
    at = archive.index(b"session.json") + len("session.json")
    return archive[:at] + b"\xff" * 20 + archive[at + 20 :]


BAD = {
    "packed rubbish": overwritten(packed({"session.json": OWN + b" " * 500})),
    "empty": b"",
    "no archive": b"hello",
    "no session": packed({}),
    "outside": packed({"session.json": OWN, "../evil.txt": b"x"}),
    "absolute": packed({"session.json": OWN, "/tmp/evil.txt": b"x"}),
    "a folder": packed({"session.json": OWN, "tables/": b""}),
    "another file": packed({"session.json": OWN, "results/r1.py": b"x"}),
    "backslashes": packed({"session.json": OWN, "results\\..\\..\\evil.json": b"x"}),
    "no JSON": packed({"session.json": b"{"}),
    "other JSON": packed({"session.json": b"[]"}),
    "another version": packed({"session.json": session_file(version=99)}),
    "a table that is not there": packed({"session.json": session_file(table=TABLE)}),
    "a table elsewhere": packed({"session.json": session_file(table={**TABLE, "file": "tables/../../x.csv"})}),
    "a result that is not there": packed({"session.json": session_file(results=[RESULT])}),
    "a result elsewhere": packed({"session.json": session_file(results=[{**RESULT, "id": "../x"}])}),
    "odd values": packed({"session.json": session_file(evidence=[1, 2])}),
    "deep": packed({"session.json": b"[" * 100_000}),
    "nested numbers": packed({"session.json": session_file(settings={"alpha": [1]})}),
}


@pytest.mark.parametrize("name", BAD)
def test_archives_that_are_no_session_change_nothing(name, tmp_path):
    archive = tmp_path / "archive.zip"
    archive.write_bytes(BAD[name])
    (tmp_path / "evil.txt").write_text("as it was")
    with SessionFolder(tmp_path / "session") as folder:
        with pytest.raises(FormatError):
            unpack_session(archive, folder, 1)
        left = [path for path in folder.path.rglob("*") if path.is_file() and path.name != "lock"]
        assert left == []
    assert (tmp_path / "evil.txt").read_text() == "as it was"


def test_an_archive_that_unpacks_to_more_than_a_session(tmp_path, monkeypatch):
    monkeypatch.setattr("bnml.studio.session_archive.MOST_BYTES", 1 << 20)
    archive = tmp_path / "archive.zip"
    archive.write_bytes(packed({"session.json": OWN, TABLE["file"]: bytes(1 << 22)}))
    assert archive.stat().st_size < 1 << 16
    with SessionFolder(tmp_path / "session") as folder, pytest.raises(FormatError, match="larger than"):
        unpack_session(archive, folder, 1)


def test_a_damaged_result_is_an_error_of_that_result_alone(walked):
    """On this machine, where everything else is to go on."""
    (walked.folder / "results" / "r1.json").write_bytes(b"{}")
    status, found = walked.call("GET", "api/results/r1")
    assert status == 400
    assert "not a study that bnml saved" in found["error"]
    assert walked.call("DELETE", "api/results/r1")[0] == 200


def unpacked(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as packed_files:
        return {name: packed_files.read(name) for name in packed_files.namelist()}


def forged(archive: bytes, **changed: object) -> bytes:
    """Return an archive whose session says something else."""
    files = unpacked(archive)
    values = json.loads(files["session.json"])["session"]
    return packed({**files, "session.json": json.dumps({"session": {**values, **changed}}).encode()})


def with_result(archive: bytes, change: Callable[[dict[str, Any]], object], *, signed: bool = True) -> bytes:
    """Return an archive whose result was changed, with the checksum that goes with it or with the old one."""
    files = unpacked(archive)
    values = json.loads(files["results/r1.json"])
    learned = from_stored(values["study"]["parts"]["learned"])
    change(learned)
    values["study"]["parts"]["learned"] = to_stored(learned)
    if signed:
        values["checksum"] = hashlib.sha256(json.dumps(values["study"]).encode()).hexdigest()
    return packed({**files, "results/r1.json": json.dumps(values).encode()})


def table_of(files: dict[str, bytes]) -> str:
    return next(name for name in files if name.startswith("tables/"))


def with_table(archive: bytes, change: Callable[[bytes], bytes], *, renamed: bool) -> bytes:
    """Return an archive whose table was changed, under its old name or under the one that goes with it."""
    files = unpacked(archive)
    name = table_of(files)
    content = change(files.pop(name))
    key = hashlib.sha256(b".csv" + hashlib.sha256(content).digest()).hexdigest()[:16]
    new = f"tables/{key}/table.csv" if renamed else name
    text = files["session.json"].decode().replace(name, new)
    return packed({**files, new: content, "session.json": text.encode()})


FORGED = {
    "a damaged result": (lambda zip_: with_result(zip_, lambda one: one.update(score=0.0), signed=False), "checksum"),
    "a score that is none": (lambda zip_: with_result(zip_, lambda one: one.update(score=0.0)), "its network has"),
    "no arcs": (lambda zip_: with_result(zip_, lambda one: one.pop("arcs")), "its result 1"),
    "arcs of others": (lambda zip_: with_result(zip_, lambda one: one.update(arcs=(("a", "b"),))), "its result 1"),
    "a result that is none": (lambda zip_: packed({**unpacked(zip_), "results/r1.json": b"{}"}), "not a study"),
    "another table": (lambda zip_: with_table(zip_, lambda rows: rows + rows[-40:], renamed=False), "a table in it"),
    "another table under its name": (
        lambda zip_: with_table(zip_, lambda rows: rows.replace(b"yes", b"no", 1), renamed=True),
        "not the table that the study",
    ),
    "no table": (lambda zip_: with_table(zip_, lambda rows: b"a,a\n0,1\n", renamed=True), "its table"),
    "a decision about nothing": (
        lambda zip_: forged(zip_, decisions={"r1": {"keep": [], "drop": [], "directed": [["asia", "nobody"]]}}),
        "are not linked in the network",
    ),
    "an odd value": (lambda zip_: forged(zip_, evidence={"xray": "perhaps"}), "said to be 'perhaps'"),
    "an odd variable": (lambda zip_: forged(zip_, do={"nobody": "yes"}), "'nobody'"),
    "seen and set": (lambda zip_: forged(zip_, do={"xray": "yes"}), "both observed and set"),
    "nothing to ask": (lambda zip_: forged(zip_, results=[], current=None, decisions={}), "no network to ask"),
    "a result that is not there": (lambda zip_: forged(zip_, current="r9"), "'r9', which it does not have"),
    "one beside it that is not there": (lambda zip_: forged(zip_, compared="r9"), "'r9', which it does not have"),
}


def test_forged_and_damaged_sessions_change_nothing(walked):
    archive, before = walked.file("session.zip"), seen(walked)
    files = sorted(walked.folder.rglob("*"))
    for name, (forge, message) in FORGED.items():
        status, found = walked.call("POST", "api/import", forge(archive))
        assert (status, message in found["error"]) == (400, True), (name, found)
        assert str(walked.folder) not in found["error"]
        assert seen(walked) == before
        assert sorted(walked.folder.rglob("*")) == files
    values = json.loads(unpacked(archive)["session.json"])["session"]["results"]
    claims = [{**one, "summary": {**one["summary"], "optimal": True, "proof": "Optimal."}} for one in values]
    session = walked.done("POST", "api/import", forged(archive, results=claims))
    assert [one["proof"] for one in session["results"]] == [one["proof"] for one in before[0]["results"]]


def test_results_of_every_search_are_believed(tmp_path):
    """What is counted anew when a session is opened is what was counted when it was learned."""
    with SessionFolder(tmp_path) as folder, resources.as_file(example_path()) as path:
        choices = TableChoices(target="lung")
        table, tables, results = TableEntry(folder.add_table(path, ".csv.gz"), "example", choices), ReadTables(), []
        for k, search in enumerate(SEARCHES):
            name, settings = f"r{k + 1}", {**SETTINGS, "search": search, "repetitions": 0}
            told = learned_here(folder.path, name, table, KnownStructure(), settings, tables)
            results.append(ResultEntry(name, told, table, KnownStructure(), settings))
        session = Session(table, results=tuple(results), current="r1", last_result=len(results))
        pack_session(session, folder, tmp_path / "all.zip")
        with SessionFolder(tmp_path / "other") as other:
            assert unpack_session(tmp_path / "all.zip", other, 1).results == session.results


def test_the_session_before_is_kept(walked, start, tmp_path):
    """Opening another one replaces what is open; going back brings it back, and going back again the other one."""
    same = ("table", "knowledge", "settings", "current", "compared", "decisions", "evidence", "do")
    archive, first = walked.file("session.zip"), seen(walked)
    other = start(tmp_path / "other")
    assert other.get("api/session")["before"] is None
    assert other.call("POST", "api/before")[0] == 400
    assert other.done("POST", "api/import", archive)["before"] is None  # there was nothing to lose
    other.done("POST", "api/example")
    other.call("PUT", "api/knowledge", {"forbidden": [["asia", "dysp"]]})
    mine = other.get("api/session")
    session = other.done("POST", "api/import", archive)
    assert session["before"] == {"table": "chest_clinic.csv.gz", "results": 1}
    assert session["table"] == first[0]["table"]
    assert other.call("POST", "api/import", b"nonsense")[0] == 400
    assert other.get("api/session")["before"] == session["before"]
    back = other.done("POST", "api/before")
    assert back["before"] == {"table": "clinic.csv", "results": 1}
    for part in ("table", "knowledge", "settings", "evidence", "do"):
        assert back[part] == mine[part]
    other.kill()
    again = start(other.folder)
    assert again.get("api/session")["before"] == back["before"]
    session = again.done("POST", "api/before")
    renamed = {"current": session["current"]}
    assert {name: session[name] for name in same} == {name: first[0][name] for name in same} | renamed
    assert seen(again)[1]["links"] == first[1]["links"]


@pytest.mark.parametrize("name", ["session.json", f"tables/{'a' * 16}/table.csv.gz", "results/r1.layout.json"])
def test_names_of_files(name):
    assert ENTRY.fullmatch(name)
    assert not ENTRY.fullmatch(f"{name}\n")
    assert not ENTRY.fullmatch(f"x/{name}")


def test_a_damaged_session_says_which_file(refused, tmp_path):
    (tmp_path / "session.json").write_text('{"session": ')
    named = f"{str(tmp_path / 'session.json')!r} is not a file of bnml studio, or is damaged: "
    assert named in refused("--folder", str(tmp_path))
    for content in (
        "[]",
        "{}",
        '{"session": {}, "past": [], "future": []}',
        '{"session": 1, "past": [1], "future": 2}',
    ):
        (tmp_path / "session.json").write_text(content)
        assert named in refused("--folder", str(tmp_path))


def test_sessions_come_back_from_their_values():
    values = Session().values()
    assert session_of(json.loads(json.dumps(values))) == Session()
    with pytest.raises(ArgumentError):
        session_of({**values, "decisions": {"r1": {"keep": [["a"]]}}})


def test_a_first_table_that_cannot_be_opened_says_why(start, tmp_path):
    (tmp_path / "odd.csv").write_text("a,a\n0,1\n")
    studio = start(tmp_path / "session", tmp_path / "odd.csv")
    table = studio.settled()["table"]
    assert (table["name"], table["readable"], table["columns"]) == ("odd.csv", False, [])
    assert "twice" in table["reason"]
    assert "table.csv" not in table["reason"]
    assert studio.call("POST", "api/jobs", {"kind": "learn"})[0] == 400
    assert studio.done("PUT", "api/table", {})["table"] == table  # it is looked at once more
    session = studio.done("POST", "api/example")
    assert session["table"]["readable"]


def test_tables_with_a_file_of_states(start, tmp_path):
    rng = np.random.default_rng(0)
    (tmp_path / "t.vd").write_text("A\tno\tyes\nB\tlow\tmid\thigh\n")
    (tmp_path / "t.idt").write_text("\n".join(f"{rng.integers(2)}\t{rng.integers(3)}" for _ in range(50)))
    studio = start(tmp_path / "session", tmp_path / "t.idt")
    table = studio.settled()["table"]
    assert [column["states"] for column in table["columns"]] == [["no", "yes"], ["low", "mid", "high"]]


def test_results_from_before_there_was_a_structure_prior_were_learned_without_one():
    assert ResultEntry.of(RESULT).settings["prior"] == "uniform"
    assert ResultEntry.of({**RESULT, "settings": {"prior": "sparse"}}).settings["prior"] == "sparse"
