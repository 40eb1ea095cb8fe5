"""The experiment `prediction`: what the paper says of predictions and numbers of parameters, and whether it is so.

Scores are compared on the same permutations of the rows, so margins are means of differences within pairs. All claims
are about these twenty tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import NamedTuple

import numpy as np
import pandas as pd

from bnml.experiments.claims import (
    CONFIRMED,
    INCONCLUSIVE,
    REFUTED,
    Claim,
    claim_everywhere,
    claim_of_agreement,
    claim_of_count,
    claim_of_margin,
    claim_of_share,
    claim_usually,
)
from bnml.experiments.comparison import ALLOWED, ratio_band, rounded, student_error, way_between
from bnml.experiments.generating_structure_claims import USED, USED_WHERE
from bnml.experiments.prediction_tables import (
    BENE_ROWS,
    MEAN,
    PERMUTATIONS,
    SCORES,
    SPREAD,
    below_for_tails,
    prediction_tails,
    ranked_predictions,
    with_the_slip,
)

SECTION, SECOND, THIRD, APPENDIX = "qNML, section 4.2", "qNML, Table 2", "qNML, Table 3", "qNML, appendix E"
END = "qNML, section 5"
STRANGE = "breast_cancer"  # the table of Figure 1
SIMPLER, LARGEST = 19, 7  # tables, as the paper says
RANK_STEP = 0.5  # by which ranks of one training part differ at least, as ties share theirs
MEAN_STEP = RANK_STEP / 9  # and average ranks, over nine training parts
LOSS = 0.05  # nats a row: no more is taken to be no sacrifice
WITHOUT_SLIP = f"without fNML beyond {BENE_ROWS:,} rows, where the authors' program has another regret"
REGRETS = {"exact": "", "eq7": "regret of qNML by equation 7, but for r = 1, where it is 0"}


class PredictionTables(NamedTuple):
    """The numbers with one of the two regrets of qNML: of single networks, means, ranks, and published ones beside."""

    table: pd.DataFrame
    results: pd.DataFrame
    ranks: pd.DataFrame
    comparison: pd.DataFrame


def prediction_claims(found: Mapping[str, PredictionTables], n_rows: Mapping[str, int]) -> list[Claim]:
    """Return what the paper says, with both regrets where they matter.

    Parameters
    ----------
    found
        The numbers, by how the regret is computed.
    n_rows
        The number of rows of each table of data.
    """
    claims: list[Claim] = []
    for regret, choice in REGRETS.items():
        own = [
            *_agreements(found[regret]),
            *_overall(_single_ranks(found[regret].table)),
            *_parsimony(_third(found[regret])),
        ]
        for claim in own:
            both = "; ".join(filter(None, (claim.choice, choice)))
            claims.append(claim.chosen(both, again=claim.again or bool(choice)))
    exact = found["exact"]
    return [
        *claims,
        *_by_size(_single_ranks(exact.table), n_rows),
        _between(exact.table),
        *_strange(exact.table),
        *_competitive(exact),
        _used_eq7(found),
    ]


def _agreements(found: PredictionTables) -> list[Claim]:
    parts = dict(iter(found.comparison.groupby("what", sort=False)))
    overall = dict(iter(found.ranks.groupby("data", sort=False)))
    told = (
        ("average ranks of Table 2", SECOND, parts["rank"], ""),
        ("average ranks over all tables, 2.95, 2.57, 2.10 and 2.37,", SECTION, overall[MEAN], ""),
        ("standard deviations of the ranks, 0.49, 0.90, 0.76 and 0.43,", SECTION, overall[SPREAD], ""),
        ("numbers of parameters of Table 3", THIRD, parts["table 3"], "parameters"),
        ("curves of the log-probability", APPENDIX, parts["logprob"], "nats"),
        ("curves of the number of parents", APPENDIX, parts["parents"], "parents"),
        ("curves of the number of parameters", APPENDIX, parts["parameters"], "parameters"),
    )
    often, shares = found.table.groupby("data")["permutation"].nunique(), prediction_tails(found.table)
    why = "are below the published ones, under scores with a few very large networks, which permutations can miss"
    claims = []
    for what, at, own, unit in told:
        known = pd.Series(False, own.index)
        if unit == "parameters":
            known = below_for_tails(own, shares) & ~with_the_slip(own)
        text = f"The published {what} are reproduced."
        times = own["data"].map(often).fillna(often.median())  # of what is over all tables as of most
        claims.append(claim_of_agreement(text, at, own, unit, repetitions=times, explained=known, why=why))
        if at == APPENDIX and unit != "nats":
            rest = ~with_the_slip(own)
            other = claim_of_agreement(
                text, at, own[rest], unit, repetitions=times[rest], explained=known[rest], why=why
            )
            claims.append(other.chosen(WITHOUT_SLIP, again=True))
    return claims


def _single_ranks(table: pd.DataFrame) -> pd.DataFrame:
    """Return the average rank of each score on each table of data and permutation, over all training parts."""
    wide = table.set_index(["data", "permutation", "percent", "score"])["logprob"].unstack()[list(SCORES)]
    ranks = pd.DataFrame(ranked_predictions(wide.to_numpy()), wide.index, wide.columns)
    return ranks.groupby(["data", "permutation"]).mean()


def _overall(single: pd.DataFrame) -> list[Claim]:
    """Return what is said of the mean and the spread of ranks over the tables."""
    own = single.groupby("data").mean()
    mean, spread = own.mean(), own.std(ddof=0)
    slope = (own - mean) / (len(own) * spread.clip(lower=1e-12))  # of the spread, by each average rank
    parts = single.mul(slope.reindex(single.index.get_level_values("data")).to_numpy())
    even = single / len(own)
    return [
        _lowest("fNML achieves on average the best rank.", mean, even, "fNML", ["BDeu", "BIC", "qNML"]),
        _lowest("qNML is the runner-up.", mean, even, "qNML", ["BDeu", "BIC"]),
        _lowest("qNML has the lowest standard deviation of ranks.", spread, parts, "qNML", ["BDeu", "BIC", "fNML"]),
    ]


def _lowest(text: str, numbers: pd.Series[float], parts: pd.DataFrame, score: str, rivals: Sequence[str]) -> Claim:
    """Return whether a score has the lowest number, which is a sum over tables of means over permutations."""
    near = str(numbers[list(rivals)].idxmin())
    errors = (parts[near] - parts[score]).groupby("data").agg(student_error)
    told = ", ".join(f"{name} {numbers[name]:.2f}" for name in SCORES)
    margin, error = float(numbers[near] - numbers[score]), float(np.sqrt((errors**2).sum()))
    return claim_of_margin(text, SECTION, margin, error, f"{told}; {near} is the nearest")


def _third(found: PredictionTables) -> pd.DataFrame:
    """Return the numbers of parameters of Table 3, by table of data and permutation, a column for each score."""
    third = found.comparison[found.comparison["what"] == "table 3"]
    chosen = found.table.merge(third[["data", "rows"]].drop_duplicates().astype({"rows": "int64"}), on=["data", "rows"])
    return chosen.set_index(["data", "permutation", "score"])["parameters"].unstack()[list(SCORES)]


def _ahead(
    single: pd.DataFrame, score: str, rivals: Sequence[str], *, largest: bool = False, least: float = 0.0
) -> tuple[pd.Series[float], pd.Series[float]]:
    """Return by how much a score is below (or above) the nearest rival on each table, and the standard errors."""
    margins, errors = {}, {}
    for name, own in single.groupby("data", sort=False):
        behind = own[list(rivals)].sub(own[score], axis=0) * (-1.0 if largest else 1.0)
        near = str(behind.mean().idxmin())
        margins[str(name)], errors[str(name)] = float(behind[near].mean()), student_error(behind[near], least)
    return pd.Series(margins), pd.Series(errors)


def _parsimony(third: pd.DataFrame) -> list[Claim]:
    """Return what is said of Table 3."""
    fewer, fewer_error = _ahead(third, "qNML", ["fNML"], least=1.0)
    most, most_error = _ahead(third, "fNML", ["BDeu", "BIC", "qNML"], largest=True, least=1.0)
    simple, simple_error = _ahead(third, "BIC", ["BDeu", "fNML", "qNML"], least=1.0)
    both, both_error = _ahead(third, "qNML", ["BDeu", "fNML"], least=1.0)
    logs = third.map(np.log)
    ratio = (logs["qNML"] - logs["fNML"]).groupby("data")
    size, error = float(ratio.mean().mean()), float(np.sqrt((ratio.agg(student_error) ** 2).sum()) / ratio.ngroups)
    n = len(fewer)
    named = ", ".join(fewer.index[fewer <= 0]) or "none"
    return [
        claim_of_count(
            f"qNML yields more parsimonious models than fNML on {SIMPLER} of 20 tables.", THIRD, SIMPLER, fewer,
            fewer_error, f"on {int((fewer > 0).sum())} of {n}; not on {named}",
        ),
        claim_of_count(
            f"fNML selects the most complex model on {LARGEST} of 20 tables.", THIRD, LARGEST, most, most_error,
            f"on {int((most > 0).sum())} of {n}: {', '.join(most.index[most > 0]) or 'none'}",
        ),
        claim_usually(
            "BIC has a very strong bias for simplicity (the fewest parameters).", END, simple, simple_error,
            f"on {int((simple > 0).sum())} of {n} tables",
        ),
        claim_usually(
            "qNML often yields simpler models than the other criteria, BIC apart.", END, both, both_error,
            f"fewer parameters than both BDeu and fNML on {int((both > 0).sum())} of {n} tables",
        ),
        replace(
            claim_of_margin(
                "They are significantly simpler than those of fNML (fewer parameters, by the geometric mean).", END,
                -size, error, f"{np.exp(size):.0%} of the parameters",
            ),
            band=ratio_band(size, error, ".0%"),
        ),
    ]  # fmt: skip


def _by_size(single: pd.DataFrame, n_rows: Mapping[str, int]) -> list[Claim]:
    """Return what is said of small and large tables, and of qNML between BIC and fNML."""
    order = sorted(single.index.unique("data"), key=lambda name: n_rows[name])
    sizes = {
        "small": _of(single, order[: len(order) // 2]),
        "larger": _of(single, order[len(order) // 2 :]),
        "largest": _of(single, order[-(len(order) // 4) :]),  # the largest quarter of the tables
    }
    others = ["BDeu", "fNML", "qNML"]
    wins, wins_error = _ahead(sizes["small"], "BIC", others, least=MEAN_STEP)
    worst = {size: _ahead(sizes[size], "BIC", others, largest=True, least=MEAN_STEP) for size in ("larger", "largest")}
    good = sizes["largest"]["fNML"].groupby("data", sort=False)
    inside, inside_error = _inside(single, MEAN_STEP)
    words = {"larger": "the larger half of the tables", "largest": "the largest quarter"}
    return [
        claim_usually(
            "BIC often wins with small sample sizes (most of the smaller half of the tables).", SECTION, wins,
            wins_error, f"the best average rank on {int((wins > 0).sum())} of {len(wins)} tables",
        ),
        *(
            claim_everywhere(
                "BIC performs worst for the larger sample sizes.", SECTION, *worst[size],
                f"the worst average rank on {int((worst[size][0] > 0).sum())} of {len(worst[size][0])} tables",
                list(worst[size][0].index),
            ).chosen(words[size], again=size == "largest")
            for size in words
        ),
        claim_everywhere(
            "fNML is good for large sample sizes (an average rank below 2 on the largest quarter).", SECTION,
            2 - good.mean(), good.agg(student_error, least=MEAN_STEP),
            f"{good.mean().min():.2f} to {good.mean().max():.2f} on {good.ngroups} tables", list(good.mean().index),
        ),
        claim_usually(
            "qNML is usually between BIC and fNML.", SECTION, inside, inside_error,
            f"its average rank is between theirs on {int((inside > 0).sum())} of {len(inside)} tables",
        ),
    ]  # fmt: skip


def _of(single: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return the permutations of some tables of data, in their order."""
    return pd.concat([single.xs(name, level="data", drop_level=False) for name in names])


