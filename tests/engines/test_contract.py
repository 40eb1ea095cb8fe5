"""Wherever a table is, the same counts, scores, tests and networks come of it."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.counts import counts_of
from bnml.counts.batches import Lookups, batch_of
from bnml.counts.chi_square import Questions, Verdict
from bnml.data import engine_values
from bnml.errors import DataError
from tests.engines.conftest import DuckDB

NASTY = [
    'x"; drop table t; --', "Er k'", "back\\slash", "100 %s {x}", "new\nline", "Größe 字", "A", "a b", "select",
]  # fmt: skip
LABELS = ["'", '"', "\\", "%s", "{}", "a\nb", "字", "$1", ";--", "NULL", " ", "x y", "?-", ":p"]


def network_rows(n: int = 600, seed: int = 3) -> pd.DataFrame:
    """Return rows in which some columns depend on others, of text, numbers and truth values."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 3, n)
    b = np.where(rng.random(n) < 0.7, a, rng.integers(0, 3, n))
    c = rng.integers(0, 2, n)
    d = (b + c + (rng.random(n) < 0.2)) % 2
    e = np.where(rng.random(n) < 0.8, d, rng.integers(0, 4, n))
    return pd.DataFrame(
        {"a": np.array(["low", "mid", "top"])[a], "b": b, "c": c.astype(bool), "d": np.array(["no", "yes"])[d], "e": e}
    )


def pushed(engine, frame, **options):
    """Read a frame from where it was stored, left there if the engine is one."""
    return bnml.read(engine.store(frame), **options, **({} if engine.name == "memory" else {"counting": "push"}))


def occurring(frame: pd.DataFrame, names: list[str]) -> dict[tuple, int]:
    """Return how often each configuration of some columns occurs, by the definition."""
    found: dict[tuple, int] = {}
    for row in frame[names].itertuples(index=False, name=None):
        found[row] = found.get(row, 0) + 1
    return found


def cells_of(data: bnml.Data, names: list[str]) -> dict[tuple, int]:
    """Return the same from the counts of a table."""
    columns = [data.index(name) for name in names]
    cells = counts_of(data).cells(columns)
    labels = [[data.states[v][code] for code in row] for v, row in zip(columns, cells.states.tolist(), strict=True)]
    return dict(zip(zip(*labels, strict=True), cells.counts.tolist(), strict=True))


def test_what_the_table_says_of_itself(engine):
    frame = network_rows()
    data, here = pushed(engine, frame), bnml.read(frame)
    assert data.engine == engine.name
    assert data.n_rows == 600 == len(data)
    assert (data.names, data.states, data.arities) == (here.names, here.states, here.arities)
    assert counts_of(data).in_engine == (engine.name != "memory")
    if engine.name != "memory":
        assert f"600 rows in {engine.name} × 5 columns" in str(data)
        assert "where the rows stay" in str(data)
        assert data.n_distinct == here.n_distinct


def test_cells_and_tables(engine):
    frame = network_rows()
    data, here = pushed(engine, frame), bnml.read(frame)
    for size in range(1, 5):
        for names in map(list, itertools.permutations(frame.columns, size)):
            if size > 2 and names != sorted(names):
                continue
            assert cells_of(data, names) == occurring(frame, names)
            columns = [data.index(name) for name in names]
            assert np.array_equal(counts_of(data).table(columns), counts_of(here).table(columns))


def test_sums_are_the_same_to_the_last_bit(engine):
    frame = network_rows()
    here, there = counts_of(bnml.read(frame)), counts_of(pushed(engine, frame))
    lookups = Lookups(np.arange(601.0)[None] * np.log(np.maximum(np.arange(601.0), 1))[None], {})
    families = [(c, p) for c in range(5) for k in range(4) for p in itertools.combinations(set(range(5)) - {c}, k)]
    batch = batch_of([c for c, _ in families], [p for _, p in families])
    assert np.array_equal(there.family_sums(batch, lookups), here.family_sums(batch, lookups))
    for child, parents in [(0, []), (3, [1]), (4, [0, 3])]:
        others = [v for v in range(5) if v != child and v not in parents]
        found = there.addition_sums(child, parents, np.array(others, np.int64), lookups)
        assert np.array_equal(found, here.addition_sums(child, parents, np.array(others, np.int64), lookups))
    questions = Questions(
        np.array([0, 0, 2]), np.array([1, 3, 4]), np.array([0, 2, 4, 5]), np.array([[2], [3], [1], [2], [0]])
    )
    a, b = there.statistics(questions, Verdict()), here.statistics(questions, Verdict())
    np.testing.assert_allclose(a[0], b[0], rtol=1e-9)
    assert np.array_equal(a[1], b[1])


