"""How near learned structures come to the generating one."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.errors import BnmlError
from bnml.experiments import generating_structure as experiment
from bnml.experiments import generating_structure_claims as claims
from bnml.experiments import generating_structure_tables as tables
from bnml.experiments import reproduce
from bnml.experiments.experiment import experiment_generator

pytestmark = pytest.mark.usefixtures("uniform_prior")

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
SCORES = list(experiment.SCORES)
WITHOUT_RULE = {"rows_per_cell": 0, "threads": 1}


@pytest.fixture(scope="module")
def shared():
    if not SHARED.is_dir():
        pytest.skip(f"{SHARED} is not there")
    return SHARED


# --- which of several best structures ---


def plain_program(data: bnml.Data, score: str) -> bnml.DAG:
    """Dynamic programming as anybody would write it: by name, and what is as good replaces nothing."""
    names = sorted(data.names)
    local = bnml.LocalScores(data, score)
    n, everything = len(names), (1 << len(names)) - 1

    def inside(members):
        return [i for i in range(n) if members >> i & 1]

    def family(i, members):
        return local.family(data.index(names[i]), [data.index(names[j]) for j in inside(members)])

    best, parents = [{} for _ in names], [{} for _ in names]
    for i in range(n):
        for candidates in range(1 << n):
            if candidates >> i & 1:
                continue
            best[i][candidates], parents[i][candidates] = family(i, candidates), candidates
            for j in inside(candidates):
                fewer = candidates ^ (1 << j)
                if best[i][fewer] > best[i][candidates] + 1e-9:
                    best[i][candidates], parents[i][candidates] = best[i][fewer], parents[i][fewer]
    total, sinks = {0: 0.0}, {}
    for members in range(1, 1 << n):
        for i in inside(members):
            rest = members ^ (1 << i)
            if members not in sinks or total[rest] + best[i][rest] > total[members] + 1e-9:
                total[members], sinks[members] = total[rest] + best[i][rest], i
    arcs, left = [], everything
    while left:
        sink = sinks[left]
        left ^= 1 << sink
        arcs += [(names[j], names[sink]) for j in inside(parents[sink][left])]
    return bnml.DAG(data.names, arcs)


def table_with_ties(seed: int) -> bnml.Data:
    """Few rows of five columns; some are constant or equal to another."""
    rng = np.random.default_rng(seed)
    columns = {name: rng.integers(0, 2, 8) for name in "caebd"}
    for name in rng.choice(list("caebd"), 3, replace=False):
        columns[name] = columns["a"] if rng.random() < 0.5 else np.zeros(8, int)
    return bnml.read(pd.DataFrame(columns), states={name: [0, 1] for name in columns})


@pytest.mark.parametrize("score", experiment.LEARNED.values())
def test_of_several_best_structures_the_one_that_a_plain_program_finds_first(score):
    differs = 0
    for seed in range(12):
        data = table_with_ties(seed)
        (found, own), best = experiment.best_structures(data, score), bnml.search.exact(data, score, **WITHOUT_RULE)
        assert found == plain_program(data, score)
        assert own.cpdag() == best.cpdag
        assert bnml.score(found, data, score) == pytest.approx(best.score, abs=1e-8)
        differs += found.cpdag() != best.cpdag
    assert differs, "these tables have no ties that matter"


def test_constant_columns_under_fnml_are_all_linked():
    """A constant parent costs nothing there, and nothing is better than what is looked at first."""
    data = bnml.read(pd.DataFrame({name: [0] * 10 for name in "abc"}), states={name: [0, 1] for name in "abc"})
    assert experiment.best_structures(data, "fnml")[0] == bnml.DAG.parse("[c][b|c][a|b:c]")
    assert experiment.best_structures(data, "qnml")[0] == bnml.DAG(["a", "b", "c"])


def test_equal_columns_under_bic_hang_on_the_last():
    data = bnml.read(pd.DataFrame({name: [0, 1] * 10 for name in "bac"}))
    assert experiment.best_structures(data, "bic")[0] == bnml.DAG.parse("[c][b|c][a|c]").reordered(["b", "a", "c"])


# --- samples ---


def test_a_sample_is_what_the_network_gives():
    network = bnml.fit(bnml.DAG.parse("[smoke][lung|smoke]"), bnml.example().select(["smoke", "lung"]))
    data = experiment._sample(network, 50, experiment_generator(1, "a"))
    frame = network.sample(50, int(experiment_generator(1, "a").integers(2**63)))
    expected = bnml.read(frame)
    assert (data.names, data.states) == (expected.names, expected.states)
    assert data.codes.dtype == expected.codes.dtype
    assert np.array_equal(data.codes, expected.codes)
    assert np.array_equal(data.weights, expected.weights)
    assert np.array_equal(data.row_index, expected.row_index)


def test_states_that_do_not_occur_count():
    network = bnml.BayesianNetwork(bnml.DAG(["x"]), {"x": ["a", "b", "c"]}, {"x": [1.0, 0.0, 0.0]})
    assert experiment._sample(network, 5, experiment_generator(0)).arities == (3,)


# --- ranks ---


def results(rows):
    return pd.DataFrame(rows, columns=["network", "N", *SCORES])


def test_equal_distances_share_a_rank_and_the_next_has_the_next():
    ranked = tables.ranked_distances(
        results([("asia", 10, 3, 3, 5, 4), ("asia", 10, 0, 0, 0, 0), ("asia", 10, 1, 9, 8, 7)])
    )
    assert ranked[SCORES].to_numpy().tolist() == [[1, 1, 3, 2], [1, 1, 1, 1], [1, 4, 3, 2]]


def test_margins_are_differences_of_pairs():
    rows = [("asia", 10, 1, 2, 3, 2), ("asia", 10, 1, 3, 2, 2), ("cancer", 10, 2, 2, 3, 1), ("cancer", 10, 2, 2, 4, 3)]
    worst = tables.rank_margins(results([*rows, ("asia", 400, 1, 1, 1, 2), ("asia", 400, 1, 1, 1, 2)]), "worst")
    first, second = worst.to_dict("records")
    # The ranks of qNML are 2 2 1 2, those of fNML 3 2 3 3: differences -1 0 and -2 -1.
    assert (first["N"], first["other"], first["own"], first["rank"]) == (10, "fNML", 1.75, 2.75)
    assert first["difference"] == pytest.approx(-1.0)
    assert first["error"] == pytest.approx(np.sqrt(0.5**2 + 0.5**2) / 2)
    assert (second["N"], second["difference"], second["fails"]) == (400, 1.0, True)
    lines = experiment._claim("qNML is fine", worst, worst[worst["N"] == 10])
    assert lines[0] == "qNML is fine: not so here, at 1 of 2 sizes."
    assert lines[1].startswith("  N = 400: 2.000, ")
    assert lines[2] == "qNML is fine: so in the published results."
    assert "nearest to failing at N = 10" in lines[3]


# --- the whole ---


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a folder with five small networks, and results that were never published."""
    home = tmp_path_factory.mktemp("data")
    (home / "networks").mkdir()
    (home / "published").mkdir()
    rng = np.random.default_rng(3)
    dags = ["[a][b|a]", "[a][b][c|a:b]", "[a][b|a][c|b]", "[a][b]", "[a][b|a][c|a]"]
    for name, text in zip(experiment.NETWORKS, dags, strict=True):
        dag = bnml.DAG.parse(text)
        tables = {x: rng.dirichlet([0.5, 0.5], [2] * len(dag.parents(x))) for x in dag.names}
        network = bnml.BayesianNetwork(dag, {x: ["no", "yes"] for x in dag.names}, tables)
        network.save(home / f"networks/{name}.bif")
    single = [
        (name, n, *map(int, rng.integers(0, 3, 4))) for name in experiment.NETWORKS for n in (20, 400) for _ in range(6)
    ]
    table = results(single)
    table.to_csv(home / experiment.SINGLE, index=False)
    table.groupby(["network", "N"], sort=False).mean().reset_index().to_csv(home / experiment.MEANS, index=False)
    return home


