"""The one door: what is asked is checked once and compiled once, however it came in."""

from __future__ import annotations

import ast
import gc
import json
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.cli import main
from bnml.errors import ArgumentError, SearchError
from bnml.graph import Constraints, Rules
from bnml.scores import QNML, LocalScores
from bnml.search import problem as module
from bnml.search.options import SHARED, SearchOptions, search_options
from bnml.search.problem import Problem, bind
from bnml.search.searches import SEARCHES
from tools.trace_call import MOST_MODULES, ONCE, PACKAGE, traced

OPTIONS = {"tan": {"class_variable": "lung"}, "naive": {"class_variable": "lung"}}


@pytest.fixture
def table(tmp_path):
    network = bnml.learn(bnml.example()).network
    network.sample(300, seed=1).to_csv(tmp_path / "clinic.csv", index=False)
    return tmp_path / "clinic.csv"


@pytest.mark.parametrize("search", ["exact", "auto"])
@pytest.mark.parametrize("known", [None, Constraints(required=[("asia", "tub")], forbidden_links=[("xray", "dysp")])])
def test_everything_is_done_once(table, search, known):
    with traced() as trace:
        result = bnml.learn(table, search=search, constraints=known)
        str(result)
    assert result.search == "exact"
    expected = dict.fromkeys(ONCE, 1)
    if known is None:
        del expected["constraints checked"], expected["constraints compiled"]
    assert {what: number for what, number in trace.calls.items() if number} == expected


def test_few_modules_are_passed(table):
    for _ in ("cold", "warm"):
        with traced() as trace:
            print(bnml.learn(table, "qnml"))
    assert len(trace.modules) <= MOST_MODULES, trace


def test_the_command_line_does_everything_once(table, capsys):
    for _ in ("cold", "warm"):
        with traced() as trace:
            assert main(["learn", str(table)]) == 0
    assert "proof" in capsys.readouterr().out
    assert sum(not name.startswith("cli/") for name in trace.modules) <= MOST_MODULES
    want = {name: number for name, number in dict.fromkeys(ONCE, 1).items() if not name.startswith("constraints")}
    assert {what: number for what, number in trace.calls.items() if number} == want


def test_the_trace_sees_what_happens_twice(table):
    """The test above can fail."""
    with traced() as trace:
        bnml.learn(table, constraints=Constraints(forbidden=[("asia", "tub")]))
        bnml.learn(table, constraints=Constraints(forbidden=[("asia", "tub")]))
    assert dict(trace.calls) == dict.fromkeys(ONCE, 2)


def test_a_study_binds_once_for_each_table_that_it_learns_from(table):
    """From all rows, from halves of them, and from the rows outside of each fold; other scores share its rules."""
    data = bnml.read(table)
    with traced() as trace:
        study = bnml.study(data, "lung", repetitions=2, folds=3, threads=1)
    assert study.bootstrap.repetitions + study.validation.folds == 5
    assert trace.calls["bound"] == 1 + 5
    assert (trace.calls["options checked"], trace.calls["score parsed"]) == (1, 1)
    with traced() as trace:
        study = bnml.study(data, "lung", select="blanket", repetitions=2, folds=3, threads=1)
    assert study.data.names != data.names
    assert trace.calls["bound"] == 2 + study.bootstrap.repetitions + (study.validation.folds if study.validation else 0)
    assert (trace.calls["options checked"], trace.calls["score parsed"]) == (1, 1)


def test_the_bootstrap_checks_once(table):
    data = bnml.read(table)
    with traced() as trace:
        bnml.bootstrap(data, "qnml", "climb", repetitions=6)
    assert (trace.calls["options checked"], trace.calls["score parsed"]) == (1, 1)
    assert trace.calls["local scores made"] == trace.calls["bound"] == 6


MOST_SPELLINGS = 12
FOREIGN = {"data/engine_sources.py"}  # DuckDB calls an option of its own memory_limit


def spelled_options():
    """Return the modules that declare or pass each shared option, and those with a function or call that names four.

    An option is declared as a parameter or a field, and passed by keyword. Messages and reports may name it, too. Words
    that other things are called by as well (``seed``, ``threads``, ``score``, …) can only be told in company.
    """
    single, several = {name: set() for name in SHARED}, set()
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            together = set()
            if isinstance(node, ast.FunctionDef):
                together = {one.arg for one in (*node.args.args, *node.args.kwonlyargs)}
            elif isinstance(node, ast.Call):
                together = {one.arg for one in node.keywords}
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                together = {node.target.id}
            for name in together & set(SHARED):
                single[name].add(module)
            if len(together & set(SHARED)) > 3:
                several.add(module)
    return single, several


