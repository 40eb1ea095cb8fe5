"""The rank of the generating structure among all structures of five nodes (fNML paper, section 6.1 and Figure 1).

Random networks of five nodes with 4 and with 7 arcs, each variable with 2 to 4 values; parameters from Dirichlet
distributions as BDeu assumes them (all hyperparameters 1 / (r_i q_i), "BDeu") or with all hyperparameters 1/2 ("Jeff").
Each data set has 1000 rows; its first N are scored, and the rank of the generating structure is 1 + the number of the
other 29,280 structures that score higher. The published means (10,000 data sets a row) belong to the qNML paper, whose
final version left this experiment out.

What the papers do not say:

- Structures. The notebook of the qNML authors (gen_artnets.ipynb in the history of tomisilander/AISTATS2018q) takes 4
  or 7 of the ten arcs that go from an earlier node to a later one, and so does this. All such sets of arcs are equally
  probable, which is not the same as all DAGs with so many arcs. The published means agree: if all DAGs with 7 arcs were
  equally probable, BIC would rank them 2000 to 3000 places higher than published, more than 3 standard errors.
- Parameters. The same notebook does not let 1 / (r_i q_i) fall below 0.01, and draws the parameters of both schemes for
  the same structures; so does this.
- Ties. Equivalent structures have equal scores under all scores here but fNML, and others may tie by chance. Sharing
  the ranks of ties, as a second column does, changes a mean by little more than one standard error of the published one
  at most, so the published means cannot tell which was done. Scores within 1e-8 of each other are taken to be equal,
  since sums of rounded numbers are not.
- Errors. The published 10,000 data sets are 100 from each of 100 networks, and networks differ much more than the data
  sets of one: such a mean is little better than one of 100 data sets. Here each repetition is a network of its own: the
  first 100 have 100 data sets each, as published, and the others two. Every network counts the same. They tell how much
  of the variance is between networks, and so how far the published mean may be off.
- Figure 1 shows a single structure with both kinds of parameters, and does not say which. The curves of all structures
  with 100 data sets are in a table; drawn are those of the structure in the middle, by the mean of its log-ranks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

import bnml
from bnml.data.rows import rows_to_data
from bnml.experiments import charts
from bnml.experiments.claims import claim_of_agreement
from bnml.experiments.comparison import agreement, compare_with_published, disagreements
from bnml.experiments.experiment import Experiment, Outputs, Part, Row, experiment_blocks, experiment_generator
from bnml.experiments.published import check_published_lines, read_published_numbers
from bnml.experiments.rank_of_truth_claims import PUBLISHED, mean_rank, rank_claims
from bnml.network.sampling import sample_codes
from bnml.uncertainty.all_structures import all_structures
from bnml.uncertainty.families import posterior_families

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "rank-of-truth"
FILE = "published/qnml_random5_rank_means.csv"
NODES, ARCS, SCHEMES = 5, (4, 7), ("BDeu", "Jeff")
NAMES = tuple(f"X{i}" for i in range(NODES))
SIZES = (25, 50, 100, 200, 400, 800, 1000)
SCORES = {"AIC": "aic", "BIC": "bic", "BDeu": "bdeu:1", "fNML": "fnml", "qNML": "qnml"}
MANY, FEW_SETS = 100, 2  # data sets of a network
PRINTED = tuple(score for score in SCORES if score != "AIC")  # scores with published means
BLOCK, LONGER_BLOCK = 5, 25  # networks in a part of the work, with many data sets and with few
SAME = 1e-8  # nats
HEAVY = 3.0  # times their even share of the mean: more is much


def _parts(folder: Path, repetitions: int) -> list[Part]:
    """Return blocks of networks, for each number of arcs and scheme of parameters."""
    _published_ranks(folder)
    deep = min(repetitions, 100)
    blocks = [(first, last, MANY) for first, last in experiment_blocks(deep, BLOCK)]
    blocks += [
        (first + deep, last + deep, FEW_SETS) for first, last in experiment_blocks(repetitions - deep, LONGER_BLOCK)
    ]
    return [
        Part((arcs, scheme, first, last, sets), (last - first) * sets)
        for first, last, sets in blocks
        for arcs in ARCS
        for scheme in SCHEMES
    ]


def _published_ranks(folder: Path) -> pd.DataFrame:
    """Read the published mean ranks: a row for each cell and score.

    Raises
    ------
    DataError
        If the file is something else, or lacks a cell.
    """
    key = ["arcs", "parameter_prior", "N"]
    table = read_published_numbers(folder, FILE, key=key, numbers=["arcs", "N", *PRINTED])
    check_published_lines(FILE, table, key, list(product(ARCS, SCHEMES, SIZES)))
    long = table.rename(columns={"parameter_prior": "scheme"})
    return long.melt(["arcs", "scheme", "N"], list(PRINTED), "score", "published")


def _work(folder: Path, key: tuple[Any, ...], seed: int) -> list[Row]:
    """Return where each score ranks the structures of some networks, a row for each network and number of rows."""
    arcs, scheme, first, last, sets = key
    rows = []
    for repetition in range(first, last):
        network = draw_truth(arcs, scheme, repetition, seed)
        truth = _place_of(network.dag)
        seeds = experiment_generator(seed, NAME, arcs, scheme, repetition, "rows").integers(2**63, size=sets)
        tables = [sample_codes(network, max(SIZES), start) for start in seeds.tolist()]
        for n in SIZES:
            found = [ranks(_table(network, codes[:, :n]), truth) for codes in tables]
            row = {"arcs": arcs, "scheme": scheme, "repetition": repetition, "N": n, "data_sets": sets}
            rows.append(row | _summary(pd.DataFrame(found)))
    return rows


def _table(network: bnml.BayesianNetwork, codes: npt.NDArray[Any]) -> bnml.Data:
    return rows_to_data(tuple(network.states), tuple(network.states.values()), codes)


def _summary(found: pd.DataFrame) -> Row:
    """Return what the ranks of one network's data sets come to."""
    row: Row = {}
    for name in SCORES:
        rank = found[name] + 1
        row |= {
            name: float(rank.mean()),
            f"{name}_variance": float(rank.var()),
            f"{name}_median": float(rank.median()),
            f"{name}_first": float((rank == 1).mean()),
            f"{name}_ties": float(found[f"{name}_ties"].mean()),
            f"{name}_arcs": float(found[f"{name}_arcs"].mean()),
        }
    row["BDeu_before_fNML"] = float((found["BDeu"] < found["fNML"]).mean())
    row["fNML_before_BDeu"] = float((found["fNML"] < found["BDeu"]).mean())
    return row