@pytest.mark.parametrize("search", ["tabu", "order", "climb", "chow-liu", "ges", "auto", "k2", "polytree"])
def test_structures(engine, search):
    frame = network_rows()
    options = {"order": list(frame.columns)} if search == "k2" else {}
    a, b = (bnml.learn(data, "bic", search=search, **options) for data in (pushed(engine, frame), frame))
    assert a.score == pytest.approx(b.score, abs=1e-9)
    assert a.dag == b.dag


def test_scores_parameters_and_strength(engine):
    frame = network_rows()
    data, here = pushed(engine, frame), bnml.read(frame)
    dag = bnml.learn(here, "bic", search="tabu").dag
    for score in ("bic", "aic", "qnml", "fnml", "bdeu", "k2", "bds", "loglik", "mdl"):
        assert bnml.score(dag, data, score) == pytest.approx(bnml.score(dag, here, score), abs=1e-9)
    for x in dag.names:
        pd.testing.assert_frame_equal(bnml.fit(dag, data).cpt(x), bnml.fit(dag, here).cpt(x))
    a, b = (bnml.strength(dag, one, "bic") for one in (data, here))
    pd.testing.assert_frame_equal(a, b, rtol=1e-9)
    a, b = (bnml.dependences(one).sort_values(["a", "b"], ignore_index=True) for one in (data, here))
    pd.testing.assert_frame_equal(a, b, rtol=1e-9)
    assert bnml.pc(data, alpha=0.01).pdag == bnml.pc(here, alpha=0.01).pdag


def test_selected_columns(engine):
    frame = network_rows()
    data = pushed(engine, frame).select(["d", "b"])
    assert data.names == ("d", "b")
    assert cells_of(data, ["d", "b"]) == occurring(frame, ["d", "b"])


def test_compressed_tables_are_those_of_memory(sql_engine):
    frame = network_rows()
    here, there = bnml.read(frame), bnml.read(sql_engine.store(frame), counting="compress")
    assert there.engine == "memory"
    assert f"fetched from {sql_engine.name}" in str(there)
    assert (there.states, there.names) == (here.states, here.names)
    assert np.array_equal(there.codes, here.codes)
    assert np.array_equal(there.weights, here.weights)
    assert there.codes.dtype == here.codes.dtype
    assert bnml.learn(there, "bic").dag == bnml.learn(here, "bic").dag


def test_the_forecast_decides(sql_engine):
    source = sql_engine.store(network_rows())
    assert bnml.read(source).engine == "memory"
    small = bnml.read(source, memory_limit=2000)
    assert small.engine == sql_engine.name
    assert "2 kB are allowed" in small.counting
    assert f"about {small.n_distinct} of them" in small.counting


def test_names_and_labels_are_quoted(sql_engine):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: np.array(LABELS)[rng.integers(0, len(LABELS), 300)] for name in NASTY})
    source = sql_engine.store(frame)
    here = bnml.read(frame)
    for counting in ("push", "compress"):
        data = bnml.read(source, counting=counting)
        assert (data.names, data.states) == (here.names, here.states)
        assert cells_of(data, NASTY[:2]) == occurring(frame, NASTY[:2])
    assert source.count().execute() == 300


def test_names_that_differ_in_case_only(postgres):
    frame = pd.DataFrame({"x": ["a", "b", "b"], "X": ["b", "b", "a"]})
    assert cells_of(bnml.read(postgres.store(frame), counting="push"), ["x", "X"]) == occurring(frame, ["x", "X"])


@pytest.mark.parametrize("missing", ["drop", "state", "error", "em"])
@pytest.mark.parametrize("counting", ["push", "compress"])
def test_missing_values(sql_engine, missing, counting):
    frame = network_rows(200).astype({"b": float})
    frame.loc[3:9, "b"] = None
    frame.loc[7:20, "a"] = None
    frame.loc[30:33, "d"] = "?"
    frame.loc[40:43, "d"] = ""
    frame.loc[50:53, "a"] = "n/a"
    source, options = sql_engine.store(frame), {"missing": missing, "na_values": ["n/a"]}
    if missing == "error":
        with pytest.raises(DataError) as here:
            bnml.read(frame, **options)
        with pytest.raises(DataError) as there:
            bnml.read(source, counting=counting, **options)
        assert str(here.value) == str(there.value)
        return
    if missing == "em" and counting == "push":
        with pytest.raises(DataError, match=r"missing='em' needs rows.*counting='compress'"):
            bnml.read(source, counting=counting, **options)
        return
    here, there = bnml.read(frame, **options), bnml.read(source, counting=counting, **options)
    assert (there.states, there.gaps, there.n_rows) == (here.states, here.gaps, here.n_rows)
    if counting == "push":
        assert cells_of(there, ["a", "b", "d"]) == cells_of(here, ["a", "b", "d"])
    else:
        assert np.array_equal(there.codes, here.codes)
        assert np.array_equal(there.weights, here.weights)


