"""The house itself: which room may import which, what is public, what an import costs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import bnml

PACKAGE = Path(bnml.__file__).parent

COMMON = {
    "errors", "_bits", "_checks", "_display", "_factors", "_files", "_jit", "_memory", "_plain", "_text",
    "_threads", "_watch",
}  # fmt: skip
DOORS = {"cli", "experiments", "five_steps", "sklearn", "__main__"}
MAY_IMPORT = {
    "errors": set(),
    "_bits": set(),
    "_checks": {"errors"},
    "_plain": set(),
    "_text": set(),
    "_jit": set(),
    "_watch": {"errors"},
    "_threads": {"errors"},
    "_memory": {"errors"},
    "_factors": set(),
    "_files": {"errors"},
    "_display": {"plot"},
    "graph": set(),
    "nml": set(),
    "data": {"nml"},
    "counts": {"data"},
    "scores": {"counts", "nml", "graph", "data"},
    "search": {"scores", "counts", "graph", "data", "network", "independence"},
    "independence": {"scores", "counts", "graph", "data"},
    "uncertainty": {"scores", "counts", "graph", "data", "network", "search", "independence"},
    "relational": {"data"},
    "network": {"graph", "data", "counts"},
    "plot": {"graph", "network"},
}


def room_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


def imported_rooms(path: Path) -> set[str]:
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        rooms |= {name.split(".")[1] for name in names if name.startswith("bnml.")}
    return rooms


FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_rooms_import_only_what_they_may(path):
    room = room_of(path)
    if room in DOORS:
        return
    assert room in MAY_IMPORT, f"{room} is not a room of the house"
    assert imported_rooms(path) <= MAY_IMPORT[room] | COMMON | {room}


def test_public_names():
    assert sorted(set(bnml.__all__)) == [
        "BayesianNetwork", "BnmlError", "Constraints", "DAG", "Data", "LocalScores", "PDAG", "__version__",
        "bootstrap", "code_length", "count_dags", "dependences", "example", "family_score", "fit",
        "independence", "information", "is_imap", "is_perfect_map", "kl_divergence", "learn", "load",
        "minimal_imap", "npc", "pc", "plot", "posterior", "prequential", "priors", "read", "regret",
        "relational", "score", "scores", "search", "select_features", "shd", "sklearn", "strength", "study",
    ]  # fmt: skip
    for name in bnml.__all__:
        assert getattr(bnml, name) is not None
    assert set(bnml.__all__) <= set(dir(bnml))
    with pytest.raises(AttributeError, match="lern"):
        _ = bnml.lern


def python(program: str, **environment: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_loads_nothing_heavy():
    heavy = ("numba", "scipy", "pandas", "pyarrow", "duckdb", "networkx", "matplotlib", "ibis", "polars", "sklearn")
    names = "bnml.DAG, bnml.read, bnml.score, bnml.regret, bnml.learn"
    loaded = python(f"import sys, bnml; {names}; print(*sys.modules)").split()
    assert not set(heavy) & set(loaded)


def test_results_do_not_depend_on_the_hash_seed():
    program = """
import bnml, numpy
rng = numpy.random.default_rng(0)
data = bnml.read(rng.integers(0, 3, (300, 6)))
dag = bnml.DAG.parse("[X0][X1|X0][X2|X0:X1][X3|X2][X4][X5|X3:X4]")
print([bnml.score(dag, data, s).hex() for s in ("bic", "bdeu", "bds", "fnml", "qnml")], dag.cpdag(), data)
"""
    outputs = {python(program, PYTHONHASHSEED=seed) for seed in ("0", "1", "2")}
    assert len(outputs) == 1


def test_kernels_run_without_a_folder_for_their_cache(tmp_path):
    """A cache that cannot be written is not an error."""
    program = "import bnml; print(bnml.regret(50, 10))"
    target = tmp_path / "a-file"
    target.write_text("")
    assert float(python(program, NUMBA_CACHE_DIR=str(target / "below"))) == pytest.approx(13.24, abs=0.01)


PAGES = sorted(PACKAGE.parent.glob("*.md")) + sorted(PACKAGE.parent.glob("docs/*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)|src=\"([^\"]+)\"", page.read_text(encoding="utf-8")):
        link = "".join(target)
        if "://" not in link:
            assert (page.parent / link).exists(), f"{page.name} links to {link}"


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == bnml.__version__
