"""Where tests must not depend on chance, hypothesis draws the same examples every time. Which tests are quick."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

from tests import quick

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or each process that a test starts compiles the package anew

EXAMPLES = 50  # of each property that names no number of its own
settings.register_profile("ordinary", max_examples=EXAMPLES)
settings.register_profile(
    "steady",
    max_examples=EXAMPLES,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
)
settings.load_profile("steady" if os.environ.get("CI") else "ordinary")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test as quick or slow, before `-m` selects."""
    quick.mark(items)
