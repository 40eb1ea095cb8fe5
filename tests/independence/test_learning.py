"""PC and NPC as searches of ``bnml.learn``, where a network fits and where none does."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import bnml
from bnml.errors import BnmlError
from tests.independence.strategies import random_dag, sampled


def without_extension():
    """Return a table on which PC leaves a graph that no DAG fits, and its level."""
    for seed in range(200):
        data = sampled(random_dag(np.random.default_rng(seed), 8, 0.5), 150, seed)
        if bnml.pc(data, 0.2).dag is None:
            return data
    raise AssertionError("no such table")


@pytest.mark.parametrize("search", ["pc", "npc"])
def test_a_network(search):
    data = bnml.example()
    result = bnml.learn(data, "bic", search=search, alpha=0.01)
    found = getattr(bnml, search)(data, 0.01).resolve()
    assert result.search == search
    assert result.directions == found.pdag
    assert result.tested.sepsets == found.sepsets
    assert result.info["tests"] == found.n_tests
    assert found.dag is not None
    assert result.score == pytest.approx(bnml.score(found.dag, data, "bic"))
    assert result.network.dag == result.dag == found.dag
    assert pickle.loads(pickle.dumps(result)).directions == result.directions


def test_no_network():
    data = without_extension()
    result = bnml.learn(data, search="pc", alpha=0.2)
    assert result.dag is None
    assert np.isnan(result.score)
    assert result.network is None
    assert result.n_parameters is None
    assert result.families == ()
    assert result.cpdag == result.tested.pdag
    assert "none has exactly these" in str(result)
    assert "<svg" in result._repr_html_()
    assert "no network fits" in repr(result)
    assert pickle.loads(pickle.dumps(result)).dag is None


def test_no_network_on_the_command_line(tmp_path, capsys):
    import json

    import pandas as pd

    from bnml.cli import main

    data = without_extension()
    rows = np.repeat(np.asarray(data.codes), np.asarray(data.weights), axis=0)
    table, target = tmp_path / "t.csv", tmp_path / "net.bif"
    pd.DataFrame(rows, columns=data.names).to_csv(table, index=False)
    arguments = ["learn", str(table), "--search", "pc", "--significance", "0.2"]
    assert main([*arguments, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["arcs"] is None
    assert report["score"] is None
    assert report["cpdag_directed"]
    assert main([*arguments, "-o", str(target)]) == 2
    assert "no network fits" in capsys.readouterr().err
    assert not target.exists()


def test_refused():
    with pytest.raises(BnmlError, match="max_parents"):
        bnml.learn(bnml.example(), search="pc", max_parents=2)
    with pytest.raises(BnmlError, match="alpha=2"):
        bnml.learn(bnml.example(), search="npc", alpha=2)
    with pytest.raises(BnmlError, match="colour"):
        bnml.learn(bnml.example(), search="pc", colour="red")