def test_each_option_is_spelled_in_few_modules():
    single, several = spelled_options()
    for name in ("max_parents", "rows_per_cell", "memory_limit"):  # words of our own
        assert len(single[name] - FOREIGN) <= MOST_SPELLINGS, (name, sorted(single[name]))
    assert len(several) <= MOST_SPELLINGS, sorted(several)
    assert "search/learn.py" in several


def test_the_same_by_every_door(table):
    """`learn`, the function of the search and a request give the same."""
    for name, search in SEARCHES.items():
        options, score = OPTIONS.get(name, {}), "nml" if name == "nml-forest" else "bic"
        by_learn = bnml.learn(table, score, name, seed=3, **options)
        checked = search_options(name, score=score, seed=3, **options)
        assert search.run(bind(checked, bnml.read(table)), **options) == by_learn
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
    problem = Problem.of(LocalScores(bnml.example(), "bic"), search="pc")
    tested = bnml.pc(bnml.example())
    result = problem.result(None, float("nan"), {"tests": 5}, tested=tested)
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
        SearchOptions.checked(None, max_parents=-1)
    assert caught.value.argument == "max_parents"
    asked = SearchOptions.checked(SEARCHES["climb"], restarts=2, score="bdeu:5", memory_limit="1GB")
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
    asked = search_options("climb", restarts=2).completed(known, restarts=3)
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
    problem = Problem.of(LocalScores(data, QNML()), Constraints(required=[("X0", "X2")]), 2)
    assert problem.rules.must == (0b010, 0, 0)
    assert problem.columns == (1, 2, 0)
    assert problem.by_name.must == (0, 0, 0b001)
    assert problem.by_name.names == ("X0", "X1", "X2")
    assert problem.structure([[], [], [0]]).parents("X2") == ("X0",)
    sure = bnml.priors.ArcProbabilities(0.5, {("X0", "X1"): 1.0, ("X2", "X1"): 0.0})
    heeded = Problem.of(LocalScores(data, QNML(), sure)).with_prior
    assert (heeded.must, heeded.may) == ((0, 0b001, 0), (0b110, 0b001, 0b011))


def test_a_search_that_has_no_result_before_its_end_gives_up():
    problem = Problem.of(LocalScores(bnml.example(), "bic"), search="forest", watch=module.Watch(None, 1e-9))
    with pytest.raises(SearchError, match=r"search='forest' did not end within time_limit=1e-09 seconds"):
        problem.part("gains")(0.5)


def test_rules_are_values():
    assert Rules.none("ab") == Constraints().compiled(["a", "b"])
    assert hash(Rules.none("ab", 1)) == hash(Rules.none("ab"))


def test_constraints_are_pointed_to():
    with pytest.raises(ArgumentError, match=r"required=\[\('asia', 'tub'\)\]: .* pass bnml.Constraints\(required=…\)"):
        bnml.learn(bnml.example(), required=[("asia", "tub")])


def test_a_result_keeps_nothing_that_belongs_to_one_call():
    class Told:
        def __call__(self, stage, share):
            pass

    told = Told()
    gone = weakref.ref(told)
    with ThreadPoolExecutor(1) as executor:
        result = bnml.learn(bnml.example(), search="climb", restarts=1, executor=executor, progress=told)
    assert "executor" not in result.problem.options.options
    del told
    gc.collect()
    assert gone() is None
    assert result.certify().optimal


def test_results_of_incomplete_data_keep_no_rounds():
    data = bnml.example().select(["smoke", "lung", "bronc"])
    rows = data.codes[data.row_index]
    table = pd.DataFrame({x: np.array(data.states[k], object)[rows[:, k]] for k, x in enumerate(data.names)})
    table.iloc[::7, 1] = None
    result = bnml.learn(bnml.read(table, missing="em"), "bic", "climb")
    assert not [one for one in reachable(result) if type(one).__name__ in ("_Rounds", "_Found")]


def test_the_cost_does_not_depend_on_threads():
    costs = [bnml.search.forecast(bnml.example(), threads=threads) for threads in (1, 2, 8)]
    assert costs[0] == costs[1] == costs[2]


def test_local_scores_without_a_table_under_exact_nml():
    families = bnml.search.candidates(bnml.example(), "bic")
    result = bnml.learn(families, "nml", search="climb")
    assert result.local is families
    assert result.certify().optimal


def reachable(root):
    """Yield what an object holds, through attributes, containers and closures."""
    seen, todo = {id(root)}, [root]
    while todo:
        one = todo.pop()
        yield one
        for other in gc.get_referents(one):
            space = isinstance(other, dict) and "__builtins__" in other  # of a module
            if id(other) not in seen and not space and not isinstance(other, type | ModuleType):
                seen.add(id(other))
                todo.append(other)
