"""Structural EM around every search."""

from __future__ import annotations

import itertools
import json
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.special import xlogy

import bnml
from bnml.counts.batches import batch_of
from bnml.errors import ScoreError, SearchError
from bnml.network import inference
from bnml.network.completions import completed_table
from bnml.scores.expected import ExpectedScores
from bnml.search import structural_em
from bnml.search.learn import learn_class
from bnml.search.options import search_options
from bnml.search.searches import SEARCHES
from bnml.search.structural_em import scores_by_em
from tests.reference import GOLDEN
from tests.search.test_contract import OPTIONS

pytestmark = pytest.mark.usefixtures("uniform_prior")


@pytest.fixture(autouse=True)
def any_family():
    """Keep the rule that families need rows for their cells, as users have it."""


def asia(share=0.1, seed=0, rows=1000):
    """Return a table, whole and with gaps."""
    whole = pd.read_csv(GOLDEN / "asia_1000.csv", dtype=str, keep_default_na=False).iloc[:rows]
    return whole, whole.mask(np.random.default_rng(seed).random(whole.shape) < share)


def small(seed=0, rows=300, share=0.15):
    """Return a table with gaps of few columns."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, rows)
    b = np.where(rng.random(rows) < 0.85, a, 1 - a)
    c = np.where(rng.random(rows) < 0.85, b, rng.integers(0, 3, rows))
    d = rng.integers(0, 2, rows)
    frame = pd.DataFrame({"A": a, "B": b, "C": c, "D": d}).astype(str)
    return frame.mask(rng.random(frame.shape) < share)


@pytest.fixture(scope="module")
def learned():
    return bnml.learn(bnml.read(asia()[1], missing="em"), "bic")


def test_it_finds_nearly_what_whole_data_give(learned):
    whole, _ = asia()
    assert bnml.shd(learned.dag, bnml.learn(whole, "bic").dag) <= 3
    assert learned.search == "exact"
    assert learned.optimal is False
    assert learned.within is None


def naive_bic(network, frame):
    """Return BIC at the counts that a network expects, from all completions of each row."""
    counts = {x: np.zeros(network.probabilities(x).shape) for x in network.names}
    for row in frame.itertuples(index=False):
        known = [[value] if isinstance(value, str) else list(network.states[x]) for x, value in row._asdict().items()]
        completions = pd.DataFrame(list(itertools.product(*known)), columns=frame.columns)
        shares = np.exp(network.log_prob(completions))
        for x in network.names:
            family = [*network.dag.parents(x), x]
            codes = tuple(completions[v].map(network.states[v].index).to_numpy() for v in family)
            np.add.at(counts[x], codes, shares / shares.sum())
    fit = sum(float(xlogy(n, n).sum() - xlogy(n.sum(-1), n.sum(-1)).sum()) for n in counts.values())
    return fit - 0.5 * np.log(len(frame)) * network.n_parameters


@pytest.mark.parametrize("score", ["qnml", "bdeu", "fnml", "aic", "mdl"])
def test_exact_counts_are_what_many_completions_come_to(score):
    data = bnml.read(small(), missing="em")
    chosen, dag = bnml.scores.parse_score(score), bnml.DAG.parse("[A][D][B|A:D][C|B]")
    exact = scores_by_em(dag, data, chosen)
    rough = ExpectedScores(completed_table(bnml.fit(dag, data, "em"), data, 2048), chosen, None, 2048)
    assert exact.score(dag) == pytest.approx(rough.score(dag), abs=0.05)
    for child in range(4):
        above = tuple(sorted(data.index(p) for p in dag.parents(data.names[child])))
        assert exact.parts(child, above) == pytest.approx(rough.parts(child, above), abs=0.05)
        assert exact.families(child, [above])[0] == pytest.approx(exact.family(child, above))
        assert exact.batch(batch_of([child], [above]))[0] == pytest.approx(exact.family(child, above))
    assert pickle.loads(pickle.dumps(exact)).score(dag) == exact.score(dag)


def test_the_score_is_at_the_expected_counts_of_the_last_round(learned):
    frame = asia()[1]
    data = bnml.read(frame, missing="em")
    again = scores_by_em(learned.dag, data, bnml.scores.BIC())
    assert learned.score == pytest.approx(again.score(learned.dag), abs=1e-6)
    assert learned.score == pytest.approx(naive_bic(bnml.fit(learned.dag, data, "em"), frame), abs=0.05)
    assert learned.score == pytest.approx(sum(family.score for family in learned.families))
    assert learned.network == bnml.fit(learned.dag, data)


def test_the_network_is_the_default_fit_and_has_no_zeros():
    """A value of one variable that never occurs with one of another, so that maximum likelihood has a zero."""
    frame = pd.DataFrame({"a": ["x"] * 40 + ["y"] * 40, "b": ["u"] * 60 + ["v"] * 20})
    frame.loc[[50, 70], "b"] = None
    data = bnml.read(frame, missing="em")
    found = bnml.learn(data, constraints=bnml.Constraints(required=[("a", "b")]))
    assert (bnml.fit(found.dag, data, "em").probabilities("b") == 0.0).any()
    assert all((found.network.probabilities(x) > 0.0).all() for x in found.dag.names)
    assert found.network == bnml.fit(found.dag, data)
    assert found.network.query("a", {"b": "v"})["x"] > 0.0


def test_the_report_says_what_is_missing_what_was_assumed_and_what_else_it_could_be(learned):
    _, gaps = asia()
    text = " ".join(str(learned).split())
    for name in gaps.columns:
        assert (
            f"{name} {100 * gaps[name].isna().mean():.0f} %" in text
            or f"{name} {100 * gaps[name].isna().mean():.2g} %" in text
        )
    for said in (
        "missing at random",
        "depending on themselves",
        "rounds",
        "starts",
        "expected counts",
        "gaps as states",
        "SHD",
    ):
        assert said in text
    values = learned.to_dict()
    assert values["info"]["missing"] == pytest.approx(gaps.isna().mean().to_dict())
    assert set(values["info"]["under_state"]) == {"shd", "only_here", "only_there"}
    assert values["info"]["em"]["rounds"] > 1
    json.dumps(values)
    assert "missing" in learned._repr_html_()
    assert pickle.loads(pickle.dumps(learned)) == learned


@pytest.mark.parametrize("search", [name for name in SEARCHES if name != "nml-forest"])
def test_every_search_runs_inside(search):
    options = {"class_variable": "A"} if search in OPTIONS else {}
    data = bnml.read(small(), missing="em")
    result = bnml.learn(data, search=search, **options)
    assert result.optimal is False
    assert result.search == search
    assert "missing" in str(result)
    assert result.data is data
    assert tuple(result.cpdag.names) == data.names
    if result.dag is not None:
        assert {("A", "B"), ("B", "A")} & set(result.dag.arcs)
        assert result.network.n_parameters > 0
    function = getattr(bnml.search, SEARCHES[search].run.__name__, None)
    if function is not None:
        assert function(data, **options).dag == result.dag


def test_rules_are_kept():
    data = bnml.read(small(), missing="em")
    rules = bnml.Constraints(required=[("D", "C")], forbidden=[("A", "B")])
    result = bnml.learn(data, "bic", constraints=rules, max_parents=2, prior=bnml.priors.ArcProbabilities(0.2))
    assert ("D", "C") in result.dag.arcs
    assert ("A", "B") not in result.dag.arcs
    assert max(len(result.dag.parents(x)) for x in "ABCD") <= 2
    few = bnml.learn(data, "bic", rows_per_cell=60)
    assert few.info["rows_per_cell"] == 60
    assert len(few.dag.arcs) < len(bnml.learn(data, "aic", rows_per_cell=0).dag.arcs)


@pytest.mark.parametrize("score", ["qnml", "bdeu", "fnml", "k2", "bdq", "mdl+parents"])
def test_scores(score):
    result = bnml.learn(bnml.read(small(seed=1), missing="em"), score)
    assert result.score_name.startswith(score.partition("+")[0])
    assert {frozenset(arc) for arc in result.dag.arcs} >= {frozenset("AB"), frozenset("BC")}
    assert len(result.dag.arcs) <= 3


def test_columns_and_rows_in_any_order():
    frame = small()
    first = bnml.learn(bnml.read(frame, missing="em"))
    shuffled = frame.iloc[::-1][["C", "A", "D", "B"]]
    second = bnml.learn(bnml.read(shuffled, missing="em"))
    assert second.dag == first.dag
    assert second.score == pytest.approx(first.score, abs=1e-9)
    assert second.dag.names == ("C", "A", "D", "B")


def test_the_same_on_any_number_of_threads_and_a_seed_of_its_own():
    data = bnml.read(small(), missing="em")
    one, two = (bnml.learn(data, threads=k) for k in (1, 2))
    assert one == two
    assert one.info == two.info
    assert bnml.learn(data, seed=3).dag is not None


def test_a_moment_is_enough_for_the_best_so_far():
    _, gaps = asia()
    stages = []
    result = bnml.learn(
        bnml.read(gaps, missing="em"), "bic", search="tabu", time_limit=0.01, progress=lambda *told: stages.append(told)
    )
    assert result.dag is not None
    shares = [share for _, share in stages]
    assert shares == sorted(shares)
    assert any("round" in stage for stage, _ in stages)


def test_interrupted():
    data = bnml.read(small(), missing="em")

    def stop(stage, share):
        if share > 0.5:
            raise KeyboardInterrupt

    result = bnml.learn(data, search="tabu", progress=stop)
    assert result.info["interrupted"]
    with pytest.raises(KeyboardInterrupt):
        bnml.learn(data, search="tabu", progress=lambda stage, share: stop(stage, 1.0))


def test_what_has_no_meaning_for_expected_counts_is_refused():
    data = bnml.read(small(), missing="em")
    with pytest.raises(SearchError, match=r"nml-forest.*missing='state'"):
        bnml.learn(data, search="nml-forest")
    with pytest.raises(ScoreError, match=r"score='bds'.*missing='em'"):
        bnml.learn(data, "bds")
    with pytest.raises(bnml.BnmlError, match="certify"):
        bnml.learn(data, search="tabu").certify()
    with pytest.raises(bnml.BnmlError, match="Z"):
        bnml.learn(data, constraints=bnml.Constraints(required=[("A", "Z")]))


def test_networks_that_are_too_large_for_exact_inference_are_left_out(monkeypatch):
    data = bnml.read(small(), missing="em")
    monkeypatch.setattr(inference, "MOST_ROW_WORK", 6000)  # a hundred rows with gaps or so, and sixty numbers
    result = bnml.learn(data, search="tabu")
    assert {frozenset(arc) for arc in result.dag.arcs} >= {frozenset("AB"), frozenset("BC")}
    assert len(result.info["em"]["starts"]) >= 1
    monkeypatch.setattr(inference, "MOST_ROW_WORK", 10)
    with pytest.raises(bnml.BnmlError, match=r"exact inference would need tables.*missing='state'"):
        bnml.learn(data, search="tabu")
    with pytest.raises(bnml.BnmlError, match="exact inference"):
        bnml.fit(result.dag, data)


def chain(columns=18, rows=3000):
    """Return a table with gaps in which each column goes with another."""
    rng = np.random.default_rng(0)
    found = [rng.integers(0, 3, rows)]
    for i in range(1, columns):
        found.append(np.where(rng.random(rows) < 0.6, found[(i - 1) // 2], rng.integers(0, 3, rows)))
    frame = pd.DataFrame({f"v{i:02d}": column for i, column in enumerate(found)}).astype(str)
    return frame.mask(rng.random(frame.shape) < 0.15)


@pytest.mark.parametrize(
    ("search", "limit"),
    [("auto", 1e-6), ("auto", 0.2), ("exact", 1e-6), ("exact", 0.2), ("order", 0.2), ("order", 1.5), ("tabu", 1e-6)],
)
def test_where_time_is_over_there_is_a_network_that_fits_and_the_report_says_so(search, limit):
    data = bnml.read(chain(), missing="em")
    result = bnml.learn(data, search=search, time_limit=limit)
    assert len(result.dag.arcs) >= 15  # of 17; without a search there were none
    assert result.search == search or (search == "auto" and result.search in ("exact", "order"))
    if limit < 1.0:
        assert result.info["em"]["ended"] == "the time limit was reached"
        assert "ended as the time limit was reached" in " ".join(str(result).split())
    assert result.seconds < limit + 8.0


def test_what_ended_it_is_said(monkeypatch):
    data = bnml.read(small(), missing="em")
    assert "ended" not in bnml.learn(data, search="tabu").info["em"]
    assert "ended" not in bnml.learn(data, search="tabu", time_limit=1000).info["em"]

    def fails(self, first):
        raise structural_em.MemoryOverError("no memory")

    monkeypatch.setattr(structural_em._Rounds, "go_on", fails)
    result = bnml.learn(data, search="exact")
    assert result.search == "exact"
    assert result.info["em"]["ended"] == "memory ran out"
    assert "tabu search found" in result.info["reason"]


@pytest.mark.parametrize("seed", [1, 6, 9])
def test_arcs_that_what_was_observed_does_not_pay_for_are_deleted(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(0, 2, (500, 8)), columns=list("abcdefgh")).astype(str)
    data = bnml.read(frame.mask(rng.random(frame.shape) < 0.4), missing="em")
    result = bnml.learn(data, "bic")
    empty = bnml.DAG(data.names)

    def value(dag):
        network = bnml.fit(dag, data)
        return network.log_prob(data).sum() - 0.5 * np.log(500) * network.n_parameters

    assert value(result.dag) >= value(empty) - 1e-9
    for arc in result.dag.arcs:
        less = bnml.DAG(data.names, [other for other in result.dag.arcs if other != arc])
        assert value(result.dag) > value(less) - 0.02
    assert "no arcs" in result.info["em"]["starts"]


@pytest.mark.parametrize("seed", [1, 6])
def test_no_arc_that_stays_has_a_strength_below_zero(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(0, 2, (500, 8)), columns=list("abcdefgh")).astype(str)
    data = bnml.read(frame.mask(rng.random(frame.shape) < 0.4), missing="em")
    result = bnml.learn(data, "qnml")
    assert (bnml.strength(result.dag, data, "qnml")["score_gain"] > -0.02).all()


def test_arcs_that_are_required_are_not_deleted():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 2, (300, 4)), columns=list("abcd")).astype(str)
    data = bnml.read(frame.mask(rng.random(frame.shape) < 0.4), missing="em")
    result = bnml.learn(data, "bic", search="tabu", constraints=bnml.Constraints(required=[("a", "b")]))
    assert ("a", "b") in result.dag.arcs


def test_false_arcs_are_no_more_than_those_of_whole_tables():
    found, whole = 0, 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(rng.integers(0, 2, (300, 8)), columns=list("abcdefgh")).astype(str)
        data = bnml.read(frame.mask(rng.random(frame.shape) < 0.4), missing="em")
        found += len(bnml.learn(data, "qnml", search="tabu").dag.arcs)
        whole += len(bnml.learn(frame, "qnml", search="tabu").dag.arcs)
    assert whole > 0
    assert found <= whole + 3


def experiment(seed=0, rows=1200, share=0.2):
    """Return a table of a -> b -> c -> d in which some variables were set, whole and with gaps."""
    rng = np.random.default_rng(seed)
    targets = rng.choice(["", "b", "c; d", "a"], rows)
    columns: dict[str, np.ndarray] = {}
    for x, before in zip("abcd", ["", "a", "b", "c"], strict=True):
        free = rng.integers(0, 2, rows)
        own = np.where(rng.random(rows) < 0.85, columns[before], free) if before else free
        columns[x] = np.where([x in text for text in targets], free, own)
    frame = pd.DataFrame(columns).astype(str)
    gaps = frame.mask(rng.random(frame.shape) < share)
    return frame.assign(set=targets), gaps.assign(set=targets)


@pytest.mark.parametrize("score", ["qnml", "bic", "bdeu"])
def test_gaps_and_targets_together_direct_what_whole_tables_direct(score):
    whole, gaps = experiment()
    data = bnml.read(gaps, missing="em", interventions="set")
    result = bnml.learn(data, score)
    best = bnml.learn(bnml.read(whole, interventions="set"), score)
    assert result.dag == best.dag == bnml.DAG.parse("[a][b|a][c|b][d|c]")
    assert set(result.directions.directed) == set(result.dag.arcs)
    text = " ".join(str(result).split())
    assert "set 9" in text or "set 8" in text
    assert "missing at random" in text
    assert result.score == pytest.approx(sum(family.score for family in result.families))
    assert pickle.loads(pickle.dumps(result)) == result
    json.dumps(result.to_dict())
    ignored = bnml.learn(bnml.read(gaps.drop(columns="set"), missing="em"), score)
    assert set(ignored.directions.directed) != set(result.directions.directed)


@pytest.mark.parametrize("search", ["exact", "order", "climb", "tabu", "k2", "forest", "naive"])
def test_searches_that_take_targets_take_gaps_with_them(search):
    data = bnml.read(experiment(rows=400)[1], missing="em", interventions="set")
    options = {"class_variable": "a"} if search == "naive" else {}
    result = bnml.learn(data, search=search, **options)
    assert result.search == search
    assert result.dag.arcs


@pytest.mark.parametrize("search", ["pc", "npc", "ges", "chow-liu", "tan"])
def test_searches_that_refuse_targets_refuse_them_with_gaps(search):
    data = bnml.read(experiment(rows=60)[1], missing="em", interventions="set")
    options = {"class_variable": "a"} if search == "tan" else {}
    with pytest.raises(bnml.BnmlError, match="counts all rows together"):
        bnml.learn(data, search=search, **options)


def test_strength_and_bootstrap_of_gaps_and_targets():
    data = bnml.read(experiment()[1], missing="em", interventions="set")
    dag = bnml.DAG.parse("[a][b|a][c|b][d|c:a]")
    table = bnml.strength(dag, data, "bic").set_index(["from", "to"])
    assert table.loc[("a", "b"), "score_gain"] > 20
    assert table.loc[("a", "d"), "score_gain"] < 0
    found = bnml.bootstrap(data, "bic", "tabu", repetitions=4, threads=1)
    arcs = found.arcs.set_index(["from", "to"])
    assert all(arcs.loc[arc, "support"] == 1.0 == arcs.loc[arc, "direction"] for arc in [("a", "b"), ("b", "c")])


def test_bde_with_a_uniform_network_is_bdeu():
    data = bnml.read(small(), missing="em")
    states = dict(zip(data.names, data.states, strict=True))
    uniform = bnml.BayesianNetwork(
        bnml.DAG(data.names), states, {x: np.full(len(own), 1 / len(own)) for x, own in states.items()}
    )
    one, other = bnml.learn(data, bnml.scores.BDe(uniform)), bnml.learn(data, "bdeu")
    assert one.score == pytest.approx(other.score, abs=1e-6)
    assert "not compared with gaps as states" in " ".join(str(one).split())
    assert "under_state" in other.info


@pytest.mark.parametrize("search", ["tabu", "exact", "pc", "forest"])
def test_one_of_many_structures_is_learned_in_less(search):
    frame = small()[["C", "A", "D", "B"]]
    data = bnml.read(frame, missing="em")
    asked = search_options(search, score="bic", threads=1)
    briefly, whole = learn_class(asked, data), bnml.learn(data, "bic", search=search)
    assert briefly.cpdag == whole.cpdag
    assert briefly.cpdag.names == data.names
