"""Exact search against all structures one by one, and against itself done in other ways."""

from __future__ import annotations

import csv
import math
import warnings
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml import DAG, Constraints, priors
from bnml.counts.lattice import WalkOrder
from bnml.errors import ArgumentError, BnmlError, SearchError
from bnml.graph import Rules, canonical_extension
from bnml.scores import FamilyScores, LocalScores
from bnml.scores.lattice import lattice as lattice_module
from bnml.scores.lattice import score_all_families, undominated_families
from bnml.search import exact, forecast
from bnml.search.exact import solve_exact
from bnml.search.forecast import SearchPlan
from tests.scores.strategies import LABELS, score_and_twin
from tests.search.strategies import EQUAL, best, constraints, smallest, structures, tables

pytestmark = pytest.mark.usefixtures("uniform_prior")

MANY = settings(max_examples=60, deadline=None)
SOME = settings(max_examples=25, deadline=None)
CLOSE = {"rel": 0, "abs": 1e-8}

WALKED = ["loglik", "aic", "bic", "hqc", "mdl+parents", "qnml", "fnml", "bdeu", "bdeu:10", "k2", "bdj", "bdq"]


# --- the optimum ---


@pytest.mark.parametrize("label", LABELS)
@settings(max_examples=12, deadline=None)
@given(data=tables(columns=4, rows=25))
def test_nothing_is_better(label, data):
    table = type("T", (), {"arities": data.arities})
    score, _ = score_and_twin(label, table)
    local = LocalScores(data, score)
    highest, optima = best(data.names, local.family)
    result = exact(data, score)
    assert result.score == pytest.approx(highest, **CLOSE)
    assert result.optimal
    assert result.dag in optima
    if score.equivalent:
        assert result.dag == canonical_extension(result.dag.cpdag())
    else:
        assert result.dag == smallest(optima)


@MANY
@given(data=tables(), label=st.sampled_from(WALKED), drawn=st.data())
def test_constraints_and_number_of_parents(data, label, drawn):
    known = drawn.draw(constraints(data.names))
    most = drawn.draw(st.none() | st.integers(0, 3))

    def allowed(dag):
        return known.allows(dag) and (most is None or max(map(len, dag.parent_sets)) <= most)

    if not any(allowed(dag) for dag in structures(data.names)):
        with pytest.raises(BnmlError):
            exact(data, label, constraints=known, max_parents=most)
        return
    highest, optima = best(data.names, LocalScores(data, label).family, allowed)
    result = exact(data, label, constraints=known, max_parents=most)
    assert result.score == pytest.approx(highest, **CLOSE)
    assert result.dag == smallest(optima)


class NotASum(priors.StructurePrior):
    """A prior that is no sum over arcs: an even number of parents."""

    def family(self, names, child, parents):
        return -1.5 * (len(parents) % 2)

    def check(self, names):
        pass


@SOME
@given(data=tables(columns=3), label=st.sampled_from(["qnml", "bdeu", "fnml", "bic"]), drawn=st.data())
def test_priors(data, label, drawn):
    names = data.names
    arcs = {(a, b): drawn.draw(st.sampled_from([0.1, 0.5, 0.9])) for a in names for b in names if a != b}
    if len(names) > 1:
        arcs[names[0], names[1]] = drawn.draw(st.sampled_from([0.0, 0.5, 1.0]))
    kinds = [
        priors.Uniform(),
        priors.ArcProbabilities(0.3, arcs),
        priors.Distance(drawn.draw(st.sampled_from(structures(names))), 0.2),
        NotASum(),
    ]
    prior = drawn.draw(st.sampled_from(kinds))
    highest, optima = best(names, LocalScores(data, label, prior).family)
    result = exact(data, label, prior=prior)
    assert result.score == pytest.approx(highest, **CLOSE)
    assert result.dag == smallest(optima)


