"""The posterior as people see it."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.scores import BDeu

pytestmark = pytest.mark.usefixtures("uniform_prior")


@pytest.fixture(scope="module")
def found():
    return bnml.posterior(bnml.example(), "bdeu:10")


def test_frames(found):
    arcs, links = found.arc_probabilities, found.link_probabilities
    assert isinstance(arcs, pd.DataFrame)
    assert list(arcs.index) == list(arcs.columns) == list(found.names)
    assert (arcs.index.name, arcs.columns.name) == ("from", "to")
    assert np.diag(arcs).tolist() == [0.0] * 8
    assert ((arcs >= 0) & (arcs <= 1)).all().all()
    assert links.to_numpy() == pytest.approx((arcs + arcs.T.rename_axis("from").rename_axis("to", axis=1)).to_numpy())
    assert arcs.attrs["prior"] == links.attrs["prior"] == found.prior_text == "all DAGs are equally probable"
    arcs.iloc[0, 0] = 5.0
    assert found.arc_probabilities.iloc[0, 0] == 0.0, "what is given out is a copy"


def test_frames_of_paths_and_blankets(found):
    paths, blankets = found.path_probabilities, found.blanket_probabilities
    assert (paths.index.name, paths.columns.name) == ("from", "to")
    assert (blankets.index.name, blankets.columns.name) == ("blanket of", "has")
    for frame in (paths, blankets):
        assert list(frame.index) == list(frame.columns) == list(found.names)
        assert np.diag(frame).tolist() == [0.0] * 8
        assert frame.attrs["prior"] == found.prior_text
    arcs, links = found.arc_probabilities.to_numpy(), found.link_probabilities.to_numpy()
    assert (paths.to_numpy() >= arcs - 1e-12).all()
    assert (blankets.to_numpy() >= links - 1e-12).all()
    paths.iloc[0, 0] = 5.0
    assert found.path_probabilities.iloc[0, 0] == 0.0, "what is given out is a copy"


def test_it_cannot_be_changed(found):
    with pytest.raises(AttributeError):
        found.prior = "order"


def test_report(found):
    text = str(found)
    assert "8 variables, given 5,000 rows" in text
    assert "bdeu:10" in text
    assert "all DAGs are equally probable" in text
    assert "smoke" in text
    assert max(map(len, text.splitlines())) <= 80
    assert repr(found).startswith("<Posterior: 8 variables, bdeu:10, uniform prior, log-evidence -11")
    assert "smoke → bronc" in found._repr_html_()


def test_report_of_the_other_prior():
    text = str(bnml.posterior(bnml.example(), BDeu(10), prior="order", max_parents=2))
    assert "BDeu(ess=10.0)" in text
    words = " ".join(text.split())
    assert "all pairs of an order and a DAG that fits it are equally probable, among the DAGs with at most 2" in words
    assert "linear extensions" in words
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("kind", ["uniform", "order", "classes"])
@pytest.mark.parametrize("most", [None, 1])
@pytest.mark.parametrize("known", [None, bnml.Constraints(forbidden=[("A", "B")])])
def test_the_prior_in_words(kind, most, known):
    rows = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (30, 3)), columns=list("ABC"))
    found = bnml.posterior(rows, prior=kind, max_parents=most, constraints=known)
    limits = (" with at most 1 parent each" if most else "") + (" that the constraints allow" if known else "")
    want = {
        "uniform": f"all DAGs{limits} are equally probable",
        "order": "all pairs of an order and a DAG that fits it are equally probable"
        f"{', among the DAGs' + limits if limits else ''}; a DAG counts once for each of its linear extensions",
        "classes": f"all equivalence classes of DAGs{limits} are equally probable, and so are the members of each",
    }
    assert found.prior_text == want[kind]


def test_the_structure_prior_in_words():
    rows = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (30, 3)), columns=list("ABC"))
    found = bnml.posterior(rows, structure_prior=bnml.priors.ArcProbabilities(0.1))
    said = "all DAGs are equally probable, but for the structure prior: an arc has probability 0.1"
    assert found.prior_text == found.arc_probabilities.attrs["prior"] == said
    assert said in " ".join(str(found).split())
    near = bnml.posterior(rows, structure_prior=bnml.priors.Distance(bnml.DAG.parse("[A][B|A][C]"), kappa=0.25))
    assert near.prior_text.endswith("each arc that differs from the prior graph makes a network 4 times less probable")
    arcs = {(a, b): 0.123456789 for a in "ABC" for b in "ABC" if a != b}
    many = bnml.posterior(rows, structure_prior=bnml.priors.ArcProbabilities(0.1, {**arcs, ("A", "C"): 0.987654321}))
    assert len(many.prior_text) < 300
    assert max(map(len, str(many).splitlines())) <= 80


def test_nothing_to_report():
    rng = np.random.default_rng(0)
    found = bnml.posterior(rng.integers(0, 2, (2000, 3)))
    assert "No two variables are joined" in str(found)
    assert "1 variable, given 3 rows" in str(bnml.posterior(np.array([[0], [1], [1]])))


def test_long_names_and_many_links():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 500)
    frame = pd.DataFrame({f"{'name ' * 30}{i}\n": x ^ (rng.random(500) < 0.05) for i in range(12)})
    found = bnml.posterior(frame, prior="order")
    text = str(found)
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("…") >= len(found._likely) > 10, "names are cut to fit"
    many = pd.DataFrame({f"V{i}": x for i in range(12)})
    assert "… and 26 more" in str(bnml.posterior(many, prior="order"))


def test_links_are_sorted(found):
    links = found.link_probabilities.to_numpy()
    values = [links[x, y] for x, y in found._likely]
    assert values == sorted(values, key=lambda value: -round(value, 9))
    arcs = found.arc_probabilities.to_numpy()
    assert all(arcs[x, y] >= arcs[y, x] for x, y in found._likely)


def test_pickle():
    data = bnml.read(np.random.default_rng(0).integers(0, 2, (30, 3)))
    first = bnml.posterior(data)
    again = pickle.loads(pickle.dumps(first))
    assert again.arc_probabilities.equals(first.arc_probabilities)
    assert again.top(3).equals(first.top(3))
    assert np.array_equal(again.log_prob(data), first.log_prob(data))
