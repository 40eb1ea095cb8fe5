"""The experiment `generating-structure` in numbers: means, medians and ranks, and the published ones beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from bnml.experiments.comparison import compare_with_published

SCORES = ("BDeu", "BIC", "fNML", "qNML")
CELL = ["network", "N"]
STEP = 1.0  # by which distances and ranks differ at least


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
    rank = _means(ranked_distances(ours)).rename(columns={"mean": "rank", "error": "rank_error"})
    results = distance.merge(median).merge(rank).sort_values(order, ignore_index=True)
    comparison = _beside_published(distance, theirs, printed)
    medians = median.rename(columns={"median": "ours"}).merge(_medians(theirs).rename(columns={"median": "published"}))
    comparison = comparison.merge(medians.rename(columns={"ours": "ours_median", "published": "published_median"}))
    own = mean_over_networks(ranked_distances(ours)).rename(columns={"mean": "ours", "error": "ours_error"})
    printed_ranks = mean_over_networks(ranked_distances(theirs))
    published = printed_ranks.rename(columns={"mean": "published", "error": "published_error"})
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


def ranked_distances(table: pd.DataFrame) -> pd.DataFrame:
    """Return single results with ranks in place of distances; those with the same distance share one."""
    return table.assign(**table[list(SCORES)].rank(axis=1, method="dense"))


def _means(table: pd.DataFrame, columns: Sequence[str] = SCORES) -> pd.DataFrame:
    """Return the mean and its standard error for each network, sample size and column.

    A few repetitions may all have the same distance without every repetition having it. The variance is at least what
    it is if one in n + 2 differs by `STEP` (Laplace's rule of succession).
    """
    groups = table.groupby(CELL, sort=False)[list(columns)]
    means, number = groups.mean(), groups.count()
    errors = (groups.var().clip(lower=STEP**2 / (number + 2)) / number) ** 0.5
    long = means.reset_index().melt(CELL, var_name="score", value_name="mean")
    return long.merge(errors.reset_index().melt(CELL, var_name="score", value_name="error"))


def mean_over_networks(table: pd.DataFrame, columns: Sequence[str] = SCORES) -> pd.DataFrame:
    """Return the mean over all networks and its standard error for each sample size and column."""
    groups = _means(table, columns).groupby(["N", "score"], sort=False)
    error = groups["error"].agg(lambda errors: float(np.sqrt((errors**2).sum()) / len(errors)))
    return pd.concat([groups["mean"].mean(), error], axis=1).reset_index()


def rank_margins(table: pd.DataFrame, which: str, beyond: int = 0, score: str = "qNML") -> pd.DataFrame:
    """Return the mean rank of a score and of the best or worst other one, for each sample size.

    The difference is one of pairs: both scores have learned from the same samples.

    Parameters
    ----------
    table
        Distances, a column for each score.
    which
        Of the others, ``"best"`` or ``"worst"``.
    beyond
        Only sample sizes beyond this one.
    score
        The score that is held against the others.
    """
    others = [name for name in SCORES if name != score]
    ranked = ranked_distances(table[table["N"] > beyond])
    means = mean_over_networks(ranked).pivot(index="N", columns="score", values="mean")
    pairs = mean_over_networks(ranked.assign(**{name: ranked[score] - ranked[name] for name in others}), others)
    known = {(row["N"], row["score"]): (row["mean"], row["error"]) for row in pairs.to_dict("records")}
    rows = []
    for n, row in means.iterrows():
        other = str(row[others].idxmin() if which == "best" else row[others].idxmax())
        difference, error = known[n, other]
        fails = difference > 0 if which == "best" else difference >= 0
        line = {"N": n, "own": row[score], "other": other, "rank": row[other]}
        rows.append(line | {"difference": difference, "error": error, "fails": fails})
    return pd.DataFrame(rows)
