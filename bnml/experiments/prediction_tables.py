"""The experiment `prediction` in numbers: means, ranks, and how they compare with the published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import stdtr

from bnml._arrays import Floats
from bnml._text import quoted
from bnml.errors import DataError
from bnml.experiments.comparison import ALLOWED, agreement, compare_with_published, disagreements
from bnml.experiments.published import check_published_lines, read_published_numbers

SCORES = ("BDeu", "BIC", "fNML", "qNML")
EQ7 = "qNML eq7"  # qNML with the regret by equation 7
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

MEAN, SPREAD = "mean", "standard deviation"
BENE_ROWS = 2000  # beyond, the regret of fNML in the authors' program is too large
FEW = 1 / 20  # of the networks: the largest ones
LONG = 3 * FEW  # of all parameters: a tail is long if the largest networks have more
RARE = 0.05  # expected numbers so far off: there should be none
MOST = 20  # differences that are listed


@dataclass(frozen=True)
class Published:
    """The published numbers.

    ``ranks``: Table 2, a column for each score, by table. ``parameters``: Table 3; table, number of rows to learn from,
    a column for each score. ``curves``: those of the appendix; table, quantity, number of rows to learn from, a column
    for each score.
    """

    ranks: pd.DataFrame
    parameters: pd.DataFrame
    curves: pd.DataFrame


def read_prediction_tables(folder: Path, training: Mapping[str, Sequence[int]]) -> Published:
    """Read the tables of published predictions, all of which must be there.

    Parameters
    ----------
    folder
        The folder of the data.
    training
        For each table how many rows there are to learn from.

    Raises
    ------
    DataError
        If a file is something else, or lacks a number.
    """
    ranks = read_published_numbers(folder, RANKS, key=["data"], numbers=COLUMNS)
    check_published_lines(RANKS, ranks, ["data"], [(name,) for name in training])
    third = read_published_numbers(folder, PARAMETERS, key=["data"], numbers=["training_rows", *SCORES])
    check_published_lines(PARAMETERS, third, ["data"], [(name,) for name in training])
    for name, rows in zip(third["data"], third["training_rows"], strict=True):
        if rows not in training[name]:
            expected = f"expected one of {quoted(training[name], most=9)}"
            raise DataError(f"{PARAMETERS!r}: {name!r} with {rows:g} training rows; {expected}")
    key = ["data", "quantity", "train_rows"]
    curves = read_published_numbers(folder, CURVES, key=key, numbers=["train_rows", *SCORES])
    lines = [(name, q, n) for name, sizes in training.items() for q in QUANTITIES.values() for n in sizes]
    check_published_lines(CURVES, curves, key, lines)
    ranks = ranks.set_index("data")[list(COLUMNS)].set_axis(list(SCORES), axis="columns")
    third, curves = third.rename(columns={"training_rows": "rows"}), curves.rename(columns={"train_rows": "rows"})
    return Published(ranks, third, curves)


def with_regret(every: pd.DataFrame, regret: str) -> pd.DataFrame:
    """Return the networks of the four scores, with one of the two regrets of qNML."""
    chosen = every[every["score"] != (EQ7 if regret == "exact" else "qNML")]
    return chosen.assign(score=chosen["score"].replace(EQ7, "qNML")).reset_index(drop=True)


def page_table(name: str, results: pd.DataFrame, comparison: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of one table of data, a line for each training part and score, published ones beside them."""
    own = results[results["data"] == name].drop(columns="data")
    for quantity in QUANTITIES:
        printed = comparison[(comparison["what"] == quantity) & (comparison["data"] == name)]
        printed = printed[["rows", "score", "published"]].astype({"rows": "int64"})
        own = own.merge(printed.rename(columns={"published": f"{quantity}_published"}), on=["rows", "score"])
    return own


