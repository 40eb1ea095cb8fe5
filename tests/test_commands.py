"""Commands that readers are shown end well on pages without Python; ``docs/conftest.py`` runs those of the others."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from .follow import TERMINAL, command_examples, lay_out_tables, shell
from .pages import site_pages

ROOT = Path(__file__).parents[1]
PAGES = [
    path
    for path in [ROOT / "README.md", *site_pages(ROOT / "docs")]
    if command_examples(page := path.read_text(encoding="utf-8")) and (path.parent == ROOT or "\n>>> " not in page)
]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_end_well(path, tmp_path, monkeypatch):
    page = path.read_text(encoding="utf-8")
    lay_out_tables(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    for name, value in TERMINAL.items():
        monkeypatch.setenv(name, value)
    followed = doctest.DocTest(command_examples(page), {"shell": shell}, path.name, str(path), 0, page)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert runner.run(followed, out=said.append).failed == 0, "".join(said)