def _inside(single: pd.DataFrame, least: float) -> tuple[pd.Series[float], pd.Series[float]]:
    """Return how far the average rank of qNML is inside of those of BIC and fNML on each table; below 0 if outside."""
    margins, errors = {}, {}
    for name, own in single.groupby("data", sort=False):
        low, high = own[["BIC", "fNML"]].mean().sort_values().index
        above, below = own["qNML"] - own[low], own[high] - own["qNML"]
        nearer = above if above.mean() < below.mean() else below
        margins[str(name)], errors[str(name)] = float(nearer.mean()), student_error(nearer, least)
    return pd.Series(margins), pd.Series(errors)


def _between(table: pd.DataFrame) -> Claim:
    """Return whether qNML is between BIC and fNML in most tables, for each training part."""
    wide = table.set_index(["percent", "data", "permutation", "score"])["logprob"].unstack()[list(SCORES)]
    ranks = pd.DataFrame(ranked_predictions(wide.to_numpy()), wide.index, wide.columns)
    parts = {part: _inside(own.droplevel("percent"), RANK_STEP) for part, own in ranks.groupby("percent")}
    counts = [int((margins > 0).sum()) for margins, _ in parts.values()]
    tables = len(next(iter(parts.values()))[0])
    text = "It is so for all the sample sizes (for each training part, on most tables)."
    numbers = f"on {min(counts)} to {max(counts)} of {tables} tables for each of {len(parts)} training parts"
    each = [(str(part), claim_usually(text, SECTION, *both, numbers)) for part, both in parts.items()]
    order = (REFUTED, INCONCLUSIVE, CONFIRMED)
    part, worst = min(each, key=lambda one: order.index(one[1].verdict))
    return replace(worst, band=f"{part} % of the rows: {worst.band}")


