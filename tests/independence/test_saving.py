"""Results of PC and NPC that were written and read again are the same, and can be resolved as before."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml._stored import from_stored, to_stored
from bnml.independence.request import independence_request
from bnml.independence.saving import independence_values, saved_independence_result


def again(result, data, **asked):
    values = from_stored(json.loads(json.dumps(to_stored(independence_values(result)), allow_nan=False)))
    return saved_independence_result(values, independence_request(data, **asked))


def twins(rows=300, seed=0):
    """Return x, all but a copy y of it, and what depends on them: NPC has ambiguous regions."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2, rows)
    y = np.where(np.arange(rows) < 4, 1 - x, x)
    t, s = (np.where(rng.random(rows) < p, x, 1 - x) for p in (0.8, 0.85))
    t[:4] = s[:4] = [x[0], y[1], x[2], y[3]]
    return bnml.read(np.stack([x, y, t, s], axis=1))


@pytest.mark.parametrize("search", [bnml.pc, bnml.npc])
@pytest.mark.parametrize("table", [bnml.example, twins])
@pytest.mark.parametrize("colliders", ["sepset", "conservative"])
def test_the_same_again(search, table, colliders):
    data, asked = table(), {"alpha": 0.01, "colliders": colliders}
    result = search(data, **asked)
    found = again(result, data, **asked)
    assert found.to_dict() == result.to_dict()
    pd.testing.assert_frame_equal(found.tests, result.tests)
    assert found.resolve().to_dict() | {"seconds": 0} == result.resolve().to_dict() | {"seconds": 0}


def test_choices_go_on_from_where_they_were():
    data = twins()
    result = bnml.npc(data)
    first, *others = sorted(sorted(link) for region in result.ambiguous_regions for link in region)
    chosen = result.resolve(keep=[first])
    found = again(chosen, data)
    assert found.pdag == chosen.pdag
    assert found.reopened().to_dict() | {"seconds": 0} == result.to_dict() | {"seconds": 0}
    assert found.resolve().pdag == chosen.resolve().pdag
    with pytest.raises(bnml.BnmlError, match="in no ambiguous region"):
        found.resolve(drop=[first])
    assert others


def test_a_result_does_not_change_when_links_are_chosen():
    data = twins()
    result = bnml.npc(data, colliders="conservative")
    before = result.n_tests
    result.resolve()
    assert result.n_tests == before
