"""The same questions to every search, with every score that it admits."""

from __future__ import annotations

from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml import DAG
from bnml.errors import BnmlError, SearchError
from bnml.scores import SCORES
from bnml.search.searches import SEARCHES
from tests.search.strategies import constraints, structures, tables

pytestmark = pytest.mark.usefixtures("uniform_prior")

OPTIONS = {"tan": {"class_variable": "X0"}, "naive": {"class_variable": "X0"}}
REFUSED = {("ges", name) for name in ("k2", "bd", "bdj", "bds", "fnml")}
UNBOUNDED = ("polytree", "pc", "npc")  # take no max_parents
UNWEIGHED = ("ges", "nml-forest")  # take no prior, or none that tells equivalent structures apart

CLIMBERS = ("exact", "climb", "tabu", "order", "ges")  # searches that end where no change of one arc helps
CLOSE = {"rel": 0, "abs": 1e-7}

each_search = pytest.mark.parametrize("search", SEARCHES)


def table(rows=120, seed=5):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, rows)
    b = np.where(rng.random(rows) < 0.8, a, rng.integers(0, 3, rows))
    c = (a + b + (rng.random(rows) < 0.1)) % 2
    d = np.where(rng.random(rows) < 0.7, c, rng.integers(0, 3, rows))
    return bnml.read(np.stack([a, b, c, d], axis=1))


def one_arc_away(dag):
    """Yield every structure with one arc more, one less, or one turned round."""
    arcs = set(dag.arcs)
    for a, b in permutations(dag.names, 2):
        changed = [arcs - {(a, b)}, arcs - {(a, b)} | {(b, a)}] if (a, b) in arcs else [arcs | {(a, b)}]
        for some in changed:
            if (a, b) in arcs or (b, a) not in arcs:
                try:
                    yield DAG(dag.names, some)
                except BnmlError:  # they close a cycle
                    continue


def check_work(result, score_of, allowed=lambda dag: True):
    """Check that what a search says of its work has the right types, and that what it says of single arcs is true."""
    info = result.info
    assert type(info["moves"]) is int
    assert type(info["families"]) is int
    assert type(info["local_optimum"]) is bool
    assert info["moves"] >= 0
    assert info["families"] >= 0
    if result.dag is None:
        assert (info["moves"], info["families"], info["local_optimum"]) == (0, 0, False)
        return
    gain = max((score_of(dag) for dag in one_arc_away(result.dag) if allowed(dag)), default=-np.inf) - result.score
    if info["local_optimum"]:
        assert gain <= CLOSE["abs"]
    assert ("arc_gain" in info) <= (not info["local_optimum"])
    if "arc_gain" in info:
        assert info["arc_gain"] == pytest.approx(gain, **CLOSE)
        assert gain > 0.0


@each_search
@pytest.mark.parametrize("score", SCORES)
def test_every_pair_of_search_and_score(search, score):
    """It gives a structure whose score is the one it says, or refuses with a reason."""
    data = table()
    options = OPTIONS.get(search, {})
    if (search, score) in REFUSED:
        with pytest.raises(BnmlError, match=score):
            bnml.learn(data, score, search=search, **options)
        return
    result = bnml.learn(data, score, search=search, **options)
    assert result.search == search
    assert result.score == pytest.approx(bnml.score(result.dag, data, score), abs=1e-8)
    assert result.score <= bnml.learn(data, score, search="exact").score + 1e-8
    assert result.optimal is (search == "exact")
    assert result.cpdag == result.dag.cpdag()
    assert result.network.dag == result.dag
    assert result.seconds >= 0
    assert str(result)
    assert bnml.learn(data, score, search=search, threads=1, **options).dag == result.dag
    check_work(result, lambda dag: bnml.score(dag, data, score))
    assert result.info["local_optimum"] or "arc_gain" in result.info, "so small a table is always checked"
    assert result.info["local_optimum"] or search not in CLIMBERS


