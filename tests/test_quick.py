"""The quick tests: what the list of slow ones names is there, and no room is left without a quick one."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

from tests import quick

ROOT = Path(__file__).parents[1]
MODULES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py"))


@cache
def functions_of(module: str) -> set[str]:
    tree = ast.parse((ROOT / module).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test")}


def test_what_is_listed_is_there():
    """Drop the lines of what is not, or write the list anew: see `tests.quick`."""
    gone = []
    for name in quick.slow_functions():
        module, _, function = name.partition("::")
        there = (ROOT / module).is_file() and (not module.startswith("tests") or function in functions_of(module))
        gone += [] if there else [name]
    assert not gone


def test_every_module_has_a_quick_test():
    slow = {name for name, one_in in quick.slow_functions().items() if not one_in}
    here = [module for module in MODULES if not module.startswith(quick.IN_A_BROWSER)]
    without = [module for module in here if not {f"{module}::{name}" for name in functions_of(module)} - slow]
    assert without == []


def test_what_is_slow(monkeypatch):
    monkeypatch.setattr(quick, "MOST", 0.15)
    monkeypatch.setattr(quick, "KEPT", 0.1)
    spent = Counter(
        {"m::a": 0.1, "m::b": 0.2, "m::c": 0.2, "m::d": 5.0, "docs::e": 0.2, "tests::f": 9.0, "tests::g": 8.0}
    )
    asked = Counter({"m::a": 1, "m::b": 1, "m::c": 4, "m::d": 200, "docs::e": 1, "tests::f": 1, "tests::g": 1})
    assert list(quick.listed(spent, asked)) == ["m::b", "m::c 2", "m::d 50", "docs::e", "tests::f"]


def test_one_case_in_so_many(monkeypatch):
    class Case:
        def __init__(self, nodeid):
            self.nodeid, self.marks = nodeid, []

        def add_marker(self, mark):
            self.marks.append(mark.name)

    monkeypatch.setattr(quick, "slow_functions", lambda: {"m::slow": 0, "m::many": 3})
    cases = [Case(f"m::{name}[{i}]") for name in ("slow", "many", "other", "spark") for i in range(5)]
    quick.mark(cases)
    found = {name: [case.marks for case in cases if name in case.nodeid] for name in ("slow", "many", "other", "spark")}
    assert found["slow"] == [["slow"]] * 5
    assert found["many"] == [["quick"], ["slow"], ["slow"], ["quick"], ["slow"]]
    assert found["other"] == [["quick"]] * 5
    assert found["spark"] == [["slow"]] * 5
    cases = [Case("tests/test_executor.py::one"), Case("m::other[one-postgres]"), Case("docs/howto/page.md::page.md")]
    quick.mark(cases)
    assert [case.marks for case in cases] == [["rare", "slow"]] * 3
