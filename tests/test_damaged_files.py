"""Damaged and forged files of bnml's own: each is read, or refused by an error that names it, and soon.

``BNML_FUZZ=2000 pytest tests/test_damaged_files.py`` tries more. Formats of others have such a test of their own
(`tests.network.test_formats_fuzz`).
"""

from __future__ import annotations

import ast
import base64
import hashlib
import io
import json
import os
import random
import struct
import time
import tracemalloc
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml._files import reading_file
from bnml.cli.settings import read_settings
from bnml.counts import contingency
from bnml.data.bene import read_vd
from bnml.errors import BnmlError, DataError, DependencyError, FormatError, GraphError
from bnml.experiments.experiment import Experiment
from bnml.experiments.journal import Journal
from bnml.five_steps.saving import load_saved_state
from bnml.scores import FamilyScores
from bnml.studio.desk import Desk
from bnml.studio.read_tables import ReadTables
from bnml.studio.result_layout import read_layout
from bnml.studio.session import (
    SETTINGS,
    KnownStructure,
    ResultEntry,
    Session,
    TableChoices,
    TableEntry,
    plain_fields,
)
from bnml.studio.session_archive import about_archive, pack_session, unpack_session
from bnml.studio.session_folder import SESSION, SessionFolder
from bnml.studio.table_look import table_look
from tests.damage import damaged_archive, damaged_bytes, damaged_value, packed, unpacked
from tests.independence.test_saving import twins
from tests.studio.running import learned_here

DAMAGES = int(os.environ.get("BNML_FUZZ", "60"))  # of each kind of file
SLOWEST = 2.0  # seconds of a processor

FRAME = pd.DataFrame({"x": [0.5, 1.5, 9.0, 0.7], "ä": ["None", "y\n", None, "y\n"], "n": [2, 1, 3, 1]})
SET = pd.DataFrame({"a": [0, 1, 0, 1], "b": [0, 1, 1, 0], "set": ["", "b", "a; b", ""]})


def few():
    return bnml.example().select(["smoke", "lung", "bronc", "dysp"])


# --- files that are whole ---


def written(suffix: str, *writers: Callable[[Path], object]) -> Callable[[Path], list[bytes]]:
    """Return what writes files with a suffix into a folder, and returns their contents."""

    def contents(folder: Path) -> list[bytes]:
        file = folder / f"whole{suffix}"
        found = []
        for write in writers:
            write(file)
            found.append(file.read_bytes())
            file.unlink()
        return found

    return contents


TABLES = (
    lambda file: bnml.read(FRAME, bins={"x": [1.0]}, missing="state").save(file),
    lambda file: bnml.read(FRAME, bins="mdl", missing="em", weights="n").save(file),
    lambda file: bnml.read(SET, interventions="set").save(file),
)
STUDIES = (
    (few, {"target": "lung", "repetitions": 2, "folds": 2, "constraints": bnml.Constraints(tiers=[["smoke"]])}),
    (few, {"search": "pc", "repetitions": 0, "score": "bdeu:2"}),
    (twins, {"search": "npc", "repetitions": 0}),
)


def saved_study(table: Callable[[], bnml.Data], given: dict[str, Any]) -> Callable[[Path], object]:
    return lambda file: bnml.study(table(), **given, threads=1).save(file)


def binned_network(file: Path) -> None:
    data = bnml.read(FRAME, bins={"x": [1.0]}, missing="state", na_values=["-9"])
    bnml.fit(bnml.DAG(data.names, [("x", "ä"), ("ä", "n")]), data).save(file)


def plain_network(file: Path) -> None:
    bnml.fit(bnml.DAG(["a", "b"], [("a", "b")]), SET[["a", "b"]]).save(file)


def scores(file: Path) -> None:
    bnml.search.candidates(few(), "bic").save(file)


EXPERIMENT = Experiment("toy", lambda *_: [], lambda *_: [], lambda *_: None, repetitions=None)


def workbook(file: Path) -> None:
    sheets = pytest.importorskip("openpyxl", reason="the extra excel").Workbook()
    for row in [["a", "b"], ["x", 1], ["y", 2], ["x", True], [None, 1]]:
        sheets.active.append(row)
    sheets.save(file)


def journal(file: Path) -> None:
    with Journal(file, EXPERIMENT, file.parent, 0) as kept:
        kept.add(("a", 1), [{"x": 1, "y": "z"}], 0.5)
        kept.add(("b", 2.5), [{"x": 1.5}], 1.25)


