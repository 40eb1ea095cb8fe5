"""The weights between the counts of a variable and the counts of its neighbour.

In the sum over all data sets, a pair of joined variables with counts f and ρ stands for all tables F of counts of the
two together whose rows sum to f and whose columns sum to ρ. What these weigh,

    W(f, ρ) = Σ over F of Π b(F_kl),      b(k) = k^k e^-k / k!,

depends on the two numbers of values and on n alone, and not on the variables: it is computed once for all pairs with
the same numbers of values, either way round. The tables are never listed. A row that sums to m is a function of K - 1
free counts, Π b(r_l); W(f, ·) is the convolution of the rows for m = f_1, f_2, ..., a product of Fourier transforms.
All terms are positive and, with b in place of k^k / k!, of about the same size, so that the transforms lose few
digits: W is right to a relative 1e-11 or better.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnml._arrays import Floats
from bnml._costs import SECONDS
from bnml.nml.forest_counts import SortedCounts, number_of_sorted_counts, powers_of_counts

BLOCK_CELLS = 1 << 21  # of the boxes that are transformed together
SPECTRA_BYTES = 1 << 29  # transforms of all rows are kept up to this size
KEPT_BYTES = 1 << 30  # weights are kept up to this size; larger ones are computed anew for each use


class Weights:
    """The weights between the sorted counts of two variables, of which the first has at least as many values.

    Parameters
    ----------
    many, few
        The count vectors of both.

    Examples
    --------
    >>> import numpy as np
    >>> counts = SortedCounts(3, 2)
    >>> weights = Weights(counts, counts)
    >>> np.concatenate(list(weights.blocks())).round(4)  # of (2, 1) and (3, 0), each with each
    array([[0.1494, 0.0996],
           [0.0996, 0.224 ]])
    """

    def __init__(self, many: SortedCounts, few: SortedCounts) -> None:
        self.many, self.few = many, few
        self.n, self._axes = many.n, few.parts - 1
        self._powers = powers_of_counts(self.n)
        self._kept: Floats | None = None

    @property
    def nbytes(self) -> int:
        """Bytes that are held."""
        return 0 if self._kept is None else self._kept.nbytes

    @property
    def shape(self) -> tuple[int, int]:
        """Number of count vectors of both variables."""
        return len(self.many), len(self.few)

    def from_few(self, vector: Floats) -> Floats:
        """Return Σ_ρ W(f, ρ) · vector[ρ] for each f of the variable with more values."""
        return np.concatenate([np.einsum("ij,j->i", block, vector) for block in self.blocks()])

    def from_many(self, vector: Floats) -> Floats:
        """Return Σ_f W(f, ρ) · vector[f] for each ρ of the variable with fewer values."""
        total, start = np.zeros(len(self.few)), 0
        for block in self.blocks():
            total += np.einsum("ij,i->j", block, vector[start : start + len(block)])
            start += len(block)
        return total

    def blocks(self) -> Iterator[Floats]:
        """Yield the weights, some rows at a time; they are kept if there is room."""
        if self._kept is None and 8 * math.prod(self.shape) <= KEPT_BYTES:
            self._kept = np.concatenate(list(self._computed()))
            self.__dict__.pop("_spectra", None)
        if self._kept is not None:
            rows = max(1, BLOCK_CELLS // self._kept.shape[1])
            yield from (self._kept[start : start + rows] for start in range(0, len(self._kept), rows))
        else:
            yield from self._computed()

    def _computed(self) -> Iterator[Floats]:
        from scipy.fft import irfftn

        axes = tuple(range(1, self._axes + 1))
        at: tuple[Any, ...] = (slice(None), *(self.few.vectors[:, k + 1] for k in range(self._axes)))
        rows = max(1, BLOCK_CELLS // self._size**self._axes)
        for start in range(0, len(self.many), rows):
            vectors = self.many.vectors[start : start + rows]
            product = self._spectrum(vectors[:, 0])
            for k in range(1, self.many.parts):
                product *= self._spectrum(vectors[:, k])
            tables: Floats = irfftn(product, s=(self._size,) * self._axes, axes=axes)
            yield tables[at]

    @cached_property
    def _size(self) -> int:
        return _box_size(self.n)

    def _spectrum(self, totals: NDArray[np.int64]) -> NDArray[np.complex128]:
        """Return the transforms of the rows with these sums, as a copy."""
        if 8 * (self.n + 1) * self._size**self._axes > SPECTRA_BYTES:
            return self._transform(totals)
        result: NDArray[np.complex128] = self._spectra[totals]
        return result

    @cached_property
    def _spectra(self) -> NDArray[np.complex128]:
        return np.concatenate([self._transform(np.array([m])) for m in range(self.n + 1)])

    def _transform(self, totals: NDArray[np.int64]) -> NDArray[np.complex128]:
        """Transform rows: Π b(r_l) as a function of all r_l but one, which is what is left of the sum."""
        from scipy.fft import rfftn

        product, taken = np.ones(()), np.zeros((), np.int64)
        for _ in range(self._axes):
            product = np.multiply.outer(product, self._powers)
            taken = np.add.outer(taken, np.arange(self.n + 1))
        left = totals.reshape(-1, *[1] * self._axes) - taken
        rows = np.where(left >= 0, product * self._powers[np.maximum(left, 0)], 0.0)
        result: NDArray[np.complex128] = rfftn(rows, s=(self._size,) * self._axes, axes=tuple(range(1, self._axes + 1)))
        return result


def _box_size(n: int) -> int:
    from scipy.fft import next_fast_len

    return int(next_fast_len(n + 1, real=True))


def seconds_for_weights(n: int, many: int, few: int, uses: int) -> float:
    """Return about how long the weights between two numbers of values take, to compute and to use."""
    entries = float(number_of_sorted_counts(n, many)) * number_of_sorted_counts(n, few)
    if (few - 1) * math.log(_box_size(n)) > 100.0:  # nobody has the time for so many
        return math.inf
    box = float(_box_size(n)) ** (few - 1)
    cells = number_of_sorted_counts(n, many) * box
    computing = SECONDS.forest_weights + SECONDS.cell * cells * (1.0 + 0.2 * many) + SECONDS.row_cell * (n + 1) * box
    times = 1 if 8 * entries <= KEPT_BYTES else uses
    return computing * times + SECONDS.weight * entries * uses


def forest_weight_bytes(n: int, many: int, few: int) -> int:
    """Return how much memory the weights of a forest between two numbers of values take."""
    rows, columns = number_of_sorted_counts(n, many), number_of_sorted_counts(n, few)
    box: int = _box_size(n) ** (few - 1)
    spectra = 8 * (n + 1) * box
    kept = 8 * rows * columns
    lists = 8 * (many + 4) * rows + 8 * (few + 4) * columns
    block = 40 * max(BLOCK_CELLS, box)
    return lists + block + (2 * kept if kept <= KEPT_BYTES else 0) + (spectra if spectra <= SPECTRA_BYTES else 5 * box)
