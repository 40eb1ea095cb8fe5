"""Rows per cell: families that the rows cannot judge are out of the question, in every search by score."""

from __future__ import annotations

import math
from contextlib import suppress
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml import DAG, Constraints
from bnml.errors import ArgumentError, GraphError, SearchError
from bnml.graph import Rules
from bnml.scores import LocalScores
from tests.counts.strategies import data_of, random_table

BOUND = ["exact", "climb", "tabu", "order", "ges", "k2", "forest"]
FREE = ["chow-liu", "tan", "naive", "polytree", "pc", "npc"]


@pytest.fixture(autouse=True, scope="module")
def any_family():
    """Keep the rule, which this module is about."""


def options_of(search, names):
    if search == "k2":
        return {"order": list(names)}
    return {"class_variable": names[0]} if search in ("tan", "naive") else {}


def keeps(dag, data, least):
    """Tell whether all families with parents have so many rows per cell."""
    r = dict(zip(data.names, data.arities, strict=True))
    cells = [math.prod(r[p] for p in dag.parents(x)) * r[x] for x in dag.names if dag.parents(x)]
    return all(c * least <= data.n_rows for c in cells)


def linked(rows=120, columns=8, seed=3):
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 2, rows)
    noisy = [np.where(rng.random(rows) < 0.8, base, rng.integers(0, 2 + i % 2, rows)) for i in range(columns)]
    return bnml.read(np.stack(noisy, axis=1))


@pytest.mark.parametrize("search", BOUND)
@pytest.mark.parametrize("score", ["aic", "qnml", "bdeu"])
def test_it_holds_in_every_search_by_score(search, score):
    data = linked()
    for least in (1, 5, 20, 100):
        result = bnml.learn(data, score, search=search, rows_per_cell=least, **options_of(search, data.names))
        assert keeps(result.dag, data, least), least
    assert keeps(bnml.learn(data, score, search=search, **options_of(search, data.names)).dag, data, 5)
    loose = bnml.learn(data, "aic", search=search, rows_per_cell=0, **options_of(search, data.names))
    assert search == "forest" or not keeps(loose.dag, data, 20)


@pytest.mark.parametrize("search", FREE)
def test_it_does_not_bind_other_searches(search):
    data = linked(40)
    own = options_of(search, data.names)
    assert bnml.learn(data, search=search, rows_per_cell=0, **own).dag == bnml.learn(data, search=search, **own).dag
    with pytest.raises(ArgumentError, match="rows_per_cell=3"):
        bnml.learn(data, search=search, rows_per_cell=3, **own)


@pytest.mark.parametrize("score", ["aic", "qnml", "fnml", "bdeu", "k2", "bds"])
@pytest.mark.parametrize("least", [0, 1, 2.5, 5, 30])
def test_the_optimum_by_listing_all_structures(score, least):
    data = data_of(random_table(8, 60, [3, 2, 4, 2]))
    local = LocalScores(data, score)
    best = max(local.score(dag) for dag in all_structures(data.names) if keeps(dag, data, least))
    result = bnml.learn(data, score, search="exact", rows_per_cell=least)
    assert result.optimal
    assert result.score == pytest.approx(best, rel=1e-12)


def all_structures(names):
    pairs = list(combinations(names, 2))
    for choice in product((0, 1, 2), repeat=len(pairs)):
        with suppress(GraphError):  # a cycle
            yield DAG(names, [p if c == 1 else p[::-1] for p, c in zip(pairs, choice, strict=True) if c])


@pytest.mark.parametrize("score", ["bic", "qnml", "fnml", "bdeu"])
def test_both_arithmetics_and_bounds_agree(score):
    rng = np.random.default_rng(1)
    data = bnml.read(np.stack([rng.integers(0, 2 + i % 3, 300) for i in range(12)], axis=1))
    floats = bnml.learn(data, score, search="exact")
    few = bnml.search.forecast(data, score).bytes
    integers = bnml.learn(data, score, search="exact", memory_limit=int(few * 1.0))
    assert integers.score == pytest.approx(floats.score, abs=1e-3)
    assert keeps(integers.dag, data, 5)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(3, 6))
