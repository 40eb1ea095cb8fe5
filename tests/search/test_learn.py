"""The door to all searches: what it refuses, what it chooses, what it hands on."""

from __future__ import annotations

import inspect
import itertools
import pickle
import time
from dataclasses import replace
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml._bits import members
from bnml._watch import Watch
from bnml.errors import ArgumentError, BnmlError, ScoreError
from bnml.graph import DAG, Constraints
from bnml.scores import FamilyScores
from bnml.scores.lattice import undominated_families
from bnml.search import exact, learn
from bnml.search.by_cuts import exact_by_cuts
from bnml.search.forecast import estimate_cost, forecast
from bnml.search.options import SHARED
from bnml.search.searches import SEARCHES, listed_search

pytestmark = pytest.mark.usefixtures("uniform_prior")

MODULE = inspect.getmodule(learn)  # as a name of bnml.search, learn is the function
FORECASTS = inspect.getmodule(forecast)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(7)
    a = rng.integers(0, 2, 150)
    b = np.where(rng.random(150) < 0.8, a, rng.integers(0, 3, 150))
    c = (a + b + (rng.random(150) < 0.1)) % 2
    d = np.where(rng.random(150) < 0.7, c, rng.integers(0, 3, 150))
    return bnml.read(np.stack([a, b, c, d], axis=1))


def every_dag(names):
    pairs = list(itertools.combinations(names, 2))
    for choice in itertools.product((0, 1, 2), repeat=len(pairs)):
        arcs = [pair if kind == 1 else pair[::-1] for pair, kind in zip(pairs, choice, strict=True) if kind]
        try:
            yield DAG(names, arcs)
        except BnmlError:
            continue


@pytest.mark.parametrize("score", ["qnml", "bic", "k2", "bdeu:10"])
def test_the_best_of_all_structures(data, score):
    result = learn(data, score)
    assert result.score == pytest.approx(max(bnml.score(dag, data, score) for dag in every_dag(data.names)), abs=1e-8)
    assert bnml.score(result.dag, data, score) == pytest.approx(result.score, abs=1e-8)
    assert result.optimal is True
    assert result.search == "exact"
    assert result.score_name == score
    assert result.data is data


def test_with_constraints_and_a_bound(data):
    known = Constraints(required=[("X3", "X0")], forbidden_links=[("X1", "X2")])
    result = learn(data, "bic", constraints=known, max_parents=2)
    allowed = [dag for dag in every_dag(data.names) if known.allows(dag) and max(map(len, dag.parent_sets)) <= 2]
    assert result.score == pytest.approx(max(bnml.score(dag, data, "bic") for dag in allowed), abs=1e-8)
    assert known.allows(result.dag)
    assert result.constraints == known
    assert result.info["max_parents"] == 2


def test_with_a_prior(data):
    prior = bnml.priors.Distance(DAG(data.names), kappa=0.01)
    result = learn(data, "bdeu", prior=prior)
    best = max(bnml.score(dag, data, "bdeu", prior) for dag in every_dag(data.names))
    assert result.score == pytest.approx(best, abs=1e-8)


@pytest.mark.parametrize("kind", ["frame", "array", "path"])
def test_any_source_of_data(kind, tmp_path):
    frame = _example_frame()
    source = {"frame": frame, "array": frame.eq("yes").to_numpy().astype(int), "path": tmp_path / "table.csv"}[kind]
    if kind == "path":
        frame.to_csv(source, index=False)
    result = learn(source, "bic")
    assert len(result.dag.names) == 8
    assert result.network.n_parameters == result.n_parameters


def _example_frame():
    data = bnml.example()
    return pd.DataFrame(
        {name: np.array(data.states[i])[data.codes[data.row_index, i]] for i, name in enumerate(data.names)}
    )


def test_results_can_be_pickled(data):
    result = learn(data)
    assert pickle.loads(pickle.dumps(result)) == result


def test_one_variable():
    result = learn(np.array([[0], [1], [1]]))
    assert result.dag.arcs == ()
    assert result.optimal is True
    assert "No arcs: there is only one variable." in str(result)


# --- what auto does ---


def test_auto_says_why(data):
    result = learn(data)
    assert result.info["reason"] == "chosen by auto, as it fits into memory and takes a minute at most"
    assert learn(data, search="exact").info["reason"] == "as asked"


