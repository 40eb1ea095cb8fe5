"""The experiment `rank-of-truth` in numbers: mean ranks, and what the paper says of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from bnml.experiments.claims import (
    Claim,
    claim_everywhere,
    claim_of_margin,
    claim_of_share,
    claim_usually,
)
from bnml.experiments.comparison import ratio_band, student_error, student_factor
from bnml.experiments.experiment import Row

PUBLISHED = (100, 100)  # networks, and data sets of each
SCORES = ("AIC", "BIC", "BDeu", "fNML", "qNML")
OTHERS = ("AIC", "BIC", "BDeu", "fNML")  # those of the fNML paper
SIMILAR = 1.5  # mean ranks of scores that behave alike differ by no larger factor
SECTION = "fNML, section 6.1"
MATCHED = "Where the parameters are drawn as BDeu assumes, "
CELL = ["arcs", "N"]


def mean_rank(cell: pd.DataFrame, score: str) -> Row:
    """Return the mean rank in one cell of the table, and by how much it and the published one may be off.

    Every network counts the same, however many data sets it has.
    """
    means, within = cell[score], cell[f"{score}_variance"]
    between = max(float(means.var()) - float((within / cell["data_sets"]).mean()), 0.0)
    inside = float(within.mean())
    return {
        **cell[["arcs", "scheme", "N"]].iloc[0],
        "score": score,
        "rank": float(means.mean()),
        "rank_error": math.sqrt(means.var() / len(means)),
        "rank_ties_shared": float((means + cell[f"{score}_ties"] / 2).mean()),
        "median": float(cell[f"{score}_median"].median()),
        "first": float(cell[f"{score}_first"].mean()),
        "arcs_of_best": float(cell[f"{score}_arcs"].mean()),
        "sd_between_networks": math.sqrt(between),
        "sd_within_networks": math.sqrt(inside),
        "published_error": math.sqrt((between + inside / PUBLISHED[1]) / PUBLISHED[0]),
    }


def rank_claims(ranked: pd.DataFrame) -> list[Claim]:
    """Return what section 6.1 says of ranks, and whether it is so.

    Parameters
    ----------
    ranked
        A row for each network and number of rows, with the mean rank under each score.
    """
    matched, other = (ranked[ranked["scheme"] == scheme] for scheme in ("BDeu", "Jeff"))
    return [
        _winner(f"{MATCHED}BDeu usually ranks the generating structure higher than the other scores.", matched, "BDeu"),
        _similar(matched),
        _density(ranked),
        _pronounced(matched),
        _underfits(ranked),
        _before("AIC tends to rank the generating structure higher than BIC.", ranked, "AIC", "BIC"),
        _alike(ranked),
        _before("Where the parameters are drawn from Dirichlet(1/2), fNML is before BDeu.", other, "fNML", "BDeu"),
        _switched(matched, other),
        _unaffected(matched, other, "AIC"),
        _unaffected(matched, other, "BIC"),
        _winner(
            "With Dirichlet(1/2) and dense networks (7 arcs) fNML often is a clear winner.", other[other["arcs"] == 7],
            "fNML",
        ),
    ]  # fmt: skip


def _levels(ranked: pd.DataFrame) -> pd.DataFrame:
    """Return the mean log-rank over all numbers of rows (and schemes, if two), for each structure and score."""
    keys = ["arcs", "repetition"]
    return ranked.set_index(keys)[list(OTHERS)].map(math.log).groupby(level=keys).mean()


def _winner(text: str, ranked: pd.DataFrame, score: str) -> Claim:
    """Return whether a score is the best of the four on most networks, and in how many cells on average."""
    means = ranked.groupby(CELL)[list(OTHERS)].mean()
    lowest = int((means.idxmin(axis=1) == score).sum())
    numbers = f"the lowest mean rank in {lowest} of {len(means)} cells; of structures, on average over the rows,"
    return claim_of_share(text, SECTION, _levels(ranked).idxmin(axis=1) == score, numbers)


def _ratio(cell: pd.DataFrame, over: str, under: str) -> tuple[float, float]:
    """Return the logarithm of a ratio of mean ranks on the same networks, and its standard error."""
    pull = cell[over] / cell[over].mean() - cell[under] / cell[under].mean()
    return math.log(cell[over].mean() / cell[under].mean()), student_error(pull)


def _similar(matched: pd.DataFrame) -> Claim:
    found = np.array([_ratio(cell, "fNML", "BDeu") for _, cell in matched.groupby(CELL)])
    ratios, near = np.exp(found[:, 0]), np.abs(found[:, 0])
    alike = [one["BDeu", "fNML"] for one in _correlations(matched)]
    return claim_usually(
        f"{MATCHED}fNML usually behaves very similarly to BDeu (mean ranks within a factor of {SIMILAR:g}).", SECTION,
        math.log(SIMILAR) - near, found[:, 1],
        f"its mean ranks are {ratios.min():.1f} to {ratios.max():.1f} times as large, within the factor in "
        f"{int((near <= math.log(SIMILAR)).sum())} of {len(near)} cells; the log-ratios have the bands; their ranks "
        f"correlate over networks by {_range(alike)}",
    )  # fmt: skip


def _density(ranked: pd.DataFrame) -> Claim:
    """Return whether the score that is best with 4 arcs is the best with 7 as well, in most cells."""
    margins, errors = [], []
    for _, own in ranked.groupby(["scheme", "N"]):
        sparse, dense = (own[own["arcs"] == arcs] for arcs in (4, 7))
        best = str(sparse[list(OTHERS)].mean().idxmin())
        behind = dense[[name for name in OTHERS if name != best]].sub(dense[best], axis=0)
        near = str(behind.mean().idxmin())
        margins.append(float(behind[near].mean()))
        errors.append(student_error(behind[near]))
    return claim_usually(
        "The density of the network (4 or 7 arcs) is not a very significant factor (the same score is best).", SECTION,
        margins, errors,
        f"the score with the lowest mean rank for 4 arcs has it for 7, too, in {sum(m > 0 for m in margins)} of "
        f"{len(margins)} cells",
    )  # fmt: skip


def _pronounced(matched: pd.DataFrame) -> Claim:
    """Return whether fNML and BDeu are nearer to each other with 7 arcs, on average over networks and rows."""
    levels, errors, medians = {}, {}, {}
    for arcs, own in matched.groupby("arcs"):
        means = own.groupby("N")[["fNML", "BDeu"]].mean()
        medians[arcs] = float((means["fNML"] / means["BDeu"]).median())
        apart = (own["fNML"].map(math.log) - own["BDeu"].map(math.log)).abs().groupby(own["repetition"]).mean()
        levels[arcs], errors[arcs] = float(apart.mean()), student_error(apart)
    return claim_of_margin(
        "The similar behaviour of fNML and BDeu is more pronounced in networks with 7 arcs.", SECTION,
        levels[4] - levels[7], math.hypot(errors[4], errors[7]),
        f"on a network their ranks differ by a factor of {math.exp(levels[4]):.2f} with 4 arcs and "
        f"{math.exp(levels[7]):.2f} with 7, on average (the band is that of the logarithms); the mean rank of fNML is "
        f"{medians[4]:.1f} times that of BDeu with 4 arcs and {medians[7]:.1f} times with 7, at the median over N",
    )  # fmt: skip


def _underfits(ranked: pd.DataFrame) -> Claim:
    cells: dict[Any, pd.DataFrame] = dict(iter(ranked.groupby(["arcs", "scheme", "N"])))
    lacking = {at: at[0] - cell["BIC_arcs"] for at, cell in cells.items()}
    fewer = sum(own.mean() > 0 for own in lacking.values())
    at_100 = {
        arcs: np.mean([cells[at]["BIC_arcs"].mean() for at in cells if at[0] == arcs and at[2] == 100])
        for arcs in (4, 7)
    }
    return claim_everywhere(
        "The underfitting tendency of BIC can be clearly detected (its best structure has too few arcs).", SECTION,
        [own.mean() for own in lacking.values()], [student_error(own) for own in lacking.values()],
        f"fewer arcs than generated the data, on average, in {fewer} of {len(lacking)} cells: {at_100[4]:.1f} of 4 and "
        f"{at_100[7]:.1f} of 7 for N = 100",
        [f"{arcs} arcs, {scheme}, N = {n}" for arcs, scheme, n in lacking],
    )  # fmt: skip


def _before(text: str, ranked: pd.DataFrame, score: str, rival: str) -> Claim:
    """Return whether one score ranks the generating structure higher than another, on most networks."""
    means = ranked.groupby(["scheme", *CELL])[[score, rival]].mean()
    lower, levels = int((means[score] < means[rival]).sum()), _levels(ranked)
    numbers = f"its mean rank is lower in {lower} of {len(means)} cells; of structures, on average over the rows,"
    return claim_of_share(text, SECTION, levels[score] < levels[rival], numbers)


def _switched(matched: pd.DataFrame, other: pd.DataFrame) -> Claim:
    """Return whether the better of fNML and BDeu changes with the scheme on most structures, which both share."""
    one, two = _levels(matched), _levels(other)
    both = (one["BDeu"] < one["fNML"]) & (two["fNML"] < two["BDeu"])
    return claim_of_share(
        "Switching to Dirichlet(1/2) usually switches the ranking ability of fNML and BDeu (BDeu is before fNML with "
        "the one, and behind with the other).", SECTION, both, "of structures, on average over the rows,",
    )  # fmt: skip


def _correlations(ranked: pd.DataFrame) -> list[dict[tuple[str, str], float]]:
    """Return how far scores agree on which networks are hard, for each panel and pair.

    These are the rank correlations over networks, on average over the numbers of rows.
    """
    found = []
    for _, panel in ranked.groupby(["arcs", "scheme"]):
        tables = [cell[list(OTHERS)].corr(method="spearman").to_numpy() for _, cell in panel.groupby("N")]
        mean = np.mean(tables, axis=0)
        found.append({(OTHERS[i], OTHERS[j]): float(mean[i, j]) for i in range(4) for j in range(i + 1, 4)})
    return found


def _alike(ranked: pd.DataFrame) -> Claim:
    """Return whether AIC and BIC agree more than any other pair; errors are of a jackknife over networks."""
    found = _correlations(ranked)
    parts = ranked["repetition"] % min(20, int(ranked["repetition"].nunique()))  # groups for a jackknife
    rest = [[_lead(one) for one in _correlations(ranked[parts != part])] for part in sorted(parts.unique())]
    errors = np.std(rest, axis=0) * math.sqrt(len(rest) - 1) * student_factor(len(rest))
    own = [one["AIC", "BIC"] for one in found]
    first = sum(_lead(one) > 0 for one in found)
    return claim_everywhere(
        "Qualitatively AIC and BIC behave similarly to each other (of all pairs of scores they agree most on which "
        "networks are hard).", SECTION, [_lead(one) for one in found], errors,
        f"their ranks correlate over networks by {_range(own)}; the most of all pairs in {first} of "
        f"{len(found)} panels",
    )  # fmt: skip


def _lead(correlations: Mapping[tuple[str, str], float]) -> float:
    """Return by how much AIC and BIC correlate more than any other pair."""
    others = [one for pair, one in correlations.items() if pair != ("AIC", "BIC")]
    return correlations["AIC", "BIC"] - float(np.max(others))


def _range(correlations: Sequence[float]) -> str:
    """Return the range of those correlations that are defined: ranks that are all equal have none."""
    known = [one for one in correlations if not math.isnan(one)]
    return f"{min(known):.2f} to {max(known):.2f}" if known else "n/a"


def _unaffected(matched: pd.DataFrame, other: pd.DataFrame, score: str) -> Claim:
    """Return whether the mean ranks of a score are alike under both schemes, which share their structures."""
    sizes, errors = [], []
    for arcs, own in matched.groupby("arcs"):
        pulls = []
        for n, cell in own.groupby("N"):
            rest = other[(other["arcs"] == arcs) & (other["N"] == n)].set_index("repetition")[score]
            both = pd.DataFrame({"one": cell.set_index("repetition")[score], "two": rest})
            size = _ratio(both, "one", "two")[0]
            pull = both["one"] / both["one"].mean() - both["two"] / both["two"].mean()
            pulls.append(pull * math.copysign(1.0, size))
            sizes.append(abs(size))
        errors.append(student_error(pd.concat(pulls, axis=1).mean(axis=1)))
    error = math.hypot(*errors) / len(errors)
    mean, inside = float(np.mean(sizes)), sum(size <= math.log(SIMILAR) for size in sizes)
    claim = claim_of_margin(
        f"The behaviour of {score} stays mostly unaffected by the scheme (its mean ranks change by less than a factor "
        f"of {SIMILAR:g}, on average).", SECTION, math.log(SIMILAR) - mean, error,
        f"by a factor of {math.exp(mean):.2f} on average, {math.exp(max(sizes)):.2f} at most; by less than {SIMILAR:g} "
        f"in {inside} of {len(sizes)} cells",
    )  # fmt: skip
    return replace(claim, band=ratio_band(mean, error, ".2f"))
