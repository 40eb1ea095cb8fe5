"""Ancestral sampling."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bnml._machine import machine_memory
from bnml.errors import ArgumentError, BnmlError
from bnml.graph import DAG
from bnml.network import sampling
from bnml.network.network import BayesianNetwork
from bnml.network.sampling import sample_codes
from tests.network import naive
from tests.network.strategies import random_network


def test_frequencies_approach_probabilities():
    network = random_network(4, 4)
    n = 200_000
    frame = network.sample(n, seed=3)
    assert list(frame.columns) == list(network.names)
    seen = frame.value_counts(normalize=True)
    for row in naive.rows(network):
        p = naive.probability(network, row)
        assert seen.get(tuple(row[x] for x in network.names), 0.0) == pytest.approx(p, abs=5 * np.sqrt(p / n) + 1e-9)


def test_same_seed_same_rows():
    network = random_network(4, 4)
    assert network.sample(100, seed=5).equals(network.sample(100, seed=5))
    assert not network.sample(100, seed=5).equals(network.sample(100, seed=6))
    assert network.sample(0).shape == (0, 4)


def test_impossible_states_are_never_drawn():
    network = BayesianNetwork(DAG(["A"]), {"A": list("abcd")}, {"A": [0.0, 0.5, 0.5, 0.0]})
    assert set(np.unique(sample_codes(network, 100_000, seed=0))) == {1, 2}


@pytest.mark.parametrize("arguments", [(-1, 0), (1.5, 0), (True, 0), (10, -1), (10, "a")])
def test_bad_arguments(arguments):
    with pytest.raises(BnmlError, match="whole number"):
        random_network(0, 2).sample(*arguments)


def test_what_the_memory_cannot_hold_is_refused(monkeypatch):
    network = random_network(4, 4)
    monkeypatch.setattr(sampling, "machine_memory", lambda: 32 * 1000)  # 4 bytes for each of 4 codes and 4 draws
    assert network.sample(1000).shape == (1000, 4)
    with pytest.raises(ArgumentError, match=r"n=1001: these rows take 32 kB, and the memory is 32 kB; draw fewer"):
        network.sample(1001)


def test_the_memory_is_that_of_the_container(monkeypatch):
    """A control group may have less than the machine."""
    real = Path.read_text
    monkeypatch.setattr(
        Path, "read_text", lambda path, **how: "64000\n" if path.name == "memory.max" else real(path, **how)
    )
    monkeypatch.setattr(sampling, "machine_memory", machine_memory.__wrapped__)  # not what was looked up before
    with pytest.raises(ArgumentError, match=r"the memory is 64 kB"):
        random_network(4, 4).sample(2001)