def prediction_summary(table: pd.DataFrame, arities: Mapping[str, Sequence[int]]) -> pd.DataFrame:
    """Return a table of the predictions: mean, median, variance and standard error by table, training part and score.

    Parameters
    ----------
    table
        A row for each network.
    arities
        The numbers of values of the variables, by table.
    """
    groups = table.groupby(["data", "percent", "rows", "score"], sort=False)
    results = groups.size().rename("permutations").reset_index()
    steps = {name: _one_arc(values) for name, values in arities.items()}
    for quantity in QUANTITIES:
        results[f"{quantity}_mean"] = groups[quantity].mean().to_numpy()
        results[f"{quantity}_median"] = groups[quantity].median().to_numpy()
        variance: Floats = np.asarray(groups[quantity].var(ddof=1), np.float64)
        results[f"{quantity}_variance"] = variance
        step = np.array([steps[name][quantity] for name in results["data"]])
        results[f"{quantity}_error"] = _error(variance, results["permutations"].to_numpy(), step)
    return results


def _one_arc(arities: Sequence[int]) -> dict[str, float]:
    """Return by how much one arc between two variables changes each quantity, on average over pairs of variables."""
    free = np.array(arities, np.float64) - 1
    pairs = free.size * (free.size - 1)
    return {"logprob": 0.0, "parents": 1 / free.size, "parameters": float(free.sum() ** 2 - (free**2).sum()) / pairs}


def _error(variance: Floats, n: npt.NDArray[np.int64], step: Floats | float) -> Floats:
    """Return the standard error of a mean.

    A few permutations may all give the same number without every permutation doing so. The variance is at least what
    it is if one in n + 2 differs by a step (Laplace's rule of succession).
    """
    error: Floats = np.sqrt(np.maximum(variance, step**2 / (n + 2)) / n)
    return error


def ranked_predictions(values: Floats) -> Floats:
    """Return the rank of each value in its row: 1 for the highest; equal values share the mean of their ranks.

    Examples
    --------
    >>> import numpy as np
    >>> ranked_predictions(np.array([[-3.0, -1.0, -2.0, -1.0]])).tolist()
    [[4.0, 1.5, 3.0, 1.5]]
    """
    own, other = values[:, :, None], values[:, None, :]
    # closer log-probabilities are those of one network
    equal = np.abs(own - other) <= 1e-9 * np.maximum(np.abs(own), np.abs(other))
    ranks: Floats = 1.0 + ((other > own) & ~equal).sum(axis=2) + (equal.sum(axis=2) - 1) / 2
    return ranks


def rank_table(published: Published, table: pd.DataFrame) -> pd.DataFrame:
    """Return the average rank of each score on each table beside Table 2, and the mean and spread over tables."""
    wide = table.set_index(["data", "permutation", "percent", "score"])["logprob"].unstack()[list(SCORES)]
    ranks = pd.DataFrame(ranked_predictions(wide.to_numpy()), wide.index, wide.columns)
    groups = ranks.groupby(["data", "permutation"]).mean().groupby("data")  # one number of each permutation
    names, printed, fractions = list(published.ranks.index), published.ranks.to_numpy(), table["percent"].nunique()
    ours, n = groups.mean().loc[names].to_numpy(), np.array([[len(groups.get_group(name))] for name in names])
    error = _error(groups.var(ddof=1).loc[names].to_numpy(), n, 0.5 / fractions)
    theirs = error * np.sqrt(n / PERMUTATIONS)
    lines = pd.concat(
        [
            _long(ours, error, printed, names, theirs),
            _long(*_mean(ours, error), printed.mean(0, keepdims=True), [MEAN], _mean(ours, theirs)[1]),
            _long(*_spread(ours, error), printed.std(0, keepdims=True), [SPREAD], _spread(ours, theirs)[1]),
        ],
        ignore_index=True,
    )
    return compare_with_published(lines, rounding=ROUNDING["rank"])


