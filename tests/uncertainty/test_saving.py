"""A posterior and a bootstrap that were written and read again are the same."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bnml
from bnml._stored import by_fields, from_stored, to_stored
from bnml.uncertainty import Bootstrap
from bnml.uncertainty.saving import posterior_values, saved_posterior

pytestmark = pytest.mark.usefixtures("uniform_prior")


def through_json(value):
    return from_stored(json.loads(json.dumps(to_stored(value), allow_nan=False)))


@pytest.mark.parametrize("columns", [4, 7])
@pytest.mark.parametrize("known", [None, bnml.Constraints(forbidden=[("asia", "tub")])])
def test_posterior(columns, known):
    data = bnml.example().select(bnml.example().names[:columns])
    given = {"score": "bdeu", "constraints": known, "max_parents": 3}
    result = bnml.posterior(data, **given)
    found = saved_posterior(through_json(posterior_values(result)), data, **given)
    assert found.to_dict() == result.to_dict()
    assert str(found) == str(result)
    if columns <= 5:
        assert found.top(3).equals(result.top(3))
        assert np.array_equal(found.log_prob(data), result.log_prob(data))


@pytest.mark.parametrize("columns", [4, 7])
def test_sampled_posterior(columns):
    data = bnml.example().select(bnml.example().names[:columns])
    given = {"score": "bdeu", "max_parents": 3, "method": "sample", "seed": 2}
    result = bnml.posterior(data, **given, samples=50)
    found = saved_posterior(through_json(posterior_values(result)), data, **given)
    assert found.to_dict() == result.to_dict()
    assert str(found) == str(result)
    assert found.top(3).equals(result.top(3))
    assert np.array_equal(found.log_prob(data), result.log_prob(data))


def test_bootstrap():
    result = bnml.bootstrap(bnml.example(), "bic", "climb", repetitions=4)
    found = Bootstrap(**through_json(by_fields(result)))
    assert found == result
    assert np.array_equal(found.support, result.support)
    assert found.to_dict() == result.to_dict()
