"""Files written whole or not at all: which paths are refused, and how."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bnml._files import check_writable, written_whole
from bnml.errors import ArgumentError

LONG = "x" * 400 + ".bif"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (".", "it is a folder"),
        ("none/x.bif", "there is no folder 'none'"),
        ("file/x.bif", "there is no folder 'file'"),
        (LONG, "name too long"),
        (f"{LONG}/x.bif", "name too long"),
        ("a\0b.bif", "null"),
    ],
)
def test_paths_that_no_file_can_have(tmp_path, monkeypatch, name, reason):
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    for refused in (lambda: check_writable(Path(name)), lambda: written_whole(name).__enter__()):
        with pytest.raises(ArgumentError) as caught:
            refused()
        message = str(caught.value)
        assert message.startswith(f"{name!r} cannot be written: "), "the path as it was given"
        assert reason in message.lower()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_folder_that_cannot_be_searched(tmp_path, monkeypatch):
    def denied(self, **options):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "stat", denied)
    with pytest.raises(ArgumentError, match=r"cannot be written: Permission denied$"):
        check_writable(tmp_path / "closed" / "x.bif")


def test_links(tmp_path):
    """A link is followed; one in a circle is refused."""
    (tmp_path / "link").symlink_to("target")
    with written_whole(tmp_path / "link") as stream:
        stream.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(ArgumentError, match="circle' cannot be written"), written_whole(tmp_path / "circle"):
        pass


# --- what is no regular file ---

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")
CONTENT = b"all of it\n" * 20_000  # more than a pipe holds


@posix
@pytest.mark.parametrize("through_a_link", [False, True])
def test_a_pipe_is_written_into(tmp_path, through_a_link):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    found = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    with written_whole(tmp_path / ("link" if through_a_link else "pipe")) as stream:
        stream.write(CONTENT)
    reader.join()
    assert found == [CONTENT]
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link").is_symlink()


@posix
def test_a_device_is_written_into(tmp_path):
    before = Path("/dev/null").stat()
    (tmp_path / "null.bif").symlink_to("/dev/null")
    with written_whole(tmp_path / "null.bif") as stream:
        stream.write(CONTENT)
    after = Path("/dev/null").stat()
    assert (tmp_path / "null.bif").is_symlink()
    assert (before.st_ino, before.st_rdev, before.st_mode) == (after.st_ino, after.st_rdev, after.st_mode)
    if Path("/dev/full").exists():
        with pytest.raises(ArgumentError, match="No space left"), written_whole("/dev/full") as stream:
            stream.write(CONTENT)


@posix
def test_a_failure_writes_nothing_into_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ZeroDivisionError), written_whole(tmp_path / "pipe") as stream:  # it would wait for a reader
        stream.write(CONTENT * (1 // 0))


SHOWN = """
from bnml._files import written_whole
print("before")
with written_whole("out.txt") as stream:
    stream.write(b"written\\n")
print("after")
"""


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no /dev/stdout")
@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_standard_output_is_written_into(tmp_path, kind):
    """What was there and what comes after stay, whatever standard output is."""
    (tmp_path / "out.txt").symlink_to("/dev/stdout")
    command = [sys.executable, "-c", SHOWN]
    if kind == "pipe":
        shown = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, check=True).stdout
    else:
        with (tmp_path / "shown.txt").open("wb") as out:
            subprocess.run(command, cwd=tmp_path, stdout=out, check=True)
        shown = (tmp_path / "shown.txt").read_bytes()
    assert shown.split() == [b"before", b"written", b"after"]


# --- what is write-protected ---


@pytest.fixture
def folder():
    """Give a folder, and no special rights in it."""
    with TemporaryDirectory() as name:
        everything_allowed = sys.platform != "win32" and os.geteuid() == 0
        if everything_allowed:
            os.chown(name, 65534, 65534)
            os.seteuid(65534)
        try:
            yield Path(name)
        finally:
            if everything_allowed:
                os.seteuid(0)
            Path(name).chmod(0o700)


@posix
def test_write_protected_files_are_refused(folder):
    (folder / "x").write_text("old")
    (folder / "x").chmod(0o444)
    (folder / "link").symlink_to("x")
    for name in ("x", "link"):
        for refused in (lambda path: check_writable(path), lambda path: written_whole(path).__enter__()):
            with pytest.raises(ArgumentError, match=f"{name}' cannot be written: it is write-protected$"):
                refused(folder / name)
    assert (folder / "x").read_text() == "old"
    (folder / "y").write_text("old")
    folder.chmod(0o555)
    with pytest.raises(ArgumentError, match=r"the folder .* is write-protected$"):
        check_writable(folder / "new")


# --- without a trace ---


@pytest.fixture(params=["as the system can", "no nameless files", "no names for them"])
def system(request, monkeypatch):
    """Systems that lack one thing or the other."""
    if request.param == "no nameless files":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
        monkeypatch.setattr(tempfile, "_O_TMPFILE_WORKS", False)
    if request.param == "no names for them":

        def refused(*_, **__):
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr(os, "link", refused)
    return request.param


@pytest.mark.parametrize("old", [None, b"old"])
def test_every_system_writes_and_replaces(tmp_path, system, old):
    file = tmp_path / "x"
    if old is not None:
        file.write_bytes(old)
        file.chmod(0o640)
    with written_whole(file) as stream:
        stream.write(CONTENT)
        stream.seek(0)
        stream.write(b"A")
        assert [path.name for path in tmp_path.iterdir()] == (["x"] if old is not None else [])
    assert file.read_bytes() == b"A" + CONTENT[1:]
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    if sys.platform != "win32":
        (tmp_path / "usual").write_bytes(b"")
        usual = stat.S_IMODE((tmp_path / "usual").stat().st_mode)
        (tmp_path / "usual").unlink()
        assert stat.S_IMODE(file.stat().st_mode) == (usual if old is None else 0o640)
    with pytest.raises(ZeroDivisionError), written_whole(file) as stream:
        _ = 1 / 0
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_file_that_comes_in_between_is_replaced(tmp_path):
    with written_whole(tmp_path / "x") as stream:
        stream.write(b"new")
        (tmp_path / "x").write_bytes(b"came in between")
    assert (tmp_path / "x").read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="there is no /dev/fd")
def test_an_open_file_is_written_into_by_its_number_and_replaced_by_its_name(tmp_path):
    file = tmp_path / "open.txt"
    with file.open("w+b", buffering=0) as stream:
        stream.write(b"head ")
        with written_whole(f"/dev/fd/{stream.fileno()}") as into:
            into.write(b"body")
        assert file.read_bytes() == b"head body"
        with written_whole(file) as instead:
            instead.write(b"new")
        assert file.read_bytes() == b"new"
        stream.seek(0)
        assert stream.read() == b"head body"


def test_what_standard_output_goes_to_is_replaced_by_its_name(tmp_path):
    (tmp_path / "all.json").write_text("longer than what is written")
    program = "from bnml._files import written_whole\nwith written_whole('all.json') as out: out.write(b'{}')"
    with (tmp_path / "all.json").open("r+b") as out:
        subprocess.run([sys.executable, "-c", program], cwd=tmp_path, stdout=out, check=True)
    assert (tmp_path / "all.json").read_bytes() == b"{}"
