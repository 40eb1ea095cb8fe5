"""How near learned structures come to the generating one, by sample size (qNML paper, section 4.1, Figures 2 and 3).

Tables are drawn from five small networks, the best structure of each under four scores is found, and its structural
Hamming distance (SHD) to the generating structure is taken; both count as their CPDAGs.

**Ties.** Where columns are constant or equal, as in small samples of rare events, many structures that are not
equivalent share the highest score, and which of them is found decides the distance. The paper does not say which; it
refers to the dynamic programming of Silander & Myllymäki (2006). A plain program of that kind keeps what it finds
first: a set of candidates before its subsets, and the first of several sinks (`first_found`). With the variables in
alphabetical order this gives the published numbers of Asia and Earthquake, where nearly all ties are. The smallest of
several parent sets, another order of the variables, or the last of several sinks do not. Both are worked out for each
sample: ``ties="first"``, and ``ties="package"``, the rule of `bnml.search.exact`, which prefers few parents.

**Regret.** The paper says that its experiments have the regret of qNML by equation 7, an approximation. Both are worked
out: ``regret="exact"`` and ``regret="eq7"``, and the published means tell which of them they fit.

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
from bnml._bits import bits
from bnml._text import quoted
from bnml.counts.lattice import WalkOrder
from bnml.data.rows import rows_to_data
from bnml.errors import DataError
from bnml.experiments import charts
from bnml.experiments.comparison import agreement, disagreements
from bnml.experiments.experiment import Experiment, Outputs, Part, Row, experiment_blocks, experiment_generator
from bnml.experiments.generating_structure_claims import BEYOND, PRAISED, distance_claims, regret_slope
from bnml.experiments.generating_structure_tables import (
    CELL,
    SCORES,
    DistanceTables,
    distance_tables,
    rank_margins,
    variant_of,
)
from bnml.experiments.published import read_published_numbers
from bnml.graph import Rules
from bnml.network.sampling import sample_codes
from bnml.scores import QNML, Score
from bnml.scores.base import LEAST
from bnml.scores.lattice import Lattice
from bnml.search.best_networks import Subsets
from bnml.search.exact import read_back_by_model_string, read_back_by_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "generating-structure"
NETWORKS = ("asia", "cancer", "earthquake", "sachs", "survey")
SIZES = (*(digit * 10**power for power in (1, 2, 3) for digit in range(1, 10)), 10_000)
LEARNED: dict[str, str | Score] = {
    "BDeu": "bdeu:1",
    "BIC": "bic",
    "fNML": "fnml",
    "qNML": "qnml",
    "qNML eq7": QNML(regret="szpankowski-weinberger"),
}
CHOICES = {"ties": ("first", "package"), "regret": ("exact", "eq7")}
MEANS, SINGLE = "published/qnml_figure2_shd_mean.csv", "published/qnml_figure2_shd_all.csv.gz"

NOTE = """SHD: the number of pairs of variables
on which the CPDAGs of the learned and the
generating structure differ."""

BLOCK = 100  # repetitions in a part


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
    return 10.0 + (1 << variables) * (2e-3 + 4e-4 * math.sqrt(n))


def _work(folder: Path, key: tuple[Any, ...], seed: int) -> list[Row]:
    """Return the distance from the generating structure under each score, for each repetition.

    The columns are ``BIC`` (of several best structures the one that is found first) and ``BIC package`` (the one that
    bnml takes), and so on; ``BIC arcs`` is how many arcs the first has.
    """
    name, n, first, last = key
    network, truth = _network(folder, name)
    rows = []
    for repetition in range(first, last):
        data = _sample(network, n, experiment_generator(seed, NAME, name, n, repetition))
        row: Row = {"network": name, "N": n, "repetition": repetition}
        for score, formula in LEARNED.items():
            found, own = best_structures(data, formula)
            distance = bnml.shd(truth, found)
            row[score], row[f"{score} arcs"] = distance, len(found.arcs)
            row[f"{score} package"] = distance if own == found else bnml.shd(truth, own)
        rows.append(row)
    return rows


@lru_cache(maxsize=16)
def _network(folder: Path, name: str) -> tuple[bnml.BayesianNetwork, bnml.PDAG]:
    network = bnml.load(folder / f"networks/{name}.bif")
    return network, network.dag.cpdag()


def _sample(network: bnml.BayesianNetwork, n: int, random: np.random.Generator) -> bnml.Data:
    """Return a table of rows drawn from a network, with all states that the network declares."""
    codes = sample_codes(network, n, int(random.integers(2**63)))
    return rows_to_data(tuple(network.states), tuple(network.states.values()), codes)


def best_structures(data: bnml.Data, score: str | Score) -> tuple[bnml.DAG, bnml.DAG]:
    """Return two structures with the highest score: the one that is found first, and one of the class that bnml takes.

    Examples
    --------
    >>> data = bnml.read(pd.DataFrame({"a": [0] * 9, "b": [0] * 9}), states={"a": [0, 1], "b": [0, 1]})
    >>> print(*best_structures(data, "fnml"))
    [b][a|b] [a][b]
    """
    rules = Rules.none(data.names).among(WalkOrder(data).columns)
    local = bnml.LocalScores(data, score)
    lattice = Lattice(local, rules, prune=False)
    columns, slack = lattice.layout.columns, LEAST / lattice.unit / lattice.n
    names, subsets = [data.names[column] for column in columns], Subsets(lattice, lattice.n, 1)
    read = read_back_by_names if local.equivalent else read_back_by_model_string
    found = []
    for masks in (_first_found(subsets, names, slack), read(subsets, names, slack)):
        parents: list[list[int]] = [[] for _ in columns]
        for place, column in enumerate(columns):
            parents[column] = sorted(columns[j] for j in bits(masks[place]))
        found.append(bnml.DAG.from_parent_sets(data.names, parents))
    return found[0], found[1]


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


def _outcome(folder: Path, rows: Sequence[Row], repetitions: int, *, ties: str, regret: str) -> Outputs:
    """Compare distances and ranks with the published ones."""
    every, theirs = pd.DataFrame(rows), _read(folder, SINGLE)
    ours = variant_of(every, ties, regret)
    printed = _read(folder, MEANS)
    found = distance_tables(ours, theirs, printed)
    arcs = {name: len(_network(folder, name)[0].dag.arcs) for name in NETWORKS}
    claims = distance_claims(every, theirs, printed, arcs)
    slope, fit = regret_slope(every, theirs, printed)
    tables = {"results": found.results, "comparison": found.comparison, "ranks": found.ranks, "regret": fit}
    figures = {
        "figure": _distances_drawn(folder, found.comparison, repetitions),
        "medians": _distances_drawn(folder, found.medians, repetitions, "median"),
        "ranks": _ranks_drawn(found.ranks),
    }
    how = f"Of several best structures: {ties}; regret of qNML: {regret}."
    return Outputs(tables, figures, [how, *_findings(found, ours, theirs), slope], claims)


def _findings(found: DistanceTables, ours: pd.DataFrame, theirs: pd.DataFrame) -> list[str]:
    """Return what agrees with the published results, and which claims hold."""
    comparison, ranks, medians = found.comparison, found.ranks, found.medians
    said = [agreement(comparison, "mean distances"), *disagreements(comparison, [*CELL, "score"])]
    apart = (medians["ours"] - medians["published"]).abs()
    said.append(
        f"{int((apart == 0).sum())} of {len(medians)} median distances are the published ones, and "
        f"{int((apart <= 1).sum())} at most 1 away."
    )
    said += [agreement(ranks, "mean ranks"), *disagreements(ranks, ["N", "score"])]
    said += _claim("qNML never has the worst mean rank", rank_margins(ours, "worst"), rank_margins(theirs, "worst"))
    beyond = f"qNML has the best mean rank beyond {BEYOND} rows"
    said += _claim(beyond, rank_margins(ours, "best", BEYOND), rank_margins(theirs, "best", BEYOND))
    said += [_among_the_best(comparison, name) for name in PRAISED if name in set(comparison["network"])]
    return said


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


def _claim(claim: str, ours: pd.DataFrame, theirs: pd.DataFrame) -> list[str]:
    """Return whether a claim holds in our run and in the published one, and the sizes where it does not."""
    lines = []
    for who, margins in (("here", ours), ("in the published results", theirs)):
        if margins.empty:
            continue
        failed = margins[margins["fails"]]
        verdict = f"not so {who}, at {len(failed)} of {len(margins)} sizes" if len(failed) else f"so {who}"
        lines.append(f"{claim}: {verdict}.")
        nearest = margins.loc[[margins["difference"].idxmax()]]
        lines += [
            f"  {'' if row['fails'] else 'nearest to failing at '}N = {row['N']:,}: {row['own']:.3f}, {row['other']} "
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
        texts.append(f"not {who} for N = {', '.join(map(str, sizes))}" if sizes else f"so {who}")
    return f"qNML has the lowest or second lowest mean distance from {network} for every N: {', '.join(texts)}."


# --- drawings ---


def _distances_drawn(folder: Path, comparison: pd.DataFrame, repetitions: int, what: str = "mean") -> Figure:
    """Draw the mean or median distance by sample size, a panel for each network."""
    drawing, panels = charts.figure(2, 3)
    for panel, (name, own) in zip(panels, comparison.groupby("network"), strict=False):
        _curves(panel, own)
        dag = _network(folder, str(name))[0].dag
        panel.set_ylim(bottom=0)
        panel.set_title(f"{str(name).title()}: {len(dag.names)} variables, {len(dag.arcs)} arcs", fontsize=9)
        panel.set_ylabel(f"{what} SHD", fontsize=8)
    for panel in panels[comparison["network"].nunique() :]:
        panel.set_axis_off()
    note = f"{NOTE}\n\n{what.title()}s of {repetitions:,} samples."
    panels[-1].text(0.0, 0.5, note, fontsize=8, va="center", linespacing=1.5)
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
    repetitions=1000,
    choices=CHOICES,
    files=[f"networks/{name}.bif" for name in NETWORKS],
    published=[MEANS, SINGLE],
)