@pytest.fixture
def folder(made, monkeypatch):
    """Return that folder, for an experiment with two sample sizes."""
    monkeypatch.setattr(experiment, "SIZES", (20, 400))  # not seen by other processes: parts say which they are
    return made


def contents(done):
    return {file.name: file.read_bytes() for file in done.files}


def test_the_whole_on_one_core_on_two_and_after_an_interruption(folder, tmp_path, monkeypatch, coarse_pictures):
    monkeypatch.setattr(experiment, "BLOCK", 3)  # not seen by other processes: parts say how many repetitions they are
    once = reproduce(experiment.NAME, folder, repetitions=4, threads=1, out=tmp_path / "one")
    assert once.parts == 20
    assert once.outcome.tables["results"].shape == (40, 8)
    comparison, ranks = once.outcome.tables["comparison"], once.outcome.tables["ranks"]
    assert len(comparison) == 40
    assert len(ranks) == 8
    assert any(line.startswith("qNML never has the worst mean rank: ") for line in once.outcome.findings)

    names = {"comparison.csv", "ranks.csv", "regret.csv", "results.csv", "claims.csv", "findings.txt"}
    pictures = {f"{stem}{suffix}" for stem in ("figure", "medians", "ranks") for suffix in (".png", ".svg")}
    assert set(contents(once)) == names | pictures
    twice = reproduce(experiment.NAME, folder, repetitions=4, threads=2, out=tmp_path / "two")
    assert contents(twice) == contents(once)

    journal = tmp_path / "two" / experiment.NAME / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:2000])
    again = reproduce(experiment.NAME, folder, repetitions=4, threads=1, out=tmp_path / "two")
    assert 0 < again.resumed < again.parts
    assert contents(again) == contents(once)


