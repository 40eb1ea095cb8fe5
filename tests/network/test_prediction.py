"""Predicting one variable from the others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.errors import BnmlError
from tests.network import naive
from tests.network.strategies import networks, random_network


@settings(max_examples=30, deadline=None)
@given(networks(largest=4), st.data())
def test_exact_conditionals_with_gaps(network, data):
    name = data.draw(st.sampled_from(network.names))
    frame = network.sample(12, seed=data.draw(st.integers(0, 1000))).astype(object)
    others = [x for x in network.names if x != name]
    for x in others:
        for i in range(len(frame)):
            if data.draw(st.integers(0, 3)) == 0:
                frame.loc[i, x] = None
    table = network.predict_proba(frame, name)
    assert list(table.columns) == list(network.states[name])
    labels = network.predict(frame, name)
    for i, row in frame.iterrows():
        want = naive.posterior(network, name, {x: row[x] for x in others if not pd.isna(row[x])})
        assert table.loc[i].to_numpy() == pytest.approx(list(want.values()))
        assert labels[i] in network.states[name]
        assert want[labels[i]] == pytest.approx(max(want.values()))


def test_absent_columns_are_summed_out():
    network = random_network(8, 4)
    frame = network.sample(6, seed=1)
    one = network.predict_proba(frame[["V0"]], "V1")
    for i in range(6):
        want = naive.posterior(network, "V1", {"V0": frame.loc[i, "V0"]})
        assert one.loc[i].to_numpy() == pytest.approx(list(want.values()))


def test_types_and_errors():
    network = random_network(8, 3)
    frame = network.sample(4, seed=1)
    assert network.predict(frame, "V0").shape == (4,)
    with pytest.raises(BnmlError, match="'V7'"):
        network.predict(frame, "V7")
    with pytest.raises(BnmlError, match="'V7'"):
        network.predict_proba(frame, "V7")
    with pytest.raises(BnmlError, match="strange"):
        network.predict(pd.DataFrame({"V1": ["strange"]}), "V0")


def test_integer_labels_come_back_as_integers():
    import bnml

    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 200)
    data = bnml.read(np.stack([x, x ^ (rng.random(200) < 0.05)], axis=1))
    network = bnml.fit(bnml.DAG.parse("[X0][X1|X0]"), data)
    predicted = network.predict(np.stack([x, x], axis=1), "X1")
    assert predicted.dtype.kind == "i"
    assert (predicted == x).all()
