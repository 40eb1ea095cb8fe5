"""The one door: what is asked is checked once and compiled once, however it came in."""

from __future__ import annotations

import inspect
import json
import pickle
import sys
import threading
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

import bnml
from bnml._memory import memory_limit_of
from bnml.data.read import read
from bnml.errors import ArgumentError, SearchError
from bnml.graph import Constraints, Rules
from bnml.scores import QNML, LocalScores, parse_score
from bnml.search import task as module
from bnml.search.searches import SEARCHES, request_for
from bnml.search.task import Task, task_request

OPTIONS = {"tan": {"class_variable": "lung"}, "naive": {"class_variable": "lung"}}

# what may happen once in one call of `bnml.learn`: a function, and which of its calls count
ONCE = {
    "arguments checked": (task_request, lambda given: True),
    "memory limit checked": (memory_limit_of, lambda given: True),
    "score parsed": (parse_score, lambda given: isinstance(given["score"], str)),
    "data read": (read, lambda given: True),
    "constraints checked": (Constraints.check, lambda given: True),
    "constraints compiled": (Constraints.compiled, lambda given: True),
    "local scores": (LocalScores.__init__, lambda given: True),
    "lookup tables": (QNML.terms, lambda given: given["shape"].some_counts is None),  # an outline has none
}


@contextmanager
def traced():
    """Count the calls of the functions in ``ONCE``, under whatever name they are called."""
    calls: Counter[str] = Counter()
    wanted = {inspect.unwrap(function).__code__: (what, counts) for what, (function, counts) in ONCE.items()}

    def profile(frame, event, argument):
        if event == "call" and frame.f_code in wanted:
            what, counts = wanted[frame.f_code]
            calls[what] += bool(counts(frame.f_locals))

    before = sys.getprofile()
    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        yield calls
    finally:
        sys.setprofile(before)
        threading.setprofile(before)


@pytest.fixture
def table(tmp_path):
    network = bnml.learn(bnml.example()).network
    network.sample(300, seed=1).to_csv(tmp_path / "clinic.csv", index=False)
    return tmp_path / "clinic.csv"


@pytest.mark.parametrize("search", ["exact", "auto"])
@pytest.mark.parametrize("known", [None, Constraints(required=[("asia", "tub")], forbidden_links=[("xray", "dysp")])])
def test_everything_is_done_once(table, search, known):
    with traced() as calls:
        result = bnml.learn(table, search=search, constraints=known)
    assert result.search == "exact"
    expected = dict.fromkeys(ONCE, 1)
    if known is None:
        del expected["constraints checked"], expected["constraints compiled"]
    assert {what: number for what, number in calls.items() if number} == expected


def test_the_trace_sees_what_happens_twice(table):
    """The test above can fail."""
    with traced() as calls:
        bnml.learn(table, constraints=Constraints(forbidden=[("asia", "tub")]))
        bnml.learn(table, constraints=Constraints(forbidden=[("asia", "tub")]))
    assert dict(calls) == dict.fromkeys(ONCE, 2)


def test_the_bootstrap_checks_once(table):
    data = bnml.read(table)
    with traced() as calls:
        bnml.bootstrap(data, "qnml", "climb", repetitions=6)
    assert (calls["arguments checked"], calls["score parsed"], calls["memory limit checked"]) == (1, 1, 1)
    assert calls["local scores"] == 6


def test_the_same_by_every_door(table):
    """`learn`, the function of the search and a request give the same."""
    for name, search in SEARCHES.items():
        options, score = OPTIONS.get(name, {}), "nml" if name == "nml-forest" else "bic"
        by_learn = bnml.learn(table, score, name, seed=3, **options)
        asked = request_for(name, options, score=score, seed=3)
        assert search.run(asked.open(table), **options) == by_learn
        function = getattr(bnml.search, search.run.__name__, None)
        if function is not None:
            assert function(table, score, seed=3, **options) == by_learn


@pytest.mark.parametrize("name", SEARCHES)
def test_results_are_pickled_whole_and_said_as_plain_values(name):
    result = bnml.learn(bnml.example(), "nml" if name == "nml-forest" else "bic", name, **OPTIONS.get(name, {}))
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    assert (again.info, again.regions, again.constraints) == (result.info, result.regions, result.constraints)
    assert (again.tested is None) == (result.tested is None)
    assert str(again) == str(result)
    for one in (result, again):
        values = one.to_dict(steps=True)
        assert json.loads(json.dumps(values, allow_nan=False)) == values
    assert again.to_dict() == result.to_dict()