def test_choices_are_about_the_outcome_alone(folder, tmp_path, coarse_pictures):
    def reproduced(**choices):
        return reproduce(experiment.NAME, folder, repetitions=6, threads=1, out=tmp_path, **choices)

    first, package, seventh = reproduced(), reproduced(ties="package"), reproduced(regret="eq7")
    assert package.resumed == package.parts == seventh.resumed
    assert first.outcome.claims == package.outcome.claims == seventh.outcome.claims
    assert package.outcome.findings[0] == "Of several best structures: package; regret of qNML: exact."
    rows = pd.DataFrame(experiment.EXPERIMENT.work(folder, ("asia", 20, 0, 6), 0))
    for done, columns in (
        (first, {"BIC": "BIC", "qNML": "qNML"}),
        (package, {"BIC": "BIC package", "qNML": "qNML package"}),
        (seventh, {"BIC": "BIC", "qNML": "qNML eq7"}),
    ):
        results = done.outcome.tables["results"]
        own = results[(results["network"] == "asia") & (results["N"] == 20)].set_index("score")
        for score, column in columns.items():
            assert own["mean"][score] == pytest.approx(rows[column].mean())
            assert own["median"][score] == rows[column].median()
    with pytest.raises(BnmlError, match="ties='last': expected one of 'first', 'package'"):
        reproduced(ties="last")
    with pytest.raises(BnmlError, match="takes no bins=: it leaves no such choice"):
        reproduced(bins="3")


def made_results(exact, seventh, published):
    """Return our and published results of one network, with distances that are the same but for a little noise."""
    rng, cells = np.random.default_rng(0), []
    for n in (20, 400):
        noise = rng.integers(0, 2, 400)
        table = pd.DataFrame({"network": "asia", "N": n, "repetition": range(400)})
        cells.append(table.assign(**{"qNML": exact + noise, "qNML eq7": seventh + noise, "told": published + noise}))
    ours = pd.concat(cells)
    theirs = ours.assign(qNML=ours["told"])
    return ours, theirs, theirs.groupby(["network", "N"])["qNML"].mean().reset_index()


