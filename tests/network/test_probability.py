"""Log-probabilities of rows."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import bnml
from bnml.errors import BnmlError
from tests.network import naive
from tests.network.strategies import networks, random_network


@settings(max_examples=40, deadline=None)
@given(networks(zeros=True))
def test_log_prob_of_every_row(network):
    rows = naive.rows(network)
    values = network.log_prob(pd.DataFrame(rows))
    for row, value in zip(rows, values, strict=True):
        p = naive.probability(network, row)
        assert value == pytest.approx(math.log(p)) if p > 0 else value == -math.inf
    assert np.exp(values).sum() == pytest.approx(1.0)


@pytest.mark.filterwarnings("ignore:.*only one state")
def test_order_of_rows_and_columns_does_not_matter():
    network = random_network(3, 4)
    frame = network.sample(500, seed=1)
    values = network.log_prob(frame)
    assert values.shape == (500,)
    assert network.log_prob(bnml.read(frame)) == pytest.approx(values)
    assert network.log_prob(frame[frame.columns[::-1]].assign(other=1)) == pytest.approx(values)
    assert network.log_prob(frame.iloc[::-1]) == pytest.approx(values[::-1])


def test_more_rows_than_a_block():
    network = random_network(5, 3)
    frame = network.sample(150_000, seed=2)
    first = network.log_prob(frame.iloc[:10])
    values = network.log_prob(frame)
    assert values[:10] == pytest.approx(first)
    assert values[-1] == pytest.approx(network.log_prob(frame.iloc[[-1]])[0])


def test_wrong_data():
    network = random_network(3, 3)
    frame = network.sample(5, seed=0).astype(str)
    with pytest.raises(BnmlError, match="unheard-of"):
        network.log_prob(frame.assign(V0="unheard-of"))
    with pytest.raises(BnmlError, match="no column 'V1'"):
        network.log_prob(frame.drop(columns="V1"))
    with pytest.raises(BnmlError, match="no rows"):
        network.log_prob(frame.iloc[:0])
