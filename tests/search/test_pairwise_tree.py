"""The forest that structural EM begins with."""

from __future__ import annotations

import numpy as np
import pandas as pd

import bnml
from bnml.search.pairwise_tree import pairwise_tree
from tests.search.test_structural_em import experiment, small


def links(tree):
    return {frozenset(arc) for arc in tree.arcs}


def test_it_takes_the_rows_in_which_pairs_are_observed():
    assert links(pairwise_tree(bnml.read(small(), missing="em"))) == {frozenset("AB"), frozenset("BC")}


def test_pairs_that_were_never_observed_together_are_not_linked():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 200)
    frame = pd.DataFrame({"a": a, "b": a, "c": rng.integers(0, 2, 200)}).astype(str)
    frame.loc[:99, "a"] = None
    frame.loc[100:, "b"] = None
    assert links(pairwise_tree(bnml.read(frame, missing="em"))) == set()


def test_where_variables_were_set_a_link_is_told_by_the_rows_in_which_one_end_was_not():
    gaps = experiment(rows=800)[1]
    assert links(pairwise_tree(bnml.read(gaps, missing="em", interventions="set"))) == {
        frozenset("ab"), frozenset("bc"), frozenset("cd")
    }  # fmt: skip
    mostly = gaps.assign(set=np.where(np.arange(800) < 700, "b", ""))
    rng = np.random.default_rng(1)
    mostly.loc[mostly["set"] == "b", "b"] = rng.choice(["0", "1"], 700)
    mostly.loc[mostly["set"] == "", "b"] = mostly.loc[mostly["set"] == "", "a"].fillna("0")
    found = links(pairwise_tree(bnml.read(mostly[["a", "b", "set"]], missing="em", interventions="set")))
    assert found == {frozenset("ab")}
