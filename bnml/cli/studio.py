"""``bnml studio``: the five steps in a browser."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from bnml.cli import options

EXAMPLE = "Example: bnml studio survey.csv"
OPTIONS = {"port": "--port"}

Port = Annotated[
    int,
    options.whole_number("--port", metavar="N", help="Where to listen; 0 for any port that is free."),
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Print the address, and open no browser.")]
Folder = Annotated[
    Path | None,
    typer.Option(
        "--folder", metavar="DIR", help="Where the session is kept; by default a folder of yours, one for each table."
    ),
]


def command(
    data: options.DataFile = None, port: Port = 0, no_browser: NoBrowser = False, folder: Folder = None
) -> None:
    """Open a page on which a table becomes a network, step by step, and what data leave open is decided by hand.

    It is for this machine alone, and its address, the first line of the output, has a token. The session is kept after
    every change: the same command goes on with it. Ctrl-C ends it.
    """
    from bnml.studio import serve

    with suppress(KeyboardInterrupt):
        serve(None if data is None else Path(data), port=port, folder=folder, browser=not no_browser, told=_tell)


def _tell(address: str) -> None:
    print(address, flush=True)
    print("The session is kept after every change; Ctrl-C ends the studio.", file=sys.stderr, flush=True)