def costs(**changes):
    def stand_in(*arguments, **more):
        return replace(estimate_cost(*arguments, **more), **changes)

    return stand_in


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"seconds": 5000.0, "affordable": False}, "would take more than a minute"),
        ({"bytes": 10**15}, "does not fit into memory"),
    ],
)
def test_auto_beyond_exact_search(data, monkeypatch, changes, why):
    monkeypatch.setattr(FORECASTS, "estimate_cost", costs(**changes))
    listed = learn(data)
    assert (listed.search, listed.optimal, listed.info["method"]) == ("exact", True, "cuts")
    assert listed.info["reason"] == "chosen by auto, as all families that matter could be listed"
    monkeypatch.setattr(MODULE, "_list_in_a_minute", lambda problem: None)
    result = learn(data)
    assert (result.search, result.optimal) == ("order", False)
    assert result.info["reason"] == f"chosen by auto, as exact search {why}"
    assert result.dag == learn(data, search="order").dag
    assert "not proven optimal" in str(result)
    monkeypatch.undo()
    assert learn(data, search="exact").optimal


def test_auto_gives_branches_up(data, monkeypatch):
    """What is not proven in so many branches has a bound all the same, and is not called exact."""
    monkeypatch.setattr(FORECASTS, "estimate_cost", costs(bytes=10**15))
    whole = exact_by_cuts

    def unproven(*arguments, **more):
        found = whole(*arguments, **more)
        return replace(found, optimal=False, info={**found.info, "within": 3.0})

    monkeypatch.setattr(MODULE, "exact_by_cuts", unproven)
    result = learn(data)
    assert (result.search, result.optimal, result.within) == ("order", False, 3.0)
    assert result.info["reason"].endswith("does not fit into memory, and branch and cut was given up")


def test_auto_within_a_time_limit(data, monkeypatch):
    """What the forecast says does not end in time is not begun."""
    assert learn(data, time_limit=1000.0).optimal
    monkeypatch.setattr(FORECASTS, "estimate_cost", costs(seconds=30.0))
    assert learn(data, time_limit=30.0).optimal
    assert learn(data, time_limit=29.0).info["method"] == "cuts"
    monkeypatch.setattr(MODULE, "_list_in_a_minute", lambda problem: None)
    result = learn(data, time_limit=29.0)
    assert (result.search, result.dag) == ("order", learn(data, search="order").dag)
    assert result.info["reason"] == "chosen by auto, as exact search would take longer than the time limit"


def test_auto_goes_on_where_exact_search_does_not_end(monkeypatch):
    """The forecast is wrong; a third of the time is left."""
    rng = np.random.default_rng(0)
    table = rng.integers(0, 3, (3000, 24))
    learn(table[:, :6], search="exact")  # machine code is loaded
    started, told = time.perf_counter(), []
    monkeypatch.setattr(FORECASTS, "estimate_cost", costs(seconds=0.1))
    result = learn(table, "fnml", time_limit=1.5, progress=lambda stage, share: told.append(share))
    assert time.perf_counter() - started < 4.0
    assert result.search == "order"
    assert result.info["reason"] == "chosen by auto, as exact search did not end within two thirds of the time limit"
    assert result.seconds >= 1.0
    assert told == sorted(told)
    assert told[-1] == 1.0


@pytest.mark.parametrize(("columns", "seconds"), [(26, 5000.0), (12, 2.0)])
def test_more_time_never_gives_a_lower_score(monkeypatch, columns, seconds):
    """By a clock that is ahead a little at every look: beyond exact search, and where exact search may not end."""
    rng = np.random.default_rng(3)
    table = rng.integers(0, 2, (300, columns))
    for x in range(4, columns):  # what parents say only together is found late
        table[:, x] ^= (table[:, x - 1] & table[:, x - 2]) ^ table[:, x - 4] & (rng.random(300) < 0.6)
    monkeypatch.setattr(FORECASTS, "estimate_cost", costs(seconds=seconds, affordable=seconds < 60.0))
    scores = []
    for limit in (0.02, 0.1, 0.3, 0.6, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0):
        looks = itertools.count()
        monkeypatch.setattr(Watch, "seconds", property(lambda watch, looks=looks: 0.01 * next(looks)))
        scores.append(learn(table, "bic", time_limit=limit, threads=1).score)
    assert scores == sorted(scores)
    assert scores[-1] > scores[0]


