"""The pages of the documentation: all are found from the first one, and what they show is run, or says why not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

from bnml.experiments import EXPERIMENTS
from tools.take_experiments import claims_alone, source_of

from .pages import Block, blocks, needs, site_pages

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = site_pages(DOCS)
ROOT_PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
IMAGE = re.compile(r"!\[[^\]]*\]\(([^)]+)\)")

every_page = pytest.mark.parametrize("path", [*PAGES, *ROOT_PAGES], ids=lambda path: path.relative_to(ROOT).as_posix())


def entries(page: str) -> list[str]:
    """Return what the tables of contents of a page list."""
    contents = "".join(block.text for block in blocks(page) if block.language == "{toctree}")
    lines = [line.strip() for line in contents.splitlines()]
    return [re.sub(r".*<(.*)>", r"\1", line) for line in lines if line and not line.startswith(":")]


def listed(path: Path) -> set[Path]:
    """Return the pages that a page lists; a name may be a pattern."""
    page = path.read_text(encoding="utf-8")
    return {found for entry in entries(page) for found in path.parent.glob(f"{PurePosixPath(entry)}.md")}


def test_every_page_is_listed():
    reached, next_ones = set(), {DOCS / "index.md"}
    while next_ones:
        reached |= next_ones
        next_ones = {found for path in next_ones for found in listed(path)} - reached
    assert {path.relative_to(DOCS).as_posix() for path in set(PAGES) - reached} == set()


@pytest.mark.parametrize("folder", ["tutorials", "howto"])
def test_an_index_says_what_its_pages_are_about(folder):
    index = DOCS / folder / "index.md"
    page = index.read_text(encoding="utf-8")
    missing = [path.name for path in index.parent.glob("*.md") if path != index and f"]({path.name})" not in page]
    assert not missing


def not_run(page: str) -> list[int]:
    """Return the lines at which a page has Python that is no doctest and does not say why."""
    return [
        block.line
        for block in blocks(page)
        if block.language == "python" and not block.reason and not block.text.startswith(">>>")
    ]


@every_page
def test_python_is_run_or_says_why_not(path):
    assert not_run(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", sorted((DOCS / "tutorials").glob("*.md")), ids=lambda path: path.name)
def test_pictures_of_tutorials_are_made_by_the_page(path):
    page = path.read_text(encoding="utf-8")
    for image in IMAGE.findall(page):
        assert (path.parent / image).is_file()
        if "pictures/tutorials/" in image:
            assert f'"{PurePosixPath(image).name}"' in page, "the page must show the line that draws it"


@pytest.mark.parametrize("path", sorted((DOCS / "pictures" / "experiments").glob("*.png")), ids=lambda path: path.stem)
def test_pictures_of_experiments_are_figures_of_one(path):
    experiment, figure = source_of(path.stem)
    assert experiment in EXPERIMENTS
    assert figure


def test_the_page_of_claims_is_taken_without_figures_and_findings():
    page = "# Title\n\n## A paper\n\n| a claim |\n\n## sachs\n\n![figure](sachs/figure.png)\n"
    assert claims_alone(page) == "# Title\n\n## A paper\n\n| a claim |\n"


def test_what_a_page_is_made_of():
    page = """# Title

<!-- needs: uci/a.csv, b.csv as c.csv -->

```python
>>> 1 + 1
2

```

<!-- not executed: it takes an hour -->
```python
wait()
```

```console
$ bnml info a.csv
4 rows

$ bnml learn a.csv \\
    --json
```

```python
print("no doctest")
```

```{toctree}
:hidden:

one
Two <two>
```
"""
    assert needs(page) == {"a.csv": "uci/a.csv", "c.csv": "b.csv"}
    first, second, third, fourth, fifth = blocks(page)
    assert first == Block("python", ">>> 1 + 1\n2\n\n", 5)
    assert (second.reason, third.reason) == ("it takes an hour", "")
    assert [block.runs_commands for block in (first, second, third)] == [False, False, True]
    assert list(third.commands()) == [
        ("bnml info a.csv", "4 rows\n\n", 16),
        ("bnml learn a.csv \\\n    --json", "", 19),
    ]
    assert not_run(page) == [fourth.line]
    assert fifth.language == "{toctree}"
    assert entries(page) == ["one", "two"]


def test_pages_are_followed_or_skipped_with_the_reason(tmp_path):
    """The test of the tests: commands that print something else, or fail, are found; tables may be missing."""
    folder = tmp_path / "docs" / "howto"
    folder.mkdir(parents=True)
    shutil.copy(DOCS / "conftest.py", folder.parent)
    python = "```python\n>>> 1 + 1\n2\n\n```\n"
    for name, text in {
        "right": "```console\n$ bnml regret 10 2\n...\n$ bnml --version\n$ echo a >b\n$ cat b\na\n```\n",
        "other": "```console\n$ echo one\ntwo\n```\n",
        "fails": "```console\n$ bnml learn none.csv\n```\n",
        "fails_quietly": "```console\n$ false\n```\n",
        "not_there": "<!-- needs: uci/none.csv -->\n",
        "not_executed": "<!-- not executed: it cannot -->\n```console\n$ none\n```\n",
    }.items():
        (folder / f"{name}.md").write_text(f"{text}\n{python}", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", "--doctest-glob=*.md", "-o",
         "doctest_optionflags=ELLIPSIS NORMALIZE_WHITESPACE", "docs"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    found = {word: [line for line in lines if line.startswith(word)] for word in ("PASSED", "FAILED", "SKIPPED")}
    assert [line.split("/")[-1].split(":")[0] for line in found["PASSED"]] == ["not_executed.md", "right.md"]
    assert [line.split("/")[-1].split(":")[0] for line in found["FAILED"]] == [
        "fails.md",
        "fails_quietly.md",
        "other.md",
    ]
    assert len(found["SKIPPED"]) == 1
    assert "the page needs the table uci/none.csv" in found["SKIPPED"][0]
