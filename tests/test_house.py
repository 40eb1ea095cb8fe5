"""The house itself: which room may import which, what is public, what an import costs."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import bnml
from bnml.cli import main
from bnml.scores.registry import SCORES
from bnml.search.searches import SEARCHES, listed_search

PACKAGE = Path(bnml.__file__).parent

PAGE = (PACKAGE.parent / "docs" / "README.md").read_text(encoding="utf-8")

# what the small things that all rooms share may import, beside errors
SHARED = {
    "errors": set(), "_checks": {"_text"}, "_files": {"_text"}, "_jit": {"_kernel_cache"}, "_notebook": {"plot"},
    "_watch": {"_checks", "_jit"}, "_machine": {"_checks"}, "_factors": {"_arrays"},
    "_executor": {"_checks"},
}  # fmt: skip


def table_of_rooms() -> dict[str, list[str]]:
    """Return what each room may import, in the words of the table in docs/README.md, without the reasons."""
    rooms = {}
    for line in PAGE.splitlines():
        if line.startswith("| [`bnml."):
            name, _, imports = (cell.strip() for cell in line.strip("|").split("|"))
            plain = re.sub(r"\([^)]*\)", "", imports)
            rooms[re.search(r"`bnml\.(\w+)`", name)[1]] = [word.strip() for word in plain.split(",")]
    return rooms


ROOMS = table_of_rooms()
DOORS = {room for room, imports in ROOMS.items() if "everything" in imports}
COMMON = {"errors", *re.findall(r"`(_\w+)`", PAGE)}


def allowed(room: str) -> set[str]:
    """Return what a room may import."""
    if room in COMMON:
        return SHARED.get(room, set()) | {"errors"}
    named = set(ROOMS[room]) - {"everything"}
    rooms = named | (set(ROOMS) - DOORS if room in DOORS else set())
    public = set(bnml.__all__) - set(ROOMS) if room in DOORS else set()  # a door may ask for what any user may
    return rooms | COMMON | public | {room}


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


def test_the_page_has_every_room():
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert set(ROOMS) == folders
    assert {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"} == COMMON
    for room, imports in ROOMS.items():
        assert set(imports) <= {*ROOMS, "errors", "everything"}, f"docs/README.md: what {room} may import"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_rooms_import_only_what_they_may(path):
    room = room_of(path)
    if room == "__main__":
        assert imported_rooms(path) == {"cli"}
    else:
        assert imported_rooms(path) <= allowed(room)


def test_doors_do_not_open_on_each_other(tmp_path):
    """The test of the test: what it must find."""
    module = tmp_path / "module.py"
    module.write_text("import bnml\nfrom bnml.five_steps import study\nfrom bnml import learn\n")
    assert imported_rooms(module) - allowed("sklearn") == {"five_steps"}
    assert imported_rooms(module) - allowed("scores") == {"five_steps", "learn"}
    assert "experiments" in allowed("cli")
    assert "experiments" not in allowed("five_steps") | allowed("uncertainty")


# --- rows ---

ROW_WISE = {  # they answer row by row, or draw rows, and see them through bnml.data.rows
    "experiments/generating_structure.py",
    "experiments/rank_of_truth.py",
    "experiments/truths.py",
    "network/completions.py",
    "network/em.py",
    "network/gap_groups.py",
    "network/imputation.py",
    "network/prediction.py",
    "network/probability.py",
    "relational/relation.py",
    "scores/prequential.py",
    "sklearn/base.py",
    "sklearn/classifier.py",
    "sklearn/table.py",
    "uncertainty/averaged.py",
    "uncertainty/prediction.py",
}
HIDDEN = {"column_codes", "row_index", "weights"}  # of Data; codes are what the view of rows has, too
HIDDEN_MODULES = {
    "data.grouping", "data.engine_codes", "counts._kernels", "counts.in_memory", "counts.in_engine",
    "counts.pair_tests",
}  # fmt: skip
ROW_MODULES = {"data.rows", "data.matching", "data.gap_rows"}


def row_accesses(path: Path) -> tuple[set[str], set[str]]:
    """Return what of a table's rows a module touches: what only data and counts may, and what the row-wise may, too."""
    hidden, seen = set(), set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names, modules = [], []
        if isinstance(node, ast.Attribute):
            own = isinstance(node.value, ast.Name) and node.value.id == "self"  # a module's own class may say weights
            names = [] if own else [node.attr]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"getattr", "hasattr"}:
            names = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
        elif isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        hidden |= {name for name in names if name in HIDDEN}
        seen |= {name for name in names if name == "codes"}
        for module in modules:
            hidden |= {name for name in HIDDEN_MODULES if module == f"bnml.{name}"}
            seen |= {name for name in ROW_MODULES if module == f"bnml.{name}"}
    return hidden, seen


