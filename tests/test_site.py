"""The site: links of all pages lead somewhere, every public name is described, other packages have what we say."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import bnml
from bnml._optional import REQUIREMENTS

ROOT = Path(bnml.__file__).parent.parent
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))

check_links = importlib.import_module("check_links")
reference_pages = importlib.import_module("reference_pages")

GENERATED = {DOCS / "reference" / f"{name}.rst" for name in (*reference_pages.ROOMS, "names")}
GENERATED |= {DOCS / "reference" / "commands.md"}
PAGES = sorted(
    {*DOCS.rglob("*.md"), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))} - GENERATED
)


def without_code(text: str) -> str:
    """Return a page without what stands in fences and between backticks."""
    return re.sub(r"`[^`\n]*`", "code", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))


def links_of(page: Path) -> list[str]:
    found = re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text(encoding="utf-8")))
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def anchors_of(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for link in links_of(page):
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists() or target in GENERATED, link
        if anchor and target.suffix == ".md" and target not in GENERATED:
            assert anchor in anchors_of(target), link


def test_links_and_anchors_are_found(tmp_path):
    """The test of the test: what it must find."""
    page = tmp_path / "page.md"
    page.write_text(
        "# What `bnml learn` does, and why\n[a](b.md#c) `[d](e.md)` [f](https://g.h)\n```\n# no\n[i](j)\n```\n"
    )
    assert links_of(page) == ["b.md#c"]
    assert anchors_of(page) == {"what-bnml-learn-does-and-why"}


def test_broken_links_of_a_built_site_are_found(tmp_path):
    (tmp_path / "a.html").write_text('<h1 id="top"></h1><a href="b.html#here"></a><a href="c.html"></a><a href="#top">')
    (tmp_path / "b.html").write_text('<img src="d.png"><a href="a.html#top"></a><a href="https://e.f/g.html"></a>')
    assert check_links.broken_links(tmp_path) == ["a.html: b.html#here", "a.html: c.html", "b.html: d.png"]


def test_every_public_name_has_a_place_in_the_reference():
    described = set()
    for room in reference_pages.ROOMS:
        described |= set(reference_pages.names_of(importlib.import_module(f"bnml.{room}")))
    modules = {name for name in bnml.__all__ if inspect.ismodule(getattr(bnml, name))}
    assert {f"bnml.{name}" for name in set(bnml.__all__) - modules - {"__version__"}} <= described
    rooms = {path.parent.name for path in Path(bnml.__file__).parent.glob("*/__init__.py")}
    assert rooms - {"cli", "report"} <= set(reference_pages.ROOMS)


def test_the_docs_extra_brings_what_the_reference_imports(tmp_path):
    """As in an environment with no other extra: packages of the others are not found."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    within = re.findall(r"bnml\[(\w+)\]", " ".join(extras["docs"]))
    brought = {requirement for extra in ("docs", *within) for requirement in extras[extra]}
    absent = [module for module, requirement in REQUIREMENTS.items() if requirement not in brought]
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({absent})); sys.path[:0] = {[str(ROOT), str(DOCS)]}; "
        f"import pathlib, reference_pages; reference_pages.write_pages(pathlib.Path({str(tmp_path)!r}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {"duckdb", "starlette"} <= set(absent)


def rows_of(section: str) -> list[str]:
    """Return what is written in another package, row by row of its table."""
    page = (DOCS / "coming_from.md").read_text(encoding="utf-8")
    table = page.split(f"\n## {section}\n")[1].split("\n## ")[0]
    return [row.split(" | ")[0] for row in table.splitlines() if row.startswith("| ")]


def test_names_of_pyagrum_are_there():
    gum = pytest.importorskip("pyagrum")
    rows = " ".join(rows_of("pyAgrum"))
    learner, package = set(re.findall(r"learner\.(\w+)", rows)), set(re.findall(r"gum\.(\w+)", rows))
    assert len(learner) > 10
    assert {name for name in learner if not hasattr(gum.BNLearner, name)} == set()
    assert {name for name in package if not hasattr(gum, name)} == set()


@pytest.mark.filterwarnings("ignore")
def test_names_of_pgmpy_are_there():
    rooms = [
        pytest.importorskip(f"pgmpy.{room}") for room in ("estimators", "models", "inference", "metrics", "readwrite")
    ]
    names = set(re.findall(r"\b([A-Z]\w+)\(", " ".join(rows_of("pgmpy"))))
    assert len(names) > 10
    assert {name for name in names if not any(hasattr(room, name) for room in rooms)} == set()
    methods = set(re.findall(r"\bm\.(\w+)\(", " ".join(rows_of("pgmpy"))))
    assert {name for name in methods if not hasattr(rooms[1].DiscreteBayesianNetwork, name)} == set()


def test_names_of_bnml_are_there():
    page = (DOCS / "coming_from.md").read_text(encoding="utf-8")
    for name in set(re.findall(r"\bbnml\.([\w.]+)\(", page)):
        value = bnml
        for part in name.split("."):
            value = getattr(value, part)
