"""The experiment `generating-structure` in numbers: means, medians, ranks, and what the paper says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from bnml.experiments.claims import (
    Claim,
    claim_everywhere,
    claim_of_agreement,
    claim_of_margin,
    claim_usually,
)
from bnml.experiments.comparison import ALLOWED, compare_with_published, way_between

__all__ = [
    "BEYOND",
    "CELL",
    "PRAISED",
    "SCORES",
    "DistanceTables",
    "distance_claims",
    "distance_tables",
    "rank_margins",
    "regret_slope",
    "variant_of",
]

SCORES = ("BDeu", "BIC", "fNML", "qNML")
CELL = ["network", "N"]
PRAISED = ("asia", "earthquake")  # where qNML is said to be the best or the second best throughout
BEYOND = 300  # rows from which on qNML is said to have the best mean rank
SMALL = 50  # rows: what is taken to be a small sample
VARIANTS = {
    ("first", "exact"): "of several best structures the one found first",
    ("package", "exact"): "of several best structures the one that bnml takes",
    ("first", "eq7"): "the one found first, regret of qNML by equation 7",
}
SECTION, FIGURES = "qNML, section 4.1", ("qNML, Figure 2", "qNML, Figure 3")
SHOWN = ("cancer", 20)  # a cell in which the two regrets differ much


class DistanceTables(NamedTuple):
    """The numbers of one variant.

    ``results``: ours; mean, median and mean rank of each score. ``comparison``, ``medians``: mean and median distances
    beside the published ones. ``ranks``: mean ranks over all networks, likewise.
    """

    results: pd.DataFrame
    comparison: pd.DataFrame
    medians: pd.DataFrame
    ranks: pd.DataFrame


def variant_of(every: pd.DataFrame, ties: str, regret: str) -> pd.DataFrame:
    """Return the distances of one variant, a column for each score."""
    suffix = "" if ties == "first" else f" {ties}"
    source = {score: f"{score}{suffix}" for score in SCORES}
    if regret == "eq7":
        source["qNML"] = f"qNML eq7{suffix}"
    chosen = {score: every[column] for score, column in source.items()}
    return every[[*CELL, "repetition"]].assign(**chosen)


def distance_tables(ours: pd.DataFrame, theirs: pd.DataFrame, printed: pd.DataFrame) -> DistanceTables:
    """Return means, medians and ranks of distances beside the published ones.

    Parameters
    ----------
    ours, theirs
        Single results, a column for each score.
    printed
        Published means, likewise.
    """
    order = [*CELL, "score"]
    distance, median = _means(ours), _medians(ours)
    rank = _means(_ranked(ours)).rename(columns={"mean": "rank", "error": "rank_error"})
    results = distance.merge(median).merge(rank).sort_values(order, ignore_index=True)
    comparison = _beside_published(distance, theirs, printed)
    medians = median.rename(columns={"median": "ours"}).merge(_medians(theirs).rename(columns={"median": "published"}))
    comparison = comparison.merge(medians.rename(columns={"ours": "ours_median", "published": "published_median"}))
    own = _over_networks(_ranked(ours)).rename(columns={"mean": "ours", "error": "ours_error"})
    published = _over_networks(_ranked(theirs)).rename(columns={"mean": "published", "error": "published_error"})
    ranks = compare_with_published(own.merge(published).sort_values(["N", "score"], ignore_index=True))
    return DistanceTables(results, comparison, medians.sort_values(order, ignore_index=True), ranks)


def _beside_published(means: pd.DataFrame, theirs: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Return mean distances beside the published ones."""
    long = printed.melt(CELL, list(SCORES), "score", "published")
    spread = _means(theirs).rename(columns={"error": "published_error"}).drop(columns="mean")
    both = means.rename(columns={"mean": "ours", "error": "ours_error"}).merge(long).merge(spread)
    return compare_with_published(both.sort_values([*CELL, "score"], ignore_index=True))


def _medians(table: pd.DataFrame) -> pd.DataFrame:
    medians = table.groupby(CELL, sort=False)[list(SCORES)].median()
    return medians.reset_index().melt(CELL, var_name="score", value_name="median")