def test_a_class_is_allowed_as_a_whole(seed, n):
    """The cells of the largest families are those of cliques, which all members share."""
    rng = np.random.default_rng(seed)
    arities = rng.integers(2, 6, n)
    order = rng.permutation(n)
    arcs = [(f"X{order[a]}", f"X{order[b]}") for a in range(n) for b in range(a + 1, n) if rng.random() < 0.5]
    dag = DAG([f"X{i}" for i in range(n)], arcs)
    cells = float(rng.integers(2, 200))
    rules = Rules.none(dag.names).with_cells(arities.tolist(), cells)

    def allowed(member):
        masks = member.parent_masks
        return all(rules.fits(i, mask) for i, mask in enumerate(masks))

    wanted = allowed(dag)
    for _ in range(10):
        if not (covered := dag.covered_arcs()):
            break
        dag = dag.reverse(covered[int(rng.integers(len(covered)))])
        assert allowed(dag) == wanted


def test_the_posterior_keeps_to_it():
    data = data_of(random_table(2, 30, [2, 3, 4]))
    found = bnml.posterior(data, rows_per_cell=4)  # 7 cells: two and three states, no more
    assert found.arc_probabilities.loc["X0", "X1"] > 0.0
    assert found.arc_probabilities.loc["X1", "X0"] > 0.0
    assert found.link_probabilities.loc["X0", "X2"] == 0.0
    assert found.link_probabilities.loc["X1", "X2"] == 0.0
    listed = [dag for dag in all_structures(data.names) if keeps(dag, data, 4)]
    assert len(found.top(100)) == len(listed)
    assert "families of at most 8 cells" in found.prior_text


def test_required_arcs_that_break_it_are_named():
    data = data_of(random_table(5, 60, [2, 3, 4, 2, 2]))
    known = Constraints(required=[("X0", "X2"), ("X1", "X2")])
    for search in BOUND:
        if search not in ("forest", "ges"):
            with pytest.raises(SearchError, match=r"X0 -> X2, X1 -> X2: .* 24 cells, and rows_per_cell= allows 12"):
                bnml.learn(data, "bic", search=search, constraints=known)
    assert bnml.learn(data, "bic", constraints=known, rows_per_cell=1).optimal
    ring = Constraints(required_links=[("X1", "X2"), ("X2", "X0"), ("X0", "X1")])
    with pytest.raises(SearchError, match="rows_per_cell"):
        bnml.learn(data, "bic", constraints=ring, rows_per_cell=10)


def test_reports_say_what_was_out_of_the_question():
    frame = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (300, 4)), columns=list("ABCD")).assign(
        id=[f"p{k}" for k in range(300)]
    )
    frame = frame.astype(str)
    result = bnml.learn(frame)
    text = " ".join(str(result).split())
    assert not [arc for arc in result.dag.arcs if "id" in arc]
    assert "at least 5 rows per cell on average: at most 60 cells with 300 rows; 4 links" in text
    assert "no network with 5 rows per cell has a higher score" in text
    assert result.to_dict()["info"]["links_too_large"] == 4
    assert "rows per cell" not in str(bnml.learn(frame[list("ABCD")]))
    many = bnml.learn(frame, rows_per_cell=0, search="climb")
    assert "more than there are rows" in " ".join(str(many).split())


@pytest.mark.parametrize("wrong", [-1, "5", None, math.inf, math.nan, True])
def test_what_is_no_number_of_rows(wrong):
    with pytest.raises(ArgumentError, match="rows_per_cell=") as caught:
        bnml.learn(bnml.example(), rows_per_cell=wrong)
    assert caught.value.argument == "rows_per_cell"


def test_local_scores_have_no_rows():
    local = bnml.scores.FamilyScores(["A", "B"], [[0, 2], [0, 1]], [[-1.0, -0.5], [-1.0, -0.5]])
    assert bnml.learn(local).optimal
    assert bnml.learn(local, rows_per_cell=0).optimal
    with pytest.raises(ArgumentError, match="rows_per_cell=3: local scores from elsewhere have no rows"):
        bnml.learn(local, rows_per_cell=3)


def test_fewer_sets_are_visited():
    data = bnml.read(np.random.default_rng(0).integers(0, 3, (1000, 12)))
    result = bnml.learn(data, "fnml", search="exact")
    assert result.info["visited"] == sum(math.comb(12, k) for k in range(5))  # 81 cells are allowed, 243 not
    assert bnml.search.forecast(data, "fnml").seconds < bnml.search.forecast(data, "fnml", rows_per_cell=0).seconds


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("score", ["qnml", "fnml", "bdeu", "bic"])
def test_independent_columns_stay_apart(score, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({f"V{i}": rng.integers(2 + i % 3, size=600).astype(str) for i in range(8)})
    assert len(bnml.learn(frame, score).dag.arcs) <= 1
