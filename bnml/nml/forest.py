"""The normalised maximum likelihood of forests: structures in which each variable has one parent at most.

    P_NML(D | forest) = P(D | forest, θ̂(D)) / C(forest, n),      C = Σ over all data sets D' of n rows of P(D' | θ̂(D')).

Minus its logarithm is the *stochastic complexity* of the data; the logarithm of C is the *parametric complexity* of the
forest, which is also its *minimax regret*: what the best code pays in the worst case for not knowing the parameters
beforehand (Wettig, Kontkanen & Myllymäki 2007, section 2). `bnml.nml.forest_sums` says how C is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnml._checks import refuse
from bnml._text import quoted
from bnml.errors import ArgumentError, ScoreError, argument
from bnml.nml.forest_plan import ForestForecast, check_plan, trees_of
from bnml.nml.forest_sums import ForestSums
from bnml.nml.regret import Whole, regret_argument

Parents = Sequence[int | None]
Integers = NDArray[np.int64]
Cells = Callable[[Sequence[int]], tuple[Integers, Integers]]  # codes of variables that occur together, and how often


@dataclass(frozen=True)
class ForestRows:
    """A forest, and how often the values of its variables occur together.

    ``parents``: the number of each variable's parent, None for none. ``arities``, ``n_rows``: the numbers of values and
    of rows. ``cells``: the codes of some variables that occur together, a row for each, in order, and their counts.
    """

    parents: Parents
    arities: Sequence[int]
    n_rows: int
    cells: Cells

    def table(self, variables: Sequence[int]) -> Integers:
        """Return how often each combination of values of some variables occurs, with an axis for each of them."""
        found = np.zeros([self.arities[x] for x in variables], np.int64)
        codes, counts = self.cells(variables)
        found[tuple(codes.T)] = counts
        return found


def parametric_complexity(
    forest: Any, arities: Sequence[int] | Mapping[str, int], n: Whole, *, memory_limit: int | str | None = None
) -> float:
    """Return log C of a forest for n observations.

    Parameters
    ----------
    forest
        A `bnml.DAG` in which each variable has one parent at most; or for each variable the number of its parent, None
        for none. Naive Bayes is the forest in which all have the same parent.
    arities
        The number of values of each variable, in the order of the forest; or by name.
    n : int
        Number of observations.
    memory_limit
        The most memory that may be used, in bytes or as a text such as ``"8GB"``; by default most that there is.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    ArgumentError
        If arguments do not go together.
    ScoreError
        If a variable has more than one parent, or it would take more than there is, see `complexity_forecast`.

    Notes
    -----
    Wettig, Kontkanen & Myllymäki (2007), with the multiplicities that eq. 28 leaves out. Naive Bayes takes n² steps at
    most, whatever the number of values; so does any tree of which one variable is the neighbour of all others.

    Examples
    --------
    >>> import math
    >>> from bnml.nml import parametric_complexity
    >>> round(math.exp(parametric_complexity([None, 0, 1], [2, 2, 2], 4)), 4)  # three binary variables in a row
    63.5358
    >>> round(parametric_complexity([None, 0, 0, 0, 0], [3, 2, 2, 2, 2], 1000), 4)  # naive Bayes with three classes
    42.9376
    """
    parents = _parents_of(forest)
    sizes = _arities_of(arities, getattr(forest, "names", None), len(parents))
    return log_normaliser(ForestSums(_rows(n)), parents, sizes, memory_limit)


def minimax_regret(
    forest: Any, arities: Sequence[int] | Mapping[str, int], n: Whole, *, memory_limit: int | str | None = None
) -> float:
    """Return the minimax regret of a forest: the least, in the worst case, of a code that does not know the parameters.

    It is the regret of NML, the same for all data, and so another name of `parametric_complexity`, which see.

    Examples
    --------
    >>> from bnml.nml import minimax_regret, regret
    >>> round(minimax_regret([None, None], [2, 3], 50) - regret(50, 2) - regret(50, 3), 9)
    0.0
    """
    return parametric_complexity(forest, arities, n, memory_limit=memory_limit)


def stochastic_complexity(
    forest: Any,
    data: Any,
    arities: Sequence[int] | Mapping[str, int] | None = None,
    *,
    memory_limit: int | str | None = None,
) -> float:
    """Return the stochastic complexity of data given a forest: -log P_NML, the length of the best code in nats.

    Parameters
    ----------
    forest
        As for `parametric_complexity`.
    data
        A `bnml.Data`; or an array of codes 0, 1, ..., a row per observation and a column per variable of the forest.
    arities
        The number of values of each variable; not needed for a `bnml.Data`.
    memory_limit
        As for `parametric_complexity`.

    Returns
    -------
    float
        Minus the score ``"nml"``.

    Raises
    ------
    ArgumentError
        If arguments do not go together.
    ScoreError
        If a variable has more than one parent, or it would take too much.

    Examples
    --------
    >>> import numpy
    >>> from bnml.nml import stochastic_complexity
    >>> rows = numpy.array([[0, 0], [0, 0], [1, 1], [1, 1]])
    >>> round(stochastic_complexity([None, 0], rows, [2, 2]), 4)
    5.3868
    >>> round(stochastic_complexity([None, None], rows, [2, 2]), 4)
    7.8832
    """
    rows = rows_of_forest(forest, data, arities)
    complexity = log_normaliser(ForestSums(_rows(rows.n_rows)), rows.parents, rows.arities, memory_limit)
    return complexity - forest_log_likelihood(rows)


def rows_of_forest(forest: Any, data: Any, arities: Sequence[int] | Mapping[str, int] | None) -> ForestRows:
    """Return a forest with what is counted of data for it, checked; see `stochastic_complexity`."""
    parents, names = _parents_of(forest), getattr(forest, "names", None)
    if all(hasattr(data, name) for name in ("states", "names", "arities", "n_rows")):
        columns = _columns_of(data, names, len(parents))
        sizes = [data.arities[column] for column in columns]
        return ForestRows(parents, sizes, data.n_rows, _of_table(data, columns))
    if arities is None:
        raise refuse("arities", None, "with an array of codes, say how many values each variable has")
    sizes = _arities_of(arities, names, len(parents))
    codes = _codes_of(data, sizes)
    return ForestRows(parents, sizes, len(codes), _of_codes(codes))


def complexity_forecast(
    forest: Any, arities: Sequence[int] | Mapping[str, int], n: Whole, *, memory_limit: int | str | None = None
) -> ForestForecast:
    """Return what the parametric complexity of a forest will take, without computing it.

    Parameters
    ----------
    forest, arities, n, memory_limit
        As for `parametric_complexity`.

    Returns
    -------
    ForestForecast
        Seconds, memory and number of weights; ``fits`` says whether it can be done.

    Examples
    --------
    >>> from bnml.nml import complexity_forecast
    >>> complexity_forecast([None, 0, 1, 2], [3, 3, 3, 3], 100).weights  # 884 sorted count vectors of either
    781456
    >>> complexity_forecast([None, 0, 1, 2], [9, 9, 9, 9], 1000).fits
    False
    """
    parents = _parents_of(forest)
    sizes = _arities_of(arities, getattr(forest, "names", None), len(parents))
    sums = ForestSums(_rows(n))
    return trees_of(sums, forest_links(parents), sizes).forecast(sums, memory_limit)


def log_normaliser(
    sums: ForestSums, parents: Parents, arities: Sequence[int], memory_limit: int | str | None = None
) -> float:
    """Return log C of a forest; what does not fit is refused before any work."""
    if sums.n == 0:
        return 0.0
    trees = trees_of(sums, forest_links(parents), arities)
    check_plan(trees.forecast(sums, memory_limit))
    return trees.total(sums)


def forest_links(parents: Parents) -> list[list[int]]:
    """Return the neighbours of each variable.

    Raises
    ------
    ArgumentError
        If a parent is no variable, or parents go round in a circle.
    """
    size = len(parents)
    links: list[list[int]] = [[] for _ in parents]
    for child, above in enumerate(parents):
        if above is None:
            continue
        if not 0 <= above < size:
            raise ArgumentError(
                f"variable {child} has the parent {above}",
                argument="forest",
                hint=f"allowed are 0 to {size - 1}, and None",
            )
        links[child].append(above)
        links[above].append(child)
    reached = [x for x, above in enumerate(parents) if above is None]
    for x in reached:
        reached += [y for y in links[x] if parents[y] == x]
    if len(reached) < size:
        raise ArgumentError(
            f"the parents of {quoted(sorted(set(range(size)) - set(reached)))} close a cycle", argument="forest"
        )
    return links


def _parents_of(forest: Any) -> list[int | None]:
    """Return the number of each variable's parent, None for none."""
    sets = getattr(forest, "parent_sets", None)
    if sets is not None:
        for name, above in zip(forest.names, sets, strict=True):
            check_forest_parents(name, len(above))
        return [above[0] if above else None for above in sets]
    if isinstance(forest, str) or not isinstance(forest, Sequence):
        raise refuse("forest", forest, "expected a bnml.DAG, or a list with the number of each one's parent")
    return [None if above is None else regret_argument("forest", above, 0) for above in forest]


