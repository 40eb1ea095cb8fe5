"""What a sampled posterior says, against enumeration and against the exact one."""

from __future__ import annotations

import importlib.util
import json
import math
from functools import cache

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.errors import BnmlError, DependencyError
from bnml.graph import Constraints
from bnml.scores import LocalScores
from bnml.scores.priors import ArcProbabilities
from bnml.uncertainty import Posterior, SampledPosterior
from tests.counts.strategies import data_of, random_table
from tests.uncertainty import naive
from tests.uncertainty.strategies import dependent_table

pytestmark = pytest.mark.usefixtures("uniform_prior")

TABLE = dependent_table(5, 60, [2, 2, 3, 2], 0.3)
DATA = data_of(TABLE)
NAMES = list(DATA.names)


@cache
def sampled(score="bdeu", **given):
    """Sample once for all tests that ask for the same."""
    return bnml.posterior(DATA, score, **{"method": "sample", "rows_per_cell": 0, "samples": 2000, **given})


def weights(prior="uniform"):
    local = LocalScores(DATA, "bdeu")
    if prior != "classes":
        return naive.probabilities(4, lambda i, p: local.family(i, p), prior)
    found = naive.log_weights(4, lambda i, p: local.family(i, p), "uniform")
    sizes: dict = {}
    for structure in found:
        key = naive.equivalence(structure)
        sizes[key] = sizes.get(key, 0) + 1
    divided = {s: w - math.log(sizes[naive.equivalence(s)]) for s, w in found.items()}
    total = naive.log_sum(divided.values())
    return {s: math.exp(w - total) for s, w in divided.items()}


def graph_of(structure):
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(structure)))
    graph.add_edges_from((p, i) for i, above in enumerate(structure) for p in above)
    return graph


def expected(feature, prior="uniform"):
    """Return the probability of each pair's feature, by enumeration."""
    total = np.zeros((4, 4))
    for structure, p in weights(prior).items():
        for a, b in feature(graph_of(structure)):
            total[a, b] += p
    return total


def arcs(graph):
    return graph.edges


def links(graph):
    return {pair for a, b in graph.edges for pair in ((a, b), (b, a))}


def paths(graph):
    return {(a, b) for a in graph for b in nx.descendants(graph, a)}


def blankets(graph):
    found = links(graph)
    for x in graph:
        found |= {(a, b) for a in graph.predecessors(x) for b in graph.predecessors(x) if a != b}
    return found


@pytest.mark.parametrize("prior", ["uniform", "order", "classes"])
def test_probabilities(prior):
    found = sampled(prior=prior)
    assert found.prior == prior
    assert found.converged
    for values, feature in (
        (found.arc_probabilities, arcs), (found.link_probabilities, links), (found.path_probabilities, paths),
        (found.blanket_probabilities, blankets),
    ):  # fmt: skip
        assert list(values.index) == list(values.columns) == NAMES
        assert values.to_numpy() == pytest.approx(expected(feature, prior), abs=0.03)


def test_the_best_structures():
    found, want = sampled(), bnml.posterior(DATA, method="exact", rows_per_cell=0)
    exact = dict(want.top(500)[["structure", "probability"]].values)
    top = found.top(5)
    assert top.columns.tolist() == ["structure", "score", "probability"]
    assert top.score.is_monotonic_decreasing
    assert top.structure[0] == want.top(1).structure[0]
    for structure, score, probability in top.values:
        assert probability == pytest.approx(exact[structure], abs=0.02)
        assert score == pytest.approx(bnml.score(bnml.DAG.parse(structure), DATA, "bdeu"))
    classes, others = found.top(3, classes=True), want.top(3, classes=True)
    assert classes.columns.tolist() == others.columns.tolist()
    assert classes.cpdag[0] == others.cpdag[0]
    assert classes.dags[0] == others.dags[0]
    assert classes.score[0] == pytest.approx(others.score[0])
    assert classes.probability[0] == pytest.approx(others.probability[0], abs=0.03)
    assert sum(found.structures.values()) == pytest.approx(1.0)
    assert len(found.top(10**6)) == len(found.structures)
    with pytest.raises(BnmlError, match="k=0"):
        found.top(0)


@pytest.mark.parametrize("label", ["bdeu", "qnml", "k2", "bds", "bdq", "fnml"])
def test_predictions(label):
    """Averaged over all structures by enumeration."""
    found = sampled(label)
    local = LocalScores(DATA, label)
    exact = naive.probabilities(len(NAMES), lambda i, p: local.family(i, p), "uniform")
    rows = [tuple(row) for row in TABLE.rows[:3]]
    frame = bnml.read(np.array(rows), states={n: list(range(r)) for n, r in zip(NAMES, TABLE.arities, strict=True)})
    got = np.exp(found.log_prob(frame))
    for row, value in zip(rows, got, strict=True):
        want = naive.row_probability(TABLE, label, exact, row)
        assert value == pytest.approx(want, rel=0.02)