def test_a_forest_found_for_want_of_time_is_kept_with_more(monkeypatch):
    """At 0.3 s the climb is cut off and a forest is better; at 0.6 s it ends, below that forest."""
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, (300, 26))
    for x in range(4, 26):
        table[:, x] ^= (table[:, x - 1] & table[:, x - 2]) ^ table[:, x - 4] & (rng.random(300) < 0.6)
    monkeypatch.setattr(FORECASTS, "estimate_cost", costs(seconds=5000.0, affordable=False))
    scores = []
    for limit in (0.3, 0.6, 1.0):
        looks = itertools.count()
        monkeypatch.setattr(Watch, "seconds", property(lambda watch, looks=looks: 0.01 * next(looks)))
        scores.append(learn(table, "bic", rows_per_cell=0, prior=None, time_limit=limit, threads=1).score)
    assert scores == sorted(scores)


def test_auto_goes_on_without_memory(data, monkeypatch):
    def full(*arguments, **more):
        raise MemoryError

    monkeypatch.setattr(import_module("bnml.search.exact"), "lattice_of", full)
    assert learn(data).info["method"] == "cuts"
    monkeypatch.setattr(MODULE, "_list_in_a_minute", lambda problem: None)
    result = learn(data)
    assert result.info["reason"] == "chosen by auto, as exact search ran out of memory"
    assert result.dag == learn(data, search="order").dag


def test_auto_refuses_what_no_structure_meets(data):
    known = Constraints(required=[data.names[:2]])
    with pytest.raises(BnmlError, match="max_parents=0"):
        learn(data, constraints=known, max_parents=0, time_limit=10.0)


@pytest.mark.parametrize("changes", [{"seconds": 5000.0, "affordable": False}, {"bytes": 10**15}])
def test_auto_of_local_scores_that_are_too_many(data, monkeypatch, changes):
    """Branch and cut goes by local scores alone, too."""
    families = undominated_families(bnml.LocalScores(data, "bic"))
    best = learn(families)
    assert best.optimal
    monkeypatch.setattr(FORECASTS, "estimate_cost", costs(**changes))
    result = learn(families)
    assert (result.search, result.optimal) == ("exact", True)
    assert result.score == pytest.approx(best.score, abs=1e-8)


@pytest.mark.parametrize("search", ["exact", "climb", "tabu", "order", "k2", "forest"])
def test_searches_that_go_by_local_scores_alone(data, search):
    """They find what they find with the table, where all families are listed."""
    local = bnml.LocalScores(data, "bic")
    n = len(data.names)
    sets = [[mask for mask in range(1 << n) if not mask >> i & 1] for i in range(n)]
    scores = [local.families(i, [members(mask) for mask in own]) for i, own in enumerate(sets)]
    listed = learn(FamilyScores(data.names, sets, scores), search=search)
    assert listed.score == pytest.approx(learn(data, "bic", search=search).score, abs=1e-8)
    assert listed.data is None
    assert str(listed)


def test_what_does_not_fit_is_refused():
    wide = np.random.default_rng(0).integers(0, 2, (50, 60))
    with pytest.raises(BnmlError, match="60 variables"):
        learn(wide, search="exact", method="lattice")
    result = learn(wide, time_limit=1)
    assert (result.search, result.info["reason"]) == (
        "order",
        "chosen by auto, as exact search does not fit into memory",
    )


# --- what is refused ---


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"search": "exct"}, r"search='exct'.*available: auto, exact.*Did you mean 'exact'"),
        ({"search": "naive"}, "search='naive' needs class_variable="),
        ({"search": "climb", "turned": False}, "search='climb' takes the options"),
        ({"search": "climb", "turning": False}, "turning goes with search='ges', not with search='climb'"),
        ({"search": None}, "search=None"),
        ({"search": ["exact"]}, "search="),
        ({"score": "bicc"}, "bic"),
        ({"score": "nml"}, "nml"),
        ({"score": 5}, "score=5"),
        ({"constraints": [("A", "B")]}, "constraints="),
        ({"constraints": Constraints(required=[("X0", "nobody")])}, "nobody"),
        ({"max_parents": -1}, "max_parents=-1"),
        ({"max_parents": 1.5}, "max_parents=1.5"),
        ({"max_parents": True}, "max_parents=True"),
        ({"prior": "flat"}, "prior="),
        ({"prior": bnml.priors.Distance(DAG(["A"]))}, "prior graph"),
        ({"seed": "x"}, "seed='x'"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": 1.5}, "seed=1.5"),
        ({"threads": 0}, "threads=0"),
        ({"memory_limit": "much"}, "memory_limit='much'"),
        ({"memory_limit": -5}, "memory_limit=-5"),
        ({"time_limit": 0}, "time_limit=0"),
        ({"time_limit": float("nan")}, "time_limit=nan"),
        ({"time_limit": "1"}, "time_limit='1'"),
        ({"progress": True}, "progress=True"),
        ({"order": ["X0"]}, "order goes with search='k2', not with search='auto'"),
        ({"search": "exact", "class_variable": "X0"}, "goes with search='tan' or search='naive', not with"),
        ({"magic": 1}, "magic=1: search='auto' takes no options of its own"),
        ({"cls": 1}, "cls=1: search='auto' takes no options of its own"),
        ({"search": "climb", "cls": 1}, "cls=1: search='climb' takes the options"),
        ({"search": "exact", "max_parent": 2}, "search='exact' takes the options method.*Did you mean 'max_parents'"),
    ],
)
def test_wrong_arguments(data, arguments, message):
    with pytest.raises(BnmlError, match=message):
        learn(data, **arguments)