def check_forest_parents(name: str, number: int) -> None:
    """Refuse what is no forest: a variable with several parents, of which log C is not known."""
    if number > 1:
        raise ScoreError(
            f"{name!r} has {number} parents; the exact NML is known for forests, in which each variable has one "
            "parent at most, and for components in which all variables are linked",
            argument="score",
            value="nml",
            hint="qnml comes nearest",
        )


def _rows(n: Whole) -> int:
    return regret_argument("n", n, 0, 10**8)


def _arities_of(arities: Any, names: Sequence[str] | None, size: int) -> list[int]:
    """Return the numbers of values in the order of the forest."""
    if isinstance(arities, Mapping):
        missing = [name for name in names or () if name not in arities]
        if names is None or missing:
            what = f"nothing is said of {quoted(missing)}" if missing else "the forest has no names"
            raise ArgumentError(what, argument="arities", hint="give the number of values of each variable")
        arities = [arities[name] for name in names]
    if isinstance(arities, str) or not isinstance(arities, Iterable):
        raise refuse("arities", arities, "expected the number of values of each variable")
    sizes = [regret_argument("arities", r, 1, 10**15) for r in arities]
    if len(sizes) != size:
        raise ArgumentError(f"{len(sizes)} numbers of values for {size} variables", argument="arities")
    return sizes