TOML = """columns = ["a", "b"]
missing = "drop"
required = [["a", "b"], ["b", "c"]]
[bins]
age = [1, 2.5, 1979-05-27T07:32:00Z]
"*" = "auto"
"""


def studio(folder: Path) -> Path:
    """Make the folder of a session with two results, and an archive of it beside."""
    csv = folder / "t.csv"
    rows = [f"{a},{b},{c}\n" for a in "yn" for b in "yn" for c in "yn"[: 1 + (a == b)]]
    csv.write_text("smoke,lung,bronc\n" + "".join(rows) * 5)
    with SessionFolder(folder / "session") as kept:
        table = TableEntry(kept.add_table(csv, ".csv"), "t.csv", TableChoices(target="lung"))
        table = replace(table, look=kept.add_look(table_look(kept.path / table.file, table.choices)))
        tables, results = ReadTables(), []
        for name, search in (("r1", "auto"), ("r2", "npc")):
            settings = {**SETTINGS, "search": search, "repetitions": 0}
            told = learned_here(kept.path, name, table, KnownStructure(), settings, tables)
            results.append(ResultEntry(name, told, table, KnownStructure(), settings))
        session = Session(table, results=tuple(results), current="r1", last_result=2, evidence={"smoke": "y"})
        pack_session(session, kept, folder / "session.zip")
        past = [plain_fields(session.chosen())]
        kept.write(SESSION, {"session": session.values(), "past": past, "future": []})
    return folder / "session"


def of_studio(pattern: str) -> Callable[[Path], list[bytes]]:
    return lambda folder: [next(iter(studio(folder).parent.glob(pattern))).read_bytes()]


# --- what reads them ---


def open_table(file: Path) -> None:
    data = bnml.Data.load(file)
    str(data)
    for column in range(len(data.names)):
        contingency(data, [column])


def open_workbook(file: Path) -> None:
    bnml.read(file, missing="state")


def open_study(file: Path) -> None:
    table = few if b'"dysp"' in file.read_bytes() else twins
    load_saved_state(file, table())


def open_session(file: Path) -> None:
    folder = file.parent / "session"
    file.replace(folder / SESSION)
    with SessionFolder(folder) as kept:
        Desk(kept).document()


def open_look(file: Path) -> None:
    """One that is not as it was written is made anew."""
    folder = file.parent / "session"
    look = next(iter((folder / "looks").iterdir()))
    whole = look.read_bytes()
    try:
        file.replace(look)
        with SessionFolder(folder) as kept:
            desk = Desk(kept)
            assert desk.session.table.look is None or json.loads(look.read_bytes()) == json.loads(whole)
            desk.document()
    finally:
        look.write_bytes(whole)


def open_layout(file: Path) -> None:
    file.replace(file.parent / "session" / "results" / "r1.layout.json")
    read_layout(file.parent / "session", "r1")


def open_archive(file: Path) -> None:
    about_archive(file)
    with SessionFolder(file.parent / "other") as folder:
        unpack_session(file, folder, 1)


def open_journal(file: Path) -> None:
    with Journal(file, EXPERIMENT, file.parent, 0) as kept:
        for key in (("a", 1), ("b", 2.5)):
            if key in kept:
                [list(row.items()) for row in kept[key]]
                round(kept.seconds(key), 3)


# --- how they are forged ---


def forged_json(rng: random.Random, content: bytes) -> bytes:
    return json.dumps(damaged_value(rng, json.loads(content))).encode()


def forged_lines(rng: random.Random, content: bytes) -> bytes:
    lines = content.splitlines()
    at = rng.randrange(len(lines))
    lines[at] = forged_json(rng, lines[at])
    return b"\n".join(lines) + b"\n"


def forged_study(rng: random.Random, content: bytes) -> bytes:
    """Return a study that says something else, with the checksum that goes with it."""
    found = json.loads(content)
    part = rng.choice(["settings", "table", "decisions", *["parts"] * 4])
    if part == "parts":
        name = rng.choice(sorted(found["study"]["parts"]))
        found["study"]["parts"][name] = damaged_value(rng, found["study"]["parts"][name])
    else:
        found["study"][part] = damaged_value(rng, found["study"][part])
    found = json.loads(json.dumps(found))
    found["checksum"] = hashlib.sha256(json.dumps(found["study"]).encode()).hexdigest()
    return json.dumps(found).encode()