def test_arguments_are_checked_before_the_data_are_read():
    for arguments in ({"search": "magic"}, {"score": "magic"}, {"seed": "magic"}, {"magic": 1}):
        with pytest.raises((ArgumentError, ScoreError), match="magic"):
            learn("no-such-file.csv", **arguments)


def test_wrong_data():
    with pytest.raises(BnmlError, match=r"no-such-file\.csv"):
        learn("no-such-file.csv")


# --- more searches ---


def greedy(problem, *, start, restarts=3):
    """Stand in for a search with options of its own; it takes neither a prior nor a bound on the parents."""
    return problem.result(DAG(problem.names), -1.0, {"start": start, "restarts": restarts})


def test_a_search_is_added_by_one_line(data, monkeypatch):
    monkeypatch.setitem(SEARCHES, "greedy", listed_search("greedy", greedy, refuses=("max_parents", "prior")))
    result = learn(data, search="greedy", start="empty", seed=3, threads=1)
    assert dict(result.info) == {"start": "empty", "restarts": 3, "reason": "as asked"}
    with pytest.raises(ArgumentError, match="search='greedy' takes the options start, restarts"):
        learn(data, search="greedy", magic=1)
    with pytest.raises(ArgumentError, match="search='greedy' cannot take it into account"):
        learn(data, search="greedy", start="empty", max_parents=2)
    with pytest.raises(ArgumentError, match="search='greedy' needs start="):
        learn(data, search="greedy")
    with pytest.raises(ArgumentError, match=r"available: auto, exact, .*, greedy"):
        learn(data, search="magic")


def test_what_is_there_and_what_is_not():
    """Every search of the contract is there."""
    there = {"exact", "climb", "tabu", "order", "ges", "k2", "chow-liu", "forest", "tan", "naive", "polytree"}
    assert there <= set(SEARCHES)
    assert {"pc", "npc", "nml-forest"} <= set(SEARCHES)


def test_every_search_takes_data_and_returns_a_result():
    for search in SEARCHES.values():
        function = getattr(bnml.search, search.run.__name__, None)
        if function is None:  # PC and NPC have functions of their own
            assert search.name in ("pc", "npc")
            continue
        parameters = inspect.signature(function).parameters
        assert list(parameters)[:2] == ["data", "score"]
        assert parameters["score"].default == {"k2": "k2", "nml-forest": "nml"}.get(search.name, "qnml")
        own = {name: parameter.default for name, parameter in parameters.items() if name in search.options}
        assert own == dict(search.options)
        refused = {*search.refuses, *(() if search.by_score else ("rows_per_cell",))}
        shared = {name: declared.default for name, declared in SHARED.items() if name not in (*refused, "score")}
        if not search.by_score and "prior" in shared:
            shared["prior"] = None
        assert {name: parameters[name].default for name in list(parameters)[2 + len(own) :]} == shared


def test_signatures_have_the_declared_defaults():
    for function in (learn, bnml.search.candidates, bnml.search.forecast, bnml.posterior, bnml.study):
        parameters = inspect.signature(function).parameters
        for name in set(SHARED) & set(parameters) - {"score", "prior"}:
            assert parameters[name].default == SHARED[name].default, (function, name)


# --- progress ---


def test_progress_grows(data):
    seen = []
    learn(data, progress=lambda stage, fraction: seen.append((stage, fraction)))
    assert seen
    assert all(isinstance(stage, str) and 0.0 <= fraction <= 1.0 for stage, fraction in seen)
    assert [fraction for _, fraction in seen] == sorted(fraction for _, fraction in seen)


def test_exact_is_the_same_search(data):
    assert exact(data) == learn(data, search="exact")
