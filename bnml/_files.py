"""Files written whole or not at all, and read or refused.

What is to be written goes into a file without a name, which the system drops if the process ends, however it ends. When
all is there it gets another name beside its place, and then takes the place.

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
        with _nameless(file.resolve().parent) as stream:
            yield stream
            stream.flush()
            if not _poured(stream, file):
                _put_in_place(stream, file.resolve())
    except OSError as error:
        raise _refusal(file, error) from None


def write_files(writers: Mapping[Path, Callable[[IO[bytes]], object]]) -> None:
    """Write files; each function is given a stream, and all files are put in place at the end."""
    with ExitStack() as stack:
        streams = {target: stack.enter_context(written_whole(target)) for target in writers}
        for target, write in writers.items():
            write(streams[target])


def locked(stream: IO[bytes]) -> bool:
    """Lock a file for as long as it is open, or return False; the system unlocks it however the process ends."""
    try:
        if sys.platform == "win32":
            import msvcrt

            stream.seek(0)  # a byte that is the same for all
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _nameless(folder: Path) -> IO[bytes]:
    """Open a file without a name in a folder; elsewhere where the system or the file system has none."""
    with suppress(AttributeError, OSError):
        return os.fdopen(os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666), "w+b")
    return TemporaryFile()


def _poured(stream: IO[bytes], file: Path) -> bool:
    """Write into a pipe, a device, or an open file such as ``/dev/stdout``; return False for other files."""
    number = _descriptor(file)
    try:
        if number is None and stat.S_ISREG(file.stat().st_mode):
            return False
    except FileNotFoundError:
        return False
    if number is not None and sys.stdout is not None:
        sys.stdout.flush()
    opened = os.open(file, os.O_WRONLY) if number is None else os.dup(number)
    stream.seek(0)
    with os.fdopen(opened, "wb") as target:
        shutil.copyfileobj(stream, target)
    return True


def _descriptor(file: Path) -> int | None:
    """Return the number of the open file of this process that a path leads to, as ``/dev/stdout`` does."""
    place = file.absolute()
    for _ in range(40):  # links to links; more are a circle
        folder = os.path.realpath(place.parent)
        if place.name.isdecimal() and folder in ("/dev/fd", os.path.realpath("/proc/self/fd")):
            return int(place.name)
        if not place.is_symlink():
            break
        place = Path(folder, place.readlink())
    return None


def _put_in_place(stream: IO[bytes], place: Path) -> None:
    """Let a file without a name take a place, with the permissions of the file that it replaces.

    A new file gets its name at once; another is replaced right after the new one has a name of its own, so that a
    process that is killed leaves no second file.
    """
    os.fsync(stream.fileno())
    mode = None
    with suppress(FileNotFoundError):
        mode = stat.S_IMODE(place.stat().st_mode)
    if mode is None and _named(stream, place):
        return
    if mode is not None and hasattr(os, "fchmod"):
        os.fchmod(stream.fileno(), mode)
    part = place.with_name(f".bnml-{secrets.token_hex(8)}.part")
    try:
        if not _named(stream, part):
            with part.open("xb") as copy:
                stream.seek(0)
                shutil.copyfileobj(stream, copy)
                copy.flush()
                os.fsync(copy.fileno())
            if mode is not None:
                part.chmod(mode)
        part.replace(place)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _named(stream: IO[bytes], name: Path) -> bool:
    """Give a file without a name one, if the system lets us and there is no other file of that name."""
    try:
        folder = os.open(name.parent, os.O_RDONLY)
    except OSError:  # Windows opens none
        return False
    try:  # Python follows the link to the open file only where it is given a folder
        os.link(f"/proc/self/fd/{stream.fileno()}", name.name, dst_dir_fd=folder, follow_symlinks=True)
    except (OSError, NotImplementedError):
        return False
    finally:
        os.close(folder)
    return True
