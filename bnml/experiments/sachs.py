"""What targets are worth: the experiment of Sachs et al. with what was set, and with that ignored.

Sachs et al. (2005) measured eleven proteins in single cells, 600 under each of nine conditions; in six of these one of
five proteins was activated or inhibited. The table has the 5,400 cells with three levels of each protein. The reference
is the network of 17 arcs of the Bayesian Network Repository.

Each score's best network is found by exact search twice: with the targets, when each protein is scored in the rows in
which it was not set, and from the same rows with no regard to them. Arcs are counted as right, reversed and extra; how
many directions the data know is told by the class, with targets the interventional one. Beside them stands what bnlearn
finds by tabu search with its score for observational and experimental data together (``mbde``), as measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

import bnml
from bnml.errors import BnmlError, DataError
from bnml.experiments import charts
from bnml.experiments.claims import Claim, claim_of_fact
from bnml.experiments.experiment import Experiment, Outputs, Part, Row
from bnml.search.search_result import SearchResult, uninterrupted_result

NAME = "sachs"
TABLE = "samples/sachs_interventional.csv"
NETWORK = "networks/sachs.bif"
COLUMN = "INT"  # the number of the variable that was set, from 1; 0 for none
SCORES = {"qNML": "qnml", "fNML": "fnml", "BIC": "bic", "BDeu": "bdeu"}
BNLEARN = {"right": 15, "reversed": 1, "extra": 9}  # tabu, mbde, as measured


def read_sachs(folder: Path, *, targets: bool) -> bnml.Data:
    """Return the table of Sachs et al. with what was set, or with no regard to it.

    Raises
    ------
    DataError
        If the file is something else.
    """
    try:
        frame = pd.read_csv(folder / TABLE)
        names = list(frame.columns[:-1])
        if frame.columns[-1] != COLUMN or not frame[COLUMN].isin(range(len(names) + 1)).all():
            raise DataError(f"{TABLE!r}: expected {COLUMN} as the last column, with numbers of columns or 0")
        frame["set"] = ["" if number == 0 else names[number - 1] for number in frame.pop(COLUMN)]
        return bnml.read(frame, interventions="set") if targets else bnml.read(frame[names])
    except (OSError, ValueError) as error:
        raise error if isinstance(error, BnmlError) else DataError(f"{TABLE!r} cannot be read: {error}") from None


def reference_of_sachs(folder: Path) -> bnml.DAG:
    """Return the network of the Bayesian Network Repository that the results are held against."""
    return bnml.load(folder / NETWORK).dag


def arcs_against(found: bnml.DAG, reference: bnml.DAG) -> dict[str, int]:
    """Count the arcs of a structure that are right, reversed and extra, and those of the reference that are missing.

    Examples
    --------
    >>> arcs_against(bnml.DAG.parse("[A][C][B|A:C]"), bnml.DAG.parse("[A][B|A][C|B][D]"))
    {'right': 1, 'reversed': 1, 'extra': 0, 'missing': 0}
    """
    own, known = set(found.arcs), set(reference.arcs)
    turned = {(b, a) for a, b in own}
    right, reversed_ = len(own & known), len(turned & known)
    return {
        "right": right,
        "reversed": reversed_,
        "extra": len(own) - right - reversed_,
        "missing": len(known) - right - reversed_,
    }


def _parts(folder: Path, repetitions: int) -> list[Part]:
    """Return a part for each score, with the targets of Sachs et al. and without."""
    names = set(read_sachs(folder, targets=True).names)
    if names != set(reference_of_sachs(folder).names):
        raise DataError(f"{NETWORK!r} and {TABLE!r} are about different variables")
    return [Part((score, targets)) for score in SCORES for targets in (1, 0)]


def _work(folder: Path, key: tuple[Any, ...], seed: int) -> list[Row]:
    """Return what one score finds, with the targets of Sachs et al. or without."""
    score, targets = key
    data = read_sachs(folder, targets=bool(targets))
    result: SearchResult = uninterrupted_result(bnml.search.exact(data, SCORES[score], prior="uniform", threads=1))
    counts = arcs_against(result.structure, reference_of_sachs(folder))
    return [
        {"score": score, "targets": "used" if targets else "ignored", **counts, "optimal": result.optimal,
         "directed": len(result.directions.directed), "undirected": len(result.directions.undirected)}
    ]  # fmt: skip


def _outcome(folder: Path, rows: Sequence[Row], repetitions: int) -> Outputs:
    """Return the table of scores by targets of Sachs et al., with bnlearn's figures beside it, drawn and in words."""
    order = [(score, targets) for score in SCORES for targets in ("used", "ignored")]
    ranked: list[Row] = sorted(rows, key=lambda row: order.index((row["score"], row["targets"])))
    found = pd.DataFrame(ranked)
    number = len(reference_of_sachs(folder).arcs)
    peer = {"score": "bnlearn, tabu, mbde", "targets": "used", **BNLEARN}
    peer["missing"] = number - BNLEARN["right"] - BNLEARN["reversed"]
    comparison = pd.concat([found.drop(columns="optimal"), pd.DataFrame([peer])], ignore_index=True)
    drawing, panels = charts.figure(1, 2)
    for panel, targets in zip(panels, ("used", "ignored"), strict=True):
        own = found[found["targets"] == targets]
        left = pd.Series(0, index=own.index)
        for kind, colour in (("right", "#0072b2"), ("reversed", "#d55e00"), ("extra", "#bbbbbb")):
            panel.barh(own["score"], own[kind], left=left, color=colour, label=kind)
            left = left + own[kind]
        panel.axvline(number, color="#777777", linewidth=0.8, linestyle=":")
        panel.set_title(f"targets {targets}", fontsize=9)
        panel.set_xlabel("arcs", fontsize=8)
    charts.legend(drawing, panels, published=False)
    tables = {"results": found, "comparison": comparison}
    return Outputs(tables, {"figure": drawing}, _findings(found, number), [_claim(found)])


def _claim(found: pd.DataFrame) -> Claim:
    """Return whether arcs are directed better with the targets of Sachs et al. than without."""
    right = found.pivot(index="score", columns="targets", values="right").loc[list(SCORES)]
    told = ", ".join(f"{score} {row['used']} against {row['ignored']}" for score, row in right.iterrows())
    return claim_of_fact(
        "With the targets of the experiment more arcs of the reference are found in their direction.",
        "bnml, page on gaps and experiments", bool((right["used"] > right["ignored"]).all()), f"right arcs: {told}",
    )  # fmt: skip


def _findings(found: pd.DataFrame, number: int) -> list[str]:
    said = [f"The reference has {number} arcs."]
    for row in found.to_dict("records"):
        proven = "proven optimal" if row["optimal"] else "not proven optimal"
        said.append(
            f"{row['score']}, targets {row['targets']}: {row['right']} right, {row['reversed']} reversed, "
            f"{row['extra']} extra ({proven}; the class directs {row['directed']} of "
            f"{row['directed'] + row['undirected']})."
        )
    said.append(
        f"bnlearn's tabu search with targets (mbde): {BNLEARN['right']} right, {BNLEARN['reversed']} reversed, "
        f"{BNLEARN['extra']} extra."
    )
    return said


EXPERIMENT = Experiment(NAME, _parts, _work, _outcome, files=(TABLE, NETWORK))
