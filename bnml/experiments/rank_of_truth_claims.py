"""The experiment `rank-of-truth` in numbers: mean ranks, and what the paper says of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from bnml.experiments.claims import Claim, claim_everywhere, claim_of_fact, claim_of_margin, claim_usually
from bnml.experiments.comparison import standard_error
from bnml.experiments.experiment import Row

__all__ = ["PUBLISHED", "mean_rank", "rank_claims"]

PUBLISHED = (100, 100)  # networks, and data sets of each
SCORES = ("AIC", "BIC", "BDeu", "fNML", "qNML")
OTHERS = ("AIC", "BIC", "BDeu", "fNML")  # those of the fNML paper
SIMILAR = 1.5  # mean ranks of scores that behave alike differ by no larger factor
ALIKE = 0.9  # correlation of curves that run alike, at least
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
        _higher(ranked),
        _alike(ranked),
        _before(
            "Switching to Dirichlet(1/2) usually switches the ranking ability of fNML and BDeu: fNML is before BDeu.",
            other, "fNML", "BDeu",
        ),
        _unaffected(matched, other),
        _winner(
            "With Dirichlet(1/2) and dense networks (7 arcs) fNML often is a clear winner.", other[other["arcs"] == 7],
            "fNML",
        ),
    ]  # fmt: skip


def _winner(text: str, ranked: pd.DataFrame, score: str) -> Claim:
    """Return whether a score has the lowest mean rank of the four in most cells."""
    rivals = [name for name in OTHERS if name != score]
    margins, errors = [], []
    for _, cell in ranked.groupby(CELL):
        behind = cell[rivals].sub(cell[score], axis=0)
        nearest = str(behind.mean().idxmin())
        margins.append(float(behind[nearest].mean()))
        errors.append(standard_error(behind[nearest]))
    single = _wins(ranked, score)
    lowest = sum(margin > 0 for margin in margins)
    numbers = (
        f"the lowest mean rank in {lowest} of {len(margins)} cells; of single structures, on average over the rows,"
    )
    return claim_usually(text, SECTION, margins, errors, f"{numbers} in {single}")


def _wins(ranked: pd.DataFrame, score: str) -> str:
    """Return for how many structures a score has the lowest mean log-rank over all numbers of rows."""
    levels = ranked.set_index(["arcs", "repetition"])[list(OTHERS)].map(math.log).groupby(level=[0, 1]).mean()
    won = int((levels.idxmin(axis=1) == score).sum())
    return f"{won} of {len(levels)} ({won / len(levels):.0%})"


def _ratio(cell: pd.DataFrame, over: str, under: str) -> tuple[float, float]:
    """Return the logarithm of a ratio of mean ranks on the same networks, and its standard error."""
    pull = cell[over] / cell[over].mean() - cell[under] / cell[under].mean()
    return math.log(cell[over].mean() / cell[under].mean()), standard_error(pull)


def _similar(matched: pd.DataFrame) -> Claim:
    found = np.array([_ratio(cell, "fNML", "BDeu") for _, cell in matched.groupby(CELL)])
    ratios, near = np.exp(found[:, 0]), np.abs(found[:, 0])
    return claim_usually(
        f"{MATCHED}fNML usually behaves very similarly to BDeu (mean ranks within a factor of {SIMILAR:g}).", SECTION,
        math.log(SIMILAR) - near, found[:, 1],
        f"its mean ranks are {ratios.min():.1f} to {ratios.max():.1f} times as large, within the factor in "
        f"{int((near <= math.log(SIMILAR)).sum())} of {len(near)} cells; the log-ratios have the bands",
    )  # fmt: skip


def _density(ranked: pd.DataFrame) -> Claim:
    means = ranked.groupby(["scheme", "N", "arcs"])[list(OTHERS)].mean()
    orders = means.rank(axis=1).unstack("arcs")
    same = sum(bool((row.xs(4, level="arcs") == row.xs(7, level="arcs")).all()) for _, row in orders.iterrows())
    best = means.idxmin(axis=1).unstack("arcs")
    agree = int((best[4] == best[7]).sum())
    return claim_of_fact(
        "The density of the network (4 or 7 arcs) is not a very significant factor (the same score is best).", SECTION,
        agree > len(best) / 2,
        f"the same score has the lowest mean rank in {agree} of {len(best)} cells, and all four in the same order in "
        f"{same}", "taken to hold if it is so in more than half of the cells",
    )  # fmt: skip


def _pronounced(matched: pd.DataFrame) -> Claim:
    """Return whether fNML and BDeu are nearer to each other with 7 arcs, on average over the numbers of rows."""
    levels, errors, medians = {}, {}, {}
    for arcs, own in matched.groupby("arcs"):
        ratios = [_ratio(cell, "fNML", "BDeu")[0] for _, cell in own.groupby("N")]
        scaled = own[["fNML", "BDeu"]] / own.groupby("N")[["fNML", "BDeu"]].transform("mean")
        pull = (scaled["fNML"] - scaled["BDeu"]).groupby(own["repetition"]).mean()
        levels[arcs], errors[arcs] = float(np.mean(ratios)), standard_error(pull)
        medians[arcs] = math.exp(float(np.median(ratios)))
    return claim_of_margin(
        "The similar behaviour of fNML and BDeu is more pronounced in networks with 7 arcs.", SECTION,
        abs(levels[4]) - abs(levels[7]), math.hypot(errors[4], errors[7]),
        f"the mean rank of fNML is {medians[4]:.1f} times that of BDeu with 4 arcs and {medians[7]:.1f} times with 7, "
        f"at the median over the rows; on average {math.exp(levels[4]):.2f} and {math.exp(levels[7]):.2f}, whose "
        "logarithms differ by the band",
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
        [own.mean() for own in lacking.values()], [standard_error(own) for own in lacking.values()],
        f"fewer arcs than generated the data, on average, in {fewer} of {len(lacking)} cells: {at_100[4]:.1f} of 4 and "
        f"{at_100[7]:.1f} of 7 for N = 100",
        [f"{arcs} arcs, {scheme}, N = {n}" for arcs, scheme, n in lacking],
    )  # fmt: skip


def _higher(ranked: pd.DataFrame) -> Claim:
    return _before("AIC tends to rank the generating structure higher than BIC.", ranked, "AIC", "BIC")


def _before(text: str, ranked: pd.DataFrame, score: str, rival: str) -> Claim:
    """Return whether one score has a lower mean rank than another in most cells."""
    pairs = [cell[rival] - cell[score] for _, cell in ranked.groupby(["scheme", *CELL])]
    lower = sum(own.mean() > 0 for own in pairs)
    numbers = f"its mean rank is lower in {lower} of {len(pairs)} cells"
    if {score, rival} == {"BDeu", "fNML"}:
        won, lost = ranked[f"{score}_before_{rival}"].mean(), ranked[f"{rival}_before_{score}"].mean()
        numbers += f"; it is before {rival} on {won:.0%} of the data, and behind on {lost:.0%}"
    return claim_usually(
        text, SECTION, [float(own.mean()) for own in pairs], [standard_error(own) for own in pairs], numbers
    )


def _alike(ranked: pd.DataFrame) -> Claim:
    curves = ranked.groupby(["arcs", "scheme", "N"])[["AIC", "BIC"]].mean().map(math.log)
    own = [float(np.corrcoef(curve.to_numpy().T)[0, 1]) for _, curve in curves.groupby(level=[0, 1])]
    return claim_of_fact(
        "Qualitatively AIC and BIC behave similarly to each other (their curves run alike).", SECTION, min(own) > ALIKE,
        f"their mean log-ranks correlate over the rows by {min(own):.3f} to {max(own):.3f} in the {len(own)} panels",
        f"taken to hold above {ALIKE:g}",
    )  # fmt: skip


def _unaffected(matched: pd.DataFrame, other: pd.DataFrame) -> Claim:
    """Return whether the mean ranks of AIC and BIC are alike under both schemes, which share their structures."""
    near, errors, worst, inside = [], [], {}, {}
    for score in OTHERS:
        sizes = []
        for at, cell in matched.groupby(CELL):
            rest = other[(other["arcs"] == at[0]) & (other["N"] == at[1])].set_index("repetition")[score]
            both = pd.DataFrame({"one": cell.set_index("repetition")[score], "two": rest})
            size, error = _ratio(both, "one", "two")
            sizes.append(abs(size))
            if score in ("AIC", "BIC"):
                near.append(math.log(SIMILAR) - abs(size))
                errors.append(error)
        worst[score] = math.exp(max(sizes))
        inside[score] = sum(size <= math.log(SIMILAR) for size in sizes)
    told = ", ".join(f"{score} {worst[score]:.3g}" for score in OTHERS)
    return claim_usually(
        f"The behaviour of AIC and BIC stays mostly unaffected by the scheme (mean ranks within factor {SIMILAR}).",
        SECTION, near, errors,
        f"AIC is within the factor in {inside['AIC']} and BIC in {inside['BIC']} of {len(near) // 2} cells; mean ranks "
        f"change by up to these factors: {told}",
    )  # fmt: skip