def _ranked(table: pd.DataFrame) -> pd.DataFrame:
    """Return single results with ranks in place of distances; those with the same distance share one."""
    return table.assign(**table[list(SCORES)].rank(axis=1, method="dense"))


def _means(table: pd.DataFrame, columns: Sequence[str] = SCORES) -> pd.DataFrame:
    """Return the mean and its standard error for each network, sample size and column.

    A few repetitions may all have the same distance without every repetition having it. The variance is at least what
    it is if one in n + 2 differs by 1 (Laplace's rule of succession).
    """
    groups = table.groupby(CELL, sort=False)[list(columns)]
    means, number = groups.mean(), groups.count()
    errors = (groups.var().clip(lower=1 / (number + 2)) / number) ** 0.5
    long = means.reset_index().melt(CELL, var_name="score", value_name="mean")
    return long.merge(errors.reset_index().melt(CELL, var_name="score", value_name="error"))


def _over_networks(table: pd.DataFrame, columns: Sequence[str] = SCORES) -> pd.DataFrame:
    """Return the mean over all networks and its standard error for each sample size and column."""
    groups = _means(table, columns).groupby(["N", "score"], sort=False)
    error = groups["error"].agg(lambda errors: float(np.sqrt((errors**2).sum()) / len(errors)))
    return pd.concat([groups["mean"].mean(), error], axis=1).reset_index()


def rank_margins(table: pd.DataFrame, which: str, beyond: int = 0) -> pd.DataFrame:
    """Return the mean rank of qNML and of the best or worst other score, for each sample size.

    The difference is one of pairs: both scores have learned from the same samples.
    """
    others = [score for score in SCORES if score != "qNML"]
    ranked = _ranked(table[table["N"] > beyond])
    means = _over_networks(ranked).pivot(index="N", columns="score", values="mean")
    pairs = _over_networks(ranked.assign(**{score: ranked["qNML"] - ranked[score] for score in others}), others)
    known = {(row["N"], row["score"]): (row["mean"], row["error"]) for row in pairs.to_dict("records")}
    rows = []
    for n, row in means.iterrows():
        other = str(row[others].idxmin() if which == "best" else row[others].idxmax())
        difference, error = known[n, other]
        fails = difference > 0 if which == "best" else difference >= 0
        line = {"N": n, "qNML": row["qNML"], "other": other, "rank": row[other]}
        rows.append(line | {"difference": difference, "error": error, "fails": fails})
    return pd.DataFrame(rows)


# --- claims ---


def distance_claims(
    every: pd.DataFrame, theirs: pd.DataFrame, printed: pd.DataFrame, arcs: Mapping[str, int]
) -> list[Claim]:
    """Return what the paper says of learned structures, under each rule for ties and each regret.

    Parameters
    ----------
    every
        Our single results, with all variants.
    theirs, printed
        The published single results and means.
    arcs
        How many arcs the generating structures have.
    """
    claims, often = [], int(every["repetition"].nunique())
    for (ties, regret), words in VARIANTS.items():
        ours = variant_of(every, ties, regret)
        found = distance_tables(ours, theirs, printed)
        how = f" ({words})"
        claims += [
            claim_of_agreement(
                f"The published mean distances come out{how}.", FIGURES[0], found.comparison, "arcs", repetitions=often
            ),
            claim_of_agreement(f"The published mean ranks come out{how}.", FIGURES[1], found.ranks, repetitions=often),
            _rank_claim(f"qNML never has the worst mean rank{how}.", rank_margins(ours, "worst")),
            _rank_claim(f"qNML has the best mean rank beyond {BEYOND} rows{how}.", rank_margins(ours, "best", BEYOND)),
            _among_best_two(f"qNML is best or second best for Earthquake and Asia at all sample sizes{how}.", ours),
        ]
    ours = variant_of(every, *next(iter(VARIANTS)))
    return [
        *claims,
        _dominates(ours),
        *_small_samples(every, ours, arcs),
        _safest(ours),
        _used_eq7(every, theirs, printed),
    ]


