"""How near learned structures come to the generating one, by sample size (qNML paper, section 4.1, Figures 2 and 3).

Tables are drawn from five small networks, the best structure of each under four scores is found, and its structural
Hamming distance (SHD) to the generating structure is taken; both count as their CPDAGs.

**Ties.** Where columns are constant or equal, as in small samples of rare events, many structures that are not
equivalent share the highest score, and which of them is found decides the distance. The paper does not say which; it
refers to the dynamic programming of Silander & Myllymäki (2006). A plain program of that kind keeps what it finds
first: a set of candidates before its subsets, and the first of several sinks (`first_found`). With the variables in
alphabetical order this gives the published numbers of Asia and Earthquake, where nearly all ties are. The smallest of
several parent sets, another order of the variables, or the last of several sinks do not.

**Ranks.** Scores with the same distance share a rank and the next distance has the next rank (1, 1, 2), which is how
the authors drew Figure 3. The single published results are sorted line by line, not column by column, so that each
line is still one repetition and has its ranks.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import bnml
from bnml._text import quoted
from bnml.counts.lattice import WalkOrder
from bnml.data.rows import rows_to_data
from bnml.errors import DataError
from bnml.experiments import charts
from bnml.experiments.comparison import agreement, compare_with_published, disagreements
from bnml.experiments.experiment import Experiment, Outputs, Part, Row, experiment_blocks, experiment_generator
from bnml.experiments.published import read_published_numbers
from bnml.graph import Rules
from bnml.network.sampling import sample_codes
from bnml.scores.equal_scores import LEAST
from bnml.scores.lattice import Lattice
from bnml.search.best_networks import Subsets

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

NAME = "generating-structure"
NETWORKS = ("asia", "cancer", "earthquake", "sachs", "survey")
SIZES = (*(digit * 10**power for power in (1, 2, 3) for digit in range(1, 10)), 10_000)
SCORES = {"BDeu": "bdeu:1", "BIC": "bic", "fNML": "fnml", "qNML": "qnml"}
CELL = ["network", "N"]
MEANS, SINGLE = "published/qnml_figure2_shd_mean.csv", "published/qnml_figure2_shd_all.csv.gz"

NOTE = """SHD: the number of pairs of variables
on which the CPDAGs of the learned and the
generating structure differ."""

BLOCK = 100  # repetitions in a part
PRAISED = ("asia", "earthquake")  # where qNML is said to be the best or the second best throughout
BEYOND = 300  # rows from which on qNML is said to have the best mean rank


def _parts(folder: Path, repetitions: int) -> list[Part]:
    """Return the networks and sample sizes, with blocks of repetitions."""
    for file in (MEANS, SINGLE):
        _read(folder, file)
    variables = {name: len(_network(folder, name)[0].names) for name in NETWORKS}
    return [
        Part((name, n, first, last), _cost(variables[name], n) * (last - first))
        for name, n in product(NETWORKS, SIZES)
        for first, last in experiment_blocks(repetitions, BLOCK)
    ]


def _cost(variables: int, n: int) -> float:
    """Return about how many milliseconds the four searches of one sample take."""
    return 8.0 + (1 << variables) * (1.5e-3 + 3e-4 * math.sqrt(n))


def _work(folder: Path, key: tuple[Any, ...], seed: int) -> list[Row]:
    """Return the distance from the generating structure under each score, for each repetition."""
    name, n, first, last = key
    network, truth = _network(folder, name)
    rows = []
    for repetition in range(first, last):
        data = _sample(network, n, experiment_generator(seed, NAME, name, n, repetition))
        distances = {score: bnml.shd(truth, _learned(data, formula)) for score, formula in SCORES.items()}
        rows.append({"network": name, "N": n, "repetition": repetition, **distances})
    return rows


@lru_cache(maxsize=16)
def _network(folder: Path, name: str) -> tuple[bnml.BayesianNetwork, bnml.PDAG]:
    network = bnml.load(folder / f"networks/{name}.bif")
    return network, network.dag.cpdag()


def _sample(network: bnml.BayesianNetwork, n: int, random: np.random.Generator) -> bnml.Data:
    """Return a table of rows drawn from a network, with all states that the network declares."""
    codes = sample_codes(network, n, int(random.integers(2**63)))
    return rows_to_data(tuple(network.states), tuple(network.states.values()), codes)


def _learned(data: bnml.Data, score: str) -> bnml.DAG:
    """Return the structure with the highest score; of several the one that is found first."""
    rules = Rules.none(data.names).among(WalkOrder(data).columns)
    lattice = Lattice(bnml.LocalScores(data, score), rules, prune=False)
    columns = lattice.layout.columns
    names = [data.names[column] for column in columns]
    found = _first_found(Subsets(lattice, lattice.n, 1), names, LEAST / lattice.unit / lattice.n)
    parents: list[list[int]] = [[] for _ in columns]
    for place, column in enumerate(columns):
        parents[column] = sorted(columns[j] for j in range(lattice.n) if found[place] >> j & 1)
    return bnml.DAG.from_parent_sets(data.names, parents)


def _first_found(subsets: Subsets, names: Sequence[str], slack: float) -> list[int]:
    """Return the parents of each variable in the optimal network that a plain program finds first.

    Such a program goes through the variables by name and replaces what it has by what is better, never by what is as
    good. The sink of a set is then the first of those that are possible. The best parents among some candidates are
    all candidates, if there are no better ones; otherwise those among the candidates less one, the first without
    which they are as good.
    """
    n, families = subsets.n, subsets.families
    by_name = sorted(range(n), key=lambda i: names[i])
    total = subsets.total.reshape(-1)
    parents = [0] * n
    left = (1 << n) - 1
    while left:
        sink = next(
            i for i in by_name if left >> i & 1 and total[left ^ 1 << i] + subsets.best(i, left) >= total[left] - slack
        )
        least = subsets.best(sink, left) - slack
        left ^= 1 << sink
        gains = np.full(1 << (n - 1), families.never[0], families.dtype)
        families.fill(sink, n, 0, 0, gains)
        candidates, below = left, (1 << sink) - 1
        while gains[candidates & below | (candidates & ~below) >> 1] < least:
            candidates ^= next(
                1 << j
                for j in by_name
                if candidates >> j & 1 and subsets.best(sink, candidates ^ 1 << j | 1 << sink) >= least
            )
        parents[sink] = candidates
    return parents


def _outcome(folder: Path, rows: Sequence[Row], repetitions: int) -> Outputs:
    """Compare distances and ranks with the published ones."""
    ours, theirs = pd.DataFrame(rows), _read(folder, SINGLE)
    distance = _means(ours, list(SCORES))
    rank = _means(_ranked(ours), list(SCORES)).rename(columns={"mean": "rank", "error": "rank_error"})
    results = distance.merge(rank).sort_values([*CELL, "score"], ignore_index=True)

    printed = _read(folder, MEANS).melt(CELL, list(SCORES), "score", "published")
    spread = _means(theirs, list(SCORES)).rename(columns={"error": "published_error"}).drop(columns="mean")
    comparison = distance.rename(columns={"mean": "ours", "error": "ours_error"}).merge(printed).merge(spread)
    comparison = compare_with_published(comparison.sort_values([*CELL, "score"], ignore_index=True))

    own = _over_networks(_ranked(ours), list(SCORES)).rename(columns={"mean": "ours", "error": "ours_error"})
    published = _over_networks(_ranked(theirs), list(SCORES))
    ranks = own.merge(published.rename(columns={"mean": "published", "error": "published_error"}))
    ranks = compare_with_published(ranks.sort_values(["N", "score"], ignore_index=True))

    tables = {"results": results, "comparison": comparison, "ranks": ranks}
    figures = {"figure": _distances_drawn(folder, comparison, repetitions), "ranks": _ranks_drawn(ranks)}
    findings = [agreement(comparison, "mean distances"), *disagreements(comparison, [*CELL, "score"])]
    still = comparison[(comparison["ours_error"] == 0) & (comparison["published_error"] == 0)]
    if len(still):
        same = int((still["difference"] == 0).sum())
        findings.append(
            f"{len(still)} of them have no standard error, as no repetition differs from another in either run: "
            f"{same} of these are the same."
        )
    findings += [agreement(ranks, "mean ranks"), *disagreements(ranks, ["N", "score"])]
    findings += _claim("qNML never has the worst mean rank", _margins(ours, "worst"), _margins(theirs, "worst"))
    beyond = f"qNML has the best mean rank beyond {BEYOND} rows"
    findings += _claim(beyond, _margins(ours, "best", BEYOND), _margins(theirs, "best", BEYOND))
    findings += [_among_the_best(comparison, name) for name in PRAISED if name in set(comparison["network"])]
    return Outputs(tables, figures, findings)


# --- numbers ---


def _read(folder: Path, file: str) -> pd.DataFrame:
    """Return published distances of all cells, a column for each score: a line of means each, or single results."""
    key, least = (CELL, 1) if file == MEANS else ([], 2)  # a single result alone has no standard error
    table = read_published_numbers(folder, file, key=key, numbers=["N", *SCORES], texts=["network"])
    lines = Counter(zip(table["network"].tolist(), table["N"].tolist(), strict=True))
    cells = list(product(NETWORKS, SIZES))
    unknown = [f"{network} {n}" for network, n in lines if (network, n) not in cells]
    if unknown:
        raise DataError(f"{file!r}: unknown network or sample size: {quoted(unknown)}")
    few = [f"{network} {n}" for network, n in cells if lines[network, n] < least]
    if few:
        raise DataError(f"{file!r} has fewer than {least} lines of {quoted(few)}")
    return table.astype({"N": int})


def _ranked(table: pd.DataFrame) -> pd.DataFrame:
    """Return single results with ranks in place of distances; those with the same distance share one."""
    return table.assign(**table[list(SCORES)].rank(axis=1, method="dense"))


def _means(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return the mean and its standard error for each network, sample size and column."""
    groups = table.groupby(CELL, sort=False)[list(columns)]
    means, errors = groups.mean(), groups.sem()
    long = means.reset_index().melt(CELL, var_name="score", value_name="mean")
    return long.merge(errors.reset_index().melt(CELL, var_name="score", value_name="error"))


