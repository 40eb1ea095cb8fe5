"""Entropy, mutual information and divergence against their definitions, and the identities between them."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml import information
from bnml.errors import ArgumentError
from tests import naive
from tests.counts.strategies import data_of, tables

PROPERTIES = settings(max_examples=40, deadline=None)
CLOSE = {"rel": 1e-12, "abs": 1e-13}


@st.composite
def three_sets(draw):
    """Draw a table and three disjoint sets of its columns, the first two not empty."""
    table = draw(tables(columns=5).filter(lambda t: len(t.arities) >= 2))
    order = draw(st.permutations(range(len(table.arities))))
    i = draw(st.integers(1, len(order) - 1))
    j = draw(st.integers(i + 1, len(order)))
    return table, order[:i], order[i:j], order[j:]


def names(variables):
    return [f"X{v}" for v in variables]


@PROPERTIES
@given(three_sets())
def test_definitions(drawn):
    table, a, b, c = drawn
    data = data_of(table)
    assert information.entropy(data, names(a)) == pytest.approx(naive.entropy(table, a), **CLOSE)
    wanted = naive.conditional_entropy(table, a, c)
    assert information.conditional_entropy(data, names(a), names(c)) == pytest.approx(wanted, **CLOSE)
    wanted = naive.mutual_information(table, a, b, c)
    assert information.mutual_information(data, names(a), names(b), names(c)) == pytest.approx(wanted, **CLOSE)


@PROPERTIES
@given(three_sets())
def test_identities(drawn):
    """The gain is symmetric, at least zero, at most either entropy, and the drop of the entropy."""
    table, a, b, c = drawn
    data = data_of(table)
    a, b, c = names(a), names(b), names(c)
    gain = information.mutual_information(data, a, b, c)
    assert gain == pytest.approx(information.mutual_information(data, b, a, c), **CLOSE)
    assert 0.0 <= gain <= information.conditional_entropy(data, a, c) + 1e-12
    drop = information.conditional_entropy(data, a, c) - information.conditional_entropy(data, a, [*b, *c])
    assert gain == pytest.approx(drop, **CLOSE)


@PROPERTIES
@given(tables(columns=2).filter(lambda t: len(t.arities) == 2))
def test_the_gain_is_a_divergence(table):
    """I(A; B) is the divergence of P(A, B) from P(A) P(B)."""
    p, p_a, p_b = (naive.probabilities(table, v) for v in ([0, 1], [0], [1]))
    product = {(a, b): p_a[(a,)] * p_b[(b,)] for a, b in p}
    gain = information.mutual_information(data_of(table), "X0", "X1")
    assert gain == pytest.approx(naive.kl_divergence(p, product), **CLOSE)


@PROPERTIES
@given(st.data())
def test_divergence(drawn):
    first = drawn.draw(tables(columns=2))
    row = st.tuples(*(st.integers(0, r - 1) for r in first.arities))
    second = naive.table_of(drawn.draw(st.lists(row, min_size=1, max_size=30)), first.arities)
    columns = range(len(first.arities))
    wanted = naive.kl_divergence(naive.probabilities(first, columns), naive.probabilities(second, columns))
    assert information.kl_divergence(data_of(first), data_of(second)) == pytest.approx(wanted, **CLOSE)
    assert information.kl_divergence(data_of(first), data_of(first)) == 0.0


def test_labels_are_matched_by_text_whatever_the_order():
    p = pd.DataFrame({"a": ["x", "x", "y"], "b": [0, 1, 1]})
    q = pd.DataFrame({"b": ["1", "0", "1", "1"], "a": ["y", "x", "x", "z"]})
    wanted = 3 * (1 / 3) * math.log((1 / 3) / (1 / 4))
    assert information.kl_divergence(p, q) == pytest.approx(wanted)
    assert information.kl_divergence(q, p) == math.inf


def test_names_are_checked():
    x = np.array([[0, 1, 0], [1, 0, 1], [1, 1, 0]])
    assert information.entropy(x, []) == 0.0
    assert information.entropy(x, "X0") == information.entropy(x, ["X0"])
    with pytest.raises(ArgumentError, match="'Y'"):
        information.entropy(x, "Y")
    with pytest.raises(ArgumentError, match="'Y'"):
        information.mutual_information(x, "X0", "X1", "Y")
    for arguments in (("X0", "X0"), ("X0", ["X1", "X0"]), ("X0", "X1", "X1")):
        with pytest.raises(ArgumentError, match="must differ"):
            information.mutual_information(x, *arguments)
    with pytest.raises(ArgumentError, match="'X0', 'X1', 'X2' and 'X0', 'X1'"):
        information.kl_divergence(x, x[:, :2])


def test_heavy_rows():
    table = naive.table_of([(0, 0), (0, 1), (1, 1)], [2, 2], [2**40, 2**35, 2**33])
    data = data_of(table)
    assert information.mutual_information(data, "X0", "X1") == pytest.approx(
        naive.mutual_information(table, [0], [1]), rel=1e-9
    )


def test_a_network_in_the_place_of_a_table():
    clinic = bnml.example()
    network = bnml.learn(clinic).network
    frame = network.sample(400, seed=3).astype(str)
    counts = frame.value_counts()
    shares = counts / len(frame)
    log_q = network.log_prob(counts.index.to_frame(index=False))
    expected = float((shares * (np.log(shares) - log_q)).sum())
    assert information.kl_divergence(frame, network) == pytest.approx(expected, abs=1e-12)
    dag = bnml.DAG(clinic.names)
    apart = bnml.fit(dag, clinic, "mle")
    single = sum(information.entropy(clinic, x) for x in clinic.names) - information.entropy(clinic, clinic.names)
    assert information.kl_divergence(clinic, apart) == pytest.approx(single, abs=1e-9)  # the multi-information


def test_what_a_network_rules_out_is_infinitely_far():
    frame = pd.DataFrame({"a": ["x", "y"], "b": ["x", "y"]})
    network = bnml.fit(bnml.DAG.parse("[a][b|a]"), frame, "mle")
    assert information.kl_divergence(frame, network) == pytest.approx(0.0, abs=1e-12)
    other = bnml.read(pd.DataFrame({"a": ["x", "y"], "b": ["y", "x"]}))
    assert information.kl_divergence(other, network) == math.inf
    with pytest.raises(ArgumentError, match="differ in their variables"):
        information.kl_divergence(frame[["a"]], network)
