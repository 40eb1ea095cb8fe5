"""The highest scores of twenty tables under fNML and BDeu (fNML paper, Table 1).

For each table the highest score that any structure has, by exact search: under fNML, under BDeu with α = 1, and under
BDeu with the best whole α. The highest BDeu score need not rise and fall once as a function of α, so every whole α up
to 150 is tried, and beyond that a grid of ten a decade up to 10,000, to see whether the score ever rises again.

The logarithms of fNML and BDeu are those of probabilities of the data, and the higher one predicts better; that is
what the paper compares. The highest scores under qNML and BDq are shown beside them, but they are not of that kind:
their probabilities need not add up to one. For BDq a grid of ten α a decade from 0.001 to 1 is tried.

BENE, the authors' program, has had (in ``src/reg.c``) 5 log π for ½ log π in the regret of more than 2,000 rows. The
highest fNML scores with that slip are found as well, to see what it does to the count of tables on which fNML is best.

Of Table 1 no number is at hand, only what its text says of them. Single highest scores were published by others, for
the same tables, and are compared one by one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import bnml
from bnml._text import quoted
from bnml.errors import DataError
from bnml.experiments import charts
from bnml.experiments.claims import Claim, claim_of_fact
from bnml.experiments.experiment import ANY_FAMILY, Experiment, Outputs, Part, Row, experiment_blocks
from bnml.experiments.published import read_published_numbers
from bnml.experiments.uci_tables import TABLE_FILES, TABLES, read_uci_table
from bnml.scores import FNML, QNML, BDeu, BDq, Score
from bnml.scores.base import Shape, Terms
from bnml.search.search_result import uninterrupted_result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OPTIMA = "published/bene_expected_optimal_networks.csv"
GREEDY = "published/bn_greedy_bdeu1_networks.csv"

STEPS = (1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8)  # ten a decade
WHOLE = 150
SLIP = "fNML as in bene"
ALPHAS: dict[str, tuple[float | None, ...]] = {
    "fNML": (None,),
    "qNML": (None,),
    SLIP: (None,),
    "BDeu": (*range(1, WHOLE + 1), *(x for e in (2, 3) for s in STEPS if (x := round(s * 10**e)) > WHOLE), 10_000),
    "BDq": (*(round(s * 10**e, 6) for e in (-3, -2, -1) for s in STEPS), 1.0),
}
PART_SECONDS = 10.0
BENE_ROWS = 2000  # beyond, bene has the slip
SOLVED = ("iris", "liver", "ecoli")  # the tables whose highest scores were published, under these scores among others
SOLVED_SCORES = (("fNML", None), ("qNML", None), ("BDeu", 1.0), ("BDeu", 2.0), ("BDq", 1.0))
NOT_SEARCHED = ("wine", "heart_statlog", "adult")  # the tables of which no greedy search was published
BEST_OF_THREE, BDEU_HIGHER = 14, 1  # what the text of Table 1 says, of twenty tables


@dataclass(frozen=True)
class BeneFNML(FNML):
    """FNML as bene computes it: beyond 2,000 rows with the same parents' values each regret is 4.5 log π too large."""

    def terms(self, shape: Shape) -> Terms:
        """Add the regret of each parent configuration's part, with the slip."""
        right = super().terms(shape)
        slip = np.where(shape.counts > BENE_ROWS, 4.5 * math.log(math.pi), 0.0)
        return replace(right, margin={r: table + slip for r, table in (right.margin or {}).items()})


def _parts(folder: Path, repetitions: int) -> list[Part]:
    """Return for which scores and tables of data the highest is to be found, in blocks: small for large tables."""
    _read_optima(folder)
    _read_greedy(folder)
    found = []
    for name in TABLES:
        data = read_uci_table(folder, name)
        seconds = 0.003 + 2.0 ** len(data.names) * (1e-6 + 2.6e-9 * data.n_distinct)
        size = max(1, int(PART_SECONDS / seconds))
        for score, alphas in ALPHAS.items():
            for first, last in experiment_blocks(len(alphas), size):
                found.append(Part((name, score, first, last), seconds * (last - first)))
    return found


