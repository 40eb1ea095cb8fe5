"""Files written whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bnml.errors import ArgumentError

__all__ = ["check_writable", "written_whole"]


def check_writable(path: Path) -> None:
    """Refuse a path that is a folder, or whose folder is not there."""
    if path.is_dir():
        raise ArgumentError(f"{str(path)!r} cannot be written: it is a folder")
    if not path.parent.is_dir():
        raise ArgumentError(f"{str(path)!r} cannot be written: there is no folder {str(path.parent)!r}")


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a name to write to beside a file's place; what was written takes that place if all went well.

    Raises
    ------
    ArgumentError
        If it cannot be written; then everything is as it was.
    """
    file = Path(path)
    try:
        target = file.resolve()
    except (OSError, RuntimeError) as error:  # links in a circle
        raise ArgumentError(f"{str(file)!r} cannot be written: {error}") from None
    check_writable(target)
    part = target.with_name(f".bnml-{secrets.token_hex(8)}.part")
    try:
        yield part
        if target.exists():
            shutil.copymode(target, part)
        part.replace(target)
    except OSError as error:
        raise ArgumentError(f"{str(file)!r} cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
