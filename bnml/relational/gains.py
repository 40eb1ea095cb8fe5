"""The Hartley information gains of all pairs of attributes."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from bnml.relational.hartley import hartley_gain_within
from bnml.relational.relation import Relation, relation_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Pair", "all_pairs", "gains", "in_order_of_gains"]

Pair = tuple[str, str, int, float, float, float]

DIGITS = 12  # numbers that agree to so many digits are ties


def gains(data: Any, *, possibility: str | None = None) -> pd.DataFrame:
    """Return how strongly each two attributes depend on each other, the strongest first.

    Parameters
    ----------
    data, possibility
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
    pairs = in_order_of_gains((-pair[5], pair) for pair in all_pairs(relation))
    frame = pd.DataFrame(pairs, columns=["a", "b", "possible", "occurring", "relative", "gain"])
    kinds = {"possible": "int64", "occurring": "float64" if relation.graded else "int64", "relative": "float64"}
    return frame.astype({**kinds, "gain": "float64"})


def all_pairs(relation: Relation) -> list[Pair]:
    """Return for each pair of attributes its row of the table of gains, in order of the columns."""
    everything = relation.groups([])
    singles = [relation.first([i]) for i in range(len(relation.names))]
    pairs = []
    for i, j in combinations(range(len(relation.names)), 2):
        both = relation.first([i, j])
        gain = hartley_gain_within(everything, singles[i], singles[j], both, relation.degrees)
        possible = relation.arities[i] * relation.arities[j]
        occurring = float(relation.degrees[both].sum())
        pairs.append((relation.names[i], relation.names[j], possible, occurring, occurring / possible, gain))
    return pairs


def in_order_of_gains(keyed: Any) -> list[Any]:
    """Return pairs in rising order of their keys; ties in order of the names that the pairs begin with."""
    return [pair for _, pair in sorted(keyed, key=lambda item: (round(item[0], DIGITS), sorted(item[1][:2])))]