def draw_truth(arcs: int, scheme: str, repetition: int, seed: int) -> bnml.BayesianNetwork:
    """Draw the true network, whose rank is asked: a structure with so many arcs, numbers of values, and parameters."""
    random = experiment_generator(seed, NAME, arcs, repetition)
    possible = list(combinations(NAMES, 2))
    dag = bnml.DAG(NAMES, [possible[at] for at in np.sort(random.choice(len(possible), arcs, replace=False))])
    states = {x: range(r) for x, r in zip(NAMES, random.integers(2, 5, NODES).tolist(), strict=True)}
    random = experiment_generator(seed, NAME, arcs, scheme, repetition)
    tables = {}
    for x in NAMES:
        r, above = len(states[x]), [len(states[p]) for p in dag.parents(x)]
        # the smallest hyperparameter of a Dirichlet distribution is 0.01
        alpha = 0.5 if scheme == "Jeff" else max(1 / (r * math.prod(above)), 0.01)
        tables[x] = random.dirichlet(np.full(r, alpha), above)
    return bnml.BayesianNetwork(dag, states, tables)


def ranks(data: bnml.Data, truth: int) -> Row:
    """Return for each score how many structures score higher, how many as high, and how many arcs the best one has.

    The columns are named ``BIC``, ``BIC_ties`` and ``BIC_arcs``, and so on. Under scores that equivalent structures
    share, one member of each class is looked at.

    Parameters
    ----------
    data
        The table.
    truth
        The number of the structure among all structures.
    """
    structures = _structures()
    row: Row = {}
    for name, score in SCORES.items():
        local = bnml.LocalScores(data, score)
        families = posterior_families(local, 1, lambda part: None)
        some = structures["classes" if local.equivalent else "all"]
        totals = families[0].take(some.families[0])
        for own, places in zip(families[1:], some.families[1:], strict=True):
            totals += own.take(places)
        at = some.place_of[truth]
        higher = int(some.members[totals > totals[at] + SAME].sum())
        least = int(some.members[totals >= totals[at] - SAME].sum())
        row |= {name: higher, f"{name}_ties": least - higher - 1, f"{name}_arcs": int(some.arcs[np.argmax(totals)])}
    return row


