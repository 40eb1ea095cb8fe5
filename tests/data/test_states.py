"""From labels to states."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from bnml.data.columns import Column
from bnml.data.states import declared_states, hold_codes, settle_states, states_of_codes
from bnml.errors import DataError


def column(labels, name="a", *, codes=None, declared=False):
    return Column(name, labels, np.arange(len(labels)) if codes is None else np.array(codes), declared=declared)


def settled(*columns, declared=None, bins=None, bins_of=None, weights=None):
    return settle_states(columns, declared or {}, bins, bins_of or {}, weights)


def test_declared_order_and_unused_states():
    states = declared_states(column(["yes", "no"]), ["no", "maybe", "yes"])
    assert states.labels == ("no", "maybe", "yes")
    assert states.mapping.tolist() == [2, 0, -1]


@pytest.mark.parametrize(
    ("own", "given", "states"),
    [
        (["1", "2"], [1, 2, 3], ("1", "2", "3")),
        (["1", "2"], [1.0, 2.0], ("1", "2")),
        (["True"], [False, True], ("False", "True")),
        ([1, 2], ["2", "1"], (2, 1)),
        ([1, 2], ["1.0", 2.0], (1, 2)),
        ([1.0, 2.0], [1, "2"], (1.0, 2.0)),
        ([0.5], ["0.5", "x"], (0.5, "x")),
        ([True], ["True", "False"], (True, False)),
        ([9007199254740993], ["9007199254740993"], (9007199254740993,)),
        ([Decimal("1.0")], [1], (1,)),
        ([1, "x"], ["x", "1"], ("x", "1")),
        ([], ["x", 1], ("x", 1)),
    ],
)
def test_declared_states_take_the_type_of_the_column(own, given, states):
    found = declared_states(column(own), given)
    assert found.labels == states
    assert [type(label) for label in found.labels] == [type(label) for label in states]


@pytest.mark.parametrize(
    ("own", "given"), [([5], ["05"]), (["05"], [5]), (["yes"], ["Yes"]), ([True], [0, 1]), (["1"], ["1.0"])]
)
def test_other_texts_are_other_labels(own, given):
    with pytest.raises(DataError, match=r"'a' holds .* not one of its declared states"):
        declared_states(column(own), given)


def test_undeclared_values_are_named():
    with pytest.raises(DataError, match=r"'a' holds 'maybee'.*'maybe'.*Did you mean 'maybe'\?"):
        declared_states(column(["maybee"]), ["maybe", "no"])


def test_a_categorical_may_have_unused_labels_that_are_not_declared():
    own = column(["x", "y", "z"], codes=[0, 2, -1], declared=True)
    assert declared_states(own, ["z", "x"]).labels == ("z", "x")
    with pytest.raises(DataError, match="'y'"):
        declared_states(column(["x", "y"], codes=[0, 1], declared=True), ["x"])


def test_declared_twice():
    with pytest.raises(DataError, match="'1' is declared twice"):
        declared_states(column(["1"]), [1, "1"])


def test_long_labels_and_many_states_stay_readable():
    with pytest.raises(DataError) as error:
        declared_states(column(["x" * 10_000], "n" * 1000), [f"{'y' * 500}{i}" for i in range(70_000)])
    assert len(str(error.value)) < 1000


def test_missing_state():
    states = declared_states(column(["x"], codes=[0, -1]), ["x", "y"]).with_missing_state()
    assert states.labels == ("x", "y", "?")
    assert states.mapping.tolist() == [0, 2]
    states = declared_states(column(["x"], codes=[0, -1]), ["?", "x"]).with_missing_state()
    assert states.labels == ("?", "x")
    assert states.mapping.tolist() == [1, 0]


def test_codes_from_0_in_place_of_labels():
    declared = {"a": ["low", "high"], "b": ["1", "2"]}
    codes = [column(["1", "0"], "a"), column(["0"], "b"), column(["7"], "c")]
    assert hold_codes(codes, declared)
    found = states_of_codes(codes, declared)
    assert [c.labels for c in found] == [["high", "low"], ["1"], ["7"]]
    numbers = [column([1, 0], "a"), column([0, 1], "b")]
    assert hold_codes(numbers, declared)
    assert [c.labels for c in states_of_codes(numbers, declared)] == [["high", "low"], ["1", "2"]]


def test_labels_are_not_taken_for_codes():
    declared = {"a": ["1", "2"], "b": ["0", "1"]}
    for labels in (["1", "2"], ["1"]):  # labels of a, and 1 would be a code too
        columns = [column(labels, "a"), column(["1", "0"], "b")]
        assert not hold_codes(columns, declared)
    assert not hold_codes([column(["0", "1"], "a"), column(["1", "0"], "b")], declared), "0 is a mistake"
    wrong = [column(["0", "x"], "a"), column(["1"], "b")]  # neither labels nor codes: said later
    assert not hold_codes(wrong, declared)
    assert not hold_codes(wrong, declared, certain=True)


def test_the_order_of_states():
    (text, numbers, own) = settled(column(["b", "a"]), column(["10", "9"]), column(["z", "a", "b"], declared=True))
    assert text.labels == ("a", "b")
    assert text.mapping.tolist() == [1, 0, -1]
    assert numbers.labels == ("9", "10")
    assert own.labels == ("z", "a", "b")
    assert own.mapping.tolist() == [0, 1, 2, -1]


def test_fifty_whole_numbers_and_a_thousand_labels():
    assert len(settled(column(list(range(50))))[0].labels) == 50
    with pytest.raises(DataError, match=r"'a' holds whole numbers with more than 50 values.*bins="):
        settled(column(list(range(51))))
    assert len(settled(column([f"x{i}" for i in range(1000)]))[0].labels) == 1000
    with pytest.raises(DataError, match=r"'a' holds more than 1000 distinct labels.*states="):
        settled(column([f"x{i}" for i in range(1001)]))
    assert len(settled(column(list(range(5000))), declared={"a": range(5000)})[0].labels) == 5000
    assert len(settled(column(list(range(5000)), declared=True))[0].labels) == 5000


def test_fractions():
    for labels in ([1.5], ["1.5", "2"], [Decimal("0.1")]):
        with pytest.raises(DataError, match=r"'a' holds fractions.*bins="):
            settled(column(labels))
    assert settled(column(["1.5", "x"]))[0].labels == ("1.5", "x")
    assert settled(column([1.5, 2.5]), declared={"a": [2.5, 1.5]})[0].labels == (2.5, 1.5)


def test_all_columns_that_are_wrong_are_named():
    with pytest.raises(DataError) as error:
        settled(
            column([1.5], "a"),
            column([2.5], "b"),
            column(list(range(99)), "c"),
            column([f"x{i}" for i in range(2000)], "d"),
        )
    message = str(error.value)
    assert "columns 'a', 'b' hold fractions" in message
    assert "'c'" in message
    assert "'d'" in message
    with pytest.raises(DataError) as error:
        settled(*(column([0.5], f"{'name' * 100}{i}") for i in range(1000)))
    assert len(str(error.value)) < 1500
    assert "992 more" in str(error.value)


def test_bins_for_all_leave_other_columns_alone():
    states = settled(column([0.5, 1.5]), column([1, 2]), column(["x", "y"]), bins=("width", 2))
    assert [s.labels for s in states] == [("<=1", ">1"), (1, 2), ("x", "y")]
    assert [s.cuts for s in states] == [(1.0,), None, None]
    with pytest.raises(DataError, match="labels"):
        settled(column([f"x{i}" for i in range(1001)]), bins=("width", 2))


def test_bins_of_a_column():
    assert settled(column([1, 2, 3]), bins_of={"a": (2.0,)})[0].labels == ("<=2", ">2")
    with pytest.raises(DataError, match=r"bins for column 'a': it holds 'n/a'.*na_values"):
        settled(column(["1", "n/a"]), bins_of={"a": (2.0,)})
    with pytest.raises(DataError, match="all of its values are missing"):
        settled(column([], codes=[-1, -1]), bins_of={"a": (2.0,)})


def test_bins_are_made_from_what_occurs():
    """Unused labels of a categorical do not stretch the bins."""
    own = column([1, 2, 100], codes=[0, 1, -1], declared=True)
    states = settled(own, bins_of={"a": ("width", 2)})[0]
    assert states.cuts == (1.5,)
    assert states.mapping.tolist() == [0, 1, 1, -1]


def test_equal_numbers_written_in_two_ways():
    states = settled(column(["1", "1.0", "2"], codes=[0, 1, 1, 2]), bins_of={"a": ("quantile", 2)})[0]
    assert states.cuts == (1.0,)
    assert states.mapping.tolist() == [0, 0, 1, -1]


def test_weights_move_quantiles():
    weights = np.array([1, 1, 10], np.int64)
    own = column([1, 2, 3])
    assert settled(own, bins_of={"a": ("quantile", 2)})[0].cuts == (2.0,)
    assert settled(own, bins_of={"a": ("quantile", 2)}, weights=weights[::-1])[0].cuts == (1.0,)
