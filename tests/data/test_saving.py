"""Tables saved and loaded."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from bnml.data import Data, read
from bnml.errors import BnmlError, DataError


def same(a: Data, b: Data) -> bool:
    return (
        (a.names, a.states, dict(a.cuts)) == (b.names, b.states, dict(b.cuts))
        and [type(label) for labels in a.states for label in labels] == [type(s) for own in b.states for s in own]
        and a.codes.dtype == b.codes.dtype
        and np.array_equal(a.codes, b.codes)
        and np.array_equal(a.weights, b.weights)
        and (a.row_index is None) == (b.row_index is None)
        and (a.row_index is None or np.array_equal(a.row_index, b.row_index))
    )


def test_there_and_back(tmp_path):
    frame = pd.DataFrame(
        {"x": [0.5, 1.5, 9.0, 0.7], "ä": ["None", "y\n", "", "y\n"], "b": [True, False, True, True], "n": [2, 1, 3, 1]}
    )
    for data in (
        read(frame, bins={"x": [1.0]}, missing="state"),
        read(frame, bins="mdl", missing="state", weights="n"),
        read(frame[["n"]], states={"n": range(300)}),
    ):
        data.save(tmp_path / "t.npz")
        back = Data.load(tmp_path / "t.npz")
        assert same(data, back)
        assert (data.gaps, data.reading) == (back.gaps, back.reading)
        assert not back.codes.flags.writeable
        assert back.column_codes.flags.c_contiguous


def test_wrong_files(tmp_path):
    data = read(np.array([[0, 1], [1, 0]]))
    with pytest.raises(BnmlError, match=r"\.npz"):
        data.save(tmp_path / "t.csv")
    with pytest.raises(BnmlError, match="no folder"):
        data.save(tmp_path / "none" / "t.npz")
    with pytest.raises(DataError, match="no file"):
        Data.load(tmp_path / "none.npz")
    wrong = tmp_path / "wrong.npz"
    for content in (b"", b"text", b"PK\x03\x04"):
        wrong.write_bytes(content)
        with pytest.raises(DataError, match="not a table"):
            Data.load(wrong)
    np.savez(wrong, other=[1])
    with pytest.raises(DataError, match="not a table"):
        Data.load(wrong)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 99}, "version 99"),
        ({"format": "other"}, "not a table"),
        ({"states": [[0], [0, 1]]}, "damaged"),
        ({"names": ["a"]}, "damaged"),
    ],
)
def test_files_that_do_not_fit(tmp_path, change, message):
    path = tmp_path / "t.npz"
    read(np.array([[0, 1], [1, 0]])).save(path)
    with np.load(path) as arrays:
        kept = dict(arrays)
    head = json.loads(str(kept.pop("head"))) | change
    np.savez(path, head=np.array(json.dumps(head)), **kept)
    with pytest.raises(DataError, match=message):
        Data.load(path)
