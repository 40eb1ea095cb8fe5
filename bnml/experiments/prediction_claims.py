"""The experiment `prediction`: what the paper says of predictions and numbers of parameters, and whether it is so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from bnml.experiments.claims import (
    Claim,
    claim_everywhere,
    claim_of_agreement,
    claim_of_count,
    claim_of_margin,
    claim_usually,
)
from bnml.experiments.comparison import ALLOWED, way_between
from bnml.experiments.prediction_tables import MEAN, SCORES, SPREAD

__all__ = ["PredictionTables", "prediction_claims"]

SECTION, SECOND, THIRD, APPENDIX = "qNML, section 4.2", "qNML, Table 2", "qNML, Table 3", "qNML, appendix E"
LARGE = 4  # one table in so many is taken to be large, and one in two to be small
STRANGE = "breast_cancer"  # the table of Figure 1
SIMPLER, LARGEST = 19, 7  # tables, as the paper says
REGRETS = {"exact": "", "eq7": " (regret of qNML by equation 7)"}


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
    claims = []
    for regret, how in REGRETS.items():
        claims += _agreements(found[regret], how)
        claims += _overall(found[regret].ranks, how)
        claims += _parsimony(found[regret].comparison, how)
    claims += _by_size(found["exact"].ranks, n_rows)
    return [*claims, _strange(found["exact"]), _used_eq7(found)]


def _agreements(found: PredictionTables, how: str) -> list[Claim]:
    parts = dict(iter(found.comparison.groupby("what", sort=False)))
    overall = dict(iter(found.ranks.groupby("data", sort=False)))
    told = (
        ("average ranks of Table 2", SECOND, parts["rank"], ""),
        ("average ranks over all tables, 2.95, 2.57, 2.10 and 2.37,", SECTION, overall[MEAN], ""),
        ("standard deviations of the ranks, 0.49, 0.90, 0.76 and 0.43,", SECTION, overall[SPREAD], ""),
        ("numbers of parameters of Table 3", THIRD, parts["table 3"], "parameters"),
        ("curves of the log-probability", APPENDIX, parts["logprob"], "nats"),
        ("curves of the number of parameters", APPENDIX, parts["parameters"], "parameters"),
    )
    often = int(found.results["permutations"].median())
    return [
        claim_of_agreement(f"The published {what} come out{how}.", at, own, unit, repetitions=often)
        for what, at, own, unit in told
    ]


def _overall(ranks: pd.DataFrame, how: str) -> list[Claim]:
    """Return what is said of the mean and the spread of ranks over the tables."""
    mean, spread = (ranks[ranks["data"] == what].set_index("score") for what in (MEAN, SPREAD))
    return [
        _lowest(f"fNML achieves on average the best rank{how}.", mean, "fNML", ["BDeu", "BIC", "qNML"]),
        _lowest(f"qNML is the runner-up{how}.", mean, "qNML", ["BDeu", "BIC"]),
        _lowest(f"The ranks of qNML have the lowest standard deviation{how}.", spread, "qNML", ["BDeu", "BIC", "fNML"]),
    ]


def _lowest(text: str, numbers: pd.DataFrame, score: str, rivals: Sequence[str]) -> Claim:
    near = str(numbers["ours"][list(rivals)].idxmin())
    margin = float(numbers["ours"][near] - numbers["ours"][score])
    error = float(np.hypot(numbers["ours_error"][near], numbers["ours_error"][score]))
    told = ", ".join(f"{name} {numbers['ours'][name]:.2f}" for name in SCORES)
    return claim_of_margin(text, SECTION, margin, error, f"{told}; {near} is the nearest")


def _parsimony(comparison: pd.DataFrame, how: str) -> list[Claim]:
    """Return what is said of Table 3."""
    third = comparison[comparison["what"] == "table 3"]
    fewer, fewer_error = _ahead(third, "qNML", ["fNML"])
    most, most_error = _ahead(third, "fNML", ["BDeu", "BIC", "qNML"], largest=True)
    simple, simple_error = _ahead(third, "BIC", ["BDeu", "fNML", "qNML"])
    both, both_error = _ahead(third, "qNML", ["BDeu", "fNML"])
    n = len(fewer)
    named = ", ".join(fewer.index[fewer <= 0]) or "none"
    return [
        claim_of_count(
            f"qNML yields more parsimonious models than fNML on {SIMPLER} of 20 tables{how}.", THIRD, SIMPLER, fewer,
            fewer_error, f"on {int((fewer > 0).sum())} of {n}; not on {named}",
        ),
        claim_of_count(
            f"fNML selects the most complex model on {LARGEST} of 20 tables{how}.", THIRD, LARGEST, most, most_error,
            f"on {int((most > 0).sum())} of {n}: {', '.join(most.index[most > 0]) or 'none'}",
        ),
        claim_usually(
            f"BIC prefers simple models: it has the fewest parameters{how}.", THIRD, simple, simple_error,
            f"on {int((simple > 0).sum())} of {n} tables",
        ),
        claim_usually(
            f"qNML often yields simpler models than the other criteria, BIC apart{how}.", "qNML, section 5", both,
            both_error, f"fewer parameters than both BDeu and fNML on {int((both > 0).sum())} of {n} tables",
        ),
    ]  # fmt: skip


def _ahead(
    lines: pd.DataFrame, score: str, rivals: Sequence[str], *, largest: bool = False
) -> tuple[pd.Series[float], pd.Series[float]]:
    """Return by how much a score is below (or above) the nearest rival on each table, and the standard errors."""
    values, errors = (
        lines.pivot(index="data", columns="score", values=column).loc[lines["data"].unique()]
        for column in ("ours", "ours_error")
    )
    sign = -1.0 if largest else 1.0
    behind = (values[list(rivals)].sub(values[score], axis=0)) * sign
    near = behind.to_numpy().argmin(axis=1)
    own = errors[list(rivals)].to_numpy()[np.arange(len(near)), near]
    return behind.min(axis=1), pd.Series(np.hypot(own, errors[score].to_numpy()), behind.index)


def _by_size(ranks: pd.DataFrame, n_rows: Mapping[str, int]) -> list[Claim]:
    """Return what is said of small and large tables, and of qNML between BIC and fNML."""
    single = ranks[~ranks["data"].isin([MEAN, SPREAD])]
    order = sorted(single["data"].unique(), key=lambda name: n_rows[name])
    small = single[single["data"].isin(order[: len(order) // 2])]
    large = single[single["data"].isin(order[-(len(order) // LARGE) :])]
    wins, wins_error = _ahead(small, "BIC", ["BDeu", "fNML", "qNML"])
    loses, loses_error = _ahead(large, "BIC", ["BDeu", "fNML", "qNML"], largest=True)
    good, good_error = (large[large["score"] == "fNML"].set_index("data")[column] for column in ("ours", "ours_error"))
    wide, errors = (single.pivot(index="data", columns="score", values=column) for column in ("ours", "ours_error"))
    ends = wide[["BIC", "fNML"]]
    inside = np.minimum(wide["qNML"] - ends.min(axis=1), ends.max(axis=1) - wide["qNML"])
    inside_error = np.hypot(errors["qNML"], errors[["BIC", "fNML"]].max(axis=1))
    return [
        claim_usually(
            "BIC often wins with small sample sizes (the smaller half of the tables).", SECTION, wins, wins_error,
            f"the best average rank on {int((wins > 0).sum())} of {len(wins)} tables",
        ),
        claim_everywhere(
            "BIC performs worst for the larger sample sizes (the largest quarter of the tables).", SECTION, loses,
            loses_error, f"the worst average rank on {int((loses > 0).sum())} of {len(loses)} tables",
            list(loses.index),
        ),
        claim_everywhere(
            "fNML is good for large sample sizes (an average rank below 2 on the largest quarter).", SECTION, 2 - good,
            good_error, f"{good.min():.2f} to {good.max():.2f} on {len(good)} tables", list(good.index),
        ),
        claim_usually(
            "qNML is usually between BIC and fNML.", SECTION, inside, inside_error,
            f"its average rank is between theirs on {int((inside > 0).sum())} of {len(inside)} tables",
        ),
    ]  # fmt: skip


def _strange(found: PredictionTables) -> Claim:
    """Return whether fNML has more parameters with few rows of the breast cancer table than with many."""
    own = found.results[(found.results["data"] == STRANGE) & (found.results["score"] == "fNML")].set_index("percent")
    few, many = own.iloc[own["parameters_mean"].argmax()], own.iloc[-1]
    margin = float(few["parameters_mean"] - many["parameters_mean"])
    return claim_of_margin(
        "fNML still sometimes behaves strangely in terms of model complexity (more parameters with fewer rows).",
        "qNML, Figure 1", margin, float(np.hypot(few["parameters_error"], many["parameters_error"])),
        f"breast cancer: {few['parameters_mean']:,.0f} parameters on average with {int(few['rows'])} rows (median "
        f"{few['parameters_median']:,.0f}), {many['parameters_mean']:,.0f} with {int(many['rows'])} (median "
        f"{many['parameters_median']:,.0f})",
    )  # fmt: skip


def _used_eq7(found: Mapping[str, PredictionTables]) -> Claim:
    """Return which regret the published curves of qNML fit: those of parents, whose tails are short."""
    key = ["data", "rows"]
    one, two = (
        own.comparison[(own.comparison["what"] == "parents") & (own.comparison["score"] == "qNML")].set_index(key)
        for own in (found["exact"], found["eq7"])
    )
    errors = np.hypot(one["ours_error"], one["published_error"])
    way, error = way_between(one["ours"], two["ours"], one["published"], errors)
    return claim_of_margin(
        "The experiments use equation 7 for the regret of qNML.", SECTION, way - 0.5, error,
        f"published numbers of parents per variable lie {way:.2f} ± {ALLOWED * error:.2f} of the way from the exact "
        f"regret (0) to equation 7 (1); {int(one['within'].sum())} of {len(one)} agree with the exact regret and "
        f"{int(two['within'].sum())} with equation 7",
    )  # fmt: skip
