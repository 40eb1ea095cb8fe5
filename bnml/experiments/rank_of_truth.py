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
  sets of one: such a mean is little better than one of 100 data sets. Here each repetition is a network of its own with
  two data sets. They tell how much of the variance is between networks, and so how far the published mean may be off.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

import bnml
from bnml.experiments import charts
from bnml.experiments.comparison import agreement, compare_with_published, disagreements
from bnml.experiments.experiment import Experiment, Outputs, Part, Row, experiment_blocks, experiment_generator
from bnml.experiments.published import check_published_lines, read_published_numbers
from bnml.network.sampling import sample_codes
from bnml.uncertainty.all_structures import Structures, all_structures
from bnml.uncertainty.families import posterior_families

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

NAME = "rank-of-truth"
FILE = "published/qnml_random5_rank_means.csv"
NODES, ARCS, SCHEMES = 5, (4, 7), ("BDeu", "Jeff")
NAMES = tuple(f"X{i}" for i in range(NODES))
SIZES = (25, 50, 100, 200, 400, 800, 1000)
SCORES = {"AIC": "aic", "BIC": "bic", "BDeu": "bdeu:1", "fNML": "fnml", "qNML": "qnml"}
LEAST = 0.01  # the smallest hyperparameter of a Dirichlet distribution
DATA_SETS = 2
PUBLISHED = (100, 100)  # networks, and data sets of each
PRINTED = tuple(score for score in SCORES if score != "AIC")  # scores with published means
BLOCK = 25  # networks
SAME = 1e-8  # nats
CLEAR = 2.0  # standard errors
SIMILAR = 1.5  # mean ranks of scores that behave alike differ by no larger factor
FEW = 1 / 20  # of the networks: the worst ones
HEAVY = 3.0  # times their even share of the mean: more is much