@pytest.mark.parametrize(
    ("bins", "counting"),
    [
        ("quantile:40", "push"),
        ("width:3", "compress"),
        ("mdl", "push"),
        ({"u": [-0.5, 0.25], "v": "quantile:3"}, "compress"),
    ],
)
def test_bins(sql_engine, bins, counting):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"u": rng.normal(size=700), "v": rng.integers(0, 90, 700), "w": rng.integers(0, 3, 700)})
    here, there = bnml.read(frame, bins=bins), bnml.read(sql_engine.store(frame), bins=bins, counting=counting)
    assert (there.states, there.cuts) == (here.states, here.cuts)
    assert there.reading.medians == here.reading.medians
    assert cells_of(there, ["u", "v", "w"]) == cells_of(here, ["u", "v", "w"])


@pytest.fixture
def many_values(monkeypatch):
    """Let columns of a few values count as such of many."""
    monkeypatch.setattr(engine_values, "FIRST_ROWS", 100)
    monkeypatch.setattr(engine_values, "SOME_VALUES", 30)
    monkeypatch.setattr(engine_values, "MANY_VALUES", 40)


@pytest.mark.parametrize(
    ("bins", "missing", "counting"),
    [
        ("quantile:50", "drop", "push"),
        ("width:40", "state", "push"),
        ({"u": [-0.5, 0.25], "v": [-5, 3.5, 3.7, 200], "y": [0]}, "state", "compress"),
    ],
)
def test_numbers_that_are_not_listed(sql_engine, bins, missing, counting, many_values):
    """The engine finds the cuts of columns with many values, and they are those of memory."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "u": rng.normal(size=700),
            "v": rng.integers(0, 90, 700),
            "w": rng.integers(0, 3, 700),
            "y": np.where(rng.random(700) < 0.3, 0, rng.normal(size=700).round(2)),
        }
    )
    frame.loc[5:9, "u"] = None
    frame.loc[20:30, "v"] = -999
    frame.loc[40:44, "y"] = -999
    source, options = sql_engine.store(frame), {"missing": missing, "bins": bins, "na_values": [-999]}
    here, there = bnml.read(frame, **options), bnml.read(source, counting=counting, **options)
    assert (there.states, there.cuts, there.gaps, there.n_rows) == (here.states, here.cuts, here.gaps, here.n_rows)
    assert "u" not in dict(there.reading.medians), "the engine does not list the numbers"
    assert cells_of(there, ["u", "v", "w", "y"]) == cells_of(here, ["u", "v", "w", "y"])


def test_values_that_are_too_many(sql_engine, many_values):
    """They are not fetched, and the error is that of a table in memory."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {"id": [f"k{i}" for i in range(5000)], "u": rng.normal(size=5000), "w": rng.integers(0, 3, 5000)}
    )
    source = sql_engine.store(frame)
    with pytest.raises(DataError) as here:
        bnml.read(frame)
    with pytest.raises(DataError) as there:
        bnml.read(source)
    assert str(there.value) == str(here.value)
    assert "more than 1000 distinct labels" in str(here.value)
    with pytest.raises(DataError, match=r"'k0'.*not one of its declared states|'u' holds fractions"):
        bnml.read(source, states={"id": ["a", "b"]})
    for bins in ("mdl", "auto", "target:w"):
        with pytest.raises(DataError, match=rf"bins='{bins}' weighs every value of column 'u'.*'quantile:4'"):
            bnml.read(source, drop=["id"], bins=bins, memory_limit="100kB")
    assert bnml.read(source, drop=["id"], bins="mdl").cuts == bnml.read(frame, drop=["id"], bins="mdl").cuts


def test_bins_that_need_rows(sql_engine):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"u": rng.normal(size=300), "w": rng.integers(0, 3, 300)})
    source = sql_engine.store(frame)
    with pytest.raises(DataError, match=r"bins='auto' of 'u' needs rows.*counting='compress'"):
        bnml.read(source, bins="auto", counting="push")
    assert bnml.read(source, bins="auto").cuts == bnml.read(frame, bins="auto").cuts


