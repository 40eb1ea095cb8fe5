"""Where the nodes of a result stand, as a file beside it."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from bnml._files import reading_file, written_whole
from bnml.errors import BnmlError
from bnml.plot.layout import Layout


def _layout_file(folder: Path, result: str) -> Path:
    return folder / "results" / f"{result}.layout.json"


def write_layout(found: Layout, folder: Path, result: str) -> None:
    """Write the layout of a result to its file, whole or not at all."""
    values = {**vars(found), "routes": [[a, b, points] for (a, b), points in found.routes.items()]}
    with written_whole(_layout_file(folder, result)) as stream:
        stream.write(json.dumps(values, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def read_layout(folder: Path, result: str) -> Layout | None:
    """Return the layout of a result, where its nodes stand; None if that is not known."""
    file = _layout_file(folder, result)
    with suppress(BnmlError), reading_file(file, "a layout", "It is made anew"):
        values = json.loads(file.read_text(encoding="utf-8", errors="surrogatepass"))
        for kind in ("positions", "sizes"):
            values[kind] = {name: _point(at) for name, at in values[kind].items()}
        values["routes"] = {(a, b): tuple(map(_point, points)) for a, b, points in values["routes"]}
        return Layout(**{**values, **{name: int(values[name]) for name in ("width", "height", "crossings")}})
    return None


def _point(pair: Any) -> tuple[int, int]:
    x, y = pair
    return int(x), int(y)
