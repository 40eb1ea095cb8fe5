"""Parameters from data."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.errors import BnmlError
from bnml.graph import DAG
from bnml.network.estimators import fit

FRAME = pd.DataFrame({"A": list("xxxyyz"), "B": list("uuvuvv")})
DAG_AB = DAG.parse("[A][B|A]")


def growth(n):
    return ((n + 1) / n) ** n if n else 1.0


def test_the_three_estimators():
    counts = np.array([[2, 1], [1, 1], [0, 1]])
    weights = np.array([[growth(n) * (n + 1) for n in row] for row in counts])
    expected = {
        "mle": counts / counts.sum(axis=1, keepdims=True),
        "bpp": (counts + 1 / 6) / (counts + 1 / 6).sum(axis=1, keepdims=True),
        "snml": weights / weights.sum(axis=1, keepdims=True),
    }
    for estimator, table in expected.items():
        assert fit(DAG_AB, FRAME, estimator).probabilities("B") == pytest.approx(table, abs=1e-15)
    more = fit(DAG_AB, FRAME, "bpp", ess=12).probabilities("B")
    assert more[2] == pytest.approx([2 / 5, 3 / 5])


def test_unseen_configurations():
    data = bnml.read(FRAME, states={"A": ["w", "x", "y", "z"]})
    assert fit(DAG_AB, data, "mle").probabilities("B")[0] == pytest.approx([0.5, 0.5])
    assert fit(DAG_AB, data, "snml").probabilities("B")[0] == pytest.approx([0.5, 0.5])


def test_snml_of_huge_counts():
    data = bnml.read(pd.DataFrame({"A": ["x", "y"], "n": [10**12, 1]}), weights="n")
    table = fit(DAG(["A"]), data).probabilities("A")
    assert table[0] == pytest.approx(1.0)
    assert table[1] == pytest.approx(2 * 2 / (np.e * 10**12), rel=1e-6)


def through_a_file(network, folder):
    network.save(folder / "n.json")
    return bnml.load(folder / "n.json")


def test_cuts_travel_with_the_network():
    frame = pd.DataFrame({"age": [20.5, 30.5, 61.0, 70.0], "ill": ["no", "no", "yes", "yes"]})
    network = fit(DAG.parse("[age][ill|age]"), bnml.read(frame, bins={"age": [50]}))
    assert dict(network.cuts) == {"age": (50.0,)}
    fresh = pd.DataFrame({"age": [10.0, 50.0, 50.1, 99.0], "ill": ["no", "no", "yes", "yes"]})
    binned = fresh.assign(age=["<=50", "<=50", ">50", ">50"])
    assert network.log_prob(fresh) == pytest.approx(network.log_prob(binned))
    assert network.predict(fresh[["age"]], "ill").tolist() == ["no", "no", "yes", "yes"]


@pytest.mark.parametrize("again", [lambda n, f: n, lambda n, f: pickle.loads(pickle.dumps(n)), through_a_file])
@pytest.mark.parametrize("missing", ["state", "drop"])
def test_what_the_table_was_read_with_travels_with_the_network(tmp_path, again, missing):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60).round(2), "y": rng.integers(0, 2, 60), "odd": [[0]] * 60})
    frame.loc[:9, "x"], frame.loc[:9, "y"] = -999.0, 1
    data = bnml.read(frame, columns=["x", "y"], bins="quantile:3", na_values=[-999], missing=missing)
    network = again(fit(DAG.parse("[x][y|x]"), data), tmp_path)
    gaps = frame.assign(x=frame["x"].replace(-999.0, np.nan))
    assert network.predict_proba(frame, "y").equals(network.predict_proba(gaps, "y"))
    if missing == "state":
        assert network.log_prob(frame) == pytest.approx(network.log_prob(data))
        assert network.predict(frame, "y").tolist() == network.predict(data, "y").tolist()
        assert network.query("y", {"x": -999}).equals(network.query("y", {"x": "?"}))
    else:
        assert network.predict_proba(frame, "y").iloc[0].tolist() == pytest.approx(network.query("y").tolist())
        assert network.log_prob(frame)[0] == pytest.approx(np.log(network.query("y")[1]))
        with pytest.raises(BnmlError, match="'x': -999 stands for a missing value"):
            network.query("y", {"x": -999})


def test_codes_in_place_of_labels_travel_with_the_network(tmp_path):
    (tmp_path / "x.vd").write_text("a\tlow\thigh\nb\t1\t2\t3\n")
    table = pd.DataFrame({"a": [0, 1, 0, 1], "b": [1, 2, 1, 0]})
    data = bnml.read(table, states=tmp_path / "x.vd")
    network = through_a_file(fit(DAG.parse("[a][b|a]"), data), tmp_path)
    assert network.log_prob(table) == pytest.approx(network.log_prob(data))
    assert network.predict(table[["b"]], "a").tolist() == network.predict(data, "a").tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"estimator": "mla"}, "Did you mean 'mle'"),
        ({"estimator": "bpp", "ess": 0}, "ess=0"),
        ({"estimator": "bpp", "ess": "1"}, "ess='1'"),
        ({"dag": DAG.parse("[A][C]")}, "'B', 'C'"),
        ({"dag": "[A][B]"}, "expected a DAG"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(BnmlError, match=message):
        fit(**{"dag": DAG_AB, "data": FRAME, **arguments})


def test_a_table_too_large_is_refused():
    names = [f"X{i}" for i in range(20)]
    data = bnml.read(np.random.default_rng(0).integers(0, 4, (50, 20)))
    dag = DAG(names, [(name, "X0") for name in names[1:]])
    with pytest.raises(BnmlError, match=r"'X0'.*too many"):
        fit(dag, data)