@pytest.mark.parametrize("counting", ["push", "compress"])
def test_weights_declared_states_and_chosen_columns(sql_engine, counting):
    frame = network_rows(150).assign(n=np.random.default_rng(5).integers(0, 4, 150))
    options = {"weights": "n", "states": {"e": [3, 2, 1, 0, 9]}, "drop": ["c"]}
    here, there = bnml.read(frame, **options), bnml.read(sql_engine.store(frame), counting=counting, **options)
    assert (there.names, there.states, there.n_rows, there.gaps) == (here.names, here.states, here.n_rows, here.gaps)
    assert cells_of(there, ["a", "e"]) == cells_of(here, ["a", "e"])
    with pytest.raises(DataError, match="not one of its declared states"):
        bnml.read(sql_engine.store(frame), counting=counting, states={"a": ["low", "mid"]})


@pytest.mark.duckdb
def test_rows_that_are_needed_and_do_not_fit():
    """They are not fetched, unless that is asked for."""
    engine, rng = DuckDB(), np.random.default_rng(4)
    frame = network_rows(300).assign(
        u=rng.normal(size=300), set_=np.where(rng.random(300) < 0.1, "a", ""), gap=rng.integers(0, 2, 300)
    )
    frame["gap"] = frame["gap"].where(rng.random(300) < 0.9)
    source = engine.store(frame)
    for what, options in (
        ("bins='auto' of 'u'", {"bins": "auto", "drop": ["set_", "gap"]}),
        ("interventions", {"interventions": "set_", "drop": ["u", "gap"]}),
        ("missing='em'", {"missing": "em", "drop": ["u", "set_"]}),
    ):
        with pytest.raises(DataError, match=rf"{what} needs the distinct rows.*memory_limit.*counting='compress'"):
            bnml.read(source, memory_limit=1000, **options)
        assert bnml.read(source, memory_limit=1000, counting="compress", **options).n_rows == 300


@pytest.mark.duckdb
def test_kinds_of_values():
    engine = DuckDB()
    engine.engine.raw_sql(
        "CREATE TABLE kinds AS SELECT range % 2 = 0 AS truth, (range % 3)::DOUBLE AS whole, "
        "(range % 3 / 10)::FLOAT AS tenth, "
        "DATE '2020-01-01' + (range % 2)::INT AS day, (range % 3)::DECIMAL(9, 2) AS price, "
        "md5((range % 2)::TEXT)[1:32]::UUID AS id, to_days((range % 2)::INT) AS long, ['a'] AS list FROM range(60)"
    )
    source, states = engine.engine.table("kinds"), {"tenth": np.array([0, 0.1, 0.2], np.float32).tolist()}
    for counting in ("push", "compress"):
        data = bnml.read(source, drop=["long", "list"], states=states, counting=counting)
        assert data.arities == (2, 3, 3, 2, 3, 2)
        assert sum(cells_of(data, list(data.names)).values()) == 60
    for name, kind in (("long", "duration|interval"), ("list", "list")):
        with pytest.raises(DataError, match=rf"column '{name}' holds values of type ({kind}).*leave it out"):
            bnml.read(source, columns=["truth", name])


def test_what_needs_rows_says_so(sql_engine):
    data = bnml.read(sql_engine.store(network_rows(100)), counting="push")
    network = bnml.fit(bnml.learn(data, "bic", search="tabu").dag, data)
    for asked in (
        lambda: bnml.learn(data, "bic", search="exact"),
        lambda: network.log_prob(data),
        lambda: data.codes,
        lambda: bnml.bootstrap(data, "bic", search="tabu", repetitions=2),
    ):
        with pytest.raises(DataError, match=f"needs the rows of .* stay in {sql_engine.name}.*counting='compress'"):
            asked()
    with pytest.raises(DataError, match=r"log_prob\(\) needs the rows"):
        network.log_prob(data)
    with pytest.raises(DataError, match=r"bootstrap\(\) needs the rows.*a sample of them that has a name"):
        bnml.bootstrap(data, "bic", search="tabu", repetitions=2)


@pytest.mark.duckdb
@settings(max_examples=25, deadline=None)
@given(st.data())
def test_random_tables_and_sets(data):
    n, width = data.draw(st.integers(1, 60)), data.draw(st.integers(1, 5))
    arities = data.draw(st.lists(st.integers(1, 5), min_size=width, max_size=width))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    frame = pd.DataFrame({f"v{i}": np.array(LABELS)[rng.integers(0, r, n)] for i, r in enumerate(arities)})
    engine = DuckDB()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of columns with one state
        table = bnml.read(engine.store(frame), counting="push")
    for _ in range(4):
        names = data.draw(st.lists(st.sampled_from(list(frame.columns)), min_size=1, unique=True))
        assert cells_of(table, names) == occurring(frame, names)
    engine.engine.disconnect()
