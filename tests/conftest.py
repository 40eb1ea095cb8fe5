"""Hypothesis profiles, and which tests are quick.

By default property tests draw the same examples in every run. Maintainers look for new counterexamples with
``--hypothesis-profile=thorough``: random seeds, and ten times as many examples of every property. A counterexample
that it finds becomes an explicit `example` of its test.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

from bnml.errors import Phrase
from bnml.scores.priors import Sparse
from tests import quick

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or each process that a test starts compiles the package anew

EXAMPLES = 50  # of each property that names no number of its own
THOROUGH = "thorough"
TIMES = 10  # as many examples in the thorough profile

slow = [HealthCheck.too_slow]
settings.register_profile(
    "steady", max_examples=EXAMPLES, derandomize=True, deadline=None, suppress_health_check=slow, database=None
)
settings.register_profile(THOROUGH, max_examples=EXAMPLES, derandomize=False, deadline=None, suppress_health_check=slow)
settings.load_profile("steady")


@pytest.fixture(scope="module")
def uniform_prior():
    """Make the default structure prior the uniform one, which the papers and enumerations of all structures have."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sparse, "bind", lambda prior, data: None)
        yield


@pytest.fixture(autouse=True, scope="session")
def phrases_are_joined():
    """Let f-strings of phrases fail: the command line and the studio could not spell the arguments in them."""

    def refuse(phrase: Phrase, _: str) -> str:
        raise AssertionError(f"join this phrase by +, not in an f-string: {phrase.parts}")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Phrase, "__format__", refuse)
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test as quick or slow, before `-m` selects."""
    quick.mark(items)
    if settings.get_current_profile_name() == THOROUGH:
        for item in items:
            _draw_more(getattr(item, "obj", None))


def _draw_more(test: object) -> None:
    """Multiply the examples of a property test, once, whether or not it names a number of its own."""
    if getattr(test, "is_hypothesis_test", False) and not hasattr(test, "draws_more"):
        chosen = getattr(test, "_hypothesis_internal_use_settings", None) or settings()
        test._hypothesis_internal_use_settings = settings(chosen, max_examples=TIMES * chosen.max_examples)  # type: ignore[attr-defined]
        test.draws_more = True  # type: ignore[attr-defined]