def has_shape(search, dag):
    """Return whether a structure is one of those that a search looks for; the class is X0."""
    if search in ("chow-liu", "forest", "nml-forest"):
        return max(map(len, dag.parent_sets)) <= 1
    if search == "polytree":
        return not dag.arcs or nx.is_forest(dag.to_networkx().to_undirected())
    if search in ("tan", "naive"):
        more = 2 if search == "tan" else 1
        return not dag.parents("X0") and all(
            "X0" in above and len(above) <= more for above in (dag.parents(x) for x in dag.names[1:])
        )
    return True


@each_search
@settings(max_examples=15, deadline=None)
@given(data=tables(columns=4), drawn=st.data())
def test_constraints_hold(search, data, drawn):
    """They are met wherever a structure that the search looks for meets them, and refused elsewhere."""
    known = drawn.draw(constraints(data.names))
    most = None if search in UNBOUNDED else drawn.draw(st.none() | st.integers(0, 3))
    given = {"constraints": known, "max_parents": most, **OPTIONS.get(search, {})}

    def allowed(dag):
        return known.allows(dag) and (most is None or max(map(len, dag.parent_sets)) <= most)

    possible = any(allowed(dag) and has_shape(search, dag) for dag in structures(data.names))
    if search == "ges":  # what binds all members of a class alike: links that are forbidden, in whatever words
        alone = {arc: known.allows(DAG(data.names, [arc])) for arc in permutations(data.names, 2)}
        possible = possible and known.allows(DAG(data.names)) and all(alone[a, b] == alone[b, a] for a, b in alone)
    if not possible:
        with pytest.raises(BnmlError):
            bnml.learn(data, "bic", search=search, **given)
        return
    result = bnml.learn(data, "bic", search=search, **given)
    check_work(result, lambda dag: bnml.score(dag, data, "bic"), allowed)
    if result.dag is None:  # no network fits what the tests of pc and npc say
        assert search in ("pc", "npc")
        return
    assert allowed(result.dag)


@each_search
@pytest.mark.parametrize("prior", [bnml.priors.Distance(DAG(["X0", "X1", "X2", "X3"], [("X3", "X0")]), 0.01), None])
def test_local_optima_with_priors_and_few_parents(search, prior):
    """The check heeds the prior and the bound on the parents."""
    data = table(seed=6)
    for most in (None, 2, 1):
        given = {"prior": prior, "max_parents": most, **OPTIONS.get(search, {})}
        refused = "prior" if prior and search in UNWEIGHED else "max_parents" if most and search in UNBOUNDED else ""
        if refused:
            with pytest.raises(BnmlError, match=rf"^{refused}[=:]"):
                bnml.learn(data, "bdeu", search=search, **given)
            continue
        result = bnml.learn(data, "bdeu", search=search, **given)

        def score(dag):
            return bnml.score(dag, data, "bdeu", prior=prior)

        check_work(result, score, lambda dag, most=most: most is None or max(map(len, dag.parent_sets)) <= most)
        if search == "forest":
            assert result.info["local_optimum"] is (most == 1)


def test_wide_tables_are_not_checked():
    """It would take longer than the search."""
    rng = np.random.default_rng(0)
    data = bnml.read(rng.integers(0, 2, (50, 240)))
    for search in ("chow-liu", "naive"):
        result = bnml.learn(data, "bic", search=search, **OPTIONS.get(search, {}))
        assert (result.info["moves"], result.info["families"]) == (239, 240)
        assert result.info["local_optimum"] is False
        assert "arc_gain" not in result.info
        assert "whether it is a local optimum was not verified" in " ".join(str(result).split())


def test_without_time_left_nothing_is_checked():
    result = bnml.learn(table(), search="k2", time_limit=1e-9)
    assert result.info["local_optimum"] is False
    assert "arc_gain" not in result.info


def test_a_prior_that_rules_out_all_arcs():
    never = bnml.priors.ArcProbabilities(0.5, dict.fromkeys(permutations(["X0", "X1", "X2", "X3"], 2), 0.0))
    result = bnml.learn(table(), "bic", search="chow-liu", prior=never)
    assert not result.dag.arcs
    assert result.score > -np.inf
    with pytest.raises(SearchError, match="impossible under the score or the prior"):
        bnml.learn(table(), "bic", search="naive", prior=never, class_variable="X0")
