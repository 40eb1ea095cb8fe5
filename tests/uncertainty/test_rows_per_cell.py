"""A posterior in which families need rows for their cells, against all DAGs from the definition."""

from __future__ import annotations

import math

import pytest

import bnml
from tests.counts.strategies import data_of, random_table
from tests.scores.strategies import score_and_twin
from tests.uncertainty.test_sums_over_structures import ALL_PRIORS, check

pytestmark = pytest.mark.usefixtures("uniform_prior")


@pytest.fixture(autouse=True, scope="module")
def any_family():
    """Leave the rule as it is."""


@pytest.mark.parametrize("prior", ALL_PRIORS)
def test_other_structures_have_probability_zero(prior):
    table = random_table(2, 40, [2, 3, 2, 2])
    _, twin = score_and_twin("bdeu", table)

    def before(i, p):
        return 0.0 if not p or math.prod(table.arities[v] for v in (i, *p)) * 5 <= 40 else -math.inf

    found = bnml.posterior(data_of(table), prior=prior, rows_per_cell=5)
    assert found._allowed.rules.sparse
    check(found, 4, lambda i, p: twin(table, i, p) + before(i, p), prior, before)