def test_the_published_optima():
    """BENE's optimal networks on three tables under nine scores."""
    shared = Path(__file__).parents[2].parent / "shared" / "data"
    if not shared.is_dir():
        pytest.skip("the published references do not lie beside the repository")
    names = {"AIC": "aic", "BIC": "bic", "HQC": "hqc", "fNML": "fnml", "qNML": "qnml", "BDeu": "bdeu", "BDq": "bdq"}
    found = 0
    with (shared / "published" / "bene_expected_optimal_networks.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            if row["criterion"] not in names:
                continue
            folder = shared / "uci-discretised"
            data = bnml.read(folder / f"{row['data']}.csv", states=folder / f"{row['data']}.vd")
            score = names[row["criterion"]] + (f":{row['ess_or_alpha']}" if row["ess_or_alpha"] else "")
            result = exact(data, score)
            dag = DAG(data.names, [tuple(arc.split("->")) for arc in row["arcs"].split()])
            assert result.score == pytest.approx(float(row["recomputed_score"]), abs=1e-6)
            assert result.score == pytest.approx(bnml.score(dag, data, score), **CLOSE)
            if result.local.score_function.equivalent:
                assert result.dag.is_equivalent(dag)
            found += 1
    assert found == 27


# --- done in other ways ---


def solved(data, label, *, known=None, most=None, threads=1, free=True, **plan):
    local = LocalScores(data, label)
    columns = WalkOrder(data).columns
    rules = (known or Constraints()).compiled(data.names, most).among(columns)
    settled = SearchPlan(**{"integers": False, "n_low": len(columns), **plan})
    return solve_exact(local, rules, columns, settled, threads, free=free)


@MANY
@given(data=tables(columns=6, rows=60), label=st.sampled_from(WALKED), drawn=st.data())
def test_bounds_blocks_threads_and_integers_change_nothing(data, label, drawn):
    n = len(data.names)
    known = drawn.draw(st.none() | constraints(data.names))
    most = drawn.draw(st.none() | st.integers(1, 5))
    free = known is None and most is None
    ask = {"known": known, "most": most, "free": free}
    n_low = drawn.draw(st.integers(1, n))
    try:
        dag, _ = solved(data, label, prune=False, **ask)
    except SearchError:  # links that need more parents than are allowed
        with pytest.raises(SearchError):
            solved(data, label, n_low=n_low, **ask)
        return
    with (
        patch.object(lattice_module, "LEAST_VARIABLES", 2),
        patch.object(lattice_module, "FIRST_PARENTS", 1),
        patch("bnml.scores.lattice.lattice.FIRST_PARENTS", 1),
    ):
        pruned, families = solved(data, label, n_low=n_low, threads=2, **ask)
        integers, coarse = solved(data, label, n_low=n_low, integers=True, **ask)
    assert pruned == dag
    assert families.visited <= 1 << n
    value = bnml.score(dag, data, label)
    assert bnml.score(integers, data, label) == pytest.approx(value, rel=0, abs=coarse.within)
    assert coarse.within < 1e-3


@SOME
@given(data=tables(columns=5, rows=40), label=st.sampled_from(["bic", "qnml", "bdeu", "bdq", "fnml", "k2"]))
def test_the_order_of_columns_does_not_matter(data, label):
    turned = data.select(data.names[::-1])
    one, other = exact(data, label), exact(turned, label)
    assert one.dag == other.dag
    assert one.score == pytest.approx(other.score, rel=1e-12)


def test_bounds_leave_out_most_of_the_subsets():
    rng = np.random.default_rng(3)
    table = rng.integers(0, 3, (500, 14))
    for i in range(1, 14):
        table[:, i] = np.where(rng.random(500) < 0.9, table[:, i - 1], table[:, i])
    data = bnml.read(table)
    result = exact(data, "bic")
    assert result.info["visited"] < 0.1 * result.info["subsets"]
    assert result.dag == solved(data, "bic", prune=False)[0]
    assert exact(data, "fnml").info["visited"] == 2**14
    assert result.info["visited"] < result.info["families"] < 0.1 * 14 * 2**13


@pytest.mark.parametrize("label", ["bic", "bds"])
def test_how_many_families_were_scored(label):
    data = bnml.example()
    info = exact(data, label).info
    assert (info["moves"], info["families"], info["local_optimum"]) == (0, 8 * 2**7, True)
    assert exact(data, label, max_parents=2).info["families"] == 8 * (1 + 7 + 21)
    listed = undominated_families(LocalScores(data, label))
    assert exact(listed).info["families"] == 0, "they are there already"


def test_many_states_and_many_weights():
    """Rows of several words, and counts beyond the tables of BDeu."""
    rng = np.random.default_rng(5)
    table = rng.integers(0, 900, (400, 9)) // rng.integers(1, 400, 9)
    table[:, 4] = table[:, 2] // 2
    data = bnml.read(
        np.column_stack([table, rng.integers(1, 5000, 400)]),
        states={f"X{i}": range(900) for i in range(9)},
        weights="X9",
    )
    for label in ("bdeu", "qnml"):
        local = LocalScores(data, label)
        with patch("bnml.scores.lattice.terms.MOST_RISING", 4096):
            dag, _ = solved(data, label)
        assert bnml.score(dag, data, label) == pytest.approx(exact(undominated_families(local)).score, rel=1e-12)
        sets = [[], [0], [4], [1, 4], [0, 1, 3, 4]]
        walked = score_all_families(local)[2]
        expected = local.families(2, sets)
        masks = [sum(1 << (j - (j > 2)) for j in some) for some in sets]
        assert walked[masks] == pytest.approx(expected, rel=1e-12)


# --- local scores of other programs ---


@SOME
@given(data=tables(), label=st.sampled_from([*WALKED, "bds"]), drawn=st.data())
def test_from_listed_scores(data, label, drawn, tmp_path_factory):
    most = drawn.draw(st.none() | st.integers(0, 3))
    listed = undominated_families(LocalScores(data, label), Rules.none(data.names, most))
    path = tmp_path_factory.mktemp("scores") / "scores.jkl"
    listed.save(path)
    result = exact(FamilyScores.load(path))
    assert result.score == pytest.approx(exact(data, label, max_parents=most).score, **CLOSE)
    assert result.data is None
    assert result.network is None


@SOME
@given(data=tables(), label=st.sampled_from(WALKED))
def test_undominated_families(data, label):
    """Exactly those that beat all their proper subsets."""
    local = LocalScores(data, label)
    listed = undominated_families(local)
    n = len(data.names)
    for i in range(n):
        for mask in range(1 << n):
            if mask >> i & 1:
                continue
            own = local.family(i, [j for j in range(n) if mask >> j & 1])
            below = [
                local.family(i, [j for j in range(n) if some >> j & 1]) for some in range(mask) if some & ~mask == 0
            ]
            beaten = own <= max(below, default=-math.inf)
            if abs(own - max(below, default=-math.inf)) > EQUAL:
                assert (mask in listed.parents[i]) == (not beaten)


def test_constraints_on_listed_scores():
    scores = FamilyScores(["A", "B"], [[0, 2], [0, 1]], [[-3.0, -1.0], [-4.0, -3.0]])
    assert str(exact(scores).dag) == "[B][A|B]"
    assert str(exact(scores, constraints=Constraints(required=[("A", "B")])).dag) == "[A][B|A]"
    assert exact(scores, max_parents=0).dag.arcs == ()
    assert exact(scores, constraints=Constraints(required_links=[("A", "B")])).score == -5.0
    only = FamilyScores(["A", "B"], [[2], [1]], [[-3.0], [-4.0]])
    with pytest.raises(SearchError, match="no structure"):
        exact(only)


# --- limits ---


def test_what_does_not_fit_is_refused_with_nothing_allocated():
    import tracemalloc

    data = bnml.read(np.random.default_rng(0).integers(0, 2, (100, 60)))
    tracemalloc.start()
    with pytest.raises(SearchError, match="memory"):
        exact(data, method="lattice")
    with pytest.raises(SearchError, match=r"60 variables .* At most \d+ of these variables fit"):
        exact(data, "bds")
    with pytest.raises(SearchError, match="memory"):
        exact(bnml.example(), memory_limit="1kB")
    assert tracemalloc.get_traced_memory()[1] < 20e6
    tracemalloc.stop()


def test_time_limit():
    data = bnml.read(np.random.default_rng(0).integers(0, 3, (2000, 17)))
    with pytest.raises(SearchError, match="time_limit"):
        exact(data, "fnml", time_limit=0.05)


def test_progress_only_grows():
    told = []
    exact(bnml.example(), "fnml", progress=lambda stage, share: told.append((stage, share)))
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert {stage for stage, _ in told} == {"local scores", "best networks"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_parents": -1}, "max_parents=-1"),
        ({"max_parents": 1.5}, "max_parents=1.5"),
        ({"max_parents": True}, "max_parents=True"),
        ({"threads": 0}, "threads=0"),
        ({"memory_limit": "plenty"}, "memory_limit='plenty'"),
        ({"memory_limit": 0}, "memory_limit=0"),
        ({"score": "bicc"}, "bicc"),
        ({"constraints": Constraints(required=[("nobody", "asia")])}, "nobody"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(BnmlError, match=message):
        exact(bnml.example(), **arguments)


def test_more_parents_required_than_allowed():
    known = Constraints(required=[("asia", "dysp"), ("smoke", "dysp")])
    with pytest.raises(SearchError, match=r"'dysp' are required, but max_parents=1 allows fewer"):
        exact(bnml.example(), constraints=known, max_parents=1)


def test_impossible_prior():
    prior = priors.ArcProbabilities(0.5, {("asia", "tub"): 1.0, ("tub", "asia"): 1.0})
    with pytest.raises(BnmlError, match="no structure"):
        exact(bnml.example(), prior=prior)


def test_one_column_and_constant_columns():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        data = bnml.read(np.zeros((5, 3), int))
        one = bnml.read(np.array([[0], [1], [1]]))
    assert exact(data).dag.arcs == ()
    assert exact(one).dag.names == ("X0",)


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_parents": "x"},
        {"constraints": "x"},
        {"time_limit": "x"},
        {"time_limit": -1},
        {"progress": 5},
        {"prior": 1},
    ],
)
def test_wrong_types(wrong):
    with pytest.raises(ArgumentError, match=next(iter(wrong))):
        exact(bnml.example(), **wrong)


# --- ties among many variables, strong priors, heavy weights ---


def test_columns_with_one_state_are_no_parents():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    table = np.column_stack([np.zeros((300, 13), int), y, y ^ (rng.random(300) < 0.1)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        data = bnml.read(table)
    for label in ("bic", "qnml", "bdeu", "k2"):
        assert exact(data, label).dag.arcs in ((("X13", "X14"),), (("X14", "X13"),))


@pytest.mark.parametrize(("rows", "columns", "label"), [(1, 14, "qnml"), (20, 14, "loglik"), (10, 15, "loglik")])
def test_very_many_ties(rows, columns, label):
    table = np.random.default_rng(1).integers(0, 2, (rows, columns))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        data = bnml.read(table, states={f"X{i}": [0, 1] for i in range(columns)})
        turned = data.select(data.names[::-1])
    assert exact(data, label).dag == exact(turned, label).dag


@pytest.mark.parametrize(("label", "kappa", "columns"), [("mdl+parents", 0.2, 3), ("aic", 0.01, 3), ("bic", 1e-100, 4)])
def test_a_prior_can_pay_for_dear_families(label, kappa, columns):
    data = bnml.read(np.zeros((1, columns), int), states={f"X{i}": [0, 1, 2] for i in range(columns)})
    names = data.names
    complete = DAG(names, [(a, b) for k, b in enumerate(names) for a in names[:k]])
    prior = priors.Distance(complete, kappa)
    highest, _ = best(names, LocalScores(data, label, prior).family)
    assert exact(data, label, prior=prior).score == pytest.approx(highest, **CLOSE)


def test_a_link_with_one_direction_ruled_out_by_a_prior():
    known = Constraints(required_links=[("asia", "smoke")])
    prior = priors.ArcProbabilities(0.5, {("asia", "smoke"): 0.0})
    assert ("smoke", "asia") in exact(bnml.example(), "bic", constraints=known, prior=prior).dag.arcs


def test_heavy_weights():
    rows = np.random.default_rng(2).integers(0, 2, (30, 4))
    data = bnml.read(np.column_stack([rows, np.full(30, 10**11)]), weights="X4")
    highest, _ = best(data.names, LocalScores(data, "bdeu").family)
    assert exact(data, "bdeu").score == pytest.approx(highest, rel=1e-12)


def test_integers_with_a_prior_are_as_near_as_they_say():
    data = bnml.read(np.zeros((1, 6), int), states={f"X{i}": [0, 1] for i in range(6)})
    columns = WalkOrder(data).columns
    for p in (0.3, 0.500001, 0.50000001):
        local = LocalScores(data, "loglik", priors.ArcProbabilities(p))
        rules = Rules.none(data.names).among(columns)
        values = []
        for integers in (False, True):
            dag, families = solve_exact(local, rules, columns, SearchPlan(integers, 6), 1)
            values.append(math.fsum(local.families(range(6), dag.parent_sets).tolist()))
        assert values[0] - values[1] <= families.within


def test_links_that_need_too_many_parents_are_found_before_any_work():
    known = Constraints(required_links=[("asia", "smoke"), ("asia", "tub"), ("smoke", "tub")])
    with pytest.raises(SearchError, match="'asia', 'smoke', 'tub'"):
        exact(bnml.example(), constraints=known, max_parents=1)
    assert exact(bnml.example(), constraints=known, max_parents=2).dag


def test_a_prior_for_listed_scores_is_refused():
    with pytest.raises(ArgumentError, match="prior"):
        exact(FamilyScores(["A"], [[0]], [[-1.0]]), prior=priors.Sparse())


def test_what_is_said_to_fit_fits():
    data = bnml.read(np.random.default_rng(0).integers(0, 3, (500, 26)))
    with pytest.raises(SearchError) as refusal:
        exact(data, "bic", method="lattice", memory_limit="250MB")
    most = int(str(refusal.value).split("At most ")[1].split()[0])
    assert forecast(data.select(data.names[:most]), "bic", memory_limit="250MB").fits
    assert not forecast(data.select(data.names[: most + 1]), "bic", memory_limit="250MB").fits
    with pytest.raises(SearchError, match="No number of variables fits"):
        exact(data, "bic", memory_limit="1MB")


def test_all_arities_different():
    rng = np.random.default_rng(4)
    data = bnml.read(
        np.column_stack([rng.integers(0, r, 60) for r in range(2, 14)]),
        states={f"X{i}": range(i + 2) for i in range(12)},
    )
    for label in ("bdeu", "qnml"):
        assert exact(data, label).score == pytest.approx(exact(undominated_families(LocalScores(data, label))).score)