def test_predictions_of_one_variable():
    found = sampled()
    table = found.predict_proba(DATA, "X2")
    assert table.columns.tolist() == [0, 1, 2]
    assert table.sum(axis=1).to_numpy() == pytest.approx(1.0)
    local = LocalScores(DATA, "bdeu")
    row = TABLE.rows[0]
    exact = naive.probabilities(len(NAMES), lambda i, p: local.family(i, p), "uniform")
    each = [naive.row_probability(TABLE, "bdeu", exact, (*row[:2], k, row[3])) for k in range(3)]
    frame = bnml.read(np.array([row]), states={n: list(range(r)) for n, r in zip(NAMES, TABLE.arities, strict=True)})
    assert found.predict_proba(frame, "X2").to_numpy()[0] == pytest.approx(np.array(each) / sum(each), abs=0.01)
    with pytest.raises(BnmlError, match="X9"):
        found.predict_proba(DATA, "X9")


def structures_and_networks(found):
    for dag, share in found.structures.items():
        yield share, bnml.fit(dag, DATA, "bpp", ess=1.0)


@pytest.mark.parametrize(
    ("evidence", "do"), [(None, None), ({"X1": 1}, None), (None, {"X0": 1}), ({"X3": 0}, {"X1": 0})]
)
def test_answers(evidence, do):
    """Each structure answers, and counts as much as it is probable and explains the evidence."""
    found = sampled(samples=200)
    got = found.query("X2", evidence, do=do)
    total, sums = 0.0, 0.0
    for share, network in structures_and_networks(found):
        mass = share * network.probability(evidence or {}, do=do)
        total += mass
        sums = sums + mass * network.query("X2", evidence, do=do)
    assert got.to_numpy() == pytest.approx((sums / total).to_numpy(), abs=1e-9)
    assert got.index.tolist() == [0, 1, 2]


def test_answers_on_several_variables():
    both = sampled(samples=200).query(["X2", "X3"], {"X1": 1})
    assert both.index.names == ["X2", "X3"]
    assert both.sum() == pytest.approx(1.0)


def test_wrong_questions():
    found = sampled(samples=20)
    with pytest.raises(BnmlError, match="X9"):
        found.query("X9")
    with pytest.raises(BnmlError, match="X2"):
        found.query("X2", {"X2": 1})


# --- errors and diagnostics ---


def test_standard_errors_are_honest():
    """The exact value is within two standard errors for most arcs of many small tables."""
    within = []
    for seed in range(10):
        data = data_of(random_table(seed, 40, [2, 2, 3, 2, 2]))
        exact = bnml.posterior(data, method="exact").arc_probabilities.to_numpy()
        found = bnml.posterior(data, method="sample", samples=500, seed=seed)
        off = np.abs(found.arc_probabilities.to_numpy() - exact)
        within += (off <= 2 * found.standard_errors.to_numpy())[~np.eye(5, dtype=bool)].tolist()
    assert 0.9 <= np.mean(within) <= 0.995


def test_what_cannot_be_has_no_error():
    known = Constraints(forbidden=[("X0", "X1")], required=[("X2", "X3")])
    found = sampled.__wrapped__(
        constraints=known, samples=200, structure_prior=ArcProbabilities(0.4, {("X1", "X0"): 0.0})
    )
    errors = found.standard_errors
    assert errors.loc["X0", "X1"] == errors.loc["X1", "X0"] == errors.loc["X2", "X3"] == errors.loc["X0", "X0"] == 0
    assert errors.loc["X0", "X2"] > 0
    assert found.arc_probabilities.loc["X2", "X3"] == 1.0
    assert "that the constraints allow" in found.prior_text
    assert "an arc has probability 0.4" in found.prior_text


def test_a_short_run_says_what_to_do():
    found = sampled(samples=4)
    assert not found.converged
    assert "not converged" in str(found)
    assert "samples=" in str(found)
    assert "not converged" in repr(found)
    assert found.to_dict()["converged"] is False


def test_a_long_run_says_so():
    found = sampled()
    text = str(found)
    assert "converged: R-hat" in text
    assert "not converged" not in text
    assert "temperatures" in text
    assert found._repr_html_().startswith("<div>")
    assert len(found.swap_rates) == len(found.chains.betas) - 1
    told = found.to_dict()
    assert told["method"] == "sample"
    assert {"from", "to", "probability", "standard_error"} == set(told["arcs"][0])
    assert len(told["paths"]) == len(told["blankets"]) == 12


