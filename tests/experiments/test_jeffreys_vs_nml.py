"""NML and the marginal likelihood under Jeffreys' prior: rows of trees, and the experiment from end to end."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bnml.experiments import jeffreys_vs_nml as experiment
from bnml.experiments import reproduce
from bnml.experiments.jeffreys_vs_nml import COPIES, EDGE, INNER, draw_tree_rows
from bnml.nml import stochastic_complexity


def test_rows_hang_together_as_the_tree_says():
    random = np.random.default_rng(0)
    codes = draw_tree_rows((None, 0, 1), 40_000, INNER, random)
    shares = [codes[codes[:, 0] == j, 1].mean() for j in (0, 1)]
    assert all(0.18 < share < 0.82 for share in shares)
    given = [[codes[(codes[:, 0] == a) & (codes[:, 1] == b), 2].mean() for a in (0, 1)] for b in (0, 1)]
    assert given[0][0] == pytest.approx(given[0][1], abs=0.03)  # the last depends on the first by the second alone
    assert given[1][0] == pytest.approx(given[1][1], abs=0.03)
    copies = draw_tree_rows((None, 0, 1), 100, COPIES, random)
    assert (copies == copies[:, :1]).all()
    assert 0 < copies[:, 0].mean() < 1
    ends = [draw_tree_rows((None,), 50, EDGE, random).mean() for _ in range(400)]
    assert np.mean([abs(share - 0.5) > 0.4 for share in ends]) == pytest.approx(0.41, abs=0.08)  # of the arcsine law


@pytest.mark.usefixtures("coarse_pictures")
def test_from_end_to_end(tmp_path, monkeypatch):
    monkeypatch.setattr(experiment, "SIZES", (20, 400))
    done = reproduce("jeffreys-vs-nml", out=tmp_path, repetitions=3, threads=1)
    means = done.outcome.tables["means"].set_index(["tree", "parameters", "N"])
    assert len(means) == len(experiment.TREES) * 3 * 2
    for tree in experiment.TREES:
        assert means.loc[(tree, INNER, 400), "size"] < means.loc[(tree, INNER, 20), "size"]
    pair = means.loc[("pair", COPIES, 400)]
    assert pair["difference"] > 0.3  # two of four cells never occur
    results = done.outcome.tables["results"]
    key = ("chain of 4", 20, 0, 3)
    rows = experiment.EXPERIMENT.work(tmp_path, key, 0)
    codes = draw_tree_rows(
        (None, 0, 1, 2), 20, INNER, experiment.experiment_generator(0, experiment.NAME, *key[:3], INNER)
    )
    assert rows[0]["nml"] == pytest.approx(-stochastic_complexity([None, 0, 1, 2], codes, [2] * 4))
    assert np.allclose(results["nml"] - results["jeffreys"], results["difference"])
    assert sum("times as large" in line for line in done.outcome.findings) == 3
    assert [claim.again for claim in done.outcome.claims] == [False, True, True]
    assert len({claim.text for claim in done.outcome.claims}) == 1


def test_the_difference_must_fall_where_parameters_keep_away_from_the_edge():
    lines = [
        {"tree": tree, "parameters": parameters, "N": n, "size": size + noise}
        for tree in experiment.TREES
        for parameters, falls in {INNER: 1, EDGE: 0, COPIES: -1}.items()
        for n, size in ((1000, 1.0), (3000, 1.0 - 0.5 * falls))
        for noise in (-0.01, 0.0, 0.01)
    ]
    found = experiment._claims(pd.DataFrame(lines))
    assert [claim.verdict for claim in found] == ["confirmed", "inconclusive", "refuted"]