@pytest.mark.parametrize(("published", "verdict"), [(3, "refuted"), (5, "confirmed"), (4, "inconclusive")])
def test_published_means_tell_which_regret_they_have(published, verdict):
    claim = claims._used_eq7(*made_results(3, 5, published))
    assert claim.verdict == verdict
    assert f"lie {(published - 3) / 2:.2f} ±" in claim.numbers


def test_regrets_that_nothing_tells_apart():
    assert claims._used_eq7(*made_results(3, 3, 3)).verdict == "inconclusive"


def distances(means):
    """Return distances by network, size and score that vary a little, like those of one experiment."""
    rows = []
    for (network, n), own in means.items():
        rows += [(network, n, *(value + noise for value in own)) for noise in (0, 0, 1) * 40]
    return results(rows)


@pytest.mark.parametrize(("other", "verdict"), [(5, "confirmed"), (2, "inconclusive"), (1, "refuted")])
def test_convergence_is_judged_where_qnml_is_half_of_the_way(other, verdict):
    """The orders of columns: BDeu, BIC, fNML, qNML. With 8 arcs 4 is half of the way."""
    means = {
        ("asia", 10): (9, 9, 9, 8),
        ("asia", 100): (9, 9, other, 2),
        ("asia", 1000): (0, 0, 0, 1),  # too late
    }
    (claim,) = claims._converges(distances(means), {"asia": 8})
    assert claim.verdict == verdict
    assert "(N = 100)" in claim.numbers
    assert claims._converges(distances({("asia", 10): (9, 9, 9, 8)}), {"asia": 8}) == []


