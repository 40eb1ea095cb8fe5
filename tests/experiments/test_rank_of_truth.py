"""The rank of the generating structure: against enumeration, and from end to end."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.errors import ArgumentError, DataError
from bnml.experiments import rank_of_truth, registry, reproduce
from bnml.experiments.experiment import Outputs, experiment_generator
from bnml.experiments.rank_of_truth import ARCS, EXPERIMENT, NAMES, SCHEMES, SCORES, SIZES, draw_truth, ranks
from bnml.experiments.rank_of_truth_claims import mean_rank, rank_claims
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
    row = ranks(data, rank_of_truth._place_of(network.dag))
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
    both = EXPERIMENT.work(tmp_path, (4, "BDeu", 5, 7, 2), 3)
    single = [EXPERIMENT.work(tmp_path, (4, "BDeu", k, k + 1, 2), 3) for k in (5, 6)]
    assert both == single[0] + single[1]
    assert both != EXPERIMENT.work(tmp_path, (4, "BDeu", 5, 7, 2), 4)
    assert [row["N"] for row in both] == list(SIZES) * 2


def test_a_row_is_about_all_data_sets_of_a_network(tmp_path):
    row = EXPERIMENT.work(tmp_path, (7, "Jeff", 2, 3, 4), 1)[1]
    network = draw_truth(7, "Jeff", 2, 1)
    seeds = experiment_generator(1, "rank-of-truth", 7, "Jeff", 2, "rows").integers(2**63, size=4)
    tables = [bnml.read(sample_codes(network, 1000, s).T[: row["N"]], states=network.states) for s in seeds.tolist()]
    found = pd.DataFrame([ranks(data, rank_of_truth._place_of(network.dag)) for data in tables])
    assert row["data_sets"] == 4
    for score in SCORES:
        assert row[score] == pytest.approx(1 + found[score].mean())
        assert row[f"{score}_median"] == 1 + found[score].median()
        assert row[f"{score}_variance"] == pytest.approx(found[score].var())
        assert row[f"{score}_arcs"] == pytest.approx(found[f"{score}_arcs"].mean())
    assert row["BDeu_before_fNML"] == (found["BDeu"] < found["fNML"]).mean()


def test_the_first_networks_have_many_data_sets(tmp_path):
    keys = [part.key for part in EXPERIMENT.parts(published(tmp_path), 130)]
    sets = {(arcs, scheme, k): n for arcs, scheme, first, last, n in keys for k in range(first, last)}
    assert len(sets) == 130 * len(ARCS) * len(SCHEMES)
    assert all(n == (100 if k < 100 else 2) for (_, _, k), n in sets.items())


def test_errors_tell_networks_from_data_sets():
    """Networks with ranks (1, 3), (5, 7): the means are 2 and 6, the variance within is 2."""
    cell = {"arcs": 4, "scheme": "Jeff", "N": 25, "repetition": [0, 1], "data_sets": 2, "BIC": [2.0, 6.0]}
    cell |= {"BIC_variance": 2.0, "BIC_median": [2.0, 6.0], "BIC_first": [0.5, 0.0]}
    cell |= {"BIC_ties": [0.0, 1.0], "BIC_arcs": [3.5, 4.5]}
    row = mean_rank(pd.DataFrame(cell), "BIC")
    assert (row["rank"], row["rank_ties_shared"], row["arcs_of_best"], row["first"]) == (4.0, 4.25, 4.0, 0.25)
    assert row["rank_error"] == pytest.approx(2.0)  # the variance of 2 and 6 is 8
    assert row["sd_between_networks"] ** 2 == pytest.approx(8 - 2 / 2)
    assert row["sd_within_networks"] ** 2 == pytest.approx(2)
    assert row["published_error"] ** 2 == pytest.approx(7 / 100 + 2 / 10_000)


def test_from_end_to_end(tmp_path, coarse_pictures, monkeypatch):
    monkeypatch.setattr(rank_of_truth, "MANY", 3)
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


def networks(means, spread=0.01, count=20):
    """Return mean ranks of networks that are alike but for a little noise, with a row for each cell."""
    rng, rows = np.random.default_rng(1), []
    for arcs, scheme, n in cells():
        for k in range(count):
            noise = {
                score: rank * math.exp(spread * rng.standard_normal()) for score, rank in means(arcs, scheme).items()
            }
            row = {
                "arcs": arcs,
                "scheme": scheme,
                "N": n,
                "repetition": k,
                **noise,
                "BIC_arcs": arcs - 1 + rng.random(),
            }
            rows.append(row | {"BDeu_before_fNML": 0.6, "fNML_before_BDeu": 0.3})
    return pd.DataFrame(rows)


def verdict_on(text, means, **options):
    (claim,) = [claim for claim in rank_claims(networks(means, **options)) if text in claim.text]
    return claim


PLAIN = {"AIC": 900, "BIC": 1000, "BDeu": 100, "fNML": 150, "qNML": 800}


@pytest.mark.parametrize(
    ("factor", "spread", "verdict"),
    [
        (1.4, 0.01, "confirmed"),
        (1 / 1.4, 0.01, "confirmed"),
        (1.6, 0.01, "refuted"),
        (1.6, 0.5, "inconclusive"),
    ],
)
def test_similar_is_a_matter_of_ratios(factor, spread, verdict):
    """With larger mean ranks fNML is second after BDeu; that does not make it similar."""
    similar = verdict_on("behaves very similarly", lambda *_: PLAIN | {"fNML": 100 * factor}, spread=spread)
    assert similar.verdict == verdict


@pytest.mark.parametrize(("factor", "verdict"), [(1.5, "confirmed"), (2.0, "inconclusive"), (3.0, "refuted")])
def test_whether_similarity_is_more_pronounced_with_seven_arcs(factor, verdict):
    claim = verdict_on(
        "more pronounced", lambda arcs, _: PLAIN | {"fNML": 200 if arcs == 4 else 100 * factor}, spread=0.02
    )
    assert claim.verdict == verdict
    assert f"2.0 times that of BDeu with 4 arcs and {factor:.1f} times with 7" in claim.numbers


def test_what_the_scheme_changes():
    def means(_, scheme):
        return PLAIN | ({"AIC": 100} if scheme == "Jeff" else {})

    found = {score: verdict_on(f"of {score} stays mostly unaffected", means) for score in ("AIC", "BIC")}
    assert [claim.verdict for claim in found.values()] == ["refuted", "confirmed"]
    assert "by a factor of 8.99 on average" in found["AIC"].numbers
    assert "less than 1.5 in 0 of 14 cells" in found["AIC"].numbers
    assert "less than 1.5 in 14 of 14 cells" in found["BIC"].numbers
    near = verdict_on("of BIC stays", lambda _, scheme: PLAIN | ({"BIC": 1500} if scheme == "Jeff" else {}), spread=0.1)
    assert near.verdict == "inconclusive"


def test_scores_are_alike_if_they_agree_on_which_networks_are_hard():
    noise = networks(lambda *_: PLAIN, spread=0.5)
    for ranked, verdict in (
        (noise, "inconclusive"),
        (noise.assign(AIC=noise["BIC"] / 2), "confirmed"),
        (noise.assign(fNML=noise["BDeu"] / 2), "refuted"),
    ):
        (alike,) = [claim for claim in rank_claims(ranked) if "Qualitatively" in claim.text]
        assert alike.verdict == verdict
        assert ("by 1.00 to 1.00; the most of all pairs in 4 of 4 panels" in alike.numbers) == (verdict == "confirmed")


def test_a_switch_is_one_of_the_same_structure():
    def means(_, scheme):
        return PLAIN | ({"BDeu": 100, "fNML": 150} if scheme == "BDeu" else {"BDeu": 150, "fNML": 100})

    assert verdict_on("usually switches", means).verdict == "confirmed"
    assert verdict_on("usually switches", lambda *_: PLAIN).verdict == "refuted"


def test_the_winner_is_told_by_cells_and_by_structures():
    claim = verdict_on("BDeu usually ranks", lambda *_: PLAIN)
    assert claim.verdict == "confirmed"
    assert "in 14 of 14 cells" in claim.numbers
    assert "in 40 of 40 (100%)" in claim.numbers
    assert verdict_on("underfitting", lambda *_: PLAIN).verdict == "confirmed"


@pytest.mark.parametrize("count", [2, 3])
def test_few_networks_decide_nothing_that_varies(count):
    claims = rank_claims(networks(lambda *_: PLAIN, spread=1.0, count=count))
    assert {claim.verdict for claim in claims} == {"inconclusive"}
    assert not any(re.search(r"\b(nan|inf)\b", f"{claim.numbers} {claim.band}") for claim in claims)


def test_means_of_few_skewed_ranks_are_not_judged_by_their_errors():
    exponential = -np.log((np.arange(400) + 0.5) / 400)  # of skewness 2
    for rank, few in (([1, 1, 1, 1, 9], True), (exponential[::5], True), (exponential, False), (range(5), False)):
        ranked = pd.DataFrame({"arcs": 4, "scheme": "Jeff", "N": 25, "repetition": range(len(rank))})
        assert rank_of_truth._too_skewed(ranked.assign(**dict.fromkeys(SCORES, rank))) == few


@pytest.mark.parametrize(("worst", "share"), [(9, "5%"), (999, "85%")])
def test_tails_are_spoken_of_where_they_are_long(worst, share):
    ranked = pd.DataFrame({"arcs": 4, "scheme": "Jeff", "N": 25, "repetition": range(20)})
    said = rank_of_truth._tail(ranked.assign(**{score: [9] * 19 + [worst] for score in SCORES}))
    assert said[0] == f"The worst 1 of 20 networks make up {share} of the mean in the median cell."
    assert len(said) == (2 if worst == 999 else 1)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published means are not there")
def test_every_published_mean_is_compared(tmp_path, coarse_pictures, monkeypatch):
    monkeypatch.setattr(rank_of_truth, "MANY", 2)
    done = reproduce("rank-of-truth", SHARED, repetitions=2, threads=1, out=tmp_path)
    comparison = done.outcome.tables["comparison"]
    assert len(comparison) == 4 * len(pd.read_csv(SHARED / rank_of_truth.FILE))
    assert comparison["published"].between(1, 29_281).all()
