"""How the posterior over structures depends on the hyperparameter of BDq and BDeu (qNML paper, appendix D).

The four predictors of the iris data in three bins of equal width, 150 rows: ATT1 and ATT2 are the length and the width
of the sepals, ATT3 and ATT4 those of the petals. Four variables have 543 structures in 185 equivalence classes. For
each α there are their probabilities, the most probable class, and what it and the average over all of them predict for
the 81 configurations.

What the paper does not say, or not clearly:

- The prior. "The structure prior is assumed to be uniform. Since BDq is score equivalent, we only include one
  representative from each equivalence class": so all classes are equally probable here, and the members of a class
  among them. Another column has the probabilities if all DAGs are.
- Predictions. BDq is a quotient of the probabilities of two tables, and the quotient with one more row is no
  distribution. As in the program of the authors (bnmodel.py in tomisilander/bn), a network predicts with
  (N_ijk + α) / (N_ij + r α). Members of a class then predict nearly the same, but not quite: the most probable class
  is taken to be its canonical member, and the average goes over all members. Under BDeu, members predict the same.
- The program. The claim that "the selected network is different for α-values 0.2, 0.3 and 0.5" does not hold for BDq as
  the paper defines it. It does hold for BDq as bene computes it, the structure learner of the authors (ls_BDq.c in
  tomisilander/bene): it sums over the configurations of the parents that occur, but subtracts log Γ(α) r - 1 times for
  every configuration, also for those that do not. At α = 1 this makes no difference. The third score here repeats it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import bnml
from bnml._text import quoted
from bnml.counts import Counts, FamilyCounts, counts_of
from bnml.errors import DataError
from bnml.experiments import charts
from bnml.experiments.claims import Claim, claim_of_fact
from bnml.experiments.experiment import ANY_FAMILY, Experiment, Outputs, Part, Row
from bnml.experiments.uci_tables import FOLDER, read_uci_table, uci_table_file
from bnml.graph import count_dags
from bnml.nml import log_rising
from bnml.scores import BDeu, BDq, Score
from bnml.scores.base import Shape
from bnml.uncertainty import Posterior

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FILES = (uci_table_file("iris"), f"{FOLDER}/iris.vd")
VARIABLES = {"ATT1": "sepal\nlength", "ATT2": "sepal\nwidth", "ATT3": "petal\nlength", "ATT4": "petal\nwidth"}
PLACES = {"ATT1": (0.0, 1.0), "ATT2": (1.0, 1.0), "ATT3": (0.0, 0.0), "ATT4": (1.0, 0.0)}
BENE = "BDq as in bene"
ALPHAS = {
    "BDq": (0.1, 0.2, 0.3, 0.4, 0.5),
    "BDeu": (0.1, 0.2, 0.3, 0.4, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0),
    BENE: (0.1, 0.2, 0.3, 0.4, 0.5),
}
CLAIMED = (0.2, 0.3, 0.5)
DRAWN = {"BDq": ALPHAS["BDq"], "BDeu": (0.1, 0.5, 1.0, 5.0, 20.0)}
SHOWN = 20  # classes in a panel
WIDE = (1.0, 10.0)  # hyperparameters of BDeu that people take
SENSITIVE = 0.5  # of the posterior moves to other classes
NOTABLE = 0.05  # classes that are ever as probable are in the overview


@dataclass(frozen=True)
class BeneBDq(BDq):
    """BDq as bene computes it: too low by (r - 1) log Γ(α) for each configuration of the parents not seen."""

    equivalent = False

    def terms(self, shape: Shape) -> None:  # type: ignore[override]
        """Return None: it counts the configurations that occur."""
        return

    def family(self, family: FamilyCounts, counts: Counts) -> float:
        """Return the score of a family."""
        alpha, n, q, r = self.alpha_for(counts.n_rows), counts.n_rows, family.q, family.r
        value = float(log_rising(alpha, family.n_ijk).sum() - log_rising(alpha, family.n_ij).sum())
        value += float(log_rising(q * alpha, n) - log_rising(q * r * alpha, n))
        return value - (q - len(family.n_ij)) * (r - 1) * math.lgamma(alpha)


def _parts(folder: Path, repetitions: int) -> list[Part]:
    """Return the scores with each of their hyperparameters alpha."""
    _predictors(folder)
    return [Part((score, alpha)) for score, alphas in ALPHAS.items() for alpha in alphas]


def _work(folder: Path, key: tuple[Any, ...], seed: int) -> list[Row]:
    """Return the probabilities of all classes at one alpha, and predictions for all configurations."""
    name, alpha = key
    data = _predictors(folder)
    score: Score = BDeu(alpha) if name == "BDeu" else BDq(alpha) if name == "BDq" else BeneBDq(alpha)
    posterior = _posterior(data, score)
    classes = posterior.top(count_dags(len(data.names)), classes=True)
    classes = classes.rename(columns={"score": "log_score"}).assign(kind="class", cpdag=classes["cpdag"].map(str))
    rows: list[Row] = [{str(name): value for name, value in row.items()} for row in classes.to_dict("records")]
    if name != BENE:
        rows += _predictions(posterior, data, score, bnml.DAG.parse(rows[0]["structure"]))
    return [{"score": name, "alpha": alpha} | row for row in rows]


def _posterior(data: bnml.Data, score: Score, only: bnml.DAG | None = None) -> Posterior:
    """Return the posterior where all classes are equally probable before, or where one structure is possible."""
    known = None
    if only is not None:
        others = [(a, b) for a in data.names for b in data.names if a != b and (a, b) not in only.arcs]
        known = bnml.Constraints(required=only.arcs, forbidden=others)
    found = bnml.posterior(
        data, score, prior="classes", structure_prior="uniform", method="exact", constraints=known, **ANY_FAMILY,
        threads=1,
    )  # fmt: skip
    assert isinstance(found, Posterior)
    return found


@lru_cache(maxsize=1)
def _predictors(folder: Path) -> bnml.Data:
    """Return the table without its class column."""
    data = read_uci_table(folder, "iris")
    missing = [name for name in VARIABLES if name not in data.names]
    if missing:
        raise DataError(f"{FILES[0]!r} lacks the {'column' if len(missing) == 1 else 'columns'} {quoted(missing)}")
    return data.select(VARIABLES)


def _predictions(posterior: Posterior, data: bnml.Data, score: Score, best: bnml.DAG) -> list[Row]:
    """Return what the most probable class and the average predict, and how far the members of the class differ."""
    configurations = list(product(*data.states))
    states = dict(zip(data.names, data.states, strict=True))
    new = bnml.read(pd.DataFrame(configurations, columns=list(data.names)), states=states)
    own, average = (np.exp(one.log_prob(new)) for one in (_posterior(data, score, best), posterior))
    others = [np.exp(_posterior(data, score, member).log_prob(new)) for member in best.cpdag().members()]
    seen = dict.fromkeys(configurations, 0)
    cells = counts_of(data).cells(range(len(data.names)))
    for row, count in zip(cells.states.T.tolist(), cells.counts.tolist(), strict=True):
        seen[tuple(labels[state] for labels, state in zip(data.states, row, strict=True))] = count
    return [
        {"kind": "members", "distance": max(_distance(own, other) for other in others)},
        *(
            {
                "kind": "prediction",
                **dict(zip(data.names, row, strict=True)),
                "rows": seen[row],
                "best": p,
                "average": q,
            }
            for row, p, q in zip(configurations, own.tolist(), average.tolist(), strict=True)
        ),
    ]


def _distance(p: Any, q: Any) -> float:
    """Return the total variation distance: the most by which the probabilities of an event differ."""
    return float(np.abs(np.asarray(p) - np.asarray(q)).sum() / 2)


def _outcome(folder: Path, rows: Sequence[Row], repetitions: int) -> Outputs:
    """Say which network each score selects, how sensitive it is to alpha, and whether the paper says so."""
    kinds = {kind: pd.DataFrame([r for r in rows if r["kind"] == kind]) for kind in ("class", "members", "prediction")}
    results = kinds["class"][["score", "alpha", "cpdag", "structure", "dags", "log_score", "probability"]]
    weights = results["dags"] * results["probability"]
    total = weights.groupby([results["score"], results["alpha"]]).transform("sum")
    results = results.assign(probability_if_dags_are_uniform=weights / total)
    predictions = kinds["prediction"][["score", "alpha", *VARIABLES, "rows", "best", "average"]]
    best = _best(results, predictions, kinds["members"])
    comparison = _comparison(best)
    figures = {
        "figure": _panels(results, best, predictions, "BDq"),
        "figure_bdeu": _panels(results, best, predictions, "BDeu"),
        "overview": _overview(results),
    }
    tables = {"results": results, "best": best, "predictions": predictions, "comparison": comparison}
    return Outputs(tables, figures, _findings(results, best, comparison), _claims(results, comparison))


def _claims(results: pd.DataFrame, comparison: pd.DataFrame) -> list[Claim]:
    """Return what the appendix says of the hyperparameter of BDq."""
    where, said = "qNML, appendix D", ", ".join(f"{alpha:g}" for alpha in CLAIMED)
    moved = {score: _moved(results, score, min(ALPHAS["BDq"]), max(ALPHAS["BDq"])) for score in ("BDq", "BDeu")}
    claims = [
        claim_of_fact(
            f"The network that is selected by BDq is different for α = {said}.", where, bool(row["agrees"]),
            f"{row['ours']} different networks",
        ).chosen("" if row["score"] == "BDq" else str(row["score"]), again=row["score"] != "BDq")
        for row in comparison.to_dict("records")
    ]  # fmt: skip
    wide = _moved(results, "BDeu", *WIDE)
    return [
        *claims,
        claim_of_fact(
            "The posterior of BDq is quite sensitive to α (half of it or more moves to other classes).", where,
            moved["BDq"] >= SENSITIVE,
            f"{moved['BDq']:.0%} moves from α = 0.1 to 0.5; of that of BDeu {moved['BDeu']:.0%}",
        ),
        claim_of_fact(
            "BDeu is very sensitive to α (half of its posterior or more moves to other classes).",
            "fNML, section 6.2, after others", wide >= SENSITIVE,
            f"{wide:.0%} moves from α = {WIDE[0]:g} to {WIDE[1]:g}, on iris",
        ),
    ]  # fmt: skip


def _best(results: pd.DataFrame, predictions: pd.DataFrame, members: pd.DataFrame) -> pd.DataFrame:
    """Return the selected network of each score and hyperparameter."""
    lines = []
    for _, own in results.groupby(["score", "alpha"], sort=False):
        top = own.sort_values("log_score", ascending=False, kind="stable").iloc[0]  # bene's members do not score alike
        other = own.sort_values("probability_if_dags_are_uniform", ascending=False, kind="stable").iloc[0]
        p, told = own["probability"], _of(predictions, top["score"], top["alpha"])
        line: Row = {
            **top[["score", "alpha", "cpdag", "structure", "probability"]],
            "classes_in_effect": float(np.exp(-(p * np.log(p.where(p > 0, 1.0))).sum())),
            "cpdag_if_dags_are_uniform": other["cpdag"],
            "probability_if_dags_are_uniform": other["probability_if_dags_are_uniform"],
        }
        if len(told):
            line["distance_of_best_and_average_prediction"] = _distance(told["best"], told["average"])
            line["distance_of_members"] = _of(members, top["score"], top["alpha"])["distance"].iloc[0]
        lines.append(line)
    return pd.DataFrame(lines)


def _of(table: pd.DataFrame, score: str, alpha: float) -> pd.DataFrame:
    return table[(table["score"] == score) & (table["alpha"] == alpha)]


def _selected(best: pd.DataFrame, score: str, column: str = "cpdag") -> dict[float, str]:
    own = best[best["score"] == score]
    return dict(zip(own["alpha"], own[column], strict=True))


def _moved(results: pd.DataFrame, score: str, first: float, last: float) -> float:
    """Return how far the posteriors of two hyperparameters are apart."""
    own = results[results["score"] == score].pivot(index="cpdag", columns="alpha", values="probability")
    return _distance(own[first], own[last])


def _comparison(best: pd.DataFrame) -> pd.DataFrame:
    """Return what the paper says beside what is found."""
    lines = []
    for what, score, column in (
        ("BDq", "BDq", "cpdag"),
        ("BDq, all DAGs equally probable", "BDq", "cpdag_if_dags_are_uniform"),
        (BENE, BENE, "cpdag"),
    ):
        selected = _selected(best, score, column)
        number = len({selected[alpha] for alpha in CLAIMED})
        claim = f"different networks for α = {', '.join(f'{alpha:g}' for alpha in CLAIMED)}"
        found = "; ".join(f"{alpha:g}: {selected[alpha]}" for alpha in CLAIMED)
        lines.append({"score": what, "claim": claim, "published": len(CLAIMED), "ours": number, "found": found})
    return pd.DataFrame(lines).assign(agrees=lambda table: table["published"] == table["ours"])


def _findings(results: pd.DataFrame, best: pd.DataFrame, comparison: pd.DataFrame) -> list[str]:
    """Return what was found, in sentences."""
    claim = "The paper says that the selected network is different for α = 0.2, 0.3 and 0.5."
    holds = dict(zip(comparison["score"], comparison["agrees"], strict=True))
    findings = ["The networks that BDq selects:", *_runs(_selected(best, "BDq"))]
    findings.append(f"{claim} {'This is so.' if holds['BDq'] else 'This is not so for BDq as it defines it.'}")
    found = "it is" if holds[BENE] else f"it is not{'' if holds['BDq'] else ' either'}"
    findings += [
        f"With log Γ(α) counted as in bene, the program of the authors, {found}:",
        *_runs(_selected(best, BENE)),
    ]
    dags = holds["BDq, all DAGs equally probable"]
    findings.append(
        "If not all classes but all DAGs are equally probable, other classes may be the most probable, and the claim "
        f"{'holds' if dags else 'does not hold'}:"
    )
    findings += _runs(_selected(best, "BDq", "cpdag_if_dags_are_uniform"))
    findings += ["The networks that BDeu selects:", *_runs(_selected(best, "BDeu"))]
    moved = {score: _moved(results, score, 0.1, 0.5) for score in ("BDq", "BDeu")}
    findings.append(
        f"From α = 0.1 to 0.5 a share of {moved['BDq']:.0%} of the posterior of BDq moves to other classes, and "
        f"{moved['BDeu']:.0%} of that of BDeu; of the latter {_moved(results, 'BDeu', *WIDE):.0%} from α = 1 to 10."
    )
    own = best[best["score"] != BENE]
    apart, members = own["distance_of_best_and_average_prediction"], own["distance_of_members"]
    findings.append(
        f"The most probable class has a probability of {own['probability'].min():.2f} to "
        f"{own['probability'].max():.2f}; what it predicts is at a total variation distance of {apart.min():.3f} to "
        f"{apart.max():.3f} from what the average over all predicts. Its members differ by at most {members.max():.3f}."
    )
    return findings


def _runs(selected: dict[float, str]) -> list[str]:
    """Return a line for each run of hyperparameters with the same network."""
    lines = []
    for cpdag, run in groupby(selected, key=selected.__getitem__):
        alphas = [f"{alpha:g}" for alpha in run]
        lines.append(f"  α = {alphas[0] if len(alphas) == 1 else f'{alphas[0]} to {alphas[-1]}'}: {cpdag}")
    return lines


def _panels(results: pd.DataFrame, best: pd.DataFrame, predictions: pd.DataFrame, score: str) -> Figure:
    """Draw the posterior, the selected network and the predictions, a column for each hyperparameter."""
    alphas = DRAWN[score]
    drawing, panels = charts.figure(3, len(alphas), width=2.1, height=1.9)
    own = results[results["score"] == score].pivot(index="cpdag", columns="alpha", values="probability")
    order = own[list(alphas)].mean(axis=1).sort_values(ascending=False, kind="stable").index[:SHOWN]
    highest = float(own[list(alphas)].to_numpy().max())
    chosen = _selected(best, score)
    for column, alpha in enumerate(alphas):
        bars, graph, scatter = panels[column :: len(alphas)]
        colours = ["#d55e00" if cpdag == chosen[alpha] else charts.COLOURS[score] for cpdag in order]
        bars.bar(range(len(order)), own.loc[order, alpha], color=colours, width=0.8)
        bars.set(ylim=(0, 1.08 * highest), xticks=[])
        bars.set_title(f"α = {alpha:g}", fontsize=9)
        _draw_graph(graph, _of(best, score, alpha)["structure"].iloc[0])
        told = _of(predictions, score, alpha)
        scatter.loglog(told["average"], told["best"], "o", color=charts.COLOURS[score], markersize=2.5, alpha=0.7)
        low = float(predictions[predictions["score"] == score][["best", "average"]].to_numpy().min()) / 2
        scatter.plot([low, 1], [low, 1], color="#999999", linewidth=0.7, zorder=1)
        scatter.set(xlim=(low, 1), ylim=(low, 1))
        scatter.set_xlabel("average over all classes", fontsize=7)
    for row, label in enumerate(("probability of a class", "selected network", "predicted by the selected one")):
        panels[row * len(alphas)].set_ylabel(label, fontsize=7)
    panels[0].set_xlabel(f"the {SHOWN} most probable classes", fontsize=7)
    return drawing


def _draw_graph(panel: Axes, structure: str) -> None:
    """Draw an equivalence class, each variable in its own place: compelled arcs as arrows, the others dashed."""
    cpdag = bnml.DAG.parse(structure).cpdag()
    panel.set(xlim=(-0.45, 1.45), ylim=(-0.4, 1.4), xticks=[], yticks=[])
    panel.grid(False)
    panel.spines[["left", "bottom"]].set_visible(False)
    for directed, edges in ((True, cpdag.directed), (False, cpdag.undirected)):
        look = {"color": "#33424f"} if directed else {"color": "#3a86c8", "linestyle": (0, (4, 2))}
        for a, b in edges:
            arrow = {"arrowstyle": "-|>" if directed else "-", "shrinkA": 12, "shrinkB": 13, "linewidth": 1.1, **look}
            panel.annotate("", PLACES[b], PLACES[a], arrowprops=arrow)
    for name, (x, y) in PLACES.items():
        box = {"boxstyle": "round,pad=0.25", "facecolor": "#edf2f7", "edgecolor": "#51677d", "linewidth": 0.8}
        panel.text(x, y, VARIABLES[name], ha="center", va="center", fontsize=6, bbox=box, zorder=4)


def _overview(results: pd.DataFrame) -> Figure:
    """Draw the probabilities of the notable classes under all scores and hyperparameters as a heat map."""
    table = results[results["score"] != BENE].pivot(index="cpdag", columns=["score", "alpha"], values="probability")
    table = table[[(score, alpha) for score in ("BDq", "BDeu") for alpha in ALPHAS[score]]]
    table = table[table.max(axis=1) >= NOTABLE]
    table = table.loc[(table * np.arange(table.shape[1])).sum(axis=1).div(table.sum(axis=1)).sort_values().index]
    drawing, (panel,) = charts.figure(1, 1, width=9.5, height=1.2 + 0.27 * len(table))
    panel.grid(False)
    panel.imshow(table, aspect="auto", cmap="Blues", vmin=0, vmax=1)
    for (i, j), value in np.ndenumerate(table.to_numpy()):
        if value >= 0.005:
            panel.text(
                j, i, f"{value:.2f}", ha="center", va="center", fontsize=7, color="white" if value > 0.5 else "black"
            )
    panel.axvline(len(ALPHAS["BDq"]) - 0.5, color="black", linewidth=1)
    panel.set_xticks(range(table.shape[1]), [f"{alpha:g}" for alpha in table.columns.get_level_values("alpha")])
    panel.set_yticks(range(len(table)), list(table.index))
    panel.set_xlabel("α of BDq (left) and of BDeu (right)", fontsize=8)
    panel.set_title(
        f"Probabilities of the classes that ever have {NOTABLE:.0%} or more\n"
        "(ATT1, ATT2: length and width of the sepals; ATT3, ATT4: of the petals)",
        fontsize=9,
    )
    return drawing


EXPERIMENT = Experiment("alpha-sensitivity", _parts, _work, _outcome, files=FILES)
