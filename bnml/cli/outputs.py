"""Several files at once: all of them are written, or none."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from bnml._files import check_writable, written_whole
from bnml.errors import ArgumentError

__all__ = ["check_outputs", "write_all"]


def check_outputs(targets: Sequence[tuple[str, Path, Sequence[str]]]) -> None:
    """Refuse files that could not be written, before there is anything to write.

    Parameters
    ----------
    targets
        For each file the option that names it, its path, and the suffixes that it may have.
    """
    seen: dict[Path, str] = {}
    for option, path, suffixes in targets:
        if not path.name.lower().endswith(tuple(suffixes)):
            raise ArgumentError(f"{option} {str(path)!r}: the name must end in {', '.join(suffixes)}")
        check_writable(path)
        place = path.resolve()
        if place in seen:
            both = option if seen[place] == option else f"{seen[place]} and {option}"
            raise ArgumentError(f"{both}: {str(path)!r} is named twice")
        seen[place] = option


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
