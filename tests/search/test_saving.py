"""Results of searches that were written and read again are the same."""

from __future__ import annotations

import json

import pytest

import bnml
from bnml._stored import from_stored, to_stored
from bnml.search.options import search_options
from bnml.search.problem import bind
from bnml.search.saving import saved_search_result, search_values
from bnml.search.searches import SEARCHES

OPTIONS = {
    "tan": {"class_variable": "lung"},
    "naive": {"class_variable": "lung"},
    "k2": {"order": ["smoke", "lung", "bronc", "dysp"]},
    "npc": {"alpha": 0.01},
}
KNOWN = bnml.Constraints(forbidden=[("dysp", "smoke")])


@pytest.mark.parametrize("known", [None, KNOWN])
@pytest.mark.parametrize("search", ["auto", *SEARCHES])
def test_the_same_again(search, known):
    data = bnml.example().select(["smoke", "lung", "bronc", "dysp"])
    options = OPTIONS.get(search, {})
    if search == "ges" and known is not None:
        pytest.skip("it takes no constraints")
    asked = search_options(search, constraints=known, **options)
    result = bnml.learn(data, search=search, constraints=known, **options)
    values = from_stored(json.loads(json.dumps(to_stored(search_values(result)), allow_nan=False)))
    found = saved_search_result(values, bind(asked, data))
    assert found == result
    assert found.info == result.info
    assert found.to_dict(steps=True) == result.to_dict(steps=True)
    assert str(found) == str(result)
    assert found.rules == result.rules
    assert (found.tested is None) == (result.tested is None)