def rule_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return what the rule on rows per cell does to predictions: for each table and score, without it and with it."""
    keys = ["data", "permutation", "percent", "score"]
    lines = []
    for prefix in ("", "ruled_"):
        wide = table.set_index(keys)[f"{prefix}logprob"].unstack()[list(SCORES)]
        ranks = pd.DataFrame(ranked_predictions(wide.to_numpy()), wide.index, wide.columns).groupby("data").mean()
        means = table.groupby(["data", "score"])[[f"{prefix}logprob", f"{prefix}parameters"]].mean()
        long = ranks.reset_index().melt("data", var_name="score", value_name=f"{prefix}rank")
        lines.append(means.join(long.set_index(["data", "score"])))
    return lines[0].join(lines[1]).reset_index()


def rule_findings(rule: pd.DataFrame) -> list[str]:
    """Return what the rule does, in sentences: mean ranks of prediction and numbers of parameters."""
    said = ["With five rows per cell, by default of searches (the papers have no such rule):"]
    for score in SCORES:
        own = rule[rule["score"] == score]
        gain = own["ruled_logprob"] - own["logprob"]
        fewer = own["ruled_parameters"] / own["parameters"]
        said.append(
            f"  {score}: mean rank {own['rank'].mean():.2f} without, {own['ruled_rank'].mean():.2f} with; "
            f"log-probability of a row {gain.mean():+.3f} on average ({gain.min():+.3f} to {gain.max():+.3f}), "
            f"{fewer.mean():.0%} of the parameters."
        )
    return said


def _long(ours: Floats, error: Floats, printed: Floats, names: Sequence[str], theirs: Floats) -> pd.DataFrame:
    """Return numbers and their errors, ours and the published ones, a line for each table and score."""
    columns = {"ours": ours.ravel(), "ours_error": error.ravel()}
    columns |= {"published": printed.ravel(), "published_error": theirs.ravel()}
    keys = {"data": np.repeat(names, len(SCORES)), "score": list(SCORES) * len(names)}
    return pd.DataFrame(keys | columns)


def _mean(ranks: Floats, errors: Floats) -> tuple[Floats, Floats]:
    return ranks.mean(0, keepdims=True), np.sqrt((errors**2).sum(0, keepdims=True)) / len(ranks)


def _spread(ranks: Floats, errors: Floats) -> tuple[Floats, Floats]:
    """Return the standard deviation over tables, and its error to first order."""
    spread = ranks.std(0, keepdims=True)
    slope = (ranks - ranks.mean(0)) / (len(ranks) * np.maximum(spread, 1e-12))
    return spread, np.sqrt(((slope * errors) ** 2).sum(0, keepdims=True))


def compared_predictions(published: Published, results: pd.DataFrame, ranks: pd.DataFrame) -> pd.DataFrame:
    """Return all published numbers beside ours: the ranks, Table 3, and the curves."""
    printed = published.curves
    tables = [_beside(results, "table 3", "parameters", published.parameters)]
    tables += [_beside(results, q, q, printed[printed["quantity"] == name]) for q, name in QUANTITIES.items()]
    lines = pd.concat(tables, ignore_index=True)
    lines = compare_with_published(lines, rounding=[ROUNDING[what] for what in lines["what"]])
    first = ranks[~ranks["data"].isin([MEAN, SPREAD])]
    lines = pd.concat([first.assign(what="rank"), lines], ignore_index=True)
    for column in ("percent", "rows"):
        lines[column] = lines[column].astype("Int64")
    order = ["what", "data", "percent", "rows", "score", "ours", "ours_error", "published", "published_error"]
    return lines[[*order, "difference", "errors", "band", "within"]]


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


def prediction_tails(table: pd.DataFrame) -> pd.Series[float]:
    """Return what share of all parameters the largest twentieth of the networks has, for each score.

    Networks count relative to the median of their table and training part: a single table and training part has too
    few to tell what the tail is like, as it may have none from the tail.

    Parameters
    ----------
    table
        A row for each network.
    """
    cells = table.groupby(["data", "percent", "score"])["parameters"]
    sizes = table["parameters"] / cells.transform("median").clip(lower=1)
    return sizes.groupby(table["score"]).agg(lambda own: own.nlargest(max(1, int(FEW * len(own)))).sum() / own.sum())


def prediction_findings(
    ranks: pd.DataFrame, comparison: pd.DataFrame, shares: pd.Series[float], permutations: int
) -> list[str]:
    """Return what the tables of predictions show, and which claims of the paper they bear out.

    Parameters
    ----------
    ranks, comparison
        Our numbers beside the published ones.
    shares
        What share of all parameters the largest networks have, by score.
    permutations
        How many there are of each table.
    """
    by_what = {str(what): own for what, own in comparison.groupby("what", sort=False)}
    single, third = by_what["rank"], by_what["table 3"]
    correlation = np.corrcoef(single["ours"], single["published"])[0, 1]
    found = [f"The {len(single)} average ranks correlate with those of Table 2 at {correlation:.3f}."]
    found += [agreement(single, "average ranks"), *disagreements(single, ["data", "score"])]
    found += [agreement(third, "numbers of parameters in Table 3"), *disagreements(third, ["data", "rows", "score"])]
    found += _tail(third, shares, permutations)
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
    return found + _curves(by_what, shares, permutations)


def _tail(third: pd.DataFrame, shares: pd.Series[float], permutations: int) -> list[str]:
    """Say how much the numbers of parameters hang on few networks, and what that does to Table 3."""
    parts = ", ".join(f"{score} {shares[score]:.0%}" for score in SCORES)
    found = [
        "The largest twentieth of the networks, each measured by the median of its table, training part and score, has "
        f"this share of the parameters: {parts}."
    ]
    long = _long_tailed(shares)
    if not long:
        return [*found, f"  No tail is long (more than {LONG:.0%}): the means do not hang on few networks."]
    found.append(
        f"  The tails of {_and(long)} are long (more than {LONG:.0%}). {permutations:,} permutations may miss the "
        "largest networks, and then both the mean and its standard error are too small: a number many standard errors "
        "below the published one is to be expected now and then."
    )
    far = third[~third["within"]]
    if len(far):
        found.append(
            f"  Of the {len(far)} in Table 3 that differ, {below_for_tails(far, shares).sum()} are of this kind: below "
            "the published number, under a score with a long tail."
        )
    return found


def _long_tailed(shares: pd.Series[float]) -> list[str]:
    return [score for score in SCORES if shares[score] > LONG]


def below_for_tails(lines: pd.DataFrame, shares: pd.Series[float]) -> pd.Series[bool]:
    """Return which numbers of parameters are below the published ones, under a score with a long tail.

    Permutations may have missed the largest networks of these.

    Parameters
    ----------
    lines
        Numbers beside published ones.
    shares
        As of `prediction_tails`.
    """
    of_parameters = lines["what"].isin(["table 3", "parameters"])
    return of_parameters & (lines["difference"] < 0) & lines["score"].isin(_long_tailed(shares))


def with_the_slip(lines: pd.DataFrame) -> pd.Series[bool]:
    """Return which numbers are of fNML with so many rows that the authors' program has another regret."""
    return (lines["score"] == "fNML") & (lines["rows"] > BENE_ROWS)


