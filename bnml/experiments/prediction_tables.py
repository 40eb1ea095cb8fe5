"""The experiment `prediction` in numbers: means, ranks, and how they compare with the published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from bnml.experiments.comparison import agreement, compare, outside

__all__ = ["PUBLISHED", "SCORES", "claims", "compared", "rank_table", "ranked", "summarise"]

Floats = npt.NDArray[np.float64]

SCORES = ("BDeu", "BIC", "fNML", "qNML")
RANKS, PARAMETERS, CURVES = (
    f"published/qnml_{name}.csv" for name in ("table1_predictive_ranks", "table2_parameters", "uci_curves")
)
PUBLISHED = (RANKS, PARAMETERS, CURVES)
PERMUTATIONS = 1000  # of the published means
COLUMNS = ("BDeu_BPP", "BIC_sNML", "fNML_sNML", "qNML_sNML")  # of Table 2
QUANTITIES = {
    "logprob": "mean_test_logprob_per_row",
    "parents": "mean_parents_per_variable",
    "parameters": "mean_number_of_parameters",
}
ROUNDING = {"rank": 0.005, "table 3": 0.5, "logprob": 0.006, "parents": 0.006, "parameters": 0.51}
"""How far printed numbers, and curves read back from figures, may be off."""

EQUAL = 1e-9  # relative; closer log-probabilities are those of one network
MEAN, SPREAD = "mean", "standard deviation"
BENE_ROWS = 2000  # beyond, the regret of fNML in the authors' program is too large


def summarise(table: pd.DataFrame, sizes: pd.DataFrame) -> pd.DataFrame:
    """Return mean, variance and standard error of each quantity, for each table, training part and score.

    Parameters
    ----------
    table
        A row for each network.
    sizes
        The summary of the data: number of values of each variable, by table.
    """
    groups = table.groupby(["data", "percent", "rows", "score"], sort=False)
    results = groups.size().rename("permutations").reset_index()
    steps = {name: _one_arc(values) for name, values in sizes["values_per_variable"].items()}
    for quantity in QUANTITIES:
        results[f"{quantity}_mean"] = groups[quantity].mean().to_numpy()
        variance: Floats = np.asarray(groups[quantity].var(ddof=1), np.float64)
        results[f"{quantity}_variance"] = variance
        step = np.array([steps[name][quantity] for name in results["data"]])
        results[f"{quantity}_error"] = _error(variance, results["permutations"].to_numpy(), step)
    return results


def _one_arc(values: str) -> dict[str, float]:
    """Return by how much one arc between two variables changes each quantity, on average over pairs of variables."""
    free = np.array([int(r) - 1 for r in values.split()], np.float64)
    pairs = free.size * (free.size - 1)
    return {"logprob": 0.0, "parents": 1 / free.size, "parameters": float(free.sum() ** 2 - (free**2).sum()) / pairs}


def _error(variance: Floats, n: npt.NDArray[np.int64], step: Floats | float) -> Floats:
    """Return the standard error of a mean.

    A few permutations may all give the same number without every permutation doing so. The variance is at least what
    it is if one in n + 2 differs by a step (Laplace's rule of succession).
    """
    error: Floats = np.sqrt(np.maximum(variance, step**2 / (n + 2)) / n)
    return error


def ranked(values: Floats) -> Floats:
    """Return the rank of each value in its row: 1 for the highest; equal values share the mean of their ranks.

    Examples
    --------
    >>> import numpy as np
    >>> ranked(np.array([[-3.0, -1.0, -2.0, -1.0]])).tolist()
    [[4.0, 1.5, 3.0, 1.5]]
    """
    own, other = values[:, :, None], values[:, None, :]
    equal = np.abs(own - other) <= EQUAL * np.maximum(np.abs(own), np.abs(other))
    ranks: Floats = 1.0 + ((other > own) & ~equal).sum(axis=2) + (equal.sum(axis=2) - 1) / 2
    return ranks


def rank_table(folder: Path, table: pd.DataFrame) -> pd.DataFrame:
    """Return the average rank of each score on each table beside Table 2, and the mean and spread over tables."""
    wide = table.set_index(["data", "permutation", "percent", "score"])["logprob"].unstack()[list(SCORES)]
    ranks = pd.DataFrame(ranked(wide.to_numpy()), wide.index, wide.columns)
    groups = ranks.groupby(["data", "permutation"]).mean().groupby("data")  # one number of each permutation
    n, fractions = int(groups.size().iloc[0]), table["percent"].nunique()
    published = pd.read_csv(folder / RANKS).set_index("data")
    names = list(published.index)
    ours, printed = groups.mean().loc[names], published[list(COLUMNS)]
    error = _error(groups.var(ddof=1).loc[names].to_numpy(), np.array(n), 0.5 / fractions)
    lines = _long(ours.to_numpy(), error, printed.to_numpy(), names)
    overall = pd.concat(
        [
            _long(*_mean(ours.to_numpy(), error), printed.to_numpy().mean(0, keepdims=True), [MEAN]),
            _long(*_spread(ours.to_numpy(), error), printed.to_numpy().std(0, keepdims=True), [SPREAD]),
        ]
    )
    lines = pd.concat([lines, overall], ignore_index=True)
    lines["published_error"] = lines["ours_error"] * np.sqrt(n / PERMUTATIONS)
    return compare(lines, rounding=ROUNDING["rank"])


def _long(ours: Floats, error: Floats, printed: Floats, names: Sequence[str]) -> pd.DataFrame:
    columns = {"ours": ours.ravel(), "ours_error": error.ravel(), "published": printed.ravel()}
    keys = {"data": np.repeat(names, len(SCORES)), "score": list(SCORES) * len(names)}
    return pd.DataFrame(keys | columns)


def _mean(ranks: Floats, errors: Floats) -> tuple[Floats, Floats]:
    return ranks.mean(0, keepdims=True), np.sqrt((errors**2).sum(0, keepdims=True)) / len(ranks)


def _spread(ranks: Floats, errors: Floats) -> tuple[Floats, Floats]:
    """Return the standard deviation over tables, and its error to first order."""
    spread = ranks.std(0, keepdims=True)
    slope = (ranks - ranks.mean(0)) / (len(ranks) * np.maximum(spread, 1e-12))
    return spread, np.sqrt(((slope * errors) ** 2).sum(0, keepdims=True))


def compared(folder: Path, results: pd.DataFrame, ranks: pd.DataFrame) -> pd.DataFrame:
    """Return all published numbers beside ours: the ranks, Table 3, and the curves."""
    third = pd.read_csv(folder / PARAMETERS).rename(columns={"training_rows": "rows"})
    printed = pd.read_csv(folder / CURVES).rename(columns={"train_rows": "rows"})
    tables = [_beside(results, "table 3", "parameters", third)]
    tables += [_beside(results, q, q, printed[printed["quantity"] == name]) for q, name in QUANTITIES.items()]
    lines = pd.concat(tables, ignore_index=True)
    lines = compare(lines, rounding=[ROUNDING[what] for what in lines["what"]])
    first = ranks[~ranks["data"].isin([MEAN, SPREAD])]
    lines = pd.concat([first.assign(what="rank"), lines], ignore_index=True)
    for column in ("percent", "rows"):
        lines[column] = lines[column].astype("Int64")
    order = ["what", "data", "percent", "rows", "score", "ours", "ours_error", "published", "published_error"]
    return lines[[*order, "difference", "errors", "within"]]


def _beside(results: pd.DataFrame, what: str, quantity: str, printed: pd.DataFrame) -> pd.DataFrame:
    """Return our means beside printed ones, which have a column for each score."""
    long = printed.melt(["data", "rows"], list(SCORES), "score", "published")
    lines = long.merge(results, "left", ["data", "rows", "score"], validate="one_to_one")
    error = lines[f"{quantity}_error"]
    return lines[["data", "percent", "rows", "score", "published"]].assign(
        what=what,
        ours=lines[f"{quantity}_mean"],
        ours_error=error,
        published_error=error * np.sqrt(lines["permutations"] / PERMUTATIONS),
    )


def claims(ranks: pd.DataFrame, comparison: pd.DataFrame) -> list[str]:
    """Return what was found, and which claims of the paper it bears out."""
    by_what = {str(what): own for what, own in comparison.groupby("what", sort=False)}
    single, third = by_what["rank"], by_what["table 3"]
    correlation = np.corrcoef(single["ours"], single["published"])[0, 1]
    found = [f"The {len(single)} average ranks correlate with those of Table 2 at {correlation:.3f}."]
    found += [agreement(single, "average ranks"), *outside(single, ["data", "score"])]
    found += [agreement(third, "numbers of parameters in Table 3"), *outside(third, ["data", "rows", "score"])]
    mean = ranks[ranks["data"] == MEAN].set_index("score")
    spread = ranks[ranks["data"] == SPREAD].set_index("score")
    found.append(f"Average ranks over the tables: {_pairs(mean)}.")
    found.append(f"Their standard deviations: {_pairs(spread)}.")
    best, steady = str(mean["ours"].idxmin()), str(spread["ours"].idxmin())
    found.append(
        _claim("fNML has the best average rank", best == "fNML", f"it is {best} with {mean['ours'][best]:.2f}")
    )
    detail = f"it is {steady} with {spread['ours'][steady]:.2f}"
    found.append(_claim("The ranks of qNML spread least", steady == "qNML", detail))
    found += _parsimony(third)
    return found + _curves(by_what)


def _pairs(table: pd.DataFrame, digits: int = 2) -> str:
    columns = zip(table.index, table["ours"], table["ours_error"], table["published"], strict=True)
    return ", ".join(
        f"{score} {ours:.{digits}f} ± {error:.{digits}f} (published {printed:.{digits}f})"
        for score, ours, error, printed in columns
    )


def _claim(text: str, holds: bool, detail: str) -> str:
    return f"{text}: {'confirmed' if holds else 'not confirmed'}, {detail}."


def _parsimony(third: pd.DataFrame) -> list[str]:
    """Return the claims that the paper makes of Table 3."""
    found = []
    for text, count, names in (
        ("qNML has fewer parameters than fNML", _simpler, "not on"),
        ("fNML has the most parameters of all", _largest, "on"),
    ):
        ours, printed = (count(third.pivot(index="data", columns="score", values=v)) for v in ("ours", "published"))
        listed = [str(name) for name in third["data"].unique() if ours[name] == (names == "on")]
        where = f", {names} {', '.join(listed)}" if listed else ""
        detail = f"on {int(ours.sum())} of {len(ours)}{where}"
        found.append(_claim(f"{text} on {int(printed.sum())} tables", ours.sum() == printed.sum(), detail))
        other = [name for name in third["data"].unique() if ours[name] != printed[name]]
        found += [f"  {name}: {_pairs(third[third['data'] == name].set_index('score'), 0)}" for name in other]
    return found


def _simpler(wide: pd.DataFrame) -> pd.Series[bool]:
    return wide["qNML"] < wide["fNML"]


def _largest(wide: pd.DataFrame) -> pd.Series[bool]:
    return wide.idxmax(axis=1) == "fNML"


def _curves(by_what: Mapping[str, pd.DataFrame]) -> list[str]:
    """Return how many values of the curves agree, and where fNML does not."""
    names = {"logprob": "log-probabilities", "parents": "numbers of parents", "parameters": "numbers of parameters"}
    found = [
        agreement(by_what[quantity], f"{name} of the curves, read to within {ROUNDING[quantity]:g},")
        for quantity, name in names.items()
    ]
    curves = pd.concat([by_what[quantity] for quantity in ("parents", "parameters")])
    large = (curves["score"] == "fNML") & (curves["rows"] > BENE_ROWS)
    if not curves[large]["within"].all():
        where = sorted(set(curves[large & ~curves["within"]]["data"]))
        found += [
            f"Of {large.sum()} numbers of parents and parameters that fNML has with more than {BENE_ROWS:,} rows, "
            f"{int((~curves[large]['within']).sum())} differ, on {', '.join(where)}; of the {int((~large).sum()):,} "
            f"others {int((~curves[~large]['within']).sum())}.",
            "  The likely reason: the authors' program BENE has 5 log π for ½ log π in the regret of more than 2,000 "
            "rows with the same parents' values, which makes fNML split them further.",
        ]
    return found
