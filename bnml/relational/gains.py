"""The Hartley information gains of all pairs of attributes, and of one pair for each value of others."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import TYPE_CHECKING, Any

from bnml._checks import refuse
from bnml.relational.hartley import check_measure, hartley_gain_within, hartley_gains_given
from bnml.relational.relation import Relation, places_of, relation_of

if TYPE_CHECKING:
    import pandas as pd

Pair = tuple[str, str, int, float, float, float]


def gains(data: Any, *, possibility: str | None = None, measure: str = "nonspecificity") -> pd.DataFrame:
    """Return how strongly each two attributes depend on each other, the strongest first.

    Parameters
    ----------
    data, possibility, measure
        As for `bnml.relational.hartley_information`.

    Returns
    -------
    pandas.DataFrame
        A row for each pair: its attributes ``a`` and ``b``, how many combinations of their values are ``possible``, how
        many of these are ``occurring`` (with degrees, their sum), the ``relative`` number, and the ``gain`` in bits.
        Ties stand in order of the names.

    Raises
    ------
    BnmlError
        If the table cannot be read.

    Notes
    -----
    Lecture 003, part 1, method 2. Values that are declared as states are possible, whether they occur or not.

    Examples
    --------
    >>> import bnml, pandas
    >>> shapes = pandas.DataFrame({"shape": ["ball", "ball", "box", "box"], "size": ["S", "M", "M", "L"]})
    >>> bnml.relational.gains(shapes).round(3)
           a     b  possible  occurring  relative   gain
    0  shape  size         6          4     0.667  0.585
    """
    import pandas as pd

    relation = relation_of(data, possibility, "bnml.relational.gains")
    check_measure(measure, relation)
    pairs = in_order_of_gains((-pair[5], pair) for pair in all_pairs(relation, measure))
    frame = pd.DataFrame(pairs, columns=["a", "b", "possible", "occurring", "relative", "gain"])
    kinds = {"possible": "int64", "occurring": "float64" if relation.graded else "int64", "relative": "float64"}
    return frame.astype({**kinds, "gain": "float64"})


def gains_given(
    data: Any,
    a: str,
    b: str,
    given: str | Iterable[str],
    *,
    possibility: str | None = None,
    measure: str = "nonspecificity",
) -> pd.DataFrame:
    """Return the gain of two attributes for each combination of others that occurs.

    Parameters
    ----------
    data, possibility, measure
        As for `bnml.relational.hartley_information`.
    a, b
        Names of two columns.
    given
        Names of the others, at least one.

    Returns
    -------
    pandas.DataFrame
        A row for each combination, in order: the values of the others, how many values of ``a``, of ``b`` and how many
        ``pairs`` occur with it (with degrees, their sums), and the ``gain`` in bits. The mean of the gains is what
        `bnml.relational.hartley_gain` returns, but for degrees, where each combination counts here relative to what is
        most possible in it.

    Raises
    ------
    BnmlError
        Where `bnml.relational.hartley_gain` does, or if nothing is given.

    Notes
    -----
    Lecture 003, part 1, method 3: the tables of its example.

    Examples
    --------
    >>> import bnml, pandas
    >>> sums = pandas.DataFrame({"x": [0, 0, 1, 1, 1], "y": [0, 1, 0, 1, 1], "sum": [0, 1, 1, 0, 1]})
    >>> bnml.relational.gains_given(sums, "x", "y", "sum").round(3)
       sum  a  b  pairs   gain
    0    0  2  2      2  1.000
    1    1  2  2      3  0.415
    """
    import pandas as pd

    relation = relation_of(data, possibility, "bnml.relational.gains_given")
    check_measure(measure, relation)
    others = (given,) if isinstance(given, str) else given
    if not isinstance(others, Iterable):
        raise refuse("given", given, "expected names of columns")
    names = list(others)
    if not names:
        raise refuse("given", given, "expected names of columns, at least one")
    first, second, *known = places_of(relation, [a, b, *names])
    rows = hartley_gains_given(relation, first, second, known, measure)
    states = [relation.states[i] for i in known]
    values = [[labels[v] for labels, v in zip(states, row.values_given, strict=True)] for row in rows]
    sums = pd.DataFrame([row[1:] for row in rows], columns=["a", "b", "pairs", "gain"])
    if not relation.graded:
        sums = sums.astype({"a": "int64", "b": "int64", "pairs": "int64"})
    return pd.concat([pd.DataFrame(values, columns=names), sums], axis=1)


def all_pairs(relation: Relation, measure: str) -> list[Pair]:
    """Return for each pair of attributes its row of the table of gains, in order of the columns."""
    everything = relation.groups([])
    singles = [relation.first([i]) for i in range(len(relation.names))]
    pairs = []
    for i, j in combinations(range(len(relation.names)), 2):
        both = relation.first([i, j])
        gain = hartley_gain_within(everything, singles[i], singles[j], both, relation.degrees, measure)
        possible = relation.arities[i] * relation.arities[j]
        occurring = float(relation.degrees[both].sum())
        pairs.append((relation.names[i], relation.names[j], possible, occurring, occurring / possible, gain))
    return pairs


def in_order_of_gains(keyed: Any) -> list[Any]:
    """Return pairs in rising order of their keys; ties in order of the names that the pairs begin with."""
    # numbers that agree to 12 digits are ties
    return [pair for _, pair in sorted(keyed, key=lambda item: (round(item[0], 12), sorted(item[1][:2])))]
