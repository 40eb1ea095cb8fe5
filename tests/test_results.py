"""Every result says itself as plain values: `to_dict`, which JSON can write."""

from __future__ import annotations

import json

import pytest

import bnml
from bnml.experiments import reproduce
from bnml.nml import nml_histogram
from bnml.nml.forest_plan import ForestForecast
from bnml.relational.overview import relation_overview
from bnml.uncertainty.posterior_cost import posterior_cost

A, B = bnml.DAG.parse("[A][B|A][C|B]"), bnml.DAG.parse("[B][A|B][C|A]")
FEW = ("smoke", "lung", "either")


def table(*names: str) -> bnml.Data:
    return bnml.example().select(names)


RESULTS = {
    "posterior": lambda folder: bnml.posterior(table(*FEW)),
    "sampled posterior": lambda folder: bnml.posterior(table(*FEW), method="sample", samples=3),
    "cost": lambda folder: posterior_cost(bnml.LocalScores(table(*FEW), "bdeu"), "uniform"),
    "bootstrap": lambda folder: bnml.bootstrap(bnml.example(), search="climb", repetitions=3),
    "learn": lambda folder: bnml.learn(bnml.example()),
    "pc": lambda folder: bnml.pc(bnml.example()),
    "npc": lambda folder: bnml.npc(bnml.example()),
    "forecast": lambda folder: bnml.search.forecast(bnml.example()),
    "forest forecast": lambda folder: ForestForecast(float("inf"), 1, 2),
    "study": lambda folder: bnml.study(bnml.example(), "lung", repetitions=3),
    "code length": lambda folder: bnml.code_length(bnml.DAG(FEW), table(*FEW)),
    "histogram": lambda folder: nml_histogram([1.0, 2.0, 3.0], [1, 2, 1]),
    "comparison": lambda folder: bnml.compare(A, B),
    "comparison with a class": lambda folder: bnml.compare(A, B.cpdag()),
    "overview": lambda folder: relation_overview(table(*FEW)),
    "reproduction": lambda folder: reproduce("regret-table", out=folder, threads=1),
}


def is_plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(type(key) is str and is_plain(item) for key, item in value.items())
    return all(map(is_plain, value)) if type(value) is list else type(value) in (str, int, float, bool, type(None))


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_plain_values(name, tmp_path):
    found = RESULTS[name](tmp_path).to_dict()
    assert is_plain(found)
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_independence_lists_links_in_the_order_of_variables():
    result = bnml.npc(bnml.example(), alpha=0.01)
    found = result.to_dict()
    assert found["n_tests"] == result.n_tests
    assert {frozenset((one["a"], one["b"])) for one in found["separated"]} == set(result.sepsets)
    assert {frozenset(link) for region in found["ambiguous_regions"] for link in region} == frozenset().union(
        *result.ambiguous_regions
    )
