"""Targets: what was set in each row, and the rows that tell about a variable."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.data.fingerprint import fingerprint
from bnml.data.labels import Reading
from bnml.data.read_like import read_like
from bnml.data.resampling import halves, redrawn
from bnml.data.rows import rows_left_alone
from bnml.data.targets import (
    Targets,
    joined_targets,
    rows_not_setting,
    rows_set,
    rows_set_words,
    rows_setting_nothing,
    without_targets,
)
from bnml.errors import ArgumentError, BnmlError, DataError

from .. import interventions

FRAME = pd.DataFrame(
    {
        "a": ["x", "y", "x", "y", "x", "x"],
        "b": ["u", "v", "v", "u", "u", "u"],
        "c": [0, 1, 1, 0, 0, 0],
        "set": ["", "b", " a ;c", None, "b;b", ""],
    }
)


def rows_with_targets(data: bnml.Data) -> list[tuple]:
    """Return every row with its targets, in the order of the source."""
    assert data.row_index is not None
    targets = [[data.names[v] for v in data.targets.sets[k]] for k in data.targets.of_row] if data.targets else None
    return [
        (*(data.states[j][code] for j, code in enumerate(data.codes[row])), targets[row] if targets else [])
        for row in data.row_index
    ]


def test_rows_keep_what_was_set():
    data = bnml.read(FRAME, interventions="set")
    assert data.names == ("a", "b", "c")
    assert data.n_rows == 6
    want = [[], ["b"], ["a", "c"], [], ["b"], []]
    assert rows_with_targets(data) == [
        (*row, own) for row, own in zip(FRAME[["a", "b", "c"]].itertuples(index=False, name=None), want, strict=True)
    ]
    assert data.n_distinct == 5  # two equal rows were set alike, a third not
    assert rows_set(data) == {"rows_set": 3, "rows": {"a": 1, "b": 2, "c": 1}}
    assert rows_set_words(data) == "3 of 6 rows: b in 2, a in 1, c in 1"
    assert "variables were set in 3 of 6 rows" in str(data)


@pytest.mark.parametrize("child", ["v0", "v1", "v2", "v3"])
@pytest.mark.parametrize("seed", range(5))
def test_views_are_the_rows_in_which_a_variable_was_not_set(child, seed):
    frame = interventions.random_table(seed)
    data = interventions.read(frame)
    view, want = rows_not_setting(data, data.index(child)), interventions.rows_for(frame, child)
    assert view.targets is None
    assert np.array_equal(view.codes, want.codes)
    assert np.array_equal(view.weights, want.weights)
    alone = rows_left_alone(data, data.index(child))
    assert alone.tolist() == [child not in text.replace(" ", "").split(";") for text in frame["set"]]
    assert rows_not_setting(data, data.index(child)) is view


def test_rows_in_which_nothing_was_set():
    data = bnml.read(FRAME, interventions="set")
    assert rows_setting_nothing(data).n_rows == 3
    assert without_targets(data).n_rows == 6
    assert without_targets(data).n_distinct == 4
    plain = bnml.read(FRAME[["a", "b"]])
    assert rows_setting_nothing(plain) is plain
    assert without_targets(plain) is plain
    with pytest.raises(DataError, match="in every row"):
        rows_setting_nothing(bnml.read(FRAME.assign(set=["a", "b"] * 3), interventions="set"))


def test_what_was_set_in_every_row_is_part_of_the_law_of_all_rows():
    always = bnml.read(FRAME.assign(set="a"), interventions="set")
    assert rows_setting_nothing(always).n_rows == 6
    mixed = bnml.read(FRAME.assign(set=["a;b", "a", "a", "a;c", "a", "a"]), interventions="set")
    table = rows_setting_nothing(mixed)
    assert table.targets is None
    kept = bnml.read(FRAME.iloc[[1, 2, 4, 5]][["a", "b", "c"]])
    assert np.array_equal(table.codes, kept.codes)
    assert np.array_equal(table.weights, kept.weights)


def test_they_stay_with_their_rows(tmp_path):
    data = bnml.read(FRAME, interventions="set")
    data.save(tmp_path / "data.npz")
    for again in (bnml.Data.load(tmp_path / "data.npz"), pickle.loads(pickle.dumps(data))):
        assert rows_with_targets(again) == rows_with_targets(data)
        assert again.targets.sets == data.targets.sets
        assert fingerprint(again) == fingerprint(data)
    assert fingerprint(data) != fingerprint(bnml.read(FRAME[["a", "b", "c"]]))
    assert fingerprint(data) != fingerprint(bnml.read(FRAME.assign(set="b"), interventions="set"))
    some = bnml.read(FRAME.assign(d=FRAME["a"]), interventions="set").select(["c", "b", "a"])
    assert rows_with_targets(some) == [
        (*row[2::-1], [x for x in ("c", "b", "a") if x in row[3]]) for row in rows_with_targets(data)
    ]


def test_columns_that_were_set_are_not_left_out():
    data = bnml.read(FRAME.assign(d=FRAME["a"]), interventions="set")
    with pytest.raises(DataError, match=r"left out \('b', 'c'\)"):
        data.select(["a", "d"])
    only = bnml.read(FRAME.assign(set=["", "b", "", "b", "", ""]), interventions="set")
    assert only.select(["b", "c"]).targets.sets == ((), (0,))
    with pytest.raises(DataError, match="keep the columns, or leave those rows out"):
        only.select(["a", "c"])
    assert without_targets(only).select(["a", "c"]).n_rows == 6


def test_damaged_files_are_refused(tmp_path):
    data = bnml.read(FRAME, interventions="set")
    data.save(tmp_path / "data.npz")
    with np.load(tmp_path / "data.npz") as arrays:
        whole = {name: arrays[name] for name in arrays.files}
    for wrong in (
        {"targets": whole["targets"][:-1]},
        {"targets": whole["targets"] + 7},
        {"target_sets": np.array("[[9]]")},
    ):
        np.savez(tmp_path / "broken.npz", **{**whole, **wrong})
        with pytest.raises(DataError, match="damaged"):
            bnml.Data.load(tmp_path / "broken.npz")


def test_samples_of_the_rows_are_whole_rows():
    data = interventions.read(interventions.random_table(0))
    cells = {}
    for row, place, weight in zip(
        data.codes.tolist(), data.targets.of_row.tolist(), data.weights.tolist(), strict=True
    ):
        cells[*row, data.targets.sets[place]] = weight

    def counted(table):
        sets = table.targets.sets if table.targets else ((),)
        places = table.targets.of_row.tolist() if table.targets else [0] * table.n_distinct
        return {(*r, sets[k]): w for r, k, w in zip(table.codes.tolist(), places, table.weights.tolist(), strict=True)}

    first, second = halves(data, np.random.default_rng(0))
    one, two = counted(first), counted(second)
    assert {key: one.get(key, 0) + two.get(key, 0) for key in cells} == cells
    assert set(counted(redrawn(data, np.random.default_rng(0)))) <= set(cells)


def test_weights_and_rows_that_are_dropped():
    frame = FRAME.assign(n=[1, 2, 0, 1, 3, 1])
    data = bnml.read(frame, interventions="set", weights="n")
    assert rows_set(data) == {"rows_set": 5, "rows": {"b": 5}}
    gaps = FRAME.assign(a=["x", None, "x", "y", "x", "x"])
    dropped = bnml.read(gaps, interventions="set", missing="drop")
    assert rows_set(dropped) == {"rows_set": 2, "rows": {"a": 1, "b": 1, "c": 1}}
    named = bnml.read(
        FRAME.assign(set=FRAME["set"].fillna("none").replace("", "none")), interventions="set", na_values=["none"]
    )
    assert rows_set(named) == rows_set(bnml.read(FRAME, interventions="set"))
    also = bnml.read(FRAME, interventions="set", na_values=["b", "9"])  # the name of a variable is no missing value
    assert rows_set(also) == rows_set(bnml.read(FRAME, interventions="set"))


def test_tables_that_are_read_like_another():
    whole = bnml.read(FRAME, interventions="set")
    states = dict(zip(whole.names, whole.states, strict=True))
    again = read_like(FRAME.iloc[::-1], states, {}, Reading("error"), interventions="set")
    assert rows_with_targets(again) == rows_with_targets(whole)[::-1]


def test_names_with_a_semicolon():
    data = bnml.read(pd.DataFrame({"a;b": [0, 1, 0], "c": [0, 1, 1], "set": ["a;b", "c; ", ""]}), interventions="set")
    assert data.targets.sets == ((), (0,), (1,))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"interventions": "sets"}, "'sets'.*'set'"),
        ({"interventions": "set", "drop": ["set"]}, "both interventions= and drop="),
        ({"interventions": "set", "weights": "set"}, "both weights= and interventions="),
        ({"interventions": "set", "bins": {"set": "auto"}}, "no variable"),
        ({"interventions": "set", "states": {"set": ["b"]}}, "no variable"),
        ({"interventions": ["set"]}, "name of a column of targets"),
    ],
)
def test_wrong_arguments(arguments, words):
    with pytest.raises(ArgumentError, match=words):
        bnml.read(FRAME, **arguments)


def test_unknown_targets_are_named():
    with pytest.raises(DataError, match=r"'bb', which is no variable.*Did you mean 'b'"):
        bnml.read(FRAME.assign(set="bb"), interventions="set")
    with pytest.raises(DataError, match=r"'b', which is left out.*keep the column"):
        bnml.read(FRAME, interventions="set", drop=["b"])
    with pytest.raises(DataError, match="'set', which is left out or no variable"):
        bnml.read(FRAME.assign(set="set"), interventions="set")
    with pytest.raises(BnmlError, match="no columns apart"):
        bnml.read(FRAME[["set"]], interventions="set")


def test_relations_have_each_row_once():
    data = bnml.read(FRAME, interventions="set")
    plain = bnml.read(FRAME[["a", "b", "c"]])
    assert bnml.relational.hartley_information(data, "a", "b") == bnml.relational.hartley_information(plain, "a", "b")
    pd.testing.assert_frame_equal(bnml.relational.gains(data), bnml.relational.gains(plain))


def test_numbers_are_cut_and_targets_kept():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=200), "b": rng.integers(0, 2, 200), "set": ["", "b"] * 100})
    frame["a"] += frame["b"]
    for data in (
        bnml.read(frame, bins="auto", interventions="set"),
        bnml.discretise(frame, "bic", interventions="set"),
    ):
        assert rows_set(data) == {"rows_set": 100, "rows": {"b": 100}}


def test_gaps_and_targets_together(tmp_path):
    frame = pd.DataFrame({"a": ["x", "y", None, "x"], "b": ["u", "v", "u", "v"], "set": ["", "b", "", "a"]})
    data = bnml.read(frame, missing="em", interventions="set")
    assert data.gap_counts() == {"a": 1}
    assert rows_set(data) == {"rows_set": 2, "rows": {"a": 1, "b": 1}}
    assert "values are missing in 1 of 4 rows" in str(data)
    assert "variables were set in 2 of 4 rows" in str(data)
    view = rows_not_setting(data, 0)
    assert (view.n_rows, view.gap_counts(), view.targets) == (3, {"a": 1}, None)
    data.save(tmp_path / "both.npz")
    again = bnml.Data.load(tmp_path / "both.npz")
    assert (again.gap_counts(), rows_set(again)) == (data.gap_counts(), rows_set(data))
    assert bnml.read(frame, missing="state", interventions="set").targets is not None
    assert not bnml.read(frame.dropna(), missing="em", interventions="set").has_gaps


def test_joined_targets():
    one = Targets(((), (0,)), np.array([0, 1]))
    joined = joined_targets([(one, 2), (None, 3), (Targets(((0, 1),), np.array([0])), 1)])
    assert joined.sets == ((), (0,), (0, 1))
    assert joined.of_row.tolist() == [0, 1, 0, 0, 0, 2]
    assert joined_targets([(None, 2), (None, 1)]) is None