def _rank_claim(text: str, margins: pd.DataFrame) -> Claim:
    narrow = margins.iloc[int(margins["difference"].to_numpy().argmax())]
    numbers = (
        f"at {int((~margins['fails'].astype(bool)).sum())} of {len(margins)} sample sizes; the narrowest is "
        f"{narrow['qNML']:.3f} against {narrow['rank']:.3f} of {narrow['other']} at N = {narrow['N']:,}"
    )
    cells = [f"N = {n:,}" for n in margins["N"]]
    return claim_everywhere(text, FIGURES[1], -margins["difference"], margins["error"], numbers, cells)


def _among_best_two(text: str, ours: pd.DataFrame) -> Claim:
    """Return whether at most one score comes nearer to the truth than qNML, in each cell of two networks."""
    others = [score for score in SCORES if score != "qNML"]
    margins, errors, cells = [], [], []
    for (network, n), own in ours[ours["network"].isin(PRAISED)].groupby(CELL, sort=False):
        second = str(own[others].mean().sort_values(kind="stable").index[1])
        pairs = own[second] - own["qNML"]
        margins.append(np.inf if not pairs.any() else float(pairs.mean()))  # it shares the place with the second
        errors.append(_error(pairs))
        cells.append(f"{network}, N = {n:,}")
    numbers = f"in {sum(margin >= 0 for margin in margins)} of {len(margins)} cells"
    return claim_everywhere(text, SECTION, margins, errors, numbers, cells)


def _error(values: pd.Series[float]) -> float:
    """Return the standard error of a mean of whole numbers, with the least variance that `_means` takes."""
    return float(np.sqrt(max(values.var(), 1 / (len(values) + 2)) / len(values)))


def _dominates(ours: pd.DataFrame) -> Claim:
    """Return whether each score is clearly beaten by another somewhere."""
    beaten = {}
    for score in SCORES:
        worst = 0.0
        for _, own in ours.groupby(CELL, sort=False):
            for other in SCORES:
                pairs = own[score] - own[other]
                worst = max(worst, float(pairs.mean()) / _error(pairs))
        beaten[score] = worst
    told = ", ".join(f"{score} by {worst:.0f}" for score, worst in beaten.items())
    least = min(beaten.values())
    return claim_of_margin(
        "None of the scores dominates in all settings considered.", SECTION, least, 1.0,
        f"each is farther from the truth than another in some cell; in standard errors at most: {told}",
    )  # fmt: skip


def _small_samples(every: pd.DataFrame, ours: pd.DataFrame, arcs: Mapping[str, int]) -> list[Claim]:
    """Return what is said of BIC and small samples."""
    margins = _best_of_all(ours[ours["N"] <= SMALL], "BIC")
    few = every[every["N"] <= SMALL].groupby(CELL, sort=False)["BIC arcs"]
    whole = few.mean().index.get_level_values("network").map(arcs)
    share, error = few.mean() / whole, few.agg(_error) / whole
    narrow = margins.iloc[int(margins["difference"].to_numpy().argmax())]
    return [
        claim_everywhere(
            f"BIC fares well when the sample size is small (the best mean rank up to {SMALL} rows).", SECTION,
            -margins["difference"], margins["error"],
            f"best at {int((margins['difference'] < 0).sum())} of {len(margins)} sample sizes; the narrowest is "
            f"{narrow['rank']:.3f} against {narrow['other_rank']:.3f} of {narrow['other']}, N = {narrow['N']}",
            [f"N = {n}" for n in margins["N"]],
        ),
        claim_usually(
            f"BIC tends to produce a nearly empty graph there (less than half of the arcs, N ≤ {SMALL}).", SECTION,
            0.5 - share, error,
            f"it has {share.min():.0%} to {share.max():.0%} of the number of arcs that generated the data, "
            f"{share.mean():.0%} on average over {len(share)} cells",
        ),
    ]  # fmt: skip


