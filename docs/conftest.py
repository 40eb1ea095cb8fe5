"""Pages are followed as a reader follows them: in a folder of their own, lines of Python and commands in their order.

A page that needs a table which is not part of the project says so in a comment below its title, with its place in
``../shared/data``; the folder then has it. Where it is not there the page is skipped, with the reason.

    <!-- needs: uci/heart_cleveland.csv -->

``patients.csv`` needs no folder: it is made as ``howto/index.md`` says.

Commands in blocks marked ``console`` are run in the pages of `WITH_COMMANDS`. What a page shows below a command must
be what it prints; below a command that shows nothing, it must only end well. A block that is not run says why:

    <!-- not executed: it installs packages -->

Where the variable ``BNML_PICTURES`` names a folder, the pictures that a page draws are kept there.
"""

from __future__ import annotations

import contextlib
import doctest
import gc
import io
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import bnml
from bnml.cli import main
from bnml.cli.main import COMPILING
from tests.pages import WITH_COMMANDS, Block, blocks, needs

DOCS = Path(__file__).parent
PATIENTS = "patients.csv"
TABLES = DOCS.parents[1] / "shared" / "data"


def is_page(item: pytest.Item) -> bool:
    """Tell pages from other tests that may be below this folder."""
    return isinstance(item, pytest.DoctestItem) and item.path.suffix == ".md"


def pytest_itemcollected(item: pytest.Item) -> None:
    """Put the commands of a page between its lines of Python."""
    if is_page(item) and item.path.parent.name in WITH_COMMANDS:
        page = item.path.read_text(encoding="utf-8")
        commands = [one for block in blocks(page) if block.runs_commands for one in examples(block)]
        item.dtest.examples = sorted([*item.dtest.examples, *commands], key=lambda example: example.lineno)


def examples(block: Block) -> Iterator[doctest.Example]:
    """Yield the commands of a block as lines of Python, each with what the page shows below it."""
    for command, shown, line in block.commands():
        yield doctest.Example(f"shell({command!r}, shown={bool(shown)})\n", shown, lineno=line)


def shell(command: str, shown: bool) -> None:
    """Run a command, and print what it prints where the page shows that, or if it fails."""
    words = shlex.split(command.replace("\\\n", " "), comments=True)
    printed = io.StringIO()
    if words[0] == "bnml":
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                status = main(words[1:])
            except SystemExit as stop:
                status = stop.code
        gc.collect()  # or a database stays open, which a process closes when it ends
    else:
        done = subprocess.run(["bash", "-c", command], capture_output=True, encoding="utf-8", check=False)
        status = done.returncode
        printed.write(done.stdout + done.stderr)
    if shown or status:
        print(printed.getvalue().replace(f"{COMPILING}\n", ""), end="")


@pytest.fixture(scope="session")
def patients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the table that pages of how-to take for one's own."""
    folder = tmp_path_factory.mktemp("patients")
    bnml.learn(bnml.example()).network.save(folder / "clinic.json")
    assert main(["sample", str(folder / "clinic.json"), "-n", "5000", "--seed", "0", "-o", str(folder / PATIENTS)]) == 0
    return folder / PATIENTS


@pytest.fixture(autouse=True)
def folder_of_the_page(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    doctest_namespace: dict[str, object],
) -> Iterator[None]:
    """Go to an empty folder that holds the tables of the page, where there is a terminal of 80 columns."""
    if not is_page(request.node):
        yield
        return
    for name in needs(request.node.path.read_text(encoding="utf-8")):
        table = request.getfixturevalue("patients") if name == PATIENTS else TABLES / name
        if not table.is_file():
            pytest.skip(f"the page needs the table {name}, which is not in ../shared/data")
        (tmp_path / table.name).symlink_to(table)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    doctest_namespace["shell"] = shell
    yield
    if kept := os.environ.get("BNML_PICTURES"):
        for picture in tmp_path.glob("*.png"):
            shutil.copy(picture, kept)
