"""Hartley information: how many bits it takes to name one of the values that are possible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats
from bnml._checks import one_of, refuse
from bnml.errors import ArgumentError
from bnml.relational.relation import Index, Relation, places_of, relation_of

MEASURES = ("nonspecificity", "lecture")

Flags = npt.NDArray[np.bool_]


def hartley_information(
    data: Any, *attributes: str, possibility: str | None = None, measure: str = "nonspecificity"
) -> float:
    """Return the Hartley information of some attributes together, in bits.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    *attributes
        Names of columns, at least one.
    possibility
        A column of degrees from 0 to 1, which then is no attribute; all tuples are fully possible without.
    measure
        What it is with degrees: ``"nonspecificity"``, or ``"lecture"``, log2 of their sum; the same without.

    Returns
    -------
    float
        log2 of the number of combinations that occur: the yes-or-no questions it takes to find out which one it is.

    Raises
    ------
    BnmlError
        If the table cannot be read, or a name is unknown or given twice.

    Notes
    -----
    Lecture 003, part 1, method 2 (Hartley 1928). With degrees it is the average over the levels of the cuts,
    ``∫ log2 |cut at α| dα``, the U-uncertainty or nonspecificity of Higashi and Klir (1983). Above the highest degree
    the cut is empty, and adds nothing. The lecture's own definition is log2 of the sum of the degrees of all
    combinations, for relations with a tuple that is fully possible.

    Examples
    --------
    >>> import bnml, pandas
    >>> shapes = pandas.DataFrame({"shape": ["ball", "ball", "box", "box"], "size": ["S", "M", "M", "L"]})
    >>> bnml.relational.hartley_information(shapes, "shape", "size")
    2.0
    >>> degrees = shapes.assign(degree=[1.0, 0.5, 0.5, 0.5])
    >>> bnml.relational.hartley_information(degrees, "shape", "size", possibility="degree")
    1.0
    >>> round(bnml.relational.hartley_information(degrees, "shape", possibility="degree", measure="lecture"), 3)
    0.585
    """
    relation = relation_of(data, possibility, "bnml.relational.hartley_information")
    check_measure(measure, relation)
    if not attributes:
        raise ArgumentError("hartley_information: name at least one attribute")
    chosen = places_of(relation, attributes)
    degrees = relation.degrees[relation.first(chosen)]
    if measure == "lecture":
        return float(np.log2(degrees.sum()))
    return average_over_levels(degrees, lambda last: np.log2(last + 1.0))


def hartley_gain(
    data: Any,
    a: str,
    b: str,
    given: str | Iterable[str] | None = None,
    *,
    possibility: str | None = None,
    measure: str = "nonspecificity",
) -> float:
    """Return how many bits two attributes tell about each other: their Hartley information gain.

    Parameters
    ----------
    data, possibility, measure
        As for `hartley_information`.
    a, b
        Names of two columns.
    given
        Names of columns that are known: the gain is computed for each combination of their values that occurs, and
        averaged over these; `gains_given` has them one by one.

    Returns
    -------
    float
        The gain, 0 or more; 0 only if every value of the one occurs with every value of the other. By the lecture's
        measure it can fall below 0.

    Raises
    ------
    BnmlError
        Where `hartley_information` does.

    Notes
    -----
    Lecture 003, part 1, method 2: ``log2 |A| + log2 |B| - log2 |A, B|``, the numbers of values, and of pairs, that
    occur; and method 3 for what is given. With degrees it is the average of the gains of the cuts over the levels, the
    specificity gain of Gebhardt and Kruse (1996), which is 0 only if each pair is as possible as the less possible of
    its two values. The lecture's own definition has sums of degrees in place of numbers (``measure="lecture"``): for
    attributes that have nothing to do with each other this gain falls below 0.

    Examples
    --------
    >>> import bnml, pandas
    >>> shapes = pandas.DataFrame({"shape": ["ball", "ball", "box", "box"], "size": ["S", "M", "M", "L"]})
    >>> round(bnml.relational.hartley_gain(shapes, "shape", "size"), 3)    # log2(2 · 3 / 4)
    0.585
    """
    relation = relation_of(data, possibility, "bnml.relational.hartley_gain")
    known = () if given is None else (given,) if isinstance(given, str) else given
    if not isinstance(known, Iterable):
        raise refuse("given", given, "expected names of columns")
    check_measure(measure, relation)
    first, second, *others = places_of(relation, [a, b, *known])
    new_a, new_b, new_pair = (relation.first([*others, *chosen]) for chosen in ([first], [second], [first, second]))
    return hartley_gain_within(relation.groups(others), new_a, new_b, new_pair, relation.degrees, measure)


class GainGiven(NamedTuple):
    """The gain of two attributes for one combination of others: their values, by number, and what it comes from.

    That is how many values of each occur, and how many pairs; with degrees, sums of degrees.
    """

    values_given: tuple[int, ...]
    values_a: float
    values_b: float
    pairs: float
    gain: float


def hartley_gains_given(relation: Relation, a: int, b: int, given: Sequence[int], measure: str) -> list[GainGiven]:
    """Return the Hartley gain of two attributes, by position, for each combination of others that occurs, in order."""
    groups = relation.groups(given)
    flags = [relation.first([*given, *chosen]) for chosen in ([a], [b], [a, b])]
    order = np.argsort(groups, kind="stable")
    found = []
    for own in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
        degrees = relation.degrees[own]
        n_a, n_b, n_pair = (float(degrees[flag[own]].sum()) for flag in flags)
        everything = np.zeros(own.size, groups.dtype)
        new_a, new_b, new_pair = (flag[own] for flag in flags)
        gain = hartley_gain_within(everything, new_a, new_b, new_pair, degrees / degrees[0], measure)
        values = tuple(int(relation.columns[i, own[0]]) for i in given)
        found.append(GainGiven(values, n_a, n_b, n_pair, gain))
    return sorted(found)


def check_measure(measure: Any, relation: Relation) -> None:
    """Raise if a measure is unknown or undefined: ``"lecture"`` needs a tuple that is fully possible."""
    if one_of(measure, "measure", MEASURES) == "lecture" and relation.degrees[0] < 1.0:
        raise ArgumentError(
            f"some tuple must be fully possible, and the largest degree is {relation.degrees[0]:g}",
            argument="measure",
            value="lecture",
        )


def hartley_gain_within(
    group: Index, new_a: Flags, new_b: Flags, new_pair: Flags, degrees: Floats, measure: str
) -> float:
    """Return the Hartley gain within groups of tuples, averaged over the groups that occur.

    The flags mark the tuples that are the first of their group with their value of A, their value of B, and both. As
    the most possible tuples come first, the number of flags up to a tuple is the number of values in the cut at its
    degree, and the degree of a flagged tuple is that of its projection.
    The nonspecificity gain is averaged over all levels. The lecture's gain has sums of degrees, in each group
    relative to its most possible tuple.
    """
    order = np.argsort(group, kind="stable")
    group, degrees = group[order], degrees[order]
    begins = np.append(True, group[1:] != group[:-1])
    if measure == "lecture":
        starts = np.flatnonzero(begins)
        scaled = degrees / degrees[starts][np.cumsum(begins) - 1]
        n_a, n_b, n_pair = (np.add.reduceat(scaled * flags[order], starts) for flags in (new_a, new_b, new_pair))
        return float(np.log2(n_a * n_b / n_pair).mean())
    ends = np.append((group[1:] != group[:-1]) | (degrees[1:] < degrees[:-1]), True)  # of a level in a group
    n_a, n_b, n_pair = (_running(flags[order], begins)[ends] for flags in (new_a, new_b, new_pair))
    gain = np.log2(n_a * n_b / n_pair)  # exactly 0 where all pairs occur
    group, degrees = group[ends], degrees[ends]
    opens = np.append(True, group[1:] != group[:-1])
    change = gain - np.where(opens, 0.0, np.append(0.0, gain[:-1]))
    falling = np.argsort(-degrees, kind="stable")
    sums, n_groups = np.cumsum(change[falling]), np.cumsum(opens[falling])
    return average_over_levels(degrees[falling], lambda last: sums[last] / n_groups[last])


def _running(flags: Flags, begins: Flags) -> npt.NDArray[np.int64]:
    """Return the number of flags up to each place within its group."""
    total = np.cumsum(flags)
    before: npt.NDArray[np.int64] = (total - flags)[begins]
    counts: npt.NDArray[np.int64] = total - before[np.cumsum(begins) - 1]
    return counts


def average_over_levels(levels: Floats, value_of: Callable[[npt.NDArray[np.int64]], Floats]) -> float:
    """Return the average, over all levels of a fuzzy relation, of a value that changes at falling levels only.

    ``value_of`` gets the last place of each distinct level and returns the values of the cuts there; above the highest
    level nothing is possible, and the value is 0.
    """
    last = np.flatnonzero(np.append(levels[1:] < levels[:-1], True))
    heights = levels[last] - np.append(levels[last[1:]], 0.0)
    return float((heights * value_of(last)).sum())
