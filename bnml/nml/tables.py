"""Regrets of all sample sizes at once, to be looked up by counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from bnml._arrays import Floats
from bnml.nml.approximations import CLOSED_FORMS
from bnml.nml.regret import Whole, check_regret_method, exact_sum_cost, regret_argument, regrets_by_sum

LARGEST_TABLE = 10**9  # 8 GB
LARGEST_ARITY = 10**15
STEPS_PER_CALL = 10**8  # a kernel call lasts about 0.1 s
LOG_STEPS = 40  # a logarithm costs as much as so many steps
ROWS_PER_CALL = 10**6
STEP_COST = 0.15  # one step of the recurrence in a block of sample sizes, in terms of the sum


def regret_table(n_max: Whole, r: Whole, method: str = "exact") -> Floats:
    """Return a table of reg(n, r) for n = 0, 1, ..., n_max.

    Parameters
    ----------
    n_max : int
        Largest number of observations, 0 to 10^9.
    r : int
        Number of values, 1 to 10^15.
    method : {"exact", "szpankowski", "szpankowski-weinberger"}
        As in `bnml.nml.regret`.

    Returns
    -------
    ndarray
        ``table[n]`` is reg(n, r), a natural logarithm.

    Raises
    ------
    ArgumentError
        If an argument is no whole number or out of range, or the method is unknown.

    Notes
    -----
    C(n, r+2) = C(n, r+1) + (n/r) C(n, r) (Silander et al. 2008, eq. 13), for all n side by side: n_max + 1
    operations for each step of r. Where n is far below r, the sum of `bnml.nml.regret` is shorter.

    Examples
    --------
    >>> from bnml.nml import regret_table
    >>> regret_table(4, 2).round(4)
    array([0.    , 0.6931, 0.9163, 1.0609, 1.169 ])
    """
    r = regret_argument("r", r, 1, LARGEST_ARITY)
    return regret_tables(n_max, [r], method)[r]


def regret_tables(n_max: Whole, arities: Iterable[Whole], method: str = "exact") -> dict[int, Floats]:
    """Return the tables of several numbers of values, built in one pass over r.

    Parameters
    ----------
    n_max : int
        Largest number of observations, 0 to 10^9.
    arities : iterable of int
        Numbers of values, 1 to 10^15 each; repetitions do not matter.
    method : {"exact", "szpankowski", "szpankowski-weinberger"}
        As in `bnml.nml.regret`.

    Returns
    -------
    dict of int to ndarray
        ``tables[r][n]`` is reg(n, r), a natural logarithm; keys ascending.

    Raises
    ------
    ArgumentError
        If an argument is no whole number or out of range, or the method is unknown.

    Examples
    --------
    >>> from bnml.nml import regret_tables
    >>> tables = regret_tables(1000, [2, 3])
    >>> float(tables[3][1000].round(6))
    6.947268
    """
    n_max = regret_argument("n_max", n_max, 0, LARGEST_TABLE)
    rs = sorted({regret_argument("arities", r, 1, LARGEST_ARITY) for r in arities})
    check_regret_method(method)
    tables = {r: np.zeros(n_max + 1) for r in rs}
    wanted = [r for r in rs if r > 1]
    if method == "exact" and wanted:
        _fill_exact(tables, n_max + 1, wanted)
    elif wanted:
        for part in _parts(0, n_max + 1, ROWS_PER_CALL):
            for r in wanted:
                tables[r][part] = CLOSED_FORMS[method](np.arange(part.start, part.stop), r)
    return tables


def _fill_exact(tables: dict[int, Floats], size: int, wanted: list[int]) -> None:
    """Fill octave after octave of sample sizes; in each, every arity goes by the recurrence or by the sum."""
    from bnml.nml._kernels import recurrence_table

    first, end = 1, 64  # reg(0, r) = 0 stands already
    while first < size:
        costs = exact_sum_cost(float(end), np.array(wanted, dtype=np.float64))
        climbing = [r for r, cost in zip(wanted, costs, strict=True) if STEP_COST * r <= cost]
        rows = STEPS_PER_CALL // (max(climbing, default=0) + LOG_STEPS * len(wanted))
        for part in _parts(first, min(end, size), min(rows, ROWS_PER_CALL)):
            values = np.empty((len(climbing), part.stop - part.start))
            recurrence_table(part.start, np.array(climbing, dtype=np.int64), values)
            for r, row in zip(climbing, values, strict=True):
                tables[r][part] = row
            ns = np.arange(part.start, part.stop, dtype=np.float64)
            for r in wanted[len(climbing) :]:
                tables[r][part] = regrets_by_sum(ns, np.full(ns.shape, float(r)))
        first, end = end, 2 * end


def _parts(first: int, end: int, rows: int) -> Iterator[slice]:
    """Cut first, ..., end - 1 into slices of so many rows, at least one."""
    rows = max(rows, 1)
    return (slice(start, min(start + rows, end)) for start in range(first, end, rows))