def _work(folder: Path, key: tuple[Any, ...], seed: int) -> list[Row]:
    """Return the highest scores of one table of data, for a block of scores, and how many arcs they take."""
    name, score, first, last = key
    data, rows = read_uci_table(folder, name), list[Row]()
    for alpha in ALPHAS[score][first:last]:
        found = uninterrupted_result(
            bnml.search.exact(data, _score(score, alpha), prior="uniform", threads=1, **ANY_FAMILY)
        )
        arcs = len(found.structure.arcs)
        rows.append({"data": name, "score": score, "alpha": alpha, "highest": found.score, "arcs": arcs})
    return rows


def _outcome(folder: Path, rows: Sequence[Row], repetitions: int) -> Outputs:
    """Find the hyperparameters with the highest scores on each table of data, compare with the paper, and draw."""
    curves = pd.DataFrame(rows)
    results = pd.DataFrame([_result(folder, str(name), own) for name, own in curves.groupby("data", sort=False)])
    comparison = pd.DataFrame([*_claims(results), *_optima(folder, curves), *_greedy(folder, results)])
    tables = {"results": results, "curves": curves, "comparison": comparison}
    findings = _findings(curves, results, comparison)
    return Outputs(tables, {"figure": _figure(curves, results)}, findings, _said(results, comparison))


def _said(results: pd.DataFrame, comparison: pd.DataFrame) -> list[Claim]:
    """Return the claims of Table 1, with a word on the slip of bene."""
    n, where = len(results), "fNML, section 6.2 and Table 1"
    best, slipped = (results[column] == "fNML" for column in ("best", "best_as_in_bene"))
    lead = (results["fNML"] - results["BDeu(alpha*)"]).abs().to_numpy()
    near = results.iloc[int(lead.argmin())]
    higher = results[results["BDeu(1)"] > results["fNML"]]
    optima = comparison[comparison["what"].str.startswith("highest")]
    good = int(optima["within"].sum())
    lost = ", ".join(results["data"][best & ~slipped]) or "none"
    narrow = f"the narrowest lead is {lead.min():.2f} nats, on {near['data']}"
    return [
        claim_of_fact(
            f"The score of fNML is the best of the three {BEST_OF_THREE} times out of 20.", where,
            int(best.sum()) == BEST_OF_THREE, f"{int(best.sum())} of {n}; {narrow}",
        ),
        claim_of_fact(
            f"The score of fNML is the best of the three {BEST_OF_THREE} times out of 20.", where,
            int(slipped.sum()) == BEST_OF_THREE, f"{int(slipped.sum())} of {n}; lost by the slip: {lost}",
        ).chosen(f"with the slip of bene, whose regret is too large beyond {BENE_ROWS:,} rows", again=True),
        claim_of_fact(
            "Only once BDeu(1) yields a higher score than fNML.", where, len(higher) == BDEU_HIGHER,
            f"{len(higher)} of {n}: {_named(higher)}",
        ),
        claim_of_fact(
            "The highest scores that bene finds are reproduced to the last digit.", "bene, its regression tests",
            good == len(optima), f"{good} of {len(optima)}", "0.0005, as three decimals are printed",
        ),
    ]  # fmt: skip


def _score(name: str, alpha: float | None) -> Score:
    if alpha is None:
        return {"fNML": FNML(), "qNML": QNML(), SLIP: BeneFNML()}[name]
    return BDeu(alpha) if name == "BDeu" else BDq(alpha)