def forged_table(rng: random.Random, content: bytes) -> bytes:
    """Return a table of which one array is of another type, shape or range, or the head says something else."""
    with np.load(io.BytesIO(content)) as kept:
        arrays = dict(kept)
    name = rng.choice(["head", "head", *sorted(arrays)])
    array = arrays.pop(name)
    if array.dtype.kind == "U":
        arrays[name] = np.array(json.dumps(damaged_value(rng, json.loads(str(array)))))
    else:
        large = array.astype(np.int64)
        changed = [
            array[:-1], array[None], array[:0], array * np.nan, large - 1, large + rng.choice((1, 2**31, 2**62)),
            array.astype(str), array.astype(complex), array.astype(bool), array.astype(">i8"), np.array(3),
        ]  # fmt: skip
        arrays[name] = rng.choice(changed)
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def forged_archive(rng: random.Random, content: bytes) -> bytes:
    def forged(rng: random.Random, entry: bytes) -> bytes:
        if not entry.startswith(b"{"):
            return damaged_bytes(rng, entry)
        return forged_study(rng, entry) if b'"study"' in entry else forged_json(rng, entry)

    return damaged_archive(rng, content, forged)


@dataclass(frozen=True)
class Kind:
    """A kind of file: what makes whole ones, what reads them, and what forges one."""

    suffix: str
    whole: Callable[[Path], list[bytes]]
    load: Callable[[Path], object]
    forged: Callable[[random.Random, bytes], bytes] = damaged_bytes


KINDS = {
    "table": Kind(".npz", written(".npz", *TABLES), open_table, forged_table),
    "study": Kind(".json", written(".json", *(saved_study(*one) for one in STUDIES)), open_study, forged_study),
    "network": Kind(".json", written(".json", binned_network), bnml.load, forged_json),
    "packed network": Kind(".bif.gz", written(".bif.gz", plain_network), bnml.load),
    "scores": Kind(".jkl", written(".jkl", scores), FamilyScores.load),
    "packed scores": Kind(".jkl.gz", written(".jkl.gz", scores), FamilyScores.load),
    "journal": Kind(".jsonl", written(".jsonl", journal), open_journal, forged_lines),
    "settings": Kind(".toml", written(".toml", lambda file: file.write_text(TOML)), read_settings),
    "states": Kind(".vd", written(".vd", lambda file: file.write_text("a\tx\ty\nä\t0\t1\t2\n", "utf-8")), read_vd),
    "session": Kind(".json", of_studio("session/session.json"), open_session, forged_json),
    "look": Kind(".json", of_studio("session/looks/*"), open_look, forged_json),
    "layout": Kind(".json", of_studio("session/results/r1.layout.json"), open_layout, forged_json),
    "workbook": Kind(".xlsx", written(".xlsx", workbook), open_workbook, damaged_archive),
    "archive": Kind(".zip", of_studio("session.zip"), open_archive, forged_archive),
}


def failure(kind: Kind, file: Path, content: bytes) -> str:
    """Return what a reader does with a file but read it or refuse it by a short error that names it."""
    file.write_bytes(content)
    start = time.process_time()
    try:
        kind.load(file)
    except BnmlError as error:
        if file.name not in str(error) and "session" not in str(error):
            return f"{error} does not name the file"
        if len(str(error)) > 1500:
            return "the error is long"
    except Exception as error:
        return repr(error)
    seconds = time.process_time() - start
    return f"it took {seconds:.1f} seconds" if seconds > SLOWEST else ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", KINDS)
def test_damaged_files(name, tmp_path):
    kind, rng = KINDS[name], random.Random(name)
    whole, file = kind.whole(tmp_path), tmp_path / f"damaged{kind.suffix}"
    for content in whole:
        file.write_bytes(content)
        kind.load(file)
    for k in range(DAMAGES):
        damage = kind.forged if k % 2 else damaged_bytes
        content = damage(rng, rng.choice(whole))
        assert not failure(kind, file, content), content


# --- files that say they are large ---


def peak_of(load: Callable[[Path], object], file: Path) -> int:
    """Return how many bytes of memory are taken at most until a file is refused."""
    tracemalloc.start()
    try:
        with pytest.raises(BnmlError, match=file.name):
            load(file)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("shape", [(10**9, 3), (10**15,), (2**63,), (-1, 3)])
def test_a_table_that_declares_more_than_it_has(shape, tmp_path):
    file = tmp_path / "t.npz"
    few().save(file)
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "|u1", "fortran_order": False, "shape": shape})
    file.write_bytes(packed({**unpacked(file.read_bytes()), "codes.npy": header.getvalue() + bytes(100)}))
    assert peak_of(bnml.Data.load, file) < 1 << 24