def _columns_of(data: Any, names: Sequence[str] | None, size: int) -> list[int]:
    """Return the columns of a table in the order of the forest's names."""
    wanted = list(data.names) if names is None else list(names)
    if len(wanted) != size or set(wanted) != set(data.names):
        raise ArgumentError("forest and data must have the same variables")
    return [data.names.index(name) for name in wanted]


def _codes_of(data: ArrayLike, arities: Sequence[int]) -> Integers:
    codes = np.asarray(data)
    if codes.ndim != 2 or codes.shape[1] != len(arities) or codes.dtype.kind not in "iu":
        raise ArgumentError(f"expected an array of whole numbers with {len(arities)} columns", argument="data")
    if codes.size and (codes.min() < 0 or (codes.max(axis=0) >= np.array(arities)).any()):
        raise ArgumentError("a code is not among 0, 1, ..., number of values - 1", argument="data")
    return codes.astype(np.int64)


def _of_table(data: Any, columns: Sequence[int]) -> Cells:
    """Return the counts of a table's cells."""
    from bnml.counts import counts_of

    counts = counts_of(data)
    if counts.for_child(columns[0]) is not counts:
        raise ScoreError(
            argument("score", "nml") + " counts all rows together, but variables were set in some of them",
            hint="take qnml, which counts each variable in the rows in which it was not set",
        )

    def cells(variables: Sequence[int]) -> tuple[Integers, Integers]:
        found = counts.cells([columns[v] for v in variables])
        order = np.lexsort(found.states[::-1])
        return found.states.T[order].astype(np.int64), found.counts[order]

    return cells


def _of_codes(codes: Integers) -> Cells:
    """Return the counts of the cells of rows of codes."""
    return lambda variables: np.unique(codes[:, list(variables)], axis=0, return_counts=True)


def forest_log_likelihood(rows: ForestRows) -> float:
    """Return the maximised log-likelihood: Σ n_ijk log(n_ijk / n_ij)."""
    total, n_rows = 0.0, rows.n_rows
    for child, above in enumerate(rows.parents):
        if above is None:
            total += _n_log_n(rows, [child]) - (n_rows * np.log(n_rows) if n_rows else 0.0)
        else:
            total += _n_log_n(rows, [above, child]) - _n_log_n(rows, [above])
    return float(total)


def _n_log_n(rows: ForestRows, variables: Sequence[int]) -> float:
    counts = rows.cells(variables)[1]
    return float((counts * np.log(counts)).sum())
