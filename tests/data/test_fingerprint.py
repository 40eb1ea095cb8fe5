"""A fingerprint is equal for equal tables, and different for all others."""

from __future__ import annotations

import numpy as np
import pandas as pd

import bnml
from bnml.data.fingerprint import fingerprint


def table():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"a": rng.integers(0, 3, 50), "b": rng.normal(0, 1, 50).round(2), "c": rng.integers(0, 2, 50)})


def test_equal_tables():
    frame = table()
    assert fingerprint(bnml.read(frame, bins="auto")) == fingerprint(bnml.read(frame.copy(), bins="auto"))
    shuffled = frame.sample(frac=1.0, random_state=1)
    assert fingerprint(bnml.read(shuffled, bins="width:3")) == fingerprint(bnml.read(frame, bins="width:3"))


def test_other_tables():
    frame = table()
    changed = [
        frame,
        frame.rename(columns={"a": "x"}),
        frame[["b", "a", "c"]],
        frame[:-1],
        pd.concat([frame, frame[:1]]),
        frame.assign(c=frame["c"].map({0: "0", 1: "one"})),
        frame.assign(c=frame["c"].astype(bool)),
        frame.assign(a=frame["a"].where(frame.index > 0, (frame["a"] + 1) % 3)),
    ]
    found = [fingerprint(bnml.read(one, bins="width:3")) for one in changed]
    found += [fingerprint(bnml.read(frame, bins="width:4")), fingerprint(bnml.read(frame, bins={"b": [0.01]}))]
    found += [fingerprint(bnml.read(frame, bins="width:3", na_values=["-9"]))]
    assert len(set(found)) == len(found)


def test_medians_of_bins_are_no_part_of_a_table():
    """So that what an earlier version saved of a table goes on to be recognised."""
    near, far = (bnml.read(pd.DataFrame({"x": [0.0, 2.0, high]}), bins={"x": [1.0]}) for high in (3.0, 9.0))
    assert near.reading.medians != far.reading.medians
    assert fingerprint(near) == fingerprint(far)