def _and(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _pairs(table: pd.DataFrame, digits: int = 2) -> str:
    columns = zip(table.index, table["ours"], table["ours_error"], table["published"], strict=True)
    return ", ".join(
        f"{score} {ours:.{digits}f} ± {error:.{digits}f} (published {printed:.{digits}f})"
        for score, ours, error, printed in columns
    )


def _claim(text: str, holds: bool, detail: str) -> str:
    return f"{text}: {'so here' if holds else 'not so here'}, {detail}."


def _parsimony(third: pd.DataFrame) -> list[str]:
    """Return what the paper says of Table 3, and whether it is so of the same tables here."""
    found = []
    for text, count, word in (
        ("qNML has fewer parameters than fNML", _simpler, "not on"),
        ("fNML has the most parameters of all", _largest, "on"),
    ):
        ours, printed = (count(third.pivot(index="data", columns="score", values=v)) for v in ("ours", "published"))
        where = []
        for holds in (printed, ours):
            listed = [str(name) for name in third["data"].unique() if holds[name] == (word == "on")]
            names = f", {word} {_and(listed)}" if listed else ""
            where.append(f"on {int(holds.sum())} of {len(holds)} tables{names}")
        verdict = "so here, on the same tables" if (ours == printed).all() else f"here {where[1]}"
        found.append(f"{text} {where[0]} (Table 3): {verdict}.")
        other = [name for name in third["data"].unique() if ours[name] != printed[name]]
        found += [f"  {name}: {_pairs(third[third['data'] == name].set_index('score'), 0)}" for name in other]
    return found


def _simpler(wide: pd.DataFrame) -> pd.Series[bool]:
    return wide["qNML"] < wide["fNML"]


def _largest(wide: pd.DataFrame) -> pd.Series[bool]:
    return wide.idxmax(axis=1) == "fNML"


def _curves(by_what: Mapping[str, pd.DataFrame], shares: pd.Series[float], permutations: int) -> list[str]:
    """Return how many values of the curves agree, and what is known of those that do not."""
    names = {"logprob": "log-probabilities", "parents": "numbers of parents", "parameters": "numbers of parameters"}
    found = [agreement(by_what[quantity], f"{name} of the curves") for quantity, name in names.items()]
    read = _and([f"{ROUNDING[quantity]:g} ({name})" for quantity, name in names.items()])
    found.append(f"  The curves are read off figures to within {read}; a difference up to that counts as none.")
    curves = pd.concat([by_what[quantity] for quantity in ("parents", "parameters")])
    large = with_the_slip(curves)
    far = curves[large & ~curves["within"]]
    if len(far):
        below = int((far["difference"] < 0).sum())
        found.append(
            f"Of {int(large.sum()):,} numbers of parents and parameters that fNML has with more than {BENE_ROWS:,} "
            f"rows, {len(far)} differ, {below} of them below the published ones: on {_and(sorted(set(far['data'])))}."
        )
        if below > len(far) / 2:
            found.append(
                "  The likely reason: the authors' program BENE has 5 log π for ½ log π in the regret of more than "
                "2,000 rows with the same parents' values, which makes fNML split them further."
            )
    others = curves[~large]
    far = others[~others["within"]]
    if len(far):
        found += _others(far, len(others), shares, permutations)
    return found


def _others(far: pd.DataFrame, of: int, shares: pd.Series[float], permutations: int) -> list[str]:
    """Say what is known of the numbers of parents and parameters that differ, those of fNML on many rows left out."""
    below = int(((far["what"] == "parameters") & (far["difference"] < 0)).sum())
    explained, long = below_for_tails(far, shares), _long_tailed(shares)
    left = far[~explained]
    tailed = f", {int(explained.sum())} of them under {_and(long)}, whose tails are long" if long else ""
    found = [
        f"Of the {of:,} other numbers of parents and parameters {len(far)} differ: {below} are numbers of parameters "
        f"below the published ones{tailed}."
    ]
    if len(left):
        freedom, farthest = permutations - 1, float(left["errors"].abs().max())
        chance, such = (2 * of * float(stdtr(freedom, -size)) for size in (ALLOWED, farthest))
        found.append(
            f"  {len(left)} are left. By chance alone about {chance:.0f} would differ (Student's t with {freedom:,} "
            f"degrees of freedom){', but none by as much as the first of these' if such < RARE else ''}."
        )
        listed = disagreements(left, ["what", "data", "rows", "score"])
        found += listed[:MOST]
        if len(listed) > MOST:
            found.append(f"  and {len(listed) - MOST:,} more, in the table of the comparison")
    return found
