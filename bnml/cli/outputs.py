"""Files that a command is to write: checked before there is anything to write."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

import bnml
from bnml._files import check_writable
from bnml.errors import ArgumentError

if TYPE_CHECKING:
    from bnml.plot.matplotlib_figure import Picture

Force = Annotated[bool, typer.Option("--force", help="Let the output file replace DATA.")]


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


def check_not_input(output: Path, data: str, *, force: bool) -> None:
    """Refuse to replace the table that is read, whatever its path is called here, without ``--force``."""
    try:
        same = output.samefile("/dev/stdin" if data == "-" else data)
    except (OSError, ValueError):  # one of them is not a file
        return
    if same and not force:
        raise ArgumentError(f"-o {str(output)!r}: this is DATA itself; choose another file, or replace it with --force")


def write_picture(picture: Picture, path: Path, stream: IO[bytes]) -> None:
    """Write a picture as the kind of file that the suffix of a path says."""
    stream.write(picture.render(path.suffix.lower()[1:]))


def written_summary(network: bnml.BayesianNetwork, file: Path) -> dict[str, Any]:
    """Return what ``--json`` prints of a network that was written to a file, as plain values."""
    return {
        "file": str(file),
        "variables": len(network.names),
        "arcs": [list(arc) for arc in network.dag.arcs],
        "parameters": network.n_parameters,
    }