def test_a_table_that_unpacks_to_more_than_the_memory(tmp_path, monkeypatch):
    file = tmp_path / "t.npz"
    few().save(file)
    file.write_bytes(packed({**unpacked(file.read_bytes()), "more.npy": bytes(1 << 26)}))
    monkeypatch.setattr("bnml.data.saving.memory_limit_of", lambda limit: 1 << 25)
    assert file.stat().st_size < 1 << 17
    assert peak_of(bnml.Data.load, file) < 1 << 24


def test_an_array_that_unpacks_to_more_than_it_declares(tmp_path):
    array = {"type": "<f8", "shape": [2], "zlib": base64.b64encode(zlib.compress(bytes(1 << 26))).decode()}
    file = tmp_path / "study.json"
    saved_study(*STUDIES[1])(file)
    found = json.loads(file.read_text())
    found["study"]["parts"]["pc"] = {"@array": array}
    found["checksum"] = hashlib.sha256(json.dumps(found["study"]).encode()).hexdigest()
    file.write_text(json.dumps(found))
    assert peak_of(open_study, file) < 1 << 24


# --- the one place ---


def test_a_table_whose_packing_is_damaged_or_unknown(tmp_path):
    """What is raised is a ``zlib.error``, a NotImplementedError and a RuntimeError."""
    file = tmp_path / "t.npz"
    few().save(file)
    whole = file.read_bytes()
    begin = 30 + sum(struct.unpack("<HH", whole[26:30]))  # of the first array; its entry in the list of files is
    entry = whole.index(b"PK\x01\x02")  # here, with how it is packed, and whether by a password
    for at, content in ((begin, b"\xff" * 8), (entry + 10, b"\x63\0"), (entry + 8, b"\1\0")):
        file.write_bytes(whole[:at] + content + whole[at + len(content) :])
        with pytest.raises(DataError, match=r"t\.npz' is not a table that bnml saved, or is damaged: .*save it anew"):
            bnml.Data.load(file)


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (zlib.error("bad"), "'x.json' is not a table, or is damaged: bad. Mend it"),
        (KeyError("head"), "'x.json' is not a table, or is damaged: 'head' is missing. Mend it"),
        (AssertionError(), "'x.json' is not a table, or is damaged: AssertionError. Mend it"),
        (GraphError("a cycle"), "'x.json' is not a table, or is damaged: a cycle. Mend it"),
        (MemoryError(), "'x.json' does not fit into memory, or is damaged. Mend it"),
        (FileNotFoundError(2, "No such file"), "there is no file 'x.json'"),
        (PermissionError(13, "Permission denied"), "'x.json' cannot be read: Permission denied"),
    ],
)
def test_whatever_is_raised_becomes_an_error_that_names_the_file(raised, message):
    with pytest.raises(DataError) as error, reading_file(Path("x.json"), "a table", "Mend it", error=DataError):
        raise raised
    assert str(error.value) == message


@pytest.mark.parametrize(
    "raised",
    [FormatError("x.json, line 3: expected a number"), DependencyError("openpyxl is missing"), KeyboardInterrupt()],
)
def test_what_is_clear_already_is_left_alone(raised):
    with pytest.raises(type(raised)) as error, reading_file(Path("x.json"), "a table", "Mend it", error=DataError):
        raise raised
    assert error.value is raised


def test_the_cause_is_kept():
    """So that a mistake of ours on a file that is whole can be found."""
    with pytest.raises(FormatError) as error, reading_file(Path("x.json"), "a table", "Mend it"):
        raise TypeError("a mistake of ours")
    assert isinstance(error.value.__cause__, TypeError)


DECODERS = {
    "json.loads", "json.load", "np.load", "np.lib.format.read_array", "tomllib.loads", "tomllib.load",
    "zipfile.ZipFile", "gzip.GzipFile", "gzip.open", "pickle.load",
}  # fmt: skip
NO_FILES_OF_OURS = {
    "cli/rows.py": "writes only",
    "data/delimited.py": "tables of others",
    "network/formats/_xml.py": "within bnml.load",
    "studio/app.py": "requests",
    "studio/jobs.py": "a pipe",
    "studio/worker.py": "a pipe",
}


def test_every_reader_uses_it():
    """What decodes files calls `reading_file`, or stands above."""
    package, found = Path(bnml.__file__).parent, {}
    for path in package.rglob("*.py"):
        text = path.read_text("utf-8")
        if any(name in text for name in DECODERS):
            calls = (node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
            names = set(map(ast.unparse, calls))
            if names & DECODERS:
                found[path.relative_to(package).as_posix()] = "reading_file" in names
    assert {name for name, guarded in found.items() if not guarded} == set(NO_FILES_OF_OURS)
    assert len(found) > len(NO_FILES_OF_OURS)
