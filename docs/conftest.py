"""Pages are followed as a reader follows them: in a folder of their own, lines of Python and commands in their order.

A page that needs a table says so in a comment below its title. The folder then has it: from ``../shared/data``, where
it is named by its place there, or made as ``tests/follow.py`` says. Where it is not to be had the page is skipped, with
the reason. ``as`` gives it another name.

    <!-- needs: uci/heart_cleveland.csv, visits.csv as survey.csv -->

Commands in blocks marked ``console`` are run, those of pages without Python by ``tests/test_commands.py``. What a page
shows below a command must be what it prints; below a command that shows nothing, it must only end well. A block that is
not run says why:

    <!-- not executed: it installs packages -->

Where the variable ``BNML_PICTURES`` names a folder, the pictures that a page draws are kept there.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.follow import TERMINAL, command_examples, lay_out_tables, shell

collect_ignore = ["conf.py"]  # the configuration of Sphinx, which the tests do without


def is_page(item: pytest.Item) -> bool:
    """Tell pages from other tests that may be below this folder."""
    return isinstance(item, pytest.DoctestItem) and item.path.suffix == ".md"


def pytest_itemcollected(item: pytest.Item) -> None:
    """Put the commands of a page between its lines of Python."""
    if is_page(item):
        commands = command_examples(item.path.read_text(encoding="utf-8"))
        item.dtest.examples = sorted([*item.dtest.examples, *commands], key=lambda example: example.lineno)


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
    lay_out_tables(request.node.path.read_text(encoding="utf-8"), tmp_path)
    monkeypatch.chdir(tmp_path)
    for name, value in TERMINAL.items():
        monkeypatch.setenv(name, value)
    doctest_namespace["shell"] = shell
    yield
    if kept := os.environ.get("BNML_PICTURES"):
        for picture in tmp_path.glob("*.png"):
            shutil.copy(picture, kept)
