"""Dependences: how strongly each pair of variables depends on each other, and whether that can be chance.

Of n(n - 1)/2 pairs some look dependent by chance: with 37 variables and a level of 0.05 about 33 of 666. Benjamini and
Hochberg's (1995) adjustment answers that: take the pairs whose adjusted p-value is at most 0.05, and of those at most a
share of 0.05 is expected to be false.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from bnml._arrays import Ints
from bnml._checks import a_variable, refuse, significance_level
from bnml._text import did_you_mean
from bnml.counts import Questions
from bnml.data import Data, as_data
from bnml.data.targets import rows_setting_nothing
from bnml.errors import ArgumentError, argument
from bnml.independence.oracles import DataJudge
from bnml.independence.p_values import log_adjusted_p_values
from bnml.independence.tests import G2, X2, Criterion, Gain, Scored, parse_test

if TYPE_CHECKING:
    import pandas as pd

ADJUSTMENTS = ("bh",)


def dependences(
    data: Any,
    *,
    test: str | Criterion = "g2",
    adjust: str | None = None,
    target: str | None = None,
    threads: int | None = None,
) -> pd.DataFrame:
    """Return how strongly each pair of variables depends on each other.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    test
        Which test the p-value is of: ``"g2"``, ``"x2"``, ``"g2-permutation"`` or ``"x2-permutation"``.
    adjust
        ``"bh"`` adds the column ``adjusted_p_value``, after Benjamini and Hochberg.
    target
        Only pairs with this variable.
    threads
        How many threads may count; all cores by default.

    Returns
    -------
    DataFrame
        A row for each pair, in the order of the columns: ``a b mutual_information`` (nats) ``g2 degrees_of_freedom
        p_value log_p sparse``, and ``x2`` where that is tested. ``log_p`` is right where the p-value is too small for a
        float. ``sparse`` pairs have fewer than five rows per cell: their p-values come from random tables, and are at
        least 0.0005 (see `bnml.independence.sparse`). Of data with gaps (``missing="em"``) ``rows`` are those in which
        both are observed; a pair that these cannot test has p-values that are not numbers.

    Notes
    -----
    G² = 2 N I(A; B), N being the number of rows in which both are observed. The degrees of freedom are (r - 1)(s - 1),
    r and s being the numbers of states that occur.

    Examples
    --------
    >>> import bnml
    >>> table = bnml.dependences(bnml.example(), adjust="bh")
    >>> table.nlargest(2, "g2")[["a", "b", "mutual_information", "g2"]].round(3)
            a       b  mutual_information        g2
    24  bronc    dysp               0.238  2383.624
    19   lung  either               0.193  1930.831
    """
    criterion = check_dependences(test, adjust)
    table = rows_setting_nothing(as_data(data))
    at = None if target is None else a_variable(target, "target", table.names)
    every = combinations(range(len(table.names)), 2)
    pairs = np.array([pair for pair in every if at is None or at in pair], np.int64).reshape(-1, 2)
    return _frame(table, pairs, criterion, adjust, threads)


def select_features(
    data: Any,
    target: str,
    alpha: float = 0.05,
    *,
    test: str | Criterion = "g2",
    adjust: str | None = "bh",
    threads: int | None = None,
) -> list[str]:
    """Return the variables with a significant dependence on a target, strongest first.

    Whoever learns from the selected columns alone has still searched all of them, and the structure prior must count
    all: `bnml.study` does (``select=``); with `bnml.learn` pass ``prior=bnml.priors.Sparse(variables=…)``.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    target
        The variable of interest.
    alpha
        The level: of the share of false ones with ``adjust="bh"``, of each test with None.
    test, adjust, threads
        As for `dependences`.

    Returns
    -------
    list of str
        Names, by p-value.

    Examples
    --------
    >>> import bnml
    >>> bnml.select_features(bnml.example(), "lung", alpha=0.001)
    ['either', 'xray', 'smoke', 'dysp', 'bronc']
    """
    level = significance_level(alpha)
    check_dependences(test, adjust)
    table = rows_setting_nothing(as_data(data))
    a_variable(target, "target", table.names)
    frame = dependences(table, test=test, adjust=adjust, target=target, threads=threads)
    column = "p_value" if adjust is None else "adjusted_p_value"
    names = np.where(frame["a"] == target, frame["b"], frame["a"])
    order = np.lexsort((names.astype(str), -frame["g2"].to_numpy(), frame["log_p"].to_numpy()))
    return [str(names[i]) for i in order if frame[column].iloc[i] <= level]


def _frame(data: Data, pairs: Ints, test: Criterion, adjust: str | None, threads: int | None) -> pd.DataFrame:
    import pandas as pd

    batch = Questions(
        pairs[:, 0].copy(), pairs[:, 1].copy(), np.arange(len(pairs) + 1), np.zeros((len(pairs), 0), np.int64)
    )
    first = DataJudge(data, data.names, G2(0), 0.5, threads)
    results = first.decide(batch).results
    names = np.array(data.names, object)
    columns: dict[str, Any] = {
        "a": names[pairs[:, 0]],
        "b": names[pairs[:, 1]],
        "mutual_information": results[:, 0] / np.maximum(2 * first.rows(batch), 1.0),
        "g2": results[:, 0],
    }
    if data.has_gaps:
        columns["rows"] = first.rows(batch).astype(np.int64)
    judge = DataJudge(data, data.names, test, 0.5, threads)
    sparse = judge.sparse(batch)
    log_p = results[:, 2]
    if not isinstance(test, G2) or sparse.any():
        own = judge.decide(batch).results
        columns |= {"x2": own[:, 0]} if isinstance(test, X2) or getattr(test, "statistic", "") == "x2" else {}
        log_p = own[:, 2]
    columns |= {"degrees_of_freedom": results[:, 1].astype(np.int64), "p_value": np.exp(log_p), "log_p": log_p}
    columns["sparse"] = sparse
    if adjust is not None:
        columns["adjusted_p_value"] = np.exp(log_adjusted_p_values(log_p))
    return pd.DataFrame(columns)


def check_dependences(test: Any, adjust: Any) -> Criterion:
    """Return the test; refuse one without p-values, and an unknown adjustment."""
    criterion = parse_test(test)
    if isinstance(criterion, Gain | Scored):
        raise ArgumentError(
            argument("test", test) + " gives no p-values", hint="take g2, x2, g2-permutation or x2-permutation"
        )
    if adjust is not None and adjust not in ADJUSTMENTS:
        raise refuse("adjust", adjust, f"expected 'bh', or None.{did_you_mean(adjust, ADJUSTMENTS)}")
    return criterion