def _strange(table: pd.DataFrame) -> list[Claim]:
    """Return what is said of the breast cancer table: fNML has more parameters with few rows, and qNML fewer."""
    own = table[table["data"] == STRANGE]
    wide = own.set_index(["percent", "permutation", "score"])["parameters"].unstack()
    parts = own.drop_duplicates("percent").set_index("percent")["rows"].sort_index()
    few, many = int(parts.index[len(parts) // 3 - 1]), int(parts.index[-1])
    first, last = (wide.xs(part)["fNML"] for part in (few, many))
    apart = {n: (wide.xs(part)["fNML"] - wide.xs(part)["qNML"]) for part, n in parts.items()}
    fewer = sum(pairs.mean() > 0 for pairs in apart.values())
    return [
        claim_of_share(
            "fNML still sometimes behaves strangely in terms of model complexity (more parameters with fewer rows, on "
            "most permutations of breast cancer).", "qNML, Figure 1", first > last.reindex(first.index),
            f"{parts[few]} rows: {first.mean():,.0f} parameters on average (median {first.median():,.0f}), "
            f"{parts[many]} rows: {last.mean():,.0f} (median {last.median():,.0f}); more with fewer rows",
        ),
        claim_everywhere(
            "qNML, instead, is more parsimonious there (fewer parameters than fNML with any number of rows).",
            "qNML, Figure 1", [float(pairs.mean()) for pairs in apart.values()],
            [student_error(pairs, 1.0) for pairs in apart.values()],
            f"for {fewer} of {len(apart)} numbers of rows", [f"{n} rows" for n in apart],
        ),
    ]  # fmt: skip


def _competitive(found: PredictionTables) -> list[Claim]:
    """Return what is said of how well qNML and fNML predict, and of all aspects at once."""
    single = found.table.groupby(["data", "permutation", "score"])["logprob"].mean().unstack()
    gain, fnml = single["qNML"] - single["fNML"], single["fNML"] - single["BDeu"]
    means, errors = gain.groupby("data").mean(), gain.groupby("data").agg(student_error)
    error = float(np.sqrt((errors**2).sum())) / len(means)
    better = fnml.groupby("data").mean()
    return [
        claim_of_margin(
            f"qNML is competitive in predictive terms (no more than {LOSS:g} nats a row below fNML, on average over "
            "tables).", END, float(means.mean()) + LOSS, error,
            f"{round(means.mean(), 3) + 0.0:+.3f} nats a row, {means.min():+.2f} to {means.max():+.2f} by table",
        ),
        claim_usually(
            "fNML yields predictive models superior to BDeu (a higher log-probability).", "qNML, section 2.3", better,
            fnml.groupby("data").agg(student_error), f"on {int((better > 0).sum())} of {len(better)} tables",
        ),
        _in_no_aspect(found),
    ]  # fmt: skip


def _in_no_aspect(found: PredictionTables) -> Claim:
    """Return whether each score is clearly beaten by another, in prediction or in the number of parameters."""
    beaten = dict.fromkeys(SCORES, -np.inf)
    for single in (_single_ranks(found.table), _third(found).map(np.log)):
        for score, other in permutations(SCORES, 2):
            pairs = (single[score] - single[other]).groupby("data")
            # smallest difference of average ranks, or of logarithms of numbers of parameters
            error = float(np.sqrt((pairs.agg(student_error, least=0.01) ** 2).sum())) / pairs.ngroups
            beaten[score] = max(beaten[score], float(pairs.mean().mean()) / error)
    told, least = ", ".join(f"{score} {size:.0f}" for score, size in beaten.items()), min(beaten.values())
    claim = claim_of_margin(
        "None of the criteria outperforms the others in all aspects (prediction and parsimony).", "qNML, section 4",
        least, 1.0, f"how far each is behind another in one of the two, in standard errors: {told}",
    )  # fmt: skip
    return replace(claim, band=f"{least:.0f} standard errors, of which {ALLOWED:g} are needed")


def _used_eq7(found: Mapping[str, PredictionTables]) -> Claim:
    """Return which regret the published curves of qNML fit: those of parents, whose tails are short.

    Training parts share permutations, so it is permutations that are drawn, not parts.
    """
    key = ["data", "rows"]
    one, two = (
        own.comparison[(own.comparison["what"] == "parents") & (own.comparison["score"] == "qNML")]
        .astype({"rows": "int64"})
        .set_index(key)
        for own in (found["exact"], found["eq7"])
    )
    errors = np.hypot(one["ours_error"], one["published_error"])
    way, _ = way_between(one["ours"], two["ours"], one["published"], errors)
    step = two["ours"] - one["ours"]
    pull = (step / errors**2) / float((step**2 / errors**2).sum()) if step.any() else step * np.inf
    table = found["exact"].table
    single = table[table["score"] == "qNML"].set_index([*key, "permutation"])["parents"]
    sums = single.mul(pull).groupby(["data", "permutation"]).sum().groupby("data")
    variance = sums.agg(student_error) ** 2 * (1 + sums.count() / PERMUTATIONS)
    error = float(np.sqrt(variance.sum())) if step.any() else np.inf
    claim = claim_of_margin(
        USED, USED_WHERE, way - 0.5, error,
        f"published numbers of parents per variable lie {way:.2f} ± {rounded(ALLOWED * error)} of the way from the "
        f"exact regret (0) to equation 7 (1); {int(one['within'].sum())} of {len(one)} agree with the exact regret "
        f"and {int(two['within'].sum())} with equation 7",
    )  # fmt: skip
    return claim.chosen("judged by numbers of parents", again=True)
