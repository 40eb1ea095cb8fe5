"""One test of independence: two variables, given others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bnml._checks import significance_level
from bnml.counts import Questions, chi_square_statistic
from bnml.data import as_data
from bnml.data.targets import rows_setting_nothing
from bnml.errors import ArgumentError
from bnml.independence.oracles import DataJudge
from bnml.independence.sparse import smallest_sparse_p_value, sparse_p_value
from bnml.independence.tests import X2, Criterion, parse_test


class Outcome(NamedTuple):
    """The result of a test: the verdict, the statistic it rests on, and what else the test has.

    ``statistic`` is G² or X²; for a threshold on the gain, the information gain in bits; for a score, its improvement
    in nats. ``unit`` is ``"bits"``, ``"nats"`` or empty. Degrees of freedom and p-value are NaN for tests without them.
    ``sparse`` tells that there are too few rows per cell for the χ² distribution, and that the p-value comes from
    random tables. Where gaps leave no rows to test (``missing="em"``), nothing is found: ``independent`` is False, and
    the p-value is not a number.
    """

    independent: bool
    statistic: float
    degrees_of_freedom: float
    p_value: float
    log_p: float
    sparse: bool = False
    unit: str = ""


def independence_test(
    data: Any, a: str, b: str, given: str | tuple[str, ...] = (), *, test: str | Criterion = "g2", alpha: float = 0.05
) -> Outcome:
    """Test whether two variables are independent given others.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    a, b
        The two variables.
    given
        The variables that are known; a single name stands for itself.
    test
        As for `bnml.pc`; see `bnml.independence.tests`.
    alpha
        The significance level.

    Returns
    -------
    Outcome
        ``independent``, ``statistic``, ``degrees_of_freedom``, ``p_value``, ``log_p``, ``sparse`` and ``unit``.

    Raises
    ------
    BnmlError
        If a variable is unknown or stands in two places, or another argument is wrong.

    Examples
    --------
    >>> import bnml
    >>> outcome = bnml.independence.independence_test(bnml.example(), "smoke", "dysp", "bronc")
    >>> outcome.independent, round(outcome.statistic, 3), outcome.degrees_of_freedom
    (False, 13.078, 2.0)
    >>> outcome = bnml.independence.independence_test(bnml.example(), "smoke", "dysp", "bronc", test="gain:0.01")
    >>> outcome.independent, round(outcome.statistic, 4), outcome.unit, outcome.p_value
    (True, 0.0019, 'bits', nan)
    """
    level, criterion, table = significance_level(alpha), parse_test(test), rows_setting_nothing(as_data(data))
    x, y, known = table.index(a), table.index(b), table.indices(given)
    if len({x, y, *known}) < 2 + len(known):
        raise ArgumentError("independence_test: the variables a, b and given must differ")
    (x, y), known = sorted((x, y)), tuple(sorted(known))
    judge = DataJudge(table, table.names, criterion, level)
    sets = np.array([known], np.int64).reshape(1, len(known))
    question = Questions(np.array([x]), np.array([y]), np.array([0, 1]), sets)
    if not judge.sparse(question)[0]:
        answers = judge.decide(question)
        statistic, freedom, log_p = answers.results[0].tolist()
        return Outcome(
            bool(answers.independent[0]), statistic, freedom, float(np.exp(log_p)), log_p, unit=criterion.unit
        )
    pearson = isinstance(criterion, X2)
    statistic, freedom = chi_square_statistic(judge.counts.cells(sorted((x, y, *known))), x, y, known, pearson=pearson)
    if judge.lacks_rows(x, y, known):
        return Outcome(False, np.nan, freedom, np.nan, np.nan, sparse=True)
    p = sparse_p_value(judge.counts, x, y, known, pearson=pearson) if freedom else 1.0
    independent = p > max(level, smallest_sparse_p_value(int(judge.rows(question)[0])))
    return Outcome(independent, statistic, freedom, p, float(np.log(p)), sparse=True)
