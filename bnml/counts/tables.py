"""Contingency tables with all their cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bnml.counts.counts import Counts, counts_for_tests, counts_of
from bnml.data import Data


def contingency(data: Data | Counts, variables: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return the counts of every configuration: an array with one axis per variable.

    Of a table with gaps, over the rows in which all of them are observed.

    Examples
    --------
    >>> import bnml, numpy
    >>> from bnml.counts import contingency
    >>> contingency(bnml.read(numpy.array([[0, 0], [0, 1], [1, 1], [1, 1]])), [0, 1])
    array([[1, 1],
           [0, 2]])
    """
    counts = counts_for_tests(data) if isinstance(data, Data) else counts_of(data)
    return counts.table(variables)