@pytest.mark.parametrize(("nearest", "verdict"), [(9, "confirmed"), (6, "refuted")])
def test_no_arcs_at_all_are_as_far_from_the_truth_as_it_has_arcs(nearest, verdict):
    ours = distances({("asia", n): (9, nearest, 9, 9) for n in (10, 20)})
    every = ours.assign(**{"BIC arcs": [0, 1] * (len(ours) // 2)})
    *_, empty = claims._small_samples(every, ours, {"asia": 8})
    assert empty.verdict == verdict
    assert f"in {2 if nearest == 9 else 0} of 2 cells" in empty.numbers


def test_repetitions_have_samples_of_their_own(folder):
    whole = experiment.EXPERIMENT.work(folder, ("cancer", 20, 0, 6), 0)
    assert whole == experiment.EXPERIMENT.work(folder, ("cancer", 20, 0, 2), 0) + experiment.EXPERIMENT.work(
        folder, ("cancer", 20, 2, 6), 0
    )
    assert whole != experiment.EXPERIMENT.work(folder, ("cancer", 20, 0, 6), 1)
    assert len({tuple(row[score] for score in SCORES) for row in whole}) > 1


@pytest.fixture
def copy(folder, tmp_path):
    """Return a copy of the folder that may be spoilt."""
    home = tmp_path / "data"
    for source in (*experiment.EXPERIMENT.files, *experiment.EXPERIMENT.published):
        (home / source).parent.mkdir(parents=True, exist_ok=True)
        (home / source).write_bytes((folder / source).read_bytes())
    return home


def refusal(copy, tmp_path):
    """Return what is wrong with the files, which is said before anything is made."""
    with pytest.raises(BnmlError) as refused:
        reproduce(experiment.NAME, copy, repetitions=2, threads=1, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    return str(refused.value)


@pytest.mark.parametrize("file", [experiment.MEANS, experiment.SINGLE])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table.drop(columns="BIC"), "lacks the column 'BIC'"),
        (lambda table: table[:0], "has no lines"),
        (lambda table: table.replace({"network": {"asia": "alarm"}}), "unknown network or sample size: 'alarm 20'"),
        (lambda table: table.assign(N=table["N"] + 0.5), "unknown network or sample size: 'asia 20.5'"),
        (lambda table: table.assign(fNML="much"), "line 2: column 'fNML' holds 'much', not a number"),
        (lambda table: table.assign(qNML=table["qNML"].where(table.index != 1)), "line 3: column 'qNML' holds"),
        (lambda table: table[table["network"] != "survey"], "of 'survey 20', 'survey 400'"),
        (lambda table: table[(table["network"] != "sachs") | (table["N"] != 20)], "of 'sachs 20'"),
    ],
)
def test_wrong_numbers_are_refused(copy, tmp_path, file, change, message):
    change(pd.read_csv(copy / file)).to_csv(copy / file, index=False)
    refused = refusal(copy, tmp_path)
    assert refused.startswith(repr(file))
    assert message in refused


def test_lines_are_as_many_as_they_should_be(copy, tmp_path):
    means, single = (pd.read_csv(copy / file) for file in (experiment.MEANS, experiment.SINGLE))
    pd.concat([means, means[:1]]).to_csv(copy / experiment.MEANS, index=False)
    twice = refusal(copy, tmp_path)
    assert twice.startswith(f"{experiment.MEANS!r}, line 12: asia, ")
    assert twice.endswith("come twice")
    means.to_csv(copy / experiment.MEANS, index=False)
    single[5:].to_csv(copy / experiment.SINGLE, index=False)  # one result has no standard error
    assert refusal(copy, tmp_path) == f"{experiment.SINGLE!r} has fewer than 2 lines of 'asia 20'"


@pytest.mark.parametrize("content", [b"", b"\x00\x80\xff\n", b"network,"])
@pytest.mark.parametrize("file", [experiment.MEANS, experiment.SINGLE, "networks/asia.bif", "networks/survey.bif"])
def test_files_that_are_something_else_are_refused(copy, tmp_path, file, content):
    (copy / file).write_bytes(content)
    assert file in refusal(copy, tmp_path)


def test_a_network_that_is_wrong_is_named(copy, tmp_path):
    file = copy / "networks/cancer.bif"
    file.write_text(file.read_text().replace("yes", "no"))
    assert "cancer.bif, line " in refusal(copy, tmp_path)


def test_work_outlives_other_published_numbers(copy, tmp_path, monkeypatch):
    monkeypatch.setattr("bnml.experiments.reproduction.PICTURES", ())  # they take most of the time
    before = reproduce(experiment.NAME, copy, repetitions=2, threads=1, out=tmp_path / "out")
    means = pd.read_csv(copy / experiment.MEANS)
    means.assign(BIC=means["BIC"] + 1).to_csv(copy / experiment.MEANS, index=False)
    after = reproduce(experiment.NAME, copy, repetitions=2, threads=1, out=tmp_path / "out")
    assert after.resumed == after.parts
    shifts = [done.outcome.tables["comparison"].set_index("score")["published"] for done in (before, after)]
    assert (shifts[1] - shifts[0])["BIC"].to_numpy() == pytest.approx(1.0)
    assert (shifts[1] == shifts[0])["qNML"].all()


# --- what was published ---


def test_single_published_results_are_whole_repetitions(shared):
    """Lines were sorted as texts, not each column on its own; so ranks within a line are those of one sample."""
    table = experiment._read(shared, experiment.SINGLE)
    means = experiment._read(shared, experiment.MEANS)
    assert list(zip(means["network"], means["N"], strict=True)) == list(product(experiment.NETWORKS, experiment.SIZES))
    for _, block in table.groupby(["network", "N"]):
        lines = ["".join(map(str, line)) for line in block.drop(columns=["network", "N"]).to_numpy().tolist()]
        assert lines == sorted(lines)
    assert not tables.rank_margins(table, "worst")["fails"].any()
    assert not tables.rank_margins(table, "best", experiment.BEYOND)["fails"].any()


@pytest.mark.parametrize(("network", "n"), [("earthquake", 10), ("earthquake", 60), ("asia", 10)])
def test_ties_are_decided_as_in_the_published_results(shared, network, n):
    ours = pd.DataFrame(experiment.EXPERIMENT.work(shared, (network, n, 0, 50), 0))
    theirs = experiment._read(shared, experiment.SINGLE)
    theirs = theirs[(theirs["network"] == network) & (theirs["N"] == n)]
    for score in SCORES:
        spread = np.hypot(ours[score].sem(), theirs[score].sem())
        assert abs(ours[score].mean() - theirs[score].mean()) < 4 * spread
