"""The networks of the Bayesian Network Repository: all load, and survive every format bit for bit."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from bnml.network.files import FORMATS, load, save

FOLDER = Path(__file__).parents[2] / ".." / "shared" / "data" / "networks"
INDEX = FOLDER / "networks.csv"


def rows():
    if not INDEX.exists():
        reason = "the reference networks are not there"
        return [pytest.param({}, marks=pytest.mark.skip(reason=reason), id="repository")]
    with INDEX.open(encoding="utf-8", newline="") as stream:
        return [pytest.param(row, id=row["network"]) for row in csv.DictReader(stream)]


@pytest.mark.parametrize("row", rows())
def test_every_network_survives_every_format(row, tmp_path):
    """The largest go through every third format: together through all of them."""
    network = load(FOLDER / row["file"])
    assert len(network.names) == int(row["nodes"])
    assert len(network.dag.arcs) == int(row["arcs"])
    assert network.n_parameters == int(row["independent_parameters"])
    arities = [len(states) for states in network.states.values()]
    assert (min(arities), max(arities)) == (int(row["min_cardinality"]), int(row["max_cardinality"]))
    assert max(len(network.dag.parents(x)) for x in network.names) == int(row["max_parents"])
    suffixes = list(FORMATS)
    if network.n_parameters > 20_000:  # each format once; the smaller ones come under all of its suffixes
        formats = [suffix for suffix in FORMATS if suffix not in (".bif.gz", ".bifxml")]
        suffixes = formats[len(row["network"]) % 3 :: 3]
    for suffix in suffixes:
        save(network, tmp_path / f"network{suffix}")
        back = load(tmp_path / f"network{suffix}")
        assert back.names == network.names
        assert back.states == network.states
        assert all(back.probabilities(x).tobytes() == network.probabilities(x).tobytes() for x in network.names)
        assert back.dag == network.dag


@pytest.mark.skipif(not INDEX.exists(), reason="the reference networks are not there")
def test_known_entries():
    asia = load(FOLDER / "asia.bif")
    assert asia.dag.parents("either") == ("tub", "lung")
    assert asia.probabilities("either")[1, 1].tolist() == [0.0, 1.0]
    assert asia.probabilities("dysp").tolist() == [[[0.9, 0.1], [0.8, 0.2]], [[0.7, 0.3], [0.1, 0.9]]]
    child = load(FOLDER / "child.bif")
    assert child.states["LowerBodyO2"] == ("<5", "5-12", "12+")
    assert child.states["ChestXray"][-1] == "Asy/Patch"