class _Some(NamedTuple):
    """Structures that stand for all: the numbers of their families, how many each stands for, and its arcs."""

    families: list[npt.NDArray[np.intp]]
    members: npt.NDArray[np.int64]
    arcs: npt.NDArray[np.int64]
    place_of: npt.NDArray[np.int64]  # of every structure, the place of the one that stands for it


@lru_cache(maxsize=1)
def _structures() -> dict[str, _Some]:
    """Return all structures, and one of each class."""
    structures = all_structures(NODES)
    arcs = (structures.parents[:, :, None] >> np.arange(NODES) & 1).sum(axis=(1, 2))
    every = np.arange(len(arcs))
    _, first, place, number = np.unique(structures.classes, return_index=True, return_inverse=True, return_counts=True)
    found = {}
    for name, chosen, members, places in (
        ("all", every, np.ones_like(every), every),
        ("classes", first, number, place.reshape(-1)),
    ):
        families = [np.ascontiguousarray(structures.numbers[chosen, i], np.intp) for i in range(NODES)]
        found[name] = _Some(families, members, arcs[chosen], places)
    return found


def _place_of(dag: bnml.DAG) -> int:
    """Return the number of a structure among all."""
    masks = [sum(1 << NAMES.index(p) for p in dag.parents(x)) for x in NAMES]
    return int(np.flatnonzero((all_structures(NODES).parents == masks).all(axis=1))[0])


def _outcome(folder: Path, rows: Sequence[Row], repetitions: int) -> Outputs:
    """Average the ranks of the true structures, and compare with the published means and what the paper says."""
    ranked, keys = pd.DataFrame(rows), ["arcs", "scheme", "N", "score"]
    cells = [cell for _, cell in ranked.groupby(keys[:3])]
    results = pd.DataFrame([mean_rank(cell, score) for cell in cells for score in SCORES])
    published = _published_ranks(folder)
    both = results.merge(published, on=keys)
    both = both[[*keys, "rank", "rank_error", "median", "published", "published_error", "rank_ties_shared"]]
    comparison = compare_with_published(both.rename(columns={"rank": "ours", "rank_error": "ours_error"}))
    shared = compare_with_published(comparison, ours="rank_ties_shared")
    claims = [
        claim_of_agreement(
            "The published mean ranks are reproduced.", "qNML, left out of its final version", comparison,
            repetitions=repetitions, explained=_too_skewed(ranked) & (comparison["difference"] < 0),
            why="are below the published ones, as means are that hang on a few networks, which repetitions can miss",
        ),
        *rank_claims(ranked),
    ]  # fmt: skip
    most = (comparison["rank_ties_shared"] - comparison["ours"]) / comparison["published_error"]
    most = most[comparison["published_error"] > 0]
    findings = [
        agreement(comparison, "mean ranks"),
        *disagreements(comparison, keys),
        f"With the ranks of ties shared these would be {int(shared['within'].sum())}; sharing them moves a mean by at "
        f"most {most.max() if len(most) else 0:.2g} standard errors of the published one.",
        *_tail(ranked),
        "What the paper says:",
        *(f"  {claim.text} {claim.verdict.capitalize()}: {claim.numbers} [{claim.band}]" for claim in claims[1:]),
    ]
    single = ranked[ranked["data_sets"] == MANY]
    tables = {"results": results, "comparison": comparison}
    figures = {"figure": _figure(results, published), "medians": _figure(results, None)}
    if len(single):
        tables["structures"] = single[["arcs", "scheme", "repetition", "N", *SCORES]]
        figures["single"] = _single_figure(single)
    return Outputs(tables, figures, findings, claims)