def _over_networks(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return the mean over all networks and its standard error for each sample size and column."""
    groups = _means(table, columns).groupby(["N", "score"], sort=False)
    error = groups["error"].agg(lambda errors: float(np.sqrt((errors**2).sum()) / len(errors)))
    return pd.concat([groups["mean"].mean(), error], axis=1).reset_index()


def _margins(table: pd.DataFrame, which: str, beyond: int = 0) -> pd.DataFrame:
    """Return the mean rank of qNML and of the best or worst other score, for each sample size.

    The difference is one of pairs: both scores have learned from the same samples.
    """
    others = [score for score in SCORES if score != "qNML"]
    ranked = _ranked(table[table["N"] > beyond])
    means = _over_networks(ranked, list(SCORES)).pivot(index="N", columns="score", values="mean")
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


def _claim(claim: str, ours: pd.DataFrame, theirs: pd.DataFrame) -> list[str]:
    """Return whether a claim holds in our run and in the published one, and the sizes where it does not."""
    lines = []
    for who, margins in (("here", ours), ("in the published results", theirs)):
        if margins.empty:
            continue
        failed = margins[margins["fails"]]
        verdict = f"not so {who}, at {len(failed)} of {len(margins)} sizes" if len(failed) else f"confirmed {who}"
        lines.append(f"{claim}: {verdict}.")
        nearest = margins.loc[[margins["difference"].idxmax()]]
        lines += [
            f"  {'' if row['fails'] else 'nearest to failing at '}N = {row['N']:,}: {row['qNML']:.3f}, {row['other']} "
            f"{row['rank']:.3f}, difference {row['difference']:+.3f} (standard error {row['error']:.3f})"
            for _, row in (failed if len(failed) else nearest).iterrows()
        ]
    return lines


def _among_the_best(comparison: pd.DataFrame, network: str) -> str:
    """Return whether at most one score comes nearer to the truth than qNML."""
    texts = []
    for who, column in (("here", "ours"), ("in the published results", "published")):
        means = comparison[comparison["network"] == network].pivot(index="N", columns="score", values=column)
        sizes = means.index[means.lt(means["qNML"], axis=0).sum(axis=1) > 1].tolist()
        texts.append(f"not {who} for N = {', '.join(map(str, sizes))}" if sizes else f"confirmed {who}")
    return f"qNML has the lowest or second lowest mean distance from {network} for every N: {', '.join(texts)}."


# --- drawings ---


def _distances_drawn(folder: Path, comparison: pd.DataFrame, repetitions: int) -> Figure:
    """Draw the mean distance by sample size, a panel for each network."""
    drawing, panels = charts.figure(2, 3)
    for panel, (name, own) in zip(panels, comparison.groupby("network"), strict=False):
        _curves(panel, own)
        dag = _network(folder, str(name))[0].dag
        panel.set_ylim(bottom=0)
        panel.set_title(f"{str(name).title()}: {len(dag.names)} variables, {len(dag.arcs)} arcs", fontsize=9)
        panel.set_ylabel("mean SHD", fontsize=8)
    for panel in panels[comparison["network"].nunique() :]:
        panel.set_axis_off()
    panels[-1].text(0.0, 0.5, f"{NOTE}\n\nMeans of {repetitions:,} samples.", fontsize=8, va="center", linespacing=1.5)
    charts.legend(drawing, panels)
    return drawing


def _ranks_drawn(ranks: pd.DataFrame) -> Figure:
    """Draw the mean rank over all networks by sample size."""
    drawing, panels = charts.figure(1, 1, width=5.5, height=3.8)
    _curves(panels[0], ranks)
    panels[0].set_title("Scores ranked by the SHD of what they learn: mean rank over all networks", fontsize=9)
    panels[0].set_ylabel("mean rank (1: nearest to the truth)", fontsize=8)
    charts.legend(drawing, panels)
    return drawing


def _curves(panel: Axes, table: pd.DataFrame) -> None:
    """Draw the curve of each score by sample size, and the published one."""
    for score, curve in table.groupby("score"):
        charts.line(panel, curve["N"], curve["ours"], str(score), clip_on=False)
        charts.line(panel, curve["N"], curve["published"], str(score), published=True)
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter("{x:,.0f}")
    panel.set_xlabel("sample size", fontsize=8)


EXPERIMENT = Experiment(
    NAME,
    _parts,
    _work,
    _outcome,
    repetitions=100,
    files=[f"networks/{name}.bif" for name in NETWORKS],
    published=[MEANS, SINGLE],
)
