"""Files written whole or not at all, and read or refused.

What is to be written goes into a file without a name, which the system drops if the process ends, however it ends; when
all is there the file gets its name. Where there are no such files, or where one that is there is to be replaced, it has
another name beside its place first: for a moment, or for as long as it is written.

What is no regular file (a device, a pipe, or ``/dev/stdout``) cannot be replaced, and is written into at the end.

Every file of bnml's own is read inside `reading_file`, which turns whatever damage makes decoders raise into an error
that names the file.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from bnml._text import clip
from bnml.errors import ArgumentError, BnmlError, DependencyError, FormatError, Text, argument

_OPEN_FILES = "/proc/self/fd"
_MOST_LINKS = 40


def a_file_path(value: Any, name: str = "path") -> Path:
    """Check an argument that is the path of a file; return it as a path."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str) or "\0" in os.fspath(value):
        raise ArgumentError(argument(name) + f" must be the name of a file, got {value!r}")
    return Path(value)


def check_writable(path: Path) -> None:
    """Refuse a path that is a folder or write-protected, whose folder is not there, or that no file can have."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        if not path.parent.is_dir():
            raise _refusal(path, f"there is no folder {str(path.parent)!r}") from None
        if not path.is_symlink() and not _may(path.parent, os.W_OK | os.X_OK):
            raise _refusal(path, f"the folder {str(path.parent)!r} is write-protected") from None
        return
    except (OSError, ValueError) as error:  # too long, in a folder that cannot be searched, or with a NUL
        raise _refusal(path, error) from None
    if stat.S_ISDIR(mode):
        raise _refusal(path, "it is a folder")
    if not _may(path, os.W_OK):
        raise _refusal(path, "it is write-protected")


def _may(path: Path, mode: int) -> bool:
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


def _refusal(path: Path, reason: str | Exception) -> ArgumentError:
    return ArgumentError(f"{str(path)!r} cannot be written: {getattr(reason, 'strerror', None) or reason}")


@contextmanager
def reading_file(
    path: Path, what: str, hint: Text, *, error: type[BnmlError] = FormatError, shown: str | None = None
) -> Iterator[None]:
    """Turn whatever goes wrong while a file is read, decoded and checked into an error that names the file.

    A damaged file can make decoders raise anything, so everything is caught. Only decoding and checking belong inside:
    what is then computed from the content does not, so that mistakes of ours are not blamed on the file.

    Parameters
    ----------
    path
        The file.
    what
        What it should be, such as ``"a study that bnml saved"``.
    hint
        What to do about it.
    error
        The kind of error.
    shown
        How messages name the file; by default by its path.

    Raises
    ------
    BnmlError
        If anything is raised inside. An error of ours that names the file stays as it is.
    """
    name = repr(str(path)) if shown is None else shown
    try:
        yield
    except FileNotFoundError:
        raise error(f"there is no file {name}") from None
    except MemoryError as reason:
        raise error(f"{name} does not fit into memory, or is damaged.", hint=hint) from reason
    except Exception as reason:
        if isinstance(reason, DependencyError) or (isinstance(reason, BnmlError) and _names(reason, path, name)):
            raise
        if isinstance(reason, OSError) and reason.strerror:
            raise error(f"{name} cannot be read: {reason.strerror}") from None
        raise error(f"{name} is not {what}, or is damaged: " + _reason(reason) + ".", hint=hint) from reason


def _names(error: BnmlError, path: Path, name: str) -> bool:
    return name in str(error) or str(path) in str(error)


def _reason(error: Exception) -> Text:
    if isinstance(error, BnmlError):
        return error.sentence
    text = str(clip(error, 300)) or type(error).__name__
    return f"{text} is missing" if isinstance(error, KeyError) else text


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Give a stream to write to; what was written takes the file's place if all went well.

    A link to a file stays a link. What is no regular file gets all bytes at the end.

    Raises
    ------
    ArgumentError
        If it cannot be written; then everything is as it was.
    """
    file = Path(path)
    check_writable(file)
    try:
        with _poured_into(file) if _is_special(file) else _replacing(file.resolve()) as stream:
            yield stream
    except OSError as error:
        raise _refusal(file, error) from None