def test_no_network_fits():
    """PC's answer without a DAG is a result like any other."""
    task = Task.of(LocalScores(bnml.example(), "bic"), search="pc")
    tested = bnml.pc(bnml.example())
    result = task.result(None, float("nan"), {"tests": 5}, tested=tested)
    assert (result.network, result.n_parameters, result.families) == (None, None, ())
    assert result.cpdag == result.directions == tested.pdag
    assert str(result) == str(tested)
    assert result.to_dict()["arcs"] is None
    assert result.to_dict()["score"] is None
    assert pickle.loads(pickle.dumps(result)).tested.pdag == tested.pdag
    with pytest.raises(SearchError, match="no network fits what pc found"):
        _ = result.structure


def test_a_request_is_checked_before_any_data():
    with pytest.raises(ArgumentError, match="max_parents=-1") as caught:
        task_request(None, {}, max_parents=-1)
    assert caught.value.argument == "max_parents"
    asked = task_request(SEARCHES["climb"], {"restarts": 2}, score="bdeu:5", memory_limit="1GB")
    assert (asked.score.name, asked.memory, asked.options) == ("bdeu", 10**9, {"restarts": 2})


@pytest.mark.parametrize("value", [5, 5.0, np.int64(5), np.float32(5.0)])
def test_defaults_are_compared_by_value(value):
    """Chow-Liu does not take rows_per_cell into account, and its default is no request for it."""
    assert bnml.learn(bnml.example(), search="chow-liu", rows_per_cell=value).dag.arcs


@pytest.mark.parametrize("value", [4, 6.0, True])
def test_other_values_are_refused(value):
    with pytest.raises(ArgumentError, match="rows_per_cell"):
        bnml.learn(bnml.example(), search="chow-liu", rows_per_cell=value)


@pytest.mark.parametrize("prior", ["sparse", "uniform", None])
def test_priors_that_change_nothing_are_taken(prior):
    assert bnml.learn(bnml.example(), search="chow-liu", prior=prior).log_prior == 0.0


@pytest.mark.parametrize("search", ["chow-liu", "pc", "naive"])
def test_searches_without_a_prior_have_none_by_its_object_either(search):
    options = {"class_variable": "lung"} if search == "naive" else {}
    result = bnml.learn(bnml.example(), search=search, prior=bnml.priors.Sparse(2), **options)
    assert (result.log_prior, result.score) == (0.0, bnml.score(result.dag, bnml.example()))


def test_a_prior_that_is_refused_is_named_without_its_insides():
    with pytest.raises(ArgumentError, match=r"^prior=?: search='nml-forest'"):
        bnml.learn(bnml.example(), "nml", "nml-forest", prior=bnml.priors.ArcProbabilities(0.1))


def test_a_request_is_completed_when_the_variables_are_known():
    known = Constraints(required=[("asia", "tub")])
    asked = request_for("climb", {"restarts": 2}).completed(known, restarts=3)
    assert (asked.constraints, asked.options) == (known, {"restarts": 3})
    free = replace(asked, search=replace(SEARCHES["climb"], refuses=("constraints",)))
    assert free.completed(None).constraints is None
    with pytest.raises(ArgumentError, match=r"constraints=.*: search='climb' cannot take it into account"):
        free.completed(known)
    with pytest.raises(ArgumentError, match=r"expected bnml\.Constraints"):
        asked.completed([("asia", "tub")])


def test_rules_by_name_and_by_column():
    data = bnml.read(np.zeros((2, 3), int)[:, :3], states={"X0": [0, 1], "X1": [0, 1], "X2": [0, 1]})
    data = data.select(["X2", "X0", "X1"])
    task = Task.of(LocalScores(data, QNML()), Constraints(required=[("X0", "X2")]), 2)
    assert task.rules.must == (0b010, 0, 0)
    assert task.columns == (1, 2, 0)
    assert task.by_name.must == (0, 0, 0b001)
    assert task.by_name.names == ("X0", "X1", "X2")
    assert task.structure([[], [], [0]]).parents("X2") == ("X0",)
    sure = bnml.priors.ArcProbabilities(0.5, {("X0", "X1"): 1.0, ("X2", "X1"): 0.0})
    heeded = Task.of(LocalScores(data, QNML(), sure)).with_prior
    assert (heeded.must, heeded.may) == ((0, 0b001, 0), (0b110, 0b001, 0b011))


def test_a_search_that_has_no_result_before_its_end_gives_up():
    task = Task.of(LocalScores(bnml.example(), "bic"), search="forest", watch=module.Watch(None, 1e-9))
    with pytest.raises(SearchError, match=r"search='forest' did not end within time_limit=1e-09 seconds"):
        task.part("gains")(0.5)


def test_rules_are_values():
    assert Rules.none("ab") == Constraints().compiled(["a", "b"])
    assert hash(Rules.none("ab", 1)) == hash(Rules.none("ab"))


def test_constraints_are_pointed_to():
    with pytest.raises(ArgumentError, match=r"required=\[\('asia', 'tub'\)\]: .* pass bnml.Constraints\(required=…\)"):
        bnml.learn(bnml.example(), required=[("asia", "tub")])