OUTSIDE = [path for path in FILES if room_of(path) not in {"data", "counts"}]


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_data_and_counts_know_rows(path):
    hidden, seen = row_accesses(path)
    assert not hidden, f"ask bnml.counts, or bnml.data.rows for rows one by one: {hidden}"
    row_wise = path.relative_to(PACKAGE).as_posix() in ROW_WISE
    assert bool(seen) == row_wise, f"it touches {seen}, and is {'' if row_wise else 'not '}listed as row-wise"


@pytest.mark.parametrize(
    ("line", "hidden", "seen"),
    [
        ("data.codes[0]", set(), {"codes"}),
        ("local.data.row_index", {"row_index"}, set()),
        ("counts = np.bincount(table.column_codes[0], table.weights)", {"column_codes", "weights"}, set()),
        ("getattr(data, 'codes')", set(), {"codes"}),
        ("from bnml.data.grouping import distinct_rows", {"data.grouping"}, set()),
        ("from bnml.counts import _kernels", {"counts._kernels"}, set()),
        ("import bnml.counts.in_memory", {"counts.in_memory"}, set()),
        ("from bnml.counts.in_engine import InEngine", {"counts.in_engine"}, set()),
        ("from bnml.data.rows import rows_of", set(), {"data.rows"}),
        ("self.weights = 1; rules.columns; counts.n_distinct; counts.cells([0]).states", set(), set()),
    ],
)
def test_modules_that_touch_rows_are_found(line, hidden, seen, tmp_path):
    """The test of the test: what it must find, and what not."""
    module = tmp_path / "module.py"
    module.write_text(line)
    assert row_accesses(module) == (hidden, seen)


def classes_by_name(paths: list[Path]) -> dict[str, list[str]]:
    """Return where public classes are defined, by their names."""
    found: dict[str, list[str]] = {}
    for path in paths:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(path.name)
    return found


def test_classes_have_names_of_their_own(tmp_path):
    assert not {name: files for name, files in classes_by_name(FILES).items() if len(files) > 1}
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text("class Rules: ...\nclass _Own: ...\n")
    assert classes_by_name(sorted(tmp_path.glob("*.py"))) == {"Rules": ["one.py", "two.py"]}


def functions_of_one_file(paths: list[Path], others: list[Path]) -> list[str]:
    """Return public functions that no other file names: they are the file's own business."""
    texts = {path: path.read_text(encoding="utf-8") for path in [*paths, *others]}
    words = {path: set(re.findall(r"\w+", text)) for path, text in texts.items()}
    return [
        f"{path.name}: {node.name}"
        for path in paths
        for node in ast.parse(texts[path]).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        if not any(node.name in found for other, found in words.items() if other != path)
    ]


def test_public_functions_are_for_others(tmp_path):
    tests = [path for path in Path(__file__).parent.rglob("*.py") if path.name != Path(__file__).name]
    assert functions_of_one_file(FILES, tests) == []
    (tmp_path / "one.py").write_text("def shared(): ...\ndef alone(): ...\ndef _own(): ...\n")
    (tmp_path / "two.py").write_text("from one import shared\n")
    assert functions_of_one_file([tmp_path / "one.py"], [tmp_path / "two.py"]) == ["one.py: alone"]


