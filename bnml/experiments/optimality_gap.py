"""How far each heuristic search is from the proven optimum, by variables, rows and score.

Tables are drawn from networks of the Bayesian Network Repository and from random networks. The best structure of each
under each score is found and proven by exact search; where the proof takes more than a fixed amount of work the table
says so, and no search is held against it. Each heuristic is then asked for the same: what it lacks of the highest score
is its *gap*, in nats, and as a share of what the best structure gains over no arcs at all. A gap that is no more than
rounding means that the optimum was reached.

All searches have their defaults. K2 is given one random order, and ten of which it keeps the best. A forest has at
most one parent for each variable, so its gap says what is lost with trees. GES needs a score that equivalent structures
share, so there is none for fNML.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import bnml
from bnml.errors import SearchError
from bnml.experiments import charts
from bnml.experiments.experiment import Experiment, Outputs, Part, Row, experiment_generator
from bnml.experiments.proven import proven_best
from bnml.experiments.truths import draw_rows, random_network, repository_network
from bnml.search.search_result import SearchResult, uninterrupted_result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "optimality-gap"
NETWORKS = {name: f"networks/{name}.bif" for name in ("asia", "child", "alarm")}
RANDOM = (8, 16, 24)  # variables of random networks
SIZES = (100, 1000)
SCORES = {"qNML": "qnml", "fNML": "fnml", "BIC": "bic", "BDeu": "bdeu:1"}
SEARCHES: dict[str, tuple[str, dict[str, Any]]] = {
    "order": ("order", {}),
    "tabu": ("tabu", {}),
    "GES": ("ges", {}),
    "climb, 10 restarts": ("climb", {"restarts": 10}),
    "climb": ("climb", {}),
    "K2, best of 10 orders": ("k2", {"orders": 10}),
    "K2, one order": ("k2", {"orders": 1}),
    "forest": ("forest", {}),
}
EQUIVALENT_ONLY = {"GES": ("fNML",)}  # scores that a search cannot take
COLOURS = ("#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#cc3377", "#994f88", "#777777")
MARKERS = "osD^vP*X"
SAME = 1e-6  # nats: what a proof leaves open, and rounding
CELL = ["source", "variables", "N", "score"]


def _parts(folder: Path, repetitions: int) -> list[Part]:
    """Return a part for each source of tables, number of rows and repetition."""
    variables = {name: len(repository_network(folder, file).names) for name, file in NETWORKS.items()}
    variables |= {f"random {n}": n for n in RANDOM}
    every = product(variables.items(), SIZES, range(repetitions))
    return [Part((source, n, k), float(v * v) * (10 + n**0.5)) for (source, v), n, k in every]


def _work(folder: Path, key: tuple[Any, ...], seed: int) -> list[Row]:
    """Return the gap of each search under each score on one table."""
    source, n, repetition = key
    random = experiment_generator(seed, NAME, source, n, repetition)
    if source in NETWORKS:
        network = repository_network(folder, NETWORKS[source])
    else:
        network = random_network(int(source.split()[1]), random)
    data, start = draw_rows(network, n, random), int(random.integers(2**31))
    rows = []
    for score, formula in SCORES.items():
        cell: Row = {"source": source, "variables": len(data.names), "N": n, "repetition": repetition, "score": score}
        best = proven_best(data, formula)
        if best is None:
            rows.append({**cell, "search": "", "proven": False, "gap": None, "lost": None, "distance": None})
            continue
        for search, (name, options) in SEARCHES.items():
            if score not in EQUIVALENT_ONLY.get(search, ()):
                found = bnml.learn(data, formula, name, prior="uniform", seed=start, threads=1, **options)
                rows.append({**cell, "search": search, "proven": True, **gap_of(uninterrupted_result(found), best)})
    return rows


def gap_of(found: SearchResult, best: SearchResult) -> Row:
    """Return what a result lacks of the best one, in nats and as a share of what the best gains over no arcs.

    ``distance`` is that of the two classes (SHD). What is no more than rounding counts as nothing.

    Raises
    ------
    SearchError
        If the result is better than the best.

    Examples
    --------
    >>> best, tree = (bnml.learn(bnml.example(), "bic", search) for search in ("exact", "forest"))
    >>> {key: round(value, 3) for key, value in gap_of(tree, best).items()}
    {'gap': 230.043, 'lost': 0.065, 'distance': 6}
    """
    assert best.local is not None
    nothing = best.local.score(bnml.DAG(best.structure.names))
    gap = best.score - found.score
    if gap < -SAME:
        raise SearchError(f"{found.search} found a structure that is {-gap:g} nats better than the proven optimum")
    gap = gap if gap > SAME else 0.0
    distance = bnml.shd(found.structure, best.structure)
    return {"gap": gap, "lost": gap / (best.score - nothing) if gap else 0.0, "distance": distance}


def _outcome(folder: Path, rows: Sequence[Row], repetitions: int) -> Outputs:
    """Count how often each search reached the optimum, and how much it lacks."""
    results = pd.DataFrame(rows)
    proven = results[results["proven"]].copy()
    proven["reached"] = proven["gap"] == 0
    tables = {
        "results": results,
        "means": _summarised(proven, [*CELL, "search"]),
        "by_variables": _summarised(proven, ["variables", "search"]),
        "by_rows": _summarised(proven, ["N", "search"]),
        "by_score": _summarised(proven, ["score", "search"]),
        "searches": _summarised(proven, ["search"]),
        "not_proven": _not_proven(results),
    }
    figures = {"figure": _by_variables(proven), "scores": _by_score(tables["by_score"])}
    return Outputs(tables, figures, _findings(tables, repetitions))


def _summarised(proven: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """Return for each cell the share of tables in which the optimum was reached, and how large the gaps are."""
    groups = proven.groupby(key, sort=False)
    found = groups.agg(
        tables=("gap", "size"), reached=("reached", "mean"), gap=("gap", "mean"), median_gap=("gap", "median"),
        worst_gap=("gap", "max"), lost=("lost", "mean"), distance=("distance", "mean"),
    ).reset_index()  # fmt: skip
    order = list(SEARCHES)
    by = [name for name in key if name != "search"]
    return found.sort_values(
        [*by, "search"], key=lambda own: own.map(order.index) if own.name == "search" else own, ignore_index=True
    )


def _not_proven(results: pd.DataFrame) -> pd.DataFrame:
    """Return how many tables of each cell were proven."""
    once = results.drop_duplicates([*CELL, "repetition"])
    return once.groupby(CELL, sort=False)["proven"].agg(tables="size", proven="sum").reset_index()


def _by_variables(proven: pd.DataFrame) -> Figure:
    """Draw how often the optimum is reached, and what is lost, by the number of variables."""
    sizes = sorted(set(proven["N"]))
    drawing, panels = charts.figure(2, max(len(sizes), 1))
    for column, n in enumerate(sizes):
        means = _summarised(proven[proven["N"] == n], ["variables", "search"])
        top, low = panels[column], panels[len(sizes) + column]
        for k, search in enumerate(SEARCHES):
            own = means[means["search"] == search]
            style: dict[str, Any] = {"color": COLOURS[k], "marker": MARKERS[k], "markersize": 3.5, "linewidth": 1.1}
            top.plot(own["variables"], 100 * own["reached"], label=search, **style)
            low.plot(own["variables"], 100 * own["lost"], **style)
        top.set_title(f"{n:,} rows", fontsize=9)
        top.set_ylim(-3, 103)
        low.set_yscale("symlog", linthresh=1e-3)
        low.set_ylim(bottom=0)
        low.set_xlabel("variables", fontsize=8)
    panels[0].set_ylabel("optimum reached, % of tables", fontsize=8)
    panels[len(sizes)].set_ylabel("lost, % of the gain over no arcs", fontsize=8)
    charts.legend(drawing, panels, published=False, columns=4)
    return drawing


def _by_score(means: pd.DataFrame) -> Figure:
    """Draw the mean gap of each search under each score, as a table of colours."""
    drawing, (panel,) = charts.figure(1, 1, width=5.4, height=3.4)
    table = means.pivot(index="search", columns="score", values="reached").reindex(list(SEARCHES))[list(SCORES)]
    gaps = means.pivot(index="search", columns="score", values="gap").reindex(list(SEARCHES))[list(SCORES)]
    panel.imshow(100 * table.to_numpy(), cmap="Blues", vmin=0, vmax=140, aspect="auto")
    panel.grid(visible=False)
    for (i, j), share in np.ndenumerate(table.to_numpy()):
        text = "—" if np.isnan(share) else f"{100 * share:.0f} %\n{gaps.to_numpy()[i, j]:.2f} nats"
        panel.text(j, i, text, ha="center", va="center", fontsize=7)
    panel.set_xticks(range(len(SCORES)), list(SCORES), fontsize=8)
    panel.set_yticks(range(len(SEARCHES)), list(SEARCHES), fontsize=8)
    panel.set_title("optimum reached, % of tables, and mean gap", fontsize=9)
    return drawing


def _findings(tables: dict[str, pd.DataFrame], repetitions: int) -> list[str]:
    proofs = tables["not_proven"]
    total, proven = int(proofs["tables"].sum()), int(proofs["proven"].sum())
    said = [
        f"{repetitions} tables of each source and size; the optimum is proven for {proven:,} of {total:,} tables and "
        "scores, and gaps are of these."
    ]
    open_cells = proofs[proofs["proven"] < proofs["tables"]]
    said += [
        f"  {cell['source']}, {cell['N']:,} rows, {cell['score']}: proven for {cell['proven']} of {cell['tables']}."
        for cell in open_cells.to_dict("records")
    ]
    said += [
        f"{one['search']}: the optimum in {round(one['reached'] * one['tables']):,} of {one['tables']:,} "
        f"({one['reached']:.1%}), mean gap {one['gap']:.2f} nats "
        f"({one['lost']:.2%} of the gain over no arcs), worst {one['worst_gap']:.1f} nats, distance to the best class "
        f"{one['distance']:.1f}."
        for one in tables["searches"].to_dict("records")
    ]
    said += _trend(tables["by_rows"], "N", "rows") + _trend(tables["by_variables"], "variables", "variables")
    said += _trend(tables["by_score"], "score", "")
    return said


def _trend(means: pd.DataFrame, column: str, word: str) -> list[str]:
    """Return in words how often each search reaches the optimum, by something."""
    said = [f"The optimum is reached, by {word or column}:"]
    for search, own in means.groupby("search", sort=False):
        cells = own[[column, "reached"]].itertuples(index=False)
        told = ", ".join(f"{at:,} {share:.0%}" if word else f"{at} {share:.0%}" for at, share in cells)
        said.append(f"  {search}: {told}.")
    return said


EXPERIMENT = Experiment(NAME, _parts, _work, _outcome, repetitions=10, in_all=3, files=tuple(NETWORKS.values()))
