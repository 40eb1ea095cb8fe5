"""Exact search over all subsets, and by candidate families with branch and cut: the same score, and true bounds."""

from __future__ import annotations

import math
import os
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml._watch import Watch
from bnml.errors import ArgumentError, SearchError
from bnml.search import candidates
from bnml.search.candidates import candidates_of
from bnml.search.cuts import solve_by_cuts
from bnml.search.options import search_options
from bnml.search.problem import bind
from tests.search.tables import random_constraints, random_prior, random_table

SCORES = ("bic", "aic", "hqc", "mdl", "qnml", "fnml", "bdeu", "bdeu:10", "k2", "bdj", "bds", "bdq")


@pytest.fixture(autouse=True, scope="module")
def any_family():
    """Keep the rule that families need rows: it is a part of what is compared."""


@pytest.mark.parametrize("part", range(int(os.environ.get("BNML_TABLES", "150")) // 50))
def test_random_tables(part):
    """Tables with all scores, constraints, priors, ties, constant and equal columns; BNML_TABLES=2000 for more."""
    for seed in range(50 * part, 50 * part + 50):
        rng = np.random.default_rng(seed)
        data = random_table(rng, 9 if seed % 3 else 6)
        common = {
            "score": SCORES[int(rng.integers(len(SCORES)))],
            "prior": random_prior(rng, data),
            "constraints": random_constraints(rng, data),
            "max_parents": [None, 1, 2, 3][int(rng.integers(4))],
            "rows_per_cell": int(rng.choice([0, 5])),
        }
        try:
            lattice = bnml.learn(data, search="exact", method="lattice", **common)
        except SearchError:
            with pytest.raises(SearchError):
                bnml.learn(data, search="exact", method="cuts", **common)
            continue
        bounds: list[float] = []
        problem = bind(search_options("exact", method="cuts", **common), data)
        found = candidates_of(problem, Watch())
        solved = solve_by_cuts(
            found.families, problem.hard_rules.links, None, found.unlisted, Watch(),
            lambda stage, lower, upper, seen=bounds: seen.append(upper),
        )  # fmt: skip
        slack = 1e-6 * max(1.0, abs(lattice.score) * 1e-3)
        assert solved.score == pytest.approx(lattice.score, abs=slack), (seed, common)
        assert min([*bounds, solved.bound]) >= lattice.score - slack, (seed, common)
        assert solved.bound <= solved.score + 1e-5, (seed, common)


@pytest.mark.parametrize("seed", range(16))
def test_the_same_structure(seed):
    """Both ways return the same of several best structures, with copies of columns and whatever their order."""
    rng = np.random.default_rng(3000 + seed)
    data = random_table(rng, 7, fewest=4)
    if seed % 2:
        copy = data.codes[:, rng.integers(len(data.names))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # columns with one state
            data = bnml.read(np.column_stack([np.repeat(np.column_stack([data.codes, copy]), data.weights, axis=0)]))
    for score, most in (("qnml", None), ("bdeu", None), ("bic", 2), ("k2", None)):
        lattice = bnml.learn(data, score, search="exact", method="lattice", max_parents=most)
        cuts = bnml.learn(data, score, search="exact", method="cuts", max_parents=most)
        assert cuts.dag == lattice.dag
        turned = bnml.learn(data.select(data.names[::-1]), score, search="exact", method="cuts", max_parents=most)
        assert set(turned.dag.arcs) == set(lattice.dag.arcs)


def chains_with_copies(rng: np.random.Generator) -> bnml.Data:
    """Return twenty variables: chains that can be turned round, copies of some columns, and noise."""
    columns = [rng.integers(0, 2, 200) for _ in range(4)]
    while len(columns) < 16:
        above = columns[int(rng.integers(max(0, len(columns) - 4), len(columns)))]
        columns.append(np.where(rng.random(200) < 0.8, above, rng.integers(0, 2, 200)))
    columns += [columns[int(k)] for k in rng.integers(0, 16, 4)]
    names = [f"{'abcdefghij'[k % 10]}{k}" for k in rng.permutation(20)]
    return bnml.read(pd.DataFrame(dict(zip(names, columns, strict=True))))


@pytest.mark.parametrize("seed", [0, 2])
def test_the_same_structure_of_many_variables(seed):
    data = chains_with_copies(np.random.default_rng(seed))
    x = sorted(data.names)
    known = bnml.Constraints(forbidden=[(x[0], x[5]), (x[7], x[3])], required_links=[(x[2], x[9])])
    for common in (
        {"score": "qnml"}, {"score": "bic", "max_parents": 2}, {"score": "qnml", "constraints": known},
        {"score": "bic", "constraints": bnml.Constraints(tiers=[x[:10], x[10:]])},
    ):  # fmt: skip
        lattice, cuts = (bnml.learn(data, search="exact", method=way, **common) for way in ("lattice", "cuts"))
        assert cuts.dag == lattice.dag, common
        assert cuts.optimal


def test_a_bound_for_the_result_of_any_search():
    data = random_table(np.random.default_rng(1), 9, fewest=9)
    best = bnml.learn(data, "bic", search="exact", method="lattice")
    for search in ("climb", "tabu", "order", "ges", "chow-liu", "forest", "pc", "k2", "polytree", "naive", "tan"):
        options = {"k2": {"order": list(data.names)}} | {x: {"class_variable": "X0"} for x in ("naive", "tan")}
        found = bnml.learn(data, "bic", search=search, **options.get(search, {}))
        if found.dag is None:
            continue
        certified = found.certify()
        assert certified.bound >= best.score - 1e-6
        assert certified.score >= found.score - 1e-9
        assert certified.within == pytest.approx(certified.bound - certified.score, abs=1e-9)
        assert certified.optimal is (certified.within <= 1e-6)
        assert found.bound is None or found.optimal


def test_certifying_what_is_proven_changes_nothing():
    result = bnml.learn(bnml.example(), search="exact")
    assert result.certify() is result
    assert result.bound == pytest.approx(result.score, abs=1e-6)


def test_certify_refuses_what_it_cannot_do():
    result = bnml.learn(bnml.example(), search="climb")
    with pytest.raises(SearchError, match="not kept"):
        replace(result, problem=None).certify()
    with pytest.raises(ArgumentError, match="time_limit"):
        result.certify(time_limit=-1)
    with pytest.raises(ArgumentError, match="lattice"):
        bnml.learn(bnml.example(), search="exact", method="latice")


@pytest.mark.parametrize("limit", [0.001, 0.05, 0.3])
def test_little_time(limit):
    """However little time there is, there is a structure with a true bound."""
    data = random_table(np.random.default_rng(4), 14, fewest=14)
    best = bnml.learn(data, "qnml", search="exact", method="lattice").score
    bnml.learn(data.select(data.names[:5]), "qnml", search="exact", method="cuts")  # machine code is loaded
    result = bnml.learn(data, "qnml", search="exact", method="cuts", time_limit=limit)
    assert result.score <= best + 1e-6 <= result.bound + 2e-6
    assert result.optimal is (result.within <= 1e-6)
    assert math.isfinite(result.bound)


def test_listed_families_are_learned_from_in_either_way():
    data = random_table(np.random.default_rng(6), 8, fewest=8)
    families = candidates(data, "bdeu")
    best = bnml.learn(data, "bdeu", search="exact", method="lattice")
    for method in ("auto", "lattice", "cuts"):
        found = bnml.learn(families, search="exact", method=method)
        assert found.optimal
        assert found.score == pytest.approx(best.score, abs=1e-6)


def test_threads_make_no_difference():
    data = random_table(np.random.default_rng(7), 9, fewest=9)
    one, two = (bnml.learn(data, "qnml", search="exact", method="cuts", threads=k) for k in (1, 2))
    assert (one.dag, one.score, one.info["visited"]) == (two.dag, two.score, two.info["visited"])
