"""The experiment `generating-structure`: what the paper says of learned structures, and whether it is so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd

from bnml.experiments.claims import (
    Claim,
    claim_everywhere,
    claim_of_agreement,
    claim_of_margin,
    claim_usually,
)
from bnml.experiments.comparison import (
    ALLOWED,
    compare_with_published,
    rounded,
    student_error,
    student_factor,
    way_between,
)
from bnml.experiments.generating_structure_tables import (
    CELL,
    SCORES,
    STEP,
    distance_tables,
    mean_over_networks,
    rank_margins,
    ranked_distances,
    variant_of,
)

PRAISED = ("asia", "earthquake")  # where qNML is said to be the best or the second best throughout
BEYOND = 300  # rows from which on qNML is said to have the best mean rank
BEYOND_TEXT = f"beyond {BEYOND} rows"
SMALL = 50  # rows: what is taken to be a small sample
VARIANTS = {
    ("first", "exact"): "of several best structures the one found first",
    ("package", "exact"): "of several best structures the one that bnml takes, which is not the rule of the paper",
    ("first", "eq7"): "the one found first, and the regret of qNML by equation 7, but for r = 1, where it is 0",
}
SECTION, FIGURES = "qNML, section 4.1", ("qNML, Figure 2", "qNML, Figure 3")
USED, USED_WHERE = "The experiments use equation 7 for the regret of qNML.", "qNML, section 2.3"
SHOWN = ("cancer", 20)  # a cell in which the two regrets differ much


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
    claims: list[Claim] = []
    often = _repetitions(every)
    for (ties, regret), choice in VARIANTS.items():
        ours = variant_of(every, ties, regret)
        found = distance_tables(ours, theirs, printed)
        own = [
            claim_of_agreement(
                "The published mean distances are reproduced.", FIGURES[0], found.comparison, "arcs", repetitions=often
            ),
            claim_of_agreement("The published mean ranks are reproduced.", FIGURES[1], found.ranks, repetitions=often),
            _rank_claim("qNML never has the worst mean rank.", rank_margins(ours, "worst"), often),
            _rank_claim(
                f"qNML has the best mean rank beyond {BEYOND} rows.", rank_margins(ours, "best", BEYOND), often
            ),
            _among_best_two("qNML is best or second best for Earthquake and Asia at all sample sizes.", ours),
        ]
        claims += [claim.chosen(choice, again=len(claims) >= len(own)) for claim in own]
    ours = variant_of(every, *next(iter(VARIANTS)))
    large = ours[ours["N"] > BEYOND]
    return [
        *claims,
        _dominates(ours),
        *_small_samples(every, ours, arcs),
        _safest("qNML is overall a safe choice in structure learning", ours, "at any sample size"),
        *([_safest("This is so especially with moderate and large ones", large, BEYOND_TEXT)] if len(large) else []),
        *_converges(ours, arcs),
        _used_eq7(every, theirs, printed),
    ]


def _repetitions(table: pd.DataFrame) -> int:
    return int(table.groupby(CELL).size().min())


def _rank_claim(text: str, margins: pd.DataFrame, often: int) -> Claim:
    narrow = margins.iloc[int(margins["difference"].to_numpy().argmax())]
    numbers = (
        f"at {int((~margins['fails'].astype(bool)).sum())} of {len(margins)} sample sizes; the closest call is "
        f"{narrow['own']:.3f} against {narrow['rank']:.3f} of {narrow['other']} at N = {narrow['N']:,}"
    )
    cells = [f"N = {n:,}" for n in margins["N"]]
    errors = margins["error"] * student_factor(often)
    return claim_everywhere(text, FIGURES[1], -margins["difference"], errors, numbers, cells)


def _among_best_two(text: str, ours: pd.DataFrame) -> Claim:
    """Return whether at most one score comes nearer to the truth than qNML, in each cell of two networks."""
    others = [score for score in SCORES if score != "qNML"]
    margins, errors, cells = [], [], []
    for (network, n), own in ours[ours["network"].isin(PRAISED)].groupby(CELL, sort=False):
        second = str(own[others].mean().sort_values(kind="stable").index[1])
        pairs = own[second] - own["qNML"]
        margins.append(np.inf if not pairs.any() else float(pairs.mean()))  # it shares the place with the second
        errors.append(student_error(pairs, STEP))
        cells.append(f"{network}, N = {n:,}")
    numbers = f"in {sum(margin >= 0 for margin in margins)} of {len(margins)} cells"
    return claim_everywhere(text, SECTION, margins, errors, numbers, cells)


def _dominates(ours: pd.DataFrame) -> Claim:
    """Return whether each score is clearly beaten by another somewhere."""
    beaten = dict.fromkeys(SCORES, -np.inf)
    for _, own in ours.groupby(CELL, sort=False):
        for score, other in permutations(SCORES, 2):
            pairs = own[score] - own[other]
            beaten[score] = max(beaten[score], float(pairs.mean()) / student_error(pairs, STEP))
    told, least = ", ".join(f"{score} {worst:.0f}" for score, worst in beaten.items()), min(beaten.values())
    claim = claim_of_margin(
        "None of the scores dominates in all settings considered.", SECTION, least, 1.0,
        f"how much farther from the truth than another each is in some cell, in standard errors: {told}",
    )  # fmt: skip
    return replace(claim, band=f"{least:.0f} standard errors, of which {ALLOWED:g} are needed")


def _small_samples(every: pd.DataFrame, ours: pd.DataFrame, arcs: Mapping[str, int]) -> list[Claim]:
    """Return what is said of BIC and small samples."""
    small = ours[ours["N"] <= SMALL]
    margins = rank_margins(small, "best", score="BIC")
    few = every[every["N"] <= SMALL].groupby(CELL, sort=False)["BIC arcs"]
    whole = few.mean().index.get_level_values("network").map(arcs)
    share, error = few.mean() / whole, few.agg(student_error, least=STEP) / whole
    narrow = margins.iloc[int(margins["difference"].to_numpy().argmax())]
    empty, empty_error = [], []
    for (network, _), own in small.groupby(CELL, sort=False):
        nearest = str(own[list(SCORES)].mean().idxmin())
        empty.append(float(own[nearest].mean()) - arcs[str(network)])
        empty_error.append(student_error(own[nearest], STEP))
    return [
        claim_everywhere(
            f"BIC fares well when the sample size is small (the best mean rank up to {SMALL} rows).", SECTION,
            -margins["difference"], margins["error"] * student_factor(_repetitions(ours)),
            f"best at {int((margins['difference'] < 0).sum())} of {len(margins)} sample sizes; the closest call is "
            f"{narrow['own']:.3f} against {narrow['rank']:.3f} of {narrow['other']}, N = {narrow['N']}",
            [f"N = {n}" for n in margins["N"]],
        ),
        claim_usually(
            f"BIC tends to produce a nearly empty graph there (less than half of the arcs, N ≤ {SMALL}).", SECTION,
            0.5 - share, error,
            f"it has {share.min():.0%} to {share.max():.0%} of the number of arcs that generated the data, "
            f"{share.mean():.0%} on average over {len(share)} cells",
        ),
        claim_usually(
            "A nearly empty graph is a good answer in terms of SHD there (one without arcs is nearer than what any of "
            "the four scores finds).", SECTION, empty, empty_error,
            f"in {sum(margin > 0 for margin in empty)} of {len(empty)} cells; by {max(empty):.2f} arcs at most, and "
            f"farther by up to {max(0.0, -min(empty)):.2f}",
        ),
    ]  # fmt: skip


def _safest(text: str, ours: pd.DataFrame, where: str) -> Claim:
    """Return whether the worst mean rank of qNML over sample sizes is lower than that of any other score."""
    ranked = ranked_distances(ours)
    ranks = mean_over_networks(ranked)
    worst = ranks.loc[ranks.groupby("score")["mean"].idxmax()].set_index("score")
    others = worst.drop(index="qNML")
    near = str(others["mean"].idxmin())
    error = float(np.hypot(others["error"][near], worst["error"]["qNML"]))
    if others["N"][near] == worst["N"]["qNML"]:  # both have learned from the same samples
        pairs = ranked[ranked["N"] == others["N"][near]]
        error = float(mean_over_networks(pairs.assign(both=pairs[near] - pairs["qNML"]), ["both"])["error"].iloc[0])
    told = ", ".join(f"{score} {worst['mean'][score]:.2f}" for score in SCORES)
    return claim_of_margin(
        f"{text} (its highest mean rank {where} is the lowest; the paper has no measure of it).", SECTION,
        float(others["mean"][near] - worst["mean"]["qNML"]), error * float(student_factor(_repetitions(ours))),
        f"highest mean ranks: {told}",
    )  # fmt: skip


def _converges(ours: pd.DataFrame, arcs: Mapping[str, int]) -> list[Claim]:
    """Return whether qNML is the nearest where it has first come half of the way, from no arcs to the truth."""
    margins, errors, told = [], [], []
    for network, own in ours.groupby("network", sort=False):
        means = own.groupby("N")[list(SCORES)].mean()
        sizes = means.index[means["qNML"] <= arcs[str(network)] / 2].tolist()
        if sizes:
            n = min(sizes)
            near = str(means.loc[n].drop("qNML").idxmin())
            pairs = (own[near] - own["qNML"])[own["N"] == n]
            margins.append(float(pairs.mean()))
            errors.append(student_error(pairs, STEP))
            told.append(f"{network} {means['qNML'][n]:.2f}, {near} {means[near][n]:.2f} (N = {n:,})")
    if not margins:
        return []
    return [
        claim_usually(
            "qNML quickly converges to the generating model (it is the nearest where its mean distance first is half "
            "of the number of arcs or less).", "qNML, section 5", margins, errors, f"mean distances: {'; '.join(told)}",
        )
    ]  # fmt: skip


def regret_slope(every: pd.DataFrame, theirs: pd.DataFrame, printed: pd.DataFrame) -> tuple[str, pd.DataFrame]:
    """Return which regret the published means of qNML fit, in a sentence, and the cells that tell."""
    fit, slope, error = _regret_fit(every, theirs, printed)
    exact, seventh = (compare_with_published(fit, ours=column) for column in ("exact", "eq7"))
    text = (
        f"Published means of qNML lie {slope:.2f} ± {rounded(ALLOWED * error)} of the way from the exact regret (0) to "
        f"equation 7 (1). Over all {len(fit)} cells {int(exact['within'].sum())} agree with the exact regret and "
        f"{int(seventh['within'].sum())} with equation 7; the mean difference is "
        f"{exact['difference'].abs().mean():.3f} and {seventh['difference'].abs().mean():.3f} arcs."
    )
    return text, fit


def _regret_fit(every: pd.DataFrame, theirs: pd.DataFrame, printed: pd.DataFrame) -> tuple[pd.DataFrame, float, float]:
    """Return the means under both regrets beside the published ones, and where these lie between them."""
    lines = []
    known = dict(printed.set_index(CELL)["qNML"])
    spread = dict(theirs.groupby(CELL)["qNML"].agg(student_error, least=STEP))
    for cell, own in every.groupby(CELL, sort=False):
        lines.append(
            {
                **dict(zip(CELL, cell, strict=True)),
                "published": known[cell],
                "exact": own["qNML"].mean(),
                "eq7": own["qNML eq7"].mean(),
                "ours_error": student_error(own["qNML"], STEP),
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
    claim = claim_of_margin(USED, USED_WHERE, slope - 0.5, error, text + example)
    return claim.chosen("judged by mean distances", again=False)
