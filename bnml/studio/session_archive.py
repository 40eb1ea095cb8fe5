"""A session as one file: a zip archive that another machine opens.

What comes from elsewhere is looked at before it is believed: an archive has only files whose names are those of a
session (`bnml.studio.session_folder.ENTRY`), which lead to no other folder, and no more bytes than a session may have,
packed and unpacked. Nothing in it is code. All of it is loaded (`bnml.studio.archive_check`) in a place of its own
before anything of it gets among the files of the session that is open.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from bnml._files import reading_file
from bnml.errors import FormatError
from bnml.studio.archive_check import check_archive_tables, checked_session
from bnml.studio.session import Session, session_of
from bnml.studio.session_folder import ENTRY, SESSION, SessionFolder

MOST_BYTES = 1 << 31  # unpacked
MOST_FILES = 5000
PIECE = 1 << 20
SAME_TIME = (1980, 1, 1, 0, 0, 0)


def pack_session(session: Session, folder: SessionFolder, target: Path) -> None:
    """Write a session with its tables and results to an archive; equal sessions give equal archives.

    What is in a table is found out anew where the archive is opened.
    """
    session = _without_look(session)
    files = sorted(session.files())
    names = []
    for name in files:
        if name.startswith("results/"):
            names += [f"{name}.json", f"{name}.layout.json"]
        else:
            names.append(name)
            if name.endswith(".idt"):
                names.append(f"{name.removesuffix('.idt')}.vd")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        content = json.dumps({"session": session.values()}, ensure_ascii=False).encode("utf-8", "surrogatepass")
        archive.writestr(_entry_of(SESSION), content)
        for name in names:
            if (folder.path / name).is_file():
                with (folder.path / name).open("rb") as source, archive.open(_entry_of(name), "w") as entry:
                    shutil.copyfileobj(source, entry, PIECE)


def _without_look(session: Session) -> Session:
    return session if session.table is None else replace(session, table=replace(session.table, look=None))


def _entry_of(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, SAME_TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def about_archive(archive: Path) -> dict[str, Any] | None:
    """Return what the page says of a session in an archive: its table and how many results it has; None without one."""
    with suppress(FormatError), _reading(archive), zipfile.ZipFile(archive) as packed, packed.open(SESSION) as content:
        session = session_of(json.loads(content.read(MOST_BYTES))["session"])
        return {"table": None if session.table is None else session.table.name, "results": len(session.results)}
    return None


def unpack_session(archive: Path, folder: SessionFolder, first: int, *, own: bool = False) -> Session:
    """Put what an archive holds into a folder, beside what is there, and return its session.

    Parameters
    ----------
    archive
        The archive.
    folder
        The folder of another session; none of its files is changed.
    first
        The number of the first of the results, which get new names.
    own
        Whether it is a session of this folder, which is as it was and need not be loaded to be believed.

    Raises
    ------
    FormatError
        If it is no session, or damaged; nothing is left of it then.
    """
    place = folder.incoming()
    place.mkdir()
    try:
        with _reading(archive):
            session = _session_in(archive, place)
            check_archive_tables(session, place)
        if not own:
            session = checked_session(session, place)
        renamed = {one.id: f"r{first + k}" for k, one in enumerate(session.results)}
        for name in sorted(path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()):
            top, _, rest = name.partition("/")
            if top == "results":
                result, _, suffix = rest.partition(".")
                if result not in renamed:
                    continue
                rest = f"{renamed[result]}.{suffix}"
            target = folder.path / top / rest
            if rest and not target.exists():
                target.parent.mkdir(mode=0o700, exist_ok=True)
                (place / name).replace(target)
        return _with_names(session, renamed)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _reading(archive: Path) -> AbstractContextManager[None]:
    return reading_file(archive, "one of bnml studio", "Save it anew where it comes from", shown="this session")


def _session_in(archive: Path, place: Path) -> Session:
    """Unpack an archive whose files are those of a session, and return the session."""
    left = MOST_BYTES
    with zipfile.ZipFile(archive) as packed:
        entries = packed.infolist()
        if len(entries) > MOST_FILES:
            raise ValueError(f"it has more than {MOST_FILES} files")
        for entry in entries:
            if not ENTRY.fullmatch(entry.filename) or entry.is_dir():
                raise ValueError(f"it has a file {entry.filename[:80]!r}")
            target = place / entry.filename
            target.parent.mkdir(parents=True, exist_ok=True)
            with packed.open(entry) as source, target.open("xb") as stream:
                left = _poured(source, stream, left)
    values = json.loads((place / SESSION).read_text(encoding="utf-8", errors="surrogatepass"))["session"]
    session = session_of(values)
    if len({one.id for one in session.results}) < len(session.results):
        raise ValueError("it has two results of the same name")
    for what in ("current", "compared"):
        if values.get(what) is not None and values[what] != getattr(session, what):
            raise ValueError(f"it shows the result {values[what]!r}, which it does not have")
    session = _without_look(session)
    for name in sorted(session.files()):
        if not (place / (f"{name}.json" if name.startswith("results/") else name)).is_file():
            raise ValueError(f"{name!r} is not in it")
    return session


def _poured(source: IO[bytes], target: IO[bytes], left: int) -> int:
    """Copy what an archive holds, and return how many bytes more it may hold."""
    while piece := source.read(PIECE):
        left -= len(piece)
        if left < 0:
            raise ValueError(f"it is larger than {MOST_BYTES >> 20} MB, the most that is taken")
        target.write(piece)
    return left


def _with_names(session: Session, renamed: Mapping[str, str]) -> Session:
    """Return a session with other names for its results."""
    results = tuple(replace(one, id=renamed[one.id]) for one in session.results)
    return replace(
        session,
        results=results,
        current=renamed.get(session.current or ""),
        compared=renamed.get(session.compared or ""),
        decisions={renamed[name]: made for name, made in session.decisions.items() if name in renamed},
        last_result=max([0, *(int(one.id[1:]) for one in results)]),
    )
