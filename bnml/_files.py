"""Files written whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from bnml.errors import ArgumentError

__all__ = ["check_writable", "write_all", "written_whole"]


def check_writable(path: Path) -> None:
    """Refuse a path that is a folder, whose folder is not there, or that no file can have."""
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        if path.parent.is_dir():
            return
        raise _refusal(path, f"there is no folder {str(path.parent)!r}") from None
    except (OSError, ValueError) as error:  # too long, in a folder that cannot be searched, or with a NUL
        raise _refusal(path, error) from None
    if is_folder:
        raise _refusal(path, "it is a folder")


def _refusal(path: Path, reason: str | Exception) -> ArgumentError:
    return ArgumentError(f"{str(path)!r} cannot be written: {getattr(reason, 'strerror', None) or reason}")


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a name to write to beside a file's place; what was written takes that place if all went well.

    Raises
    ------
    ArgumentError
        If it cannot be written; then everything is as it was.
    """
    file = Path(path)
    check_writable(file)
    try:
        target = file.resolve()
    except (OSError, RuntimeError) as error:  # links in a circle
        raise _refusal(file, error) from None
    part = target.with_name(f".bnml-{secrets.token_hex(8)}.part")
    try:
        yield part
        if target.exists():
            shutil.copymode(target, part)
        part.replace(target)
    except OSError as error:
        raise _refusal(file, error) from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def write_all(writers: Mapping[Path, Callable[[Path], object]]) -> None:
    """Write files; each function is given a path with the same name elsewhere, and all are put in place at the end."""
    with ExitStack() as stack:
        parts = {target: stack.enter_context(written_whole(target)) for target in writers}
        folder = Path(stack.enter_context(TemporaryDirectory()))
        for number, (target, write) in enumerate(writers.items()):
            draft = folder / str(number) / target.name
            draft.parent.mkdir()
            write(draft)
            shutil.copyfile(draft, parts[target])