def write_files(writers: Mapping[Path, Callable[[IO[bytes]], object]]) -> None:
    """Write files; each function is given a stream, and all files are put in place at the end."""
    with ExitStack() as stack:
        streams = {target: stack.enter_context(written_whole(target)) for target in writers}
        for target, write in writers.items():
            write(streams[target])


# --- what is no regular file ---


def _is_special(file: Path) -> bool:
    """Return whether a path leads to what can be written into only."""
    try:
        return not stat.S_ISREG(file.stat().st_mode) or _descriptor(file) is not None
    except FileNotFoundError:
        return False


def _descriptor(file: Path) -> int | None:
    """Return the number of the open file of this process that a path leads to, as ``/dev/stdout`` does."""
    place = file.absolute()
    for _ in range(_MOST_LINKS):
        folder = os.path.realpath(place.parent)
        if place.name.isdecimal() and folder in ("/dev/fd", os.path.realpath(_OPEN_FILES)):
            return int(place.name)
        if not place.is_symlink():
            break
        place = Path(folder, place.readlink())
    return None


@contextmanager
def _poured_into(file: Path) -> Iterator[IO[bytes]]:
    with TemporaryFile() as stream:
        yield stream
        stream.seek(0)
        number = _descriptor(file)
        if number is not None and sys.stdout is not None:
            sys.stdout.flush()
        opened = os.open(file, os.O_WRONLY) if number is None else os.dup(number)
        with os.fdopen(opened, "wb") as target:
            shutil.copyfileobj(stream, target)


# --- regular files ---


@contextmanager
def _replacing(target: Path) -> Iterator[IO[bytes]]:
    """Give a stream whose content takes the place of a file."""
    number = _nameless(target.parent)
    with _named(target) if number is None else os.fdopen(number, "w+b") as stream:
        yield stream
        _complete(stream, target)
        if number is not None:
            _give_name(stream, target)


def _nameless(folder: Path) -> int | None:
    """Return the number of a new file without a name; None where the system has none or cannot name it later."""
    kind = getattr(os, "O_TMPFILE", None)
    if kind is None or not Path(_OPEN_FILES).is_dir():
        return None
    try:
        return os.open(folder, kind | os.O_RDWR, 0o666)
    except OSError:
        return None  # some file systems have none; if it is something else, a file with a name fails as well


def _complete(stream: IO[bytes], target: Path) -> None:
    """Bring what was written to the disk, with the permissions of the file that it replaces."""
    stream.flush()
    if hasattr(os, "fchmod"):
        with suppress(FileNotFoundError):
            os.fchmod(stream.fileno(), stat.S_IMODE(target.stat().st_mode))
    os.fsync(stream.fileno())


def _give_name(stream: IO[bytes], target: Path) -> None:
    """Give a file without a name its place; one that is there is replaced, which takes another name first."""
    folder = os.open(target.parent, os.O_RDONLY)
    part = _part_name()
    try:
        if not target.exists() and _linked(stream, target.name, folder):
            return
        if _linked(stream, part, folder):
            os.replace(part, target.name, src_dir_fd=folder, dst_dir_fd=folder)
            return
    finally:
        with suppress(OSError):
            os.unlink(part, dir_fd=folder)
        os.close(folder)
    with _named(target) as copy:
        stream.seek(0)
        shutil.copyfileobj(stream, copy)
        _complete(copy, target)


def _linked(stream: IO[bytes], name: str, folder: int) -> bool:
    """Give a file without a name one, if the system lets us and there is no other file of that name."""
    try:
        os.link(f"{_OPEN_FILES}/{stream.fileno()}", name, dst_dir_fd=folder, follow_symlinks=True)
    except OSError:
        return False
    return True


@contextmanager
def _named(target: Path) -> Iterator[IO[bytes]]:
    """Give a file with another name beside its place, which it takes at the end."""
    part = target.with_name(_part_name())
    try:
        with part.open("x+b") as stream:
            yield stream
        part.replace(target)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _part_name() -> str:
    return f".bnml-{secrets.token_hex(8)}.part"