def _parts(folder: Path, repetitions: int) -> list[Part]:
    """Return blocks of networks, for each number of arcs and scheme of parameters."""
    _published_ranks(folder)
    return [
        Part((arcs, scheme, first, last), last - first)
        for first, last in experiment_blocks(repetitions, BLOCK)
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
    """Return where each score ranks the structures of some networks, a row for each data set and number of rows."""
    arcs, scheme, first, last = key
    rows = []
    for repetition in range(first, last):
        network = draw_truth(arcs, scheme, repetition, seed)
        seeds = experiment_generator(seed, NAME, arcs, scheme, repetition, "rows").integers(2**63, size=DATA_SETS)
        for number, start in enumerate(seeds.tolist()):
            codes = sample_codes(network, max(SIZES), start).T
            for n in SIZES:
                data = bnml.read(codes[:n], states=network.states)
                row = {"arcs": arcs, "scheme": scheme, "repetition": repetition, "data_set": number, "N": n}
                rows.append(row | ranks(data, network.dag))
    return rows


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
        alpha = 0.5 if scheme == "Jeff" else max(1 / (r * math.prod(above)), LEAST)
        tables[x] = random.dirichlet(np.full(r, alpha), above)
    return bnml.BayesianNetwork(dag, states, tables)


def ranks(data: bnml.Data, dag: bnml.DAG) -> Row:
    """Return for each score how many structures score higher, how many as high, and how many arcs the best one has.

    The columns are named ``BIC``, ``BIC_ties`` and ``BIC_arcs``, and so on.
    """
    structures, arcs = _structures()
    masks = [sum(1 << NAMES.index(p) for p in dag.parents(x)) for x in NAMES]
    truth = int(np.flatnonzero((structures.parents == masks).all(axis=1))[0])
    row: Row = {}
    for name, score in SCORES.items():
        families = posterior_families(bnml.LocalScores(data, score), 1, lambda part: None)
        totals = sum(families[i][structures.numbers[:, i]] for i in range(NODES))
        higher = int(np.count_nonzero(totals > totals[truth] + SAME))
        least = int(np.count_nonzero(totals >= totals[truth] - SAME))
        row |= {name: higher, f"{name}_ties": least - higher - 1, f"{name}_arcs": int(arcs[np.argmax(totals)])}
    return row


@lru_cache(maxsize=1)
def _structures() -> tuple[Structures, npt.NDArray[np.int64]]:
    """Return all structures, and how many arcs each has."""
    structures = all_structures(NODES)
    bits = structures.parents[:, :, None] >> np.arange(NODES) & 1
    return structures, bits.sum(axis=(1, 2))


def _outcome(folder: Path, rows: Sequence[Row], repetitions: int) -> Outputs:
    """Average the ranks of the true structures, and compare with the published means and what the paper says."""
    ranked = pd.DataFrame(rows)
    keys = ["arcs", "scheme", "N", "score"]
    cells = [cell for _, cell in ranked.groupby(keys[:3])]
    results = pd.DataFrame([_mean(cell, score) for cell in cells for score in SCORES])
    published = _published_ranks(folder)
    both = results.merge(published, on=keys)
    both = both[[*keys, "rank", "rank_error", "published", "published_error", "rank_ties_shared"]]
    comparison = compare_with_published(both.rename(columns={"rank": "ours", "rank_error": "ours_error"}))
    shared = compare_with_published(comparison, ours="rank_ties_shared")
    claims = _claims(ranked, results)
    most = (comparison["rank_ties_shared"] - comparison["ours"]) / comparison["published_error"]
    most = most[comparison["published_error"] > 0]
    findings = [
        agreement(comparison, "mean ranks"),
        *disagreements(comparison, keys),
        f"With the ranks of ties shared these would be {int(shared['within'].sum())}; sharing them moves a mean by at "
        f"most {most.max() if len(most) else 0:.2g} standard errors of the published one.",
        *_tail(ranked),
        "What the paper says:",
        *(f"  {claim['claim']} {claim['found']} {claim['verdict'].capitalize()}." for claim in claims),
    ]
    tables = {"results": results, "comparison": comparison, "claims": pd.DataFrame(claims)}
    return Outputs(tables, {"figure": _figure(results, published)}, findings)


def _mean(cell: pd.DataFrame, score: str) -> Row:
    """Return the mean rank in one cell of the table, and by how much it and the published one may be off."""
    rank = 1 + cell[score]
    networks = rank.groupby(cell["repetition"])
    means, within = networks.mean(), float(networks.var().mean())
    between = max(float(means.var()) - within / DATA_SETS, 0.0)
    return {
        **cell[["arcs", "scheme", "N"]].iloc[0],
        "score": score,
        "rank": float(rank.mean()),
        "rank_error": math.sqrt(means.var() / len(means)),
        "rank_ties_shared": float((rank + cell[f"{score}_ties"] / 2).mean()),
        "median": float(rank.median()),
        "first": float((rank == 1).mean()),
        "arcs_of_best": float(cell[f"{score}_arcs"].mean()),
        "sd_between_networks": math.sqrt(between),
        "sd_within_networks": math.sqrt(within),
        "published_error": math.sqrt((between + within / PUBLISHED[1]) / PUBLISHED[0]),
    }


def _tail(ranked: pd.DataFrame) -> list[str]:
    """Say how much of the mean ranks comes from few networks, and what that does to them."""
    n = ranked["repetition"].nunique()
    few = max(1, int(FEW * n))
    shares = []
    for _, cell in ranked.groupby(["arcs", "scheme", "N"]):
        means = cell.groupby("repetition")[list(SCORES)].mean() + 1
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


def _claims(ranked: pd.DataFrame, results: pd.DataFrame) -> list[Row]:
    """Return what section 6.1 says, what is found here, and whether that is the same."""
    table = results.pivot(index=["scheme", "arcs", "N"], columns="score", values="rank")
    arcs = results.pivot(index=["scheme", "arcs", "N"], columns="score", values="arcs_of_best")
    claims = [
        _winner(ranked, "BDeu", "BDeu", "Where the parameters are drawn as BDeu assumes, BDeu ranks best."),
        _winner(ranked, "Jeff", "fNML", "Where they are drawn from Dirichlet(1/2), fNML ranks best."),
    ]
    own = table.loc["BDeu"]
    ratio = own["fNML"] / own["BDeu"]
    alike = ratio.between(1 / SIMILAR, SIMILAR)
    best = pd.Series([set(row.nsmallest(2).index) == {"BDeu", "fNML"} for _, row in own.iterrows()])
    claims.append(
        _claim(
            "Where they are drawn as BDeu assumes, fNML is very similar to BDeu.",
            f"Its mean ranks are {ratio.min():.1f} to {ratio.max():.1f} times those of BDeu (4 arcs: "
            f"{ratio.loc[4].median():.1f}, 7 arcs: {ratio.loc[7].median():.1f} at the median). The two are within "
            f"a factor of {SIMILAR:g}, which is taken as the bound, in {alike.sum()} of {len(alike)} cells; they are "
            f"the best two in {best.sum()}.",
            alike,
        )
    )
    fewer = arcs["BIC"] < arcs.index.get_level_values("arcs")
    middle = arcs.xs(100, level="N")["BIC"].groupby("arcs").mean()
    claims.append(
        _claim(
            "BIC underfits.",
            f"Its best structure has fewer arcs than the generating one on average in {fewer.sum()} of {len(fewer)} "
            f"cells: {middle[4]:.1f} of 4 and {middle[7]:.1f} of 7 for N = 100.",
            fewer,
        )
    )
    higher = table["AIC"] < table["BIC"]
    claims.append(
        _claim(
            "AIC tends to rank the generating structure higher than BIC.",
            f"Its mean rank is lower in {higher.sum()} of {len(higher)} cells.",
            higher,
        )
    )
    change = np.exp(np.abs(np.log(table.loc["BDeu"]) - np.log(table.loc["Jeff"])))
    worst = change.max()
    claims.append(
        _claim(
            "The scheme matters to BDeu and fNML, and hardly to AIC and BIC.",
            "From one scheme to the other the mean rank changes at most by the factor "
            + ", ".join(f"{worst[score]:.3g} ({score})" for score in ("AIC", "BIC", "BDeu", "fNML"))
            + ".",
            change[["AIC", "BIC"]].max(axis=1) < change[["BDeu", "fNML"]].min(axis=1),
        )
    )
    return claims


def _winner(ranked: pd.DataFrame, scheme: str, score: str, claim: str) -> Row:
    """Return whether a score has the lowest mean rank, and by how clear a margin on the same data."""
    lowest, clear = [], 0
    for (_, _), cell in ranked[ranked["scheme"] == scheme].groupby(["arcs", "N"]):
        means = cell.groupby("repetition")[list(SCORES)].mean()
        behind = means.drop(columns=score).sub(means[score], axis=0)
        lowest.append(bool((behind.mean() > 0).all()))
        clear += bool((behind.mean() > CLEAR * behind.std() / math.sqrt(len(behind))).all())
    rival = "fNML" if score == "BDeu" else "BDeu"
    own = ranked[ranked["scheme"] == scheme]
    won, lost = (own[score] < own[rival]).mean(), (own[score] > own[rival]).mean()
    found = (
        f"It has the lowest mean rank in {sum(lowest)} of {len(lowest)} cells, in {clear} of them by more than "
        f"{CLEAR:g} standard errors; it ranks the generating structure higher than {rival} on {won:.0%} of the data, "
        f"and lower on {lost:.0%}."
    )
    return _claim(claim, found, pd.Series(lowest))


def _claim(claim: str, found: str, holds: pd.Series[bool]) -> Row:
    """Return a claim with a verdict: it holds in all cells, in most, in some or in none."""
    share = holds.mean()
    verdicts = {1.0: "confirmed", 0.8: "mostly confirmed", 0.2: "confirmed in part", 0.0: "not confirmed"}
    return {"claim": claim, "found": found, "verdict": next(text for least, text in verdicts.items() if share >= least)}


def _figure(results: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Draw the mean ranks by the number of rows."""
    drawing, panels = charts.figure(len(ARCS), len(SCHEMES), width=3.6, height=2.9)
    titles = {"BDeu": "parameters as BDeu assumes", "Jeff": "parameters from Dirichlet(1/2)"}
    for panel, (arcs, scheme) in zip(panels, [(a, s) for a in ARCS for s in SCHEMES], strict=True):
        for score in SCORES:
            for table, column in ((published, "published"), (results, "rank")):
                own = table[(table["arcs"] == arcs) & (table["scheme"] == scheme) & (table["score"] == score)]
                charts.line(panel, own["N"], own[column], score, published=column == "published")
        panel.set(xscale="log", yscale="log", ylim=(1, bnml.count_dags(NODES)))
        panel.set_title(f"{arcs} arcs, {titles[scheme]}", fontsize=9)
        panel.set_xticks(SIZES[:-1], [str(n) for n in SIZES[:-1]])
        panel.minorticks_off()
    for panel in panels[-len(SCHEMES) :]:
        panel.set_xlabel("rows of data", fontsize=8)
    for panel in panels[:: len(SCHEMES)]:
        panel.set_ylabel("mean rank of the generating structure", fontsize=8)
    charts.legend(drawing, panels)
    return drawing


EXPERIMENT = Experiment(NAME, _parts, _work, _outcome, repetitions=1000, published=[FILE])
