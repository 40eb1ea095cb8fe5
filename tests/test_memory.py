"""Sizes of memory, as numbers and in words."""

from __future__ import annotations

from importlib import import_module

import pytest

import bnml
from bnml._machine import gigabytes, machine_memory, memory_limit_of
from bnml.cli import main
from bnml.errors import ArgumentError, DataError, SearchError


@pytest.mark.parametrize(
    ("given", "size"),
    [
        (1, 1),
        ("8GB", 8 * 10**9),
        ("8 gb", 8 * 10**9),
        ("8G", 8 * 10**9),
        ("1.5GiB", 3 * 2**29),
        ("100", 100),
        ("2kB", 2000),
    ],
)
def test_limits(given, size):
    assert memory_limit_of(given) == size


@pytest.mark.parametrize("given", [0, -1, True, 1.5, "", "GB", "-1GB", "8XB", "1e9", "0MB", [], "9" * 40])
def test_what_is_no_limit(given):
    with pytest.raises(ArgumentError, match="memory_limit="):
        memory_limit_of(given)


def test_a_limit_that_no_float_holds():
    found = bnml.learn(bnml.example(), memory_limit=10**400)
    assert found.dag == bnml.learn(bnml.example()).dag
    assert memory_limit_of(10**400) == memory_limit_of("999999999999999TB")


def test_the_machine():
    assert 0 < memory_limit_of(None) < machine_memory()


def test_in_words():
    assert [gigabytes(size) for size in (3e12, 2.55e9, 12e6, 7000)] == ["3,000 GB", "2.5 GB", "12.0 MB", "7 kB"]


def run_out(*arguments, **named):
    raise MemoryError("Unable to allocate 9.1 TiB")


def test_memory_that_runs_out_is_an_error_of_ours(monkeypatch, tmp_path, capsys):
    """No forecast foresees everything."""
    table = tmp_path / "table.csv"
    table.write_text("a,b\n0,1\n1,0\n0,0\n", encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setattr(import_module("bnml.data.states"), "group_with_targets", run_out)
        with pytest.raises(DataError, match=r"memory ran out while the table was read \(Unable"):
            bnml.read(table)
        assert main(["learn", str(table)]) == 2
        assert "memory ran out" in capsys.readouterr().err
    data = bnml.read(table)
    for method in ("family_sums", "addition_sums", "subset_sums"):
        monkeypatch.setattr(f"bnml.counts.in_memory.InMemory.{method}", run_out)
    for search in ("exact", "climb", "tabu", "order", "k2", "forest"):
        with pytest.raises(SearchError, match="memory ran out"):
            bnml.learn(data, search=search, **({"order": ["a", "b"]} if search == "k2" else {}))
    with pytest.raises(SearchError, match="memory ran out"):
        bnml.search.hill_climb(data)
    with pytest.raises(SearchError, match="memory ran out"):
        bnml.posterior(data, score="k2")
    assert main(["learn", str(table), "--search", "climb"]) == 2
