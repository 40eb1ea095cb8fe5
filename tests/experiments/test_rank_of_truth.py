"""The rank of the generating structure: against enumeration, and from end to end."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.errors import ArgumentError, DataError
from bnml.experiments import rank_of_truth, registry, reproduce
from bnml.experiments.experiment import Outputs
from bnml.experiments.rank_of_truth import ARCS, EXPERIMENT, NAMES, SCHEMES, SCORES, SIZES, draw_truth, ranks
from bnml.network.sampling import sample_codes

SHARED = Path(__file__).parents[2].parent / "shared" / "data"


def published(folder):
    """Write a table of means in the layout of the published one."""
    (folder / "published").mkdir(parents=True)
    with (folder / rank_of_truth.FILE).open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["arcs", "parameter_prior", "N", "repetitions", "BIC", "qNML", "fNML", "BDeu"])
        writer.writerows([arcs, scheme, n, 10_000, 400, 300, 200, 100] for arcs, scheme, n in cells())
    return folder


def cells():
    return list(product(ARCS, SCHEMES, SIZES))


def test_ranks_are_those_of_all_structures():
    """Every DAG of five nodes is made anew, and scored as a sum of families."""
    network = draw_truth(7, "Jeff", 3, seed=1)
    data = bnml.read(sample_codes(network, 60, 5).T, states=network.states)
    pairs = list(combinations(range(5), 2))
    found = {name: [] for name in SCORES}
    local = {name: bnml.LocalScores(data, score) for name, score in SCORES.items()}
    known = {name: {} for name in SCORES}
    arcs, truth = [], None
    for choice in product((0, 1, 2), repeat=len(pairs)):
        above = [frozenset(), frozenset(), frozenset(), frozenset(), frozenset()]
        for (a, b), way in zip(pairs, choice, strict=True):
            if way:
                child, parent = (b, a) if way == 1 else (a, b)
                above[child] |= {parent}
        if not acyclic(above):
            continue
        if all(above[i] == {NAMES.index(p) for p in network.dag.parents(x)} for i, x in enumerate(NAMES)):
            truth = len(arcs)
        arcs.append(sum(map(len, above)))
        for name, scores in found.items():
            total = 0.0
            for family in enumerate(above):
                if family not in known[name]:
                    known[name][family] = local[name].family(family[0], sorted(family[1]))
                total += known[name][family]
            scores.append(total)
    assert len(arcs) == bnml.count_dags(5)
    row = ranks(data, network.dag)
    for name, scores in found.items():
        difference = np.array(scores) - scores[truth]
        assert row[name] == np.sum(difference > 1e-6)
        assert row[f"{name}_ties"] == np.sum(np.abs(difference) < 1e-6) - 1
        assert row[f"{name}_arcs"] == arcs[int(np.argmax(scores))]


def acyclic(above):
    left = set(range(5))
    while left:
        first = [i for i in left if not above[i] & left]
        if not first:
            return False
        left -= set(first)
    return True


def test_networks_are_as_the_paper_says():
    structures = set()
    for arcs, repetition in product(ARCS, range(60)):
        networks = [draw_truth(arcs, scheme, repetition, seed=0) for scheme in SCHEMES]
        assert networks[0].dag == networks[1].dag
        assert networks[0].states == networks[1].states
        assert not np.array_equal(networks[0].probabilities("X0"), networks[1].probabilities("X0"))
        dag = networks[0].dag
        assert len(dag.arcs) == arcs
        assert all(a < b for a, b in dag.arcs)
        assert {len(states) for states in networks[0].states.values()} <= {2, 3, 4}
        structures.add(str(dag))
    assert len(structures) > 90  # of 210 and 120 that are possible
    assert draw_truth(4, "Jeff", 0, seed=0) != draw_truth(4, "Jeff", 0, seed=1)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_parameters_have_their_dirichlet_distributions(scheme):
    """The expected sum of squares of a Dirichlet(α, …, α) vector of length r is (α + 1) / (r α + 1)."""
    excess = []
    for repetition in range(100):
        network = draw_truth(7, scheme, repetition, seed=0)
        for x in NAMES:
            table = network.probabilities(x).reshape(-1, len(network.states[x]))
            q, r = table.shape
            alpha = 0.5 if scheme == "Jeff" else max(1 / (r * q), 0.01)
            excess += ((table**2).sum(axis=1) - (alpha + 1) / (r * alpha + 1)).tolist()
    assert abs(np.mean(excess)) < 4 * np.std(excess) / math.sqrt(len(excess))
    assert np.std(excess) > 0.01


def test_a_part_depends_on_its_repetitions_only(tmp_path):
    both = EXPERIMENT.work(tmp_path, (4, "BDeu", 5, 7), 3)
    assert both == EXPERIMENT.work(tmp_path, (4, "BDeu", 5, 6), 3) + EXPERIMENT.work(tmp_path, (4, "BDeu", 6, 7), 3)
    assert both != EXPERIMENT.work(tmp_path, (4, "BDeu", 5, 7), 4)
    assert [row["N"] for row in both] == list(SIZES) * 4


def test_errors_tell_networks_from_data_sets():
    """Networks with ranks (1, 3), (5, 7): the means are 2 and 6, the variance within is 2."""
    cell = {"arcs": 4, "scheme": "Jeff", "N": 25, "repetition": [0, 0, 1, 1], "BIC": [0, 2, 4, 6]}
    cell |= {"BIC_ties": [0, 0, 2, 0], "BIC_arcs": [3, 4, 4, 5]}
    row = rank_of_truth._mean(pd.DataFrame(cell), "BIC")
    assert (row["rank"], row["rank_ties_shared"], row["arcs_of_best"], row["first"]) == (4.0, 4.25, 4.0, 0.25)
    assert row["rank_error"] == pytest.approx(2.0)  # the variance of 2 and 6 is 8
    assert row["sd_between_networks"] ** 2 == pytest.approx(8 - 2 / 2)
    assert row["sd_within_networks"] ** 2 == pytest.approx(2)
    assert row["published_error"] ** 2 == pytest.approx(7 / 100 + 2 / 10_000)


def test_from_end_to_end(tmp_path, coarse_pictures):
    folder = published(tmp_path / "data")
    first = reproduce("rank-of-truth", folder, repetitions=2, threads=1, out=tmp_path / "first")
    results, comparison = first.outcome.tables["results"], first.outcome.tables["comparison"]
    assert list(zip(results["arcs"], results["scheme"], results["N"], strict=True)) == [
        cell for cell in cells() for _ in SCORES
    ]
    assert results["rank"].between(1, 29_281).all()
    assert (results["rank_ties_shared"] >= results["rank"]).all()
    assert len(comparison) == len(cells()) * 4
    assert "AIC" not in set(comparison["score"])
    assert set(comparison[comparison["score"] == "BDeu"]["published"]) == {100}
    journal = tmp_path / "second" / "rank-of-truth" / "journal.jsonl"
    journal.parent.mkdir(parents=True)
    lines = (tmp_path / "first" / "rank-of-truth" / "journal.jsonl").read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:2]) + lines[2][:50])  # interrupted within the second part
    second = reproduce("rank-of-truth", folder, repetitions=2, threads=1, out=tmp_path / "second")
    assert (first.resumed, second.resumed, second.parts) == (0, 1, 4)
    assert [file.read_bytes() for file in first.files] == [file.read_bytes() for file in second.files]


def test_the_published_means_must_be_there(tmp_path):
    with pytest.raises(ArgumentError, match="qnml_random5_rank_means"):
        reproduce("rank-of-truth", tmp_path, out=tmp_path / "out")


def test_wrong_published_means(tmp_path):
    folder = published(tmp_path / "data")
    path, out = folder / rank_of_truth.FILE, tmp_path / "out"
    content = pd.read_csv(path, dtype=str)

    def refused(message):
        with pytest.raises(DataError, match=f"{rank_of_truth.FILE}'.*{message}"):
            reproduce("rank-of-truth", folder, repetitions=2, threads=1, out=out)
        assert not out.exists()

    for broken, message in (
        (content.drop(columns="fNML"), "lacks the column 'fNML'"),
        (content[:0], "has no lines"),
        (content.assign(BIC=["?", *content["BIC"][1:]]), "line 2: column 'BIC' holds '\\?'"),
        (content[1:], "lacks line '4 BDeu 25'"),
        (content[content["arcs"] == "4"], "lacks lines '7 BDeu 25', '7 BDeu 50'.* and 6 more"),
        (pd.concat([content, content[3:4]]), "line 30: .* comes? twice"),
        (pd.concat([content, content[:1].assign(N=26)]), "has the unknown line '4 BDeu 26'"),
    ):
        broken.to_csv(path, index=False)
        refused(message)
    path.write_bytes(b"")
    refused("cannot be read")


def test_mended_published_means_keep_the_work(tmp_path, monkeypatch):
    def outcome(folder, rows, repetitions):
        return Outputs({"results": rank_of_truth._published_ranks(folder)}, {}, ["done"])

    some = replace(rank_of_truth.EXPERIMENT, work=lambda *arguments: [{"done": 1}], outcome=outcome)
    monkeypatch.setattr(registry, "find_experiment", lambda name: some)
    folder = published(tmp_path / "data")
    reproduce("rank-of-truth", folder, repetitions=2, threads=1, out=tmp_path)
    path = folder / rank_of_truth.FILE
    pd.read_csv(path).assign(BIC=17).to_csv(path, index=False)
    done = reproduce("rank-of-truth", folder, repetitions=2, threads=1, out=tmp_path)
    assert done.resumed == done.parts
    results = done.outcome.tables["results"]
    assert set(results[results["score"] == "BIC"]["published"]) == {17}


@pytest.mark.parametrize(("factor", "verdict"), [(1.4, "confirmed"), (1 / 1.4, "confirmed"), (1.6, "not confirmed")])
def test_similar_is_a_matter_of_ratios(factor, verdict):
    """With larger mean ranks fNML is second after BDeu; that does not make it similar."""
    means = {"AIC": 900, "BIC": 1000, "BDeu": 100, "fNML": 100 * factor, "qNML": 800}
    results = pd.DataFrame(
        [
            {"arcs": arcs, "scheme": scheme, "N": n, "score": score, "rank": rank, "arcs_of_best": 3.0}
            for arcs, scheme, n in cells()
            for score, rank in means.items()
        ]
    )
    keys = [{"arcs": arcs, "scheme": scheme, "N": n, "repetition": k} for arcs, scheme, n in cells() for k in (0, 1)]
    claims = rank_of_truth._claims(pd.DataFrame(keys).assign(**means), results)
    (similar,) = [claim for claim in claims if "very similar" in claim["claim"]]
    assert similar["verdict"] == verdict
    assert f"taken as the bound, in {14 if verdict == 'confirmed' else 0} of 14 cells" in similar["found"]
    assert similar["found"].endswith("they are the best two in 14.")


@pytest.mark.parametrize(("worst", "share"), [(9, "5%"), (999, "84%")])
def test_tails_are_spoken_of_where_they_are_long(worst, share):
    ranked = pd.DataFrame({"arcs": 4, "scheme": "Jeff", "N": 25, "repetition": range(20)})
    said = rank_of_truth._tail(ranked.assign(**{score: [9] * 19 + [worst] for score in SCORES}))
    assert said[0] == f"The worst 1 of 20 networks make up {share} of the mean in the median cell."
    assert len(said) == (2 if worst == 999 else 1)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published means are not there")
def test_every_published_mean_is_compared(tmp_path, coarse_pictures):
    done = reproduce("rank-of-truth", SHARED, repetitions=2, threads=1, out=tmp_path)
    comparison = done.outcome.tables["comparison"]
    assert len(comparison) == 4 * len(pd.read_csv(SHARED / rank_of_truth.FILE))
    assert comparison["published"].between(1, 29_281).all()