def _result(folder: Path, name: str, own: pd.DataFrame) -> Row:
    """Return the line of a table: its size, the highest scores, and which of the three is best."""
    data = read_uci_table(folder, name)
    fnml, qnml, slip, bdeu, bdq = (own[own["score"] == score] for score in ALPHAS)
    one, best, quotient = bdeu.iloc[0], _highest(bdeu), _highest(bdq)
    three = {"fNML": fnml["highest"].iloc[0], "BDeu(1)": one["highest"], "BDeu(alpha*)": best["highest"]}
    return {
        "data": name,
        "N": data.n_rows,
        "m": len(data.names),
        "values": float(np.mean(data.arities)),
        "alpha*": best["alpha"],
        **three,
        "best": max(three, key=three.__getitem__),  # BDeu(1) comes before BDeu(alpha*) where they are the same
        SLIP: slip["highest"].iloc[0],
        "best_as_in_bene": max((slipped := three | {"fNML": slip["highest"].iloc[0]}), key=slipped.__getitem__),
        "qNML": qnml["highest"].iloc[0],
        "BDq_alpha*": quotient["alpha"],
        "BDq(alpha*)": quotient["highest"],
        "arcs_fNML": fnml["arcs"].iloc[0],
        "arcs_BDeu(1)": one["arcs"],
        "arcs_BDeu(alpha*)": best["arcs"],
        "arcs_qNML": qnml["arcs"].iloc[0],
        "arcs_BDq(alpha*)": quotient["arcs"],
    }


def _highest(curve: pd.DataFrame) -> pd.Series[Any]:
    """Return the row with the highest score, of equal ones the first."""
    return curve.sort_values("highest", ascending=False, kind="stable").iloc[0]


def _line(what: str, data: str, ours: float, published: float, within: bool) -> Row:
    difference = ours - published
    return {
        "what": what,
        "data": data,
        "ours": ours,
        "published": published,
        "difference": difference,
        "within": bool(within),
    }


def _claims(results: pd.DataFrame) -> Iterator[Row]:
    """Yield what the text says of Table 1."""
    best = int((results["best"] == "fNML").sum())
    higher = int((results["BDeu(1)"] > results["fNML"]).sum())
    yield _line("tables on which fNML is the best of the three", "all", best, BEST_OF_THREE, best == BEST_OF_THREE)
    yield _line("tables on which BDeu(1) is higher than fNML", "all", higher, BDEU_HIGHER, higher == BDEU_HIGHER)


def _optima(folder: Path, curves: pd.DataFrame) -> Iterator[Row]:
    """Yield the highest scores that the authors' own program found, printed with three decimals."""
    known = {
        (row["data"], row["score"], row["alpha"] if row["score"] in ("BDeu", "BDq") else None): row["highest"]
        for row in curves.to_dict("records")
    }
    for (name, score, alpha), published in _read_optima(folder).items():
        ours = known.get((name, score, alpha))
        if ours is not None:
            within = abs(ours - published) <= 0.0005 + 1e-9
            yield _line(f"highest {_label(score, alpha)}", name, ours, published, within)


def _greedy(folder: Path, results: pd.DataFrame) -> Iterator[Row]:
    """Yield BDeu(1) of structures that a greedy search found: no highest score may be lower."""
    known = dict(zip(results["data"], results["BDeu(1)"], strict=True))
    for name, published in _read_greedy(folder).items():
        if name in known:
            ours = known[name]
            yield _line("BDeu(1) of a greedy search", name, ours, published, ours >= published - 1e-6)


def _read_optima(folder: Path) -> dict[tuple[str, str, float | None], float]:
    """Return the published highest scores by table, score and hyperparameter; there are others than those here."""
    table = read_published_numbers(folder, OPTIMA, key=(), numbers=["published_score"], texts=["data", "criterion"])
    if "ess_or_alpha" not in table.columns:
        raise DataError(f"{OPTIMA!r} lacks the column 'ess_or_alpha'")
    found: dict[tuple[str, str, float | None], float] = {}
    alphas = pd.to_numeric(table["ess_or_alpha"], errors="coerce").astype(float)
    columns = (table["data"], table["criterion"], table["ess_or_alpha"], alphas, table["published_score"])
    for number, (name, score, text, alpha, published) in enumerate(zip(*columns, strict=True), start=2):
        given = not pd.isna(text)  # empty for scores that have none
        if given and not np.isfinite(alpha):
            raise DataError(f"{OPTIMA!r}, line {number}: column 'ess_or_alpha' holds {text!r}, not a number")
        key = (str(name), str(score), float(alpha) if given else None)
        if key in found:
            raise DataError(f"{OPTIMA!r}, line {number}: {_label(*key[1:])} of {name} comes twice")
        found[key] = float(published)
    wanted = [(name, *score) for name in SOLVED for score in SOLVED_SCORES]
    missing = [
        f"{_label(score, alpha)} of {name}" for name, score, alpha in wanted if (name, score, alpha) not in found
    ]
    if missing:
        raise DataError(f"{OPTIMA!r} lacks the highest {quoted(missing)}")
    return found


