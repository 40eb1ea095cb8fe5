"""The examples in the texts of the searches: a function that `as_search` makes is not found by pytest itself."""

from __future__ import annotations

import doctest

import pytest

import bnml
from bnml.search.searches import SEARCHES


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_examples(search):
    text = search.run.__doc__
    test = doctest.DocTestParser().get_doctest(text, {}, search.name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert runner.run(test).failed == 0
    assert test.examples or search.name == "npc"  # as `bnml.npc` has it


@pytest.mark.parametrize("name", ["exact", "hill_climb", "forest", "polytree", "nml_forest"])
def test_what_all_searches_share_is_in_their_texts(name):
    function = getattr(bnml.search, name)
    assert function.__name__ == name
    assert function.__module__.startswith("bnml.search")
    for words in ("----------\n    data\n", "As for `bnml.learn`.", "Returns\n", "Raises\n", "Examples\n"):
        assert function.__doc__.count(words) == 1, words
    for refused in function.search.refuses:
        assert f" {refused}," not in function.__doc__