def test_the_trace(tmp_path):
    found = sampled(samples=50)
    figure = found.plot_trace()
    figure.savefig(tmp_path / "trace.png")
    assert (tmp_path / "trace.png").stat().st_size > 1000
    assert len(figure.axes[0].lines) == 4


def test_arviz():
    found = sampled(samples=50)
    if importlib.util.find_spec("arviz") is None:
        with pytest.raises(DependencyError, match="arviz"):
            found.to_arviz()
        return
    told = found.to_arviz()
    import arviz

    assert told.posterior["score"].shape == (4, 50)
    assert told.posterior["arc"].dims[:2] == ("chain", "draw")
    worst = float(arviz.rhat(told, var_names=["score"])["score"])
    assert worst == pytest.approx(found._found.score_r_hat, abs=0.02)


# --- the door ---


def test_which_method():
    rows = np.random.default_rng(0).integers(0, 2, (60, 15))
    assert isinstance(bnml.posterior(rows[:, :6]), Posterior)
    assert isinstance(bnml.posterior(rows, prior="uniform", samples=20), SampledPosterior)
    assert isinstance(bnml.posterior(rows[:, :6], prior="order"), Posterior)
    linked = Constraints(required_links=[("X0", "X1")])
    found = bnml.posterior(rows[:, :6], constraints=linked, samples=50)
    assert isinstance(found, SampledPosterior)
    assert found.link_probabilities.loc["X0", "X1"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "guess"}, "method='guess'"),
        ({"chains": 0}, "chains=0"),
        ({"samples": 0}, "samples=0"),
        ({"samples": 2.5}, "samples=2.5"),
        ({"seed": -1}, "seed=-1"),
        ({"time_limit": 0}, "time_limit=0"),
        ({"samples": 10**9}, "lower samples="),
        ({"score": "bic"}, "not the log-probability"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(BnmlError, match=message):
        bnml.posterior(**{"data": DATA, "method": "sample", **arguments})


def test_its_picture(tmp_path):
    found = sampled()
    found.plot(tmp_path / "links.svg")
    assert "<svg" in (tmp_path / "links.svg").read_text(encoding="utf-8")
    assert "<svg" in found._repr_html_()


LINKS = [("A", "B"), ("A", "C"), ("B", "C")]


@pytest.mark.parametrize("prior", ["uniform", "order", "classes"])
@pytest.mark.parametrize(
    ("names", "constraints"),
    [
        ("A", None),
        ("AB", Constraints(forbidden_links=LINKS[:1])),
        ("AB", Constraints(required=LINKS[:1])),
        ("ABC", Constraints(forbidden_links=LINKS)),
        ("ABC", Constraints(required=LINKS)),
    ],
)
def test_where_no_arc_can_change(prior, names, constraints):
    frame = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (50, len(names))), columns=list(names))
    found = bnml.posterior(
        frame, "bdeu", method="sample", prior=prior, samples=101, constraints=constraints, rows_per_cell=0
    )
    sure = bnml.posterior(frame, "bdeu", method="exact", prior=prior, constraints=constraints, rows_per_cell=0)
    pd.testing.assert_frame_equal(found.arc_probabilities, sure.arc_probabilities)
    pd.testing.assert_frame_equal(found.path_probabilities, sure.path_probabilities)
    assert (found.standard_errors == 0).all(axis=None)
    assert (found.r_hat, found.effective_size, found.converged) == (1.0, 404.0, True)
    for classes in (False, True):
        assert found.top(3, classes=classes)["probability"].tolist() == [1.0]
    assert found.to_dict()["verdict"] in " ".join(str(found).split())
    assert all(arc["standard_error"] == 0 for arc in json.loads(json.dumps(found.to_dict()))["arcs"])


@pytest.mark.parametrize("prior", ["uniform", "classes"])
@pytest.mark.parametrize("given", [{"max_parents": 0}, {"structure_prior": ArcProbabilities(1e-9)}])
def test_where_no_arc_ever_changes(prior, given):
    """What could have come up and did not has probability 0, with an error; what could not has none."""
    rows = np.random.default_rng(0).integers(0, 2, (8, 3))
    found = bnml.posterior(rows, "bdeu", method="sample", prior=prior, samples=100, **given)
    assert (found.arc_probabilities == 0).all(axis=None)
    assert (found.r_hat, found.effective_size) == (1.0, 400.0)
    assert ((found.standard_errors > 0).to_numpy() == ("structure_prior" in given) * ~np.eye(3, dtype=bool)).all()
    assert list(found.structures.values()) == [1.0]
    assert not found.converged