def _read_greedy(folder: Path) -> dict[str, float]:
    """Return BDeu(1) of the structures that a greedy search found, by table."""
    table = read_published_numbers(folder, GREEDY, key=["data"], numbers=["BDeu_ess1_recomputed"])
    found = {str(name): float(score) for name, score in zip(table["data"], table["BDeu_ess1_recomputed"], strict=True)}
    missing = [name for name in TABLES if name not in (*found, *NOT_SEARCHED)]
    if missing:
        raise DataError(f"{GREEDY!r} lacks {quoted(missing)}")
    return found


def _label(score: str, alpha: float | None) -> str:
    return score if alpha is None else f"{score}({alpha:g})"


def _findings(curves: pd.DataFrame, results: pd.DataFrame, comparison: pd.DataFrame) -> list[str]:
    """Return what the text of Table 1 says and what is so, what α does, and what else was published."""
    n = len(results)
    first = results[results["best"] == "fNML"]
    findings = [
        f"fNML is the best of the three on {len(first)} of {n} tables (published: {BEST_OF_THREE} of 20); "
        f"BDeu with the best alpha is on {_named(results[results['best'] != 'fNML'])}."
    ]
    near = results.assign(lead=results["fNML"] - results["BDeu(alpha*)"]).sort_values("lead", key=abs).head(3)
    findings += [
        f"  nearest: {row['data']}, {row['best']} leads by {abs(row['lead']):.2f} nats (alpha* = {row['alpha*']:g})"
        for row in near.to_dict("records")
    ]
    slipped = results[results["best_as_in_bene"] == "fNML"]
    findings.append(
        f"With the slip of bene, 5 log π for ½ log π in the regret beyond {BENE_ROWS:,} rows, it is on {len(slipped)}; "
        f"no longer on {_named(first[~first['data'].isin(slipped['data'])])}."
    )
    higher = results[results["BDeu(1)"] > results["fNML"]]
    findings.append(f"BDeu(1) is higher than fNML on {len(higher)} ({_named(higher)}; published: once).")
    alphas = results["alpha*"]
    single = sum(_single_peak(own["highest"]) for _, own in curves[curves["score"] == "BDeu"].groupby("data"))
    findings.append(
        f"The best alpha of BDeu lies between {alphas.min():g} and {alphas.max():g}; every whole one to {WHOLE} was "
        f"tried, and a grid from there to 10,000. The highest score rises to one peak and falls from there on in "
        f"{single} of {n} tables."
    )
    if (alphas > WHOLE / 2).any():
        far = results[alphas > WHOLE / 2]
        findings.append(f"  far out, where not every alpha was tried or few beyond the best: {_named(far)}")
    above = results[results["qNML"] > results["fNML"]]
    findings.append(
        f"The highest qNML is above the highest fNML on {len(above)} of {n} ({_named(above)}); qNML and BDq are not "
        f"probabilities of the data, so that is no contest."
    )
    low = results[results["BDq_alpha*"] == ALPHAS["BDq"][0]]
    several = n - sum(_single_peak(own["highest"]) for _, own in curves[curves["score"] == "BDq"].groupby("data"))
    findings.append(
        f"BDq has several peaks in {several} of {n} tables, and its highest score is that of the smallest alpha tried, "
        f"{ALPHAS['BDq'][0]:g}, in {len(low)} ({_named(low)})."
    )
    findings += [
        f"  {row['data']}: {row['arcs_BDq(alpha*)']} of {row['m'] * (row['m'] - 1) // 2} possible arcs there, "
        f"{row['arcs_qNML']} under qNML"
        for row in low.to_dict("records")
    ]
    single_scores = comparison[comparison["what"].str.startswith("highest")]
    good = int(single_scores["within"].sum())
    findings.append(f"{good} of {len(single_scores)} published highest scores are ours to the last digit.")
    findings += [
        f"  {row['what']} of {row['data']}: {row['ours']:.4f}, published {row['published']:.3f}"
        for row in single_scores[~single_scores["within"]].to_dict("records")
    ]
    greedy = comparison[comparison["what"] == "BDeu(1) of a greedy search"]
    same = int((greedy["difference"].abs() <= 1e-6).sum())
    findings.append(
        f"A published greedy search under BDeu(1) reached the highest score on {same} of {len(greedy)} tables, and was "
        f"above it on {int((~greedy['within']).sum())}."
    )
    return findings