def test_public_names():
    assert sorted(set(bnml.__all__)) == [
        "BayesianNetwork", "BnmlError", "Constraints", "DAG", "Data", "LocalScores", "PDAG", "__version__",
        "bootstrap", "code_length", "compare", "count_complete_component_networks", "count_dags", "dependences",
        "discretise", "example", "family_score", "fit",
        "independence", "information", "is_imap", "is_perfect_map", "kl_divergence", "learn", "load", "load_study",
        "minimal_imap", "npc", "pc", "plot", "posterior", "prequential", "priors", "read", "regret",
        "relational", "score", "scores", "search", "select_features", "shd", "sid", "sid_bounds", "sklearn", "strength",
        "study",
    ]  # fmt: skip
    for name in bnml.__all__:
        assert getattr(bnml, name) is not None
    assert set(bnml.__all__) <= set(dir(bnml))
    with pytest.raises(AttributeError, match="lern"):
        _ = bnml.lern


def python(program: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_loads_nothing_heavy():
    heavy = {"numba", "scipy", "pandas", "pyarrow", "duckdb", "networkx", "matplotlib", "ibis", "polars", "sklearn"}
    names = "bnml.DAG, bnml.read, bnml.score, bnml.regret, bnml.learn"
    loaded = python(f"import sys, bnml; {names}; print(*sys.modules)").split()
    assert not (heavy | {"highspy", "jinja2"}) & set(loaded)


def test_results_do_not_depend_on_the_hash_seed():
    program = """
import bnml, numpy
rng = numpy.random.default_rng(0)
data = bnml.read(rng.integers(0, 3, (300, 6)))
dag = bnml.DAG.parse("[X0][X1|X0][X2|X0:X1][X3|X2][X4][X5|X3:X4]")
print([bnml.score(dag, data, s).hex() for s in ("bic", "bdeu", "bds", "fnml", "qnml")], dag.cpdag(), data)
"""
    outputs = {python(program, PYTHONHASHSEED=seed) for seed in ("0", "1")}
    assert len(outputs) == 1


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*_kernels.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_kernels_have_few_parameters(path):
    """What belongs together comes as a tuple."""
    functions = [
        node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef)
    ]
    assert functions
    assert [node.name for node in functions if len(node.args.args) > 8] == []


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*_kernels.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_kernels_say_that_they_are(path):
    """Whoever reads the first line knows in what kind of file to look."""
    kernels = [
        node
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and "kernel" in map(ast.unparse, node.decorator_list)
    ]
    assert kernels
    assert [node.name for node in kernels if not (ast.get_docstring(node) or "").startswith("Kernel: ")] == []


def test_kernels_run_without_a_folder_for_their_cache(tmp_path):
    """A cache that cannot be written is not an error."""
    program = "import bnml; print(bnml.regret(50, 10))"
    target = tmp_path / "a-file"
    target.write_text("")
    assert float(python(program, NUMBA_CACHE_DIR=str(target / "below"))) == pytest.approx(13.24, abs=0.01)


PAGES = sorted(PACKAGE.parent.glob("*.md")) + sorted(PACKAGE.parent.glob("docs/*.md"))


def test_the_guide_to_contributing_runs(monkeypatch, capsys):
    """Its score and its search can be made as they stand there, and give what they say."""
    guide = (PACKAGE.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found: dict[str, object] = {"__name__": "guide"}
    for block in re.findall(r"```python\n(.*?)```", guide, re.DOTALL):
        exec(compile(block, "CONTRIBUTING.md", "exec", dont_inherit=True), found)
    score, search = found["Mine"](), found["mine"]
    assert bnml.score(bnml.DAG(bnml.example().names), bnml.example(), score) < 0
    monkeypatch.setitem(SEARCHES, "mine", listed_search("mine", search, refuses=("constraints", "max_parents")))
    monkeypatch.setitem(SCORES, "mine", type(score))
    assert len(bnml.learn(bnml.example(), "mine", "mine", hub="lung").dag.children("lung")) == 7
    with pytest.raises(bnml.BnmlError, match="max_parents"):
        bnml.learn(bnml.example(), "mine", "mine", hub="lung", max_parents=1)
    assert main(["learn", "--score", "mine", "--search", "mine", "--option", "hub=lung", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["arcs"]) == 7
    assert main(["learn", "--search", "mine", "--option", "hub=nobody"]) == 2
    assert "--option hub=nobody: there is no such variable" in capsys.readouterr().err


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)|src=\"([^\"]+)\"", page.read_text(encoding="utf-8")):
        link = "".join(target)
        if "://" not in link:
            assert (page.parent / link).exists(), f"{page.name} links to {link}"


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == bnml.__version__
