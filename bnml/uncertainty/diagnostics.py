"""Whether chains have converged: rank-normalised split R-hat, effective size, standard errors.

Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), Bayesian Analysis 16: each chain is cut in two; values are
replaced by the normal scores of their ranks; R-hat compares the variance between the halves with that within; the
effective size is the number of values divided by the time that they take to be forgotten, a sum of autocorrelations
that is cut off where pairs of them are no longer positive (Geyer 1992). For something that is there or not, ranks
change nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats

BLOCK = 1 << 22  # values that are transformed together
FEWEST = 4  # values of a chain for which anything can be said


class Diagnosis(NamedTuple):
    """R-hat and effective size of several quantities; not a number for those that never change."""

    r_hat: Floats
    effective_size: Floats


def diagnose(values: npt.NDArray[np.generic]) -> Diagnosis:
    """Return R-hat and the effective size of quantities that are 0 or 1, ``[chain, sample, quantity]``.

    One that never changes has R-hat 1, and no effective size (not a number). So has each of chains that are too short.

    Examples
    --------
    >>> import numpy as np
    >>> draws = np.random.default_rng(0).random((4, 500, 2)) < [0.3, 0.0]
    >>> found = diagnose(draws)
    >>> found.r_hat.round(2).tolist(), found.effective_size.round(-2).tolist()
    ([1.0, 1.0], [2000.0, nan])
    """
    chains, samples, number = values.shape
    r_hat, size = np.ones(number), np.full(number, np.nan)
    if samples < FEWEST:
        changes = values.min(axis=(0, 1)) != values.max(axis=(0, 1))
        r_hat[changes], size[changes] = np.inf, 1.0
        return Diagnosis(r_hat, size)
    step = max(1, BLOCK // (chains * samples))
    for start in range(0, number, step):
        part = np.moveaxis(values[:, :, start : start + step], 2, 0).astype(np.float64)
        changing = part.min(axis=(1, 2)) != part.max(axis=(1, 2))
        if changing.any():
            halves = split_chains(part[changing])
            where = start + np.flatnonzero(changing)
            r_hat[where], size[where] = split_r_hat(halves), effective_sizes(halves)
    return Diagnosis(r_hat, size)


def split_chains(values: Floats) -> Floats:
    """Cut each chain in two: ``[quantity, chain, sample]`` to ``[quantity, half chain, sample]``."""
    half = values.shape[2] // 2
    return np.concatenate([values[:, :, :half], values[:, :, values.shape[2] - half :]], axis=1)


def split_r_hat(halves: Floats) -> Floats:
    """Return R-hat: by how much the spread of all values exceeds that within chains; ``[quantity, chain, sample]``."""
    n = halves.shape[2]
    within = halves.var(axis=2, ddof=1).mean(axis=1)
    between = halves.mean(axis=2).var(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.sqrt((n - 1) / n + between / within)
    return np.where(within + between == 0.0, 1.0, found)


def effective_sizes(halves: Floats) -> Floats:
    """Return how many independent values those of chains are worth; ``[quantity, chain, sample]``."""
    quantities, chains, n = halves.shape
    centred = halves - halves.mean(axis=2, keepdims=True)
    width = 1 << (2 * n - 1).bit_length()
    spectrum = np.fft.rfft(centred, width, axis=2)
    auto = np.fft.irfft(spectrum * spectrum.conj(), width, axis=2)[:, :, :n].mean(axis=1) / n
    within = auto[:, 0] * n / (n - 1)
    between = halves.mean(axis=2).var(axis=1, ddof=1) if chains > 1 else np.zeros(quantities)
    whole = within * (n - 1) / n + between
    still = whole == 0.0
    rho = 1.0 - (within[:, None] - auto) / np.where(still, 1.0, whole)[:, None]
    rho[still] = 0.0
    rho[:, 0] = 1.0
    pairs = rho[:, : n // 2 * 2].reshape(quantities, -1, 2).sum(axis=2)
    going_on = np.logical_and.accumulate(pairs > 0.0, axis=1)
    going_on[:, 0] = True
    monotone = np.minimum.accumulate(np.where(going_on, pairs, 0.0), axis=1)
    time = -1.0 + 2.0 * monotone.sum(axis=1)
    total = chains * n
    time = np.maximum(time, 1.0 / np.log10(max(total, 10)))
    result: Floats = total / time
    return result


def normal_scores(values: Floats) -> Floats:
    """Return the normal scores of ranks: what makes R-hat blind to long tails."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    ranks = rankdata(values).reshape(values.shape)
    scores: Floats = ndtri((ranks - 0.375) / (values.size + 0.25))
    return scores


def diagnose_numbers(values: Floats) -> tuple[float, float]:
    """Return R-hat and the bulk effective size of a number, ``[chain, sample]``: of its ranks, and how far out it is.

    Examples
    --------
    >>> import numpy as np
    >>> r_hat, size = diagnose_numbers(np.random.default_rng(0).normal(size=(4, 500)))
    >>> round(r_hat, 2), 1500 < size < 2500
    (1.0, True)
    """
    if values.min() == values.max():
        return 1.0, float("nan")
    if values.shape[1] < FEWEST:
        return float("inf"), 1.0
    found = [values, np.abs(values - np.median(values))]
    hats, sizes = [1.0], [float("nan")]
    for number in found:
        if number.min() < number.max():
            halves = split_chains(normal_scores(number)[None])
            hats.append(float(split_r_hat(halves)[0]))
            sizes.append(float(effective_sizes(halves)[0]))
    return max(hats), sizes[1]
