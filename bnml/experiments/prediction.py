"""How well learned networks predict new rows, and how many parameters they have (qNML paper, section 4.2, appendix E).

Twenty tables from UCI, each in many random orders of its rows. The first 10 %, 20 %, …, 90 % of the rows are there to
learn from, the others to predict. Each score chooses its best structure of all; the parameters are Bayesian predictive
for BDeu and sequential NML for the others. Scores are ranked by the mean log-probability of a row to predict.

The paper leaves open, and the published numbers tell: the training parts are whole folds of ten, the first of which are
one row larger where ten does not divide the number of rows; scores that predict equally well share the mean of their
ranks; the spread of a column of ranks is divided by 20, not 19.

The published curves of fNML leave ours on large tables. The likely reason is that BENE, the authors' program, has (in
``src/reg.c``) 5 log π for ½ log π in the regret of more than 2,000 rows, so that structures split rows that share their
parents' values further than they should. With that regret, abalone, shuttle and adult come near the published curves.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

import bnml
from bnml.experiments.experiment import Experiment, Outcome, Part, Row, blocks, generator
from bnml.experiments.prediction_figures import curves, one_table, rank_picture
from bnml.experiments.prediction_tables import PUBLISHED, claims, compared, rank_table, summarise
from bnml.experiments.tables import SUMMARY, TABLE_FILES, TABLES, read_table

__all__ = ["EXPERIMENT", "divide", "training_sizes"]

NAME = "prediction"
METHODS = {"BDeu": ("bdeu", "bpp"), "BIC": ("bic", "snml"), "fNML": ("fnml", "snml"), "qNML": ("qnml", "snml")}
FOLDS = 10
LONGEST = 10.0  # seconds that a part may take, about
MOST = 10  # permutations of a part


def training_sizes(n_rows: int) -> list[int]:
    """Return how many rows the first fold has, the first two, and so on: as equal as can be, the larger ones first."""
    folds = [n_rows // FOLDS + (k < n_rows % FOLDS) for k in range(FOLDS)]
    return list(accumulate(folds))[:-1]


def parts(folder: Path, repetitions: int) -> list[Part]:
    """Cut the work by tables and blocks of permutations."""
    sizes = pd.read_csv(folder / SUMMARY).set_index("data")
    cut = []
    for name in TABLES:
        subsets, rows = 2.0 ** sizes["variables"][name], sizes["distinct_rows"][name]
        seconds = 9 * (0.008 + subsets * (2e-6 + 4.5e-9 * rows))  # of one permutation, as measured
        block = min(MOST, max(1, int(LONGEST / seconds)))
        cut += [Part((name, *ends), seconds * (ends[1] - ends[0])) for ends in blocks(repetitions, block)]
    return cut


def work(folder: Path, key: tuple[Any, ...], seed: int) -> list[Row]:
    """Learn from parts of one table and predict the rest, for some permutations of its rows."""
    name, first, stop = key
    data = read_table(folder, name)
    rows: list[Row] = []
    for permutation in range(first, stop):
        order = generator(seed, NAME, name, permutation).permutation(data.n_rows)
        for k, size in enumerate(training_sizes(data.n_rows)):
            training, test = divide(data, order, size)
            for score, (search, estimator) in METHODS.items():
                dag = bnml.search.exact(training, search, threads=1).dag
                network = bnml.fit(dag, training, estimator)
                rows.append(
                    {
                        "data": name,
                        "permutation": permutation,
                        "percent": 100 * (k + 1) // FOLDS,
                        "rows": size,
                        "score": score,
                        "logprob": float(network.log_prob(test) @ test.weights) / test.n_rows,
                        "parents": len(dag.arcs) / len(dag.names),
                        "parameters": network.n_parameters,
                    }
                )
    return rows


def divide(data: bnml.Data, order: npt.NDArray[Any], size: int) -> tuple[bnml.Data, bnml.Data]:
    """Return the first rows in an order, and the others.

    Both keep their distinct rows with weights: the rows of the second stand for as many rows as they weigh.
    """
    if data.row_index is None:
        raise bnml.errors.DataError("the table holds only frequencies, not its rows one by one")
    taken = np.bincount(data.row_index[order[:size]], minlength=data.n_distinct)
    return _weighted(data, taken), _weighted(data, data.weights - taken)


def _weighted(data: bnml.Data, weights: npt.NDArray[np.int64]) -> bnml.Data:
    """Return the table with other weights, without the rows that weigh nothing."""
    kept = np.flatnonzero(weights)
    codes = data.columns[:, kept].T
    return bnml.Data(data.names, data.states, codes, weights[kept], np.arange(kept.size), data.cuts)


def outcome(folder: Path, rows: Sequence[Row], repetitions: int) -> Outcome:
    """Compare with Tables 2 and 3 and the curves of the appendix, and draw them."""
    table = pd.DataFrame(rows)
    sizes = pd.read_csv(folder / SUMMARY).set_index("data")
    results = summarise(table, sizes)
    ranks = rank_table(folder, table)
    comparison = compared(folder, results, ranks)
    figures = {
        "figure": one_table("breast_cancer", comparison),
        "ranks": rank_picture(ranks),
        "logprob": curves(results, comparison, sizes, "logprob"),
        "parameters": curves(results, comparison, sizes, "parameters"),
    }
    return Outcome({"results": results, "ranks": ranks, "comparison": comparison}, figures, claims(ranks, comparison))


EXPERIMENT = Experiment(
    NAME,
    parts,
    work,
    outcome,
    repetitions=20,
    files=[SUMMARY, *PUBLISHED, *TABLE_FILES],
)