def _too_skewed(ranked: pd.DataFrame) -> bool:
    """Return whether ranks are so skewed, in the median cell, that most means of so few networks are too low."""
    skewness = ranked.groupby(["arcs", "scheme", "N"])[list(SCORES)].skew()
    # Cochran's rule: 25 networks for each unit of squared skewness make a mean nearly normal
    return not ranked["repetition"].nunique() >= 25 * float((skewness**2).stack().median())


def _tail(ranked: pd.DataFrame) -> list[str]:
    """Say how much of the mean ranks comes from few networks, and what that does to them."""
    n = ranked["repetition"].nunique()
    few = max(1, int(1 / 20 * n))  # the worst networks
    shares = []
    for _, cell in ranked.groupby(["arcs", "scheme", "N"]):
        means = cell.set_index("repetition")[list(SCORES)]
        shares.append((means.apply(lambda column: column.nlargest(few).sum()) / means.sum()).median())
    share = float(np.median(shares))
    found = [f"The worst {few:,} of {n:,} networks make up {share:.0%} of the mean in the median cell."]
    if share > HEAVY * few / n:
        found.append(
            f"  So the means hang on few networks, and one odd network among the {PUBLISHED[0]} of the published means "
            "can move them by more than their errors say. All cells of a panel share their networks: they are off "
            "together."
        )
    return found


def _figure(results: pd.DataFrame, published: pd.DataFrame | None) -> Figure:
    """Draw the mean ranks by the number of rows, with the published ones, or the median ranks."""
    drawing, panels = _panels("median rank" if published is None else "mean rank")
    drawn = [(results, "median")] if published is None else [(published, "published"), (results, "rank")]
    for panel, (arcs, scheme) in zip(panels, product(ARCS, SCHEMES), strict=True):
        for score in SCORES:
            for table, column in drawn:
                own = table[(table["arcs"] == arcs) & (table["scheme"] == scheme) & (table["score"] == score)]
                charts.line(panel, own["N"], own[column], score, published=column == "published")
    charts.legend(drawing, panels, published=published is not None)
    return drawing


def _single_figure(single: pd.DataFrame) -> Figure:
    """Draw the mean ranks of single structures by the number of rows: the middle one of each number of arcs."""
    drawing, panels = _panels("mean rank")
    for panel, (arcs, scheme) in zip(panels, product(ARCS, SCHEMES), strict=True):
        every = single[single["arcs"] == arcs]
        levels = np.log(every.set_index("repetition")[list(SCORES)]).mean(axis=1).groupby(level=0).mean()
        middle = int(levels.sort_values(kind="stable").index[(len(levels) - 1) // 2])
        own = every[(every["scheme"] == scheme) & (every["repetition"] == middle)].sort_values("N")
        for score in SCORES:
            error = np.sqrt(own[f"{score}_variance"] / own["data_sets"])
            style: dict[str, Any] = {"color": charts.COLOURS[score], "alpha": 0.2, "linewidth": 0}
            panel.fill_between(own["N"], np.maximum(own[score] - error, 1.0), own[score] + error, **style)
            charts.line(panel, own["N"], own[score], score)
    charts.legend(drawing, panels, published=False)
    return drawing


def _panels(what: str) -> tuple[Figure, list[Axes]]:
    """Return a figure with a panel for each number of arcs and scheme of parameters."""
    drawing, panels = charts.figure(len(ARCS), len(SCHEMES), width=3.6, height=2.9)
    titles = {"BDeu": "parameters as BDeu assumes", "Jeff": "parameters from Dirichlet(1/2)"}
    for panel, (arcs, scheme) in zip(panels, product(ARCS, SCHEMES), strict=True):
        panel.set(xscale="log", yscale="log", ylim=(1, bnml.count_dags(NODES)))
        panel.set_title(f"{arcs} arcs, {titles[scheme]}", fontsize=9)
        panel.set_xticks(SIZES[:-1], [str(n) for n in SIZES[:-1]])
        panel.minorticks_off()
    for panel in panels[-len(SCHEMES) :]:
        panel.set_xlabel("rows of data", fontsize=8)
    for panel in panels[:: len(SCHEMES)]:
        panel.set_ylabel(f"{what} of the generating structure", fontsize=8)
    return drawing, panels


EXPERIMENT = Experiment(NAME, _parts, _work, _outcome, repetitions=1000, published=[FILE])