def _best_of_all(ours: pd.DataFrame, score: str) -> pd.DataFrame:
    """Return the mean rank of a score less that of the best other, for each sample size."""
    ranked, others = _ranked(ours), [name for name in SCORES if name != score]
    means = _over_networks(ranked).pivot(index="N", columns="score", values="mean")
    pairs = _over_networks(ranked.assign(**{name: ranked[score] - ranked[name] for name in others}), others)
    known = {(row["N"], row["score"]): (row["mean"], row["error"]) for row in pairs.to_dict("records")}
    lines = []
    for n, row in means.iterrows():
        other = str(row[others].idxmin())
        difference, error = known[n, other]
        lines.append((n, row[score], other, row[other], difference, error))
    return pd.DataFrame(lines, columns=["N", "rank", "other", "other_rank", "difference", "error"])


def _safest(ours: pd.DataFrame) -> Claim:
    """Return whether the worst mean rank of qNML over all sample sizes is lower than that of any other score."""
    ranks = _over_networks(_ranked(ours))
    worst = ranks.loc[ranks.groupby("score")["mean"].idxmax()].set_index("score")
    others = worst.drop(index="qNML")
    near = str(others["mean"].idxmin())
    told = ", ".join(f"{score} {worst['mean'][score]:.2f}" for score in SCORES)
    return claim_of_margin(
        "qNML is overall a safe choice in structure learning (its highest mean rank at any sample size is the lowest).",
        SECTION, float(others["mean"][near] - worst["mean"]["qNML"]),
        float(np.hypot(others["error"][near], worst["error"]["qNML"])), f"highest mean ranks: {told}",
    )  # fmt: skip


def regret_slope(every: pd.DataFrame, theirs: pd.DataFrame, printed: pd.DataFrame) -> tuple[str, pd.DataFrame]:
    """Return which regret the published means of qNML fit, in a sentence, and the cells that tell."""
    fit, slope, error = _regret_fit(every, theirs, printed)
    exact, seventh = (compare_with_published(fit, ours=column) for column in ("exact", "eq7"))
    text = (
        f"Published means of qNML lie {slope:.2f} ± {ALLOWED * error:.2f} of the way from the exact regret (0) to "
        f"equation 7 (1). Over all {len(fit)} cells {int(exact['within'].sum())} agree with the exact regret and "
        f"{int(seventh['within'].sum())} with equation 7; the mean difference is "
        f"{exact['difference'].abs().mean():.3f} and {seventh['difference'].abs().mean():.3f} arcs."
    )
    return text, fit


def _regret_fit(every: pd.DataFrame, theirs: pd.DataFrame, printed: pd.DataFrame) -> tuple[pd.DataFrame, float, float]:
    """Return the means under both regrets beside the published ones, and where these lie between them."""
    lines = []
    known, spread = dict(printed.set_index(CELL)["qNML"]), dict(theirs.groupby(CELL)["qNML"].agg(_error))
    for cell, own in every.groupby(CELL, sort=False):
        lines.append(
            {
                **dict(zip(CELL, cell, strict=True)),
                "published": known[cell],
                "exact": own["qNML"].mean(),
                "eq7": own["qNML eq7"].mean(),
                "ours_error": _error(own["qNML"]),
                "published_error": spread[cell],
            }
        )
    fit = pd.DataFrame(lines)
    errors = np.hypot(fit["ours_error"], fit["published_error"])
    return fit, *way_between(fit["exact"], fit["eq7"], fit["published"], errors)


def _used_eq7(every: pd.DataFrame, theirs: pd.DataFrame, printed: pd.DataFrame) -> Claim:
    fit, slope, error = _regret_fit(every, theirs, printed)
    text, _ = regret_slope(every, theirs, printed)
    own = fit[(fit["network"] == SHOWN[0]) & (fit["N"] == SHOWN[1])]
    example = "".join(
        f" For {SHOWN[0].title()}, N = {SHOWN[1]}: published {row['published']:.3f}, exact {row['exact']:.3f}, "
        f"equation 7 {row['eq7']:.3f}."
        for row in own.to_dict("records")
    )
    return claim_of_margin(
        "The experiments use equation 7 for the regret of qNML.",
        "qNML, section 2.3",
        slope - 0.5,
        error,
        text + example,
    )
