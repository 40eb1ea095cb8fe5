"""Sizes of memory, as numbers and in words."""

from __future__ import annotations

import pytest

from bnml._memory import gigabytes, limit_of, machine_memory
from bnml.errors import ArgumentError


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
    assert limit_of(given) == size


@pytest.mark.parametrize("given", [0, -1, True, 1.5, "", "GB", "-1GB", "8XB", "1e9", "0MB", [], "9" * 40])
def test_what_is_no_limit(given):
    with pytest.raises(ArgumentError, match="memory_limit="):
        limit_of(given)


def test_the_machine():
    assert 0 < limit_of(None) < machine_memory()


def test_in_words():
    assert [gigabytes(size) for size in (3e12, 2.55e9, 12e6, 7000)] == ["3,000 GB", "2.5 GB", "12.0 MB", "7 kB"]