def _single_peak(values: pd.Series[float]) -> bool:
    """Whether values, in this order, never rise again once they have fallen."""
    steps = np.sign(np.diff(values.to_numpy(float)))
    steps = steps[steps != 0]
    return bool((np.diff(steps) <= 0).all())


def _named(results: pd.DataFrame) -> str:
    return ", ".join(results["data"]) or "none"


def _figure(curves: pd.DataFrame, results: pd.DataFrame) -> Figure:
    """Draw the highest BDeu and BDq by α in a panel for each table, less the highest fNML."""
    columns = min(5, len(results))
    drawing, panels = charts.figure(-(-len(results) // columns), columns, width=2.6, height=2.0)
    for panel in panels[len(results) :]:
        panel.set_visible(False)
    for k, (panel, row) in enumerate(zip(panels, results.to_dict("records"), strict=False)):
        own, base = curves[curves["data"] == row["data"]], row["fNML"]
        level = row["qNML"] - base
        shown = [0.0, level, row["BDeu(1)"] - base, row["BDeu(alpha*)"] - base]
        top, room = row["BDq(alpha*)"] - base, 0.15
        if top <= max(shown) + 1.5 * (max(shown) - min(shown)):
            shown.append(top)
        else:  # all other curves would be flat
            room = 0.35
            style: dict[str, Any] = {"color": charts.COLOURS["BDq"], "fontsize": 7, "ha": "right", "va": "top"}
            panel.text(0.98, 0.98, f"BDq up to {top:+.0f}", transform=panel.transAxes, **style)
        panel.axhline(0.0, color=charts.COLOURS["fNML"], linewidth=1.2, label="fNML")
        panel.axhline(level, color=charts.COLOURS["qNML"], linewidth=1.2, linestyle=(0, (5, 2)), label="qNML")
        for score, alpha, best in (("BDeu", "alpha*", "BDeu(alpha*)"), ("BDq", "BDq_alpha*", "BDq(alpha*)")):
            curve = own[own["score"] == score]
            charts.line(panel, curve["alpha"], curve["highest"] - base, score, marker="", label="_")
            charts.line(panel, [row[alpha]], [row[best] - base], score, markersize=5)
        low, high = min(shown), max(shown)
        panel.set_ylim(low - 0.2 * (high - low), high + room * (high - low))
        panel.set_xscale("log")
        panel.set_xlim(8e-4, 1200)
        panel.set_title(f"{row['data'].replace('_', ' ')} (N = {row['N']:,})", fontsize=9)
        if k % columns == 0:
            panel.set_ylabel("nats above fNML", fontsize=8)
        if k + columns >= len(results):
            panel.set_xlabel("hyperparameter α", fontsize=8)
    charts.legend(drawing, panels[:1], published=False)
    return drawing


EXPERIMENT = Experiment("scores-on-data", _parts, _work, _outcome, files=TABLE_FILES, published=[OPTIMA, GREEDY])
