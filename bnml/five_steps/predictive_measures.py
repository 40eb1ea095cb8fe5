"""How good predicted probabilities are: accuracy, log-loss, Brier score, calibration, ROC.

Predictions come as an array with a row for each distinct row and a column for each outcome, beside the outcome that was
there and the number of rows that each stands for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bnml._arrays import Floats, Ints

BINS = 10
MOST_POINTS = 200  # of a curve that are kept


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predicted probabilities and what was there.

    Attributes
    ----------
    probabilities
        A row for each distinct row, a column for each outcome; rows sum to 1.
    there
        The outcome that was there.
    rows
        How many rows each stands for.
    """

    probabilities: Floats
    there: Ints
    rows: Ints

    @property
    def n_rows(self) -> int:
        """How many rows there are in all."""
        return int(self.rows.sum())

    @property
    def accuracy(self) -> float:
        """The share of rows whose most probable outcome was there; of equally probable ones the first counts."""
        return self._mean(self.probabilities.argmax(axis=1) == self.there)

    @property
    def log_loss(self) -> float:
        """The mean of -log p of the outcome that was there, in nats."""
        return self._mean(-np.log(self.probabilities[np.arange(self.there.size), self.there]))

    @property
    def brier(self) -> float:
        """The mean of Σ (p - outcome)², halved for two outcomes: then it is that of one of them."""
        outcome = np.eye(self.probabilities.shape[1])[self.there]
        error = ((self.probabilities - outcome) ** 2).sum(axis=1)
        return self._mean(error / 2 if outcome.shape[1] == 2 else error)

    @property
    def auc(self) -> float:
        """The area under the ROC curve; of more than two outcomes the mean of each against the others.

        It is not a number where an outcome is there in all rows, or none has two.
        """
        areas = [_area(*roc_curve(self.probabilities[:, k], self.there == k, self.rows)) for k in self._curves()]
        known = [area for area in areas if not np.isnan(area)]
        return float(np.mean(known)) if known else float("nan")

    @property
    def roc(self) -> tuple[tuple[float, float], ...]:
        """The ROC curve as points; of more than two outcomes the mean curve of each against the others."""
        curves = [roc_curve(self.probabilities[:, k], self.there == k, self.rows) for k in self._curves()]
        curves = [curve for curve in curves if not np.isnan(curve[1]).any() and not np.isnan(curve[0]).any()]
        if not curves:
            return ()
        if len(curves) == 1:
            x, y = curves[0]
        else:
            x = np.linspace(0.0, 1.0, 101)
            y = np.mean([np.interp(x, *curve) for curve in curves], axis=0)
            x, y = np.append(0.0, x), np.append(0.0, y)
        kept = np.unique(np.linspace(0, x.size - 1, min(x.size, MOST_POINTS)).round().astype(int))
        return tuple(zip(x[kept].tolist(), y[kept].tolist(), strict=True))

    @property
    def reliability(self) -> tuple[ReliabilityBin, ...]:
        """Of two outcomes the second, of more the most probable one: how often it is there, by its probability."""
        if self.probabilities.shape[1] == 2:
            return _reliability_bins(self.probabilities[:, 1], self.there == 1, self.rows)
        best = self.probabilities.argmax(axis=1)
        return _reliability_bins(self.probabilities.max(axis=1), best == self.there, self.rows)

    @property
    def calibration_error(self) -> float:
        """The mean distance of predicted probabilities from observed shares, over the bins of `reliability`."""
        return sum(one.rows * abs(one.predicted - one.observed) for one in self.reliability) / self.n_rows

    def _curves(self) -> list[int]:
        n = self.probabilities.shape[1]
        return [1] if n == 2 else list(range(n))

    def _mean(self, values: Floats | np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
        return float(np.asarray(values, np.float64) @ self.rows / self.rows.sum())


@dataclass(frozen=True)
class ReliabilityBin:
    """Predictions in some range: their mean, the share of hits with its 95 % interval, and the number of rows."""

    predicted: float
    observed: float
    low: float
    high: float
    rows: int


def _reliability_bins(
    p: Floats, hit: np.ndarray[tuple[int], np.dtype[np.bool_]], rows: Ints
) -> tuple[ReliabilityBin, ...]:
    """Return the bins of equal width that hold predictions, 0.3 being the end of one and not the start of the next."""
    from bnml.five_steps.risk import jeffreys_interval

    where = np.clip(np.ceil(np.round(p * BINS, 9)).astype(int) - 1, 0, BINS - 1)
    found = []
    for k in range(BINS):
        inside = where == k
        n = int(rows[inside].sum())
        if n:
            hits = int(rows[inside & hit].sum())
            low, high = jeffreys_interval(hits, n)
            found.append(ReliabilityBin(float(p[inside] @ rows[inside]) / n, hits / n, float(low), float(high), n))
    return tuple(found)


def roc_curve(p: Floats, hit: np.ndarray[tuple[int], np.dtype[np.bool_]], rows: Ints) -> tuple[Floats, Floats]:
    """Return the shares of misses and of hits that have at least some probability, for all of them, from 0 to 1.

    Probabilities that differ by less than 10⁻¹² are equal. The shares are not numbers where there are no hits, or no
    misses.

    Examples
    --------
    >>> x, y = roc_curve(np.array([0.9, 0.4, 0.4]), np.array([True, True, False]), np.array([1, 1, 2]))
    >>> x.tolist(), y.tolist()
    ([0.0, 0.0, 1.0], [0.0, 0.5, 1.0])
    """
    rounded = np.round(p, 12)
    order = np.argsort(-rounded, kind="stable")
    last = np.append(rounded[order][1:] != rounded[order][:-1], True)
    with np.errstate(invalid="ignore"):
        hits, misses = (
            np.append(0.0, np.cumsum(np.where(which, rows, 0)[order])[last] / np.where(which, rows, 0).sum())
            for which in (hit, ~hit)
        )
    return misses, hits


def _area(x: Floats, y: Floats) -> float:
    return float(((x[1:] - x[:-1]) * (y[1:] + y[:-1]) / 2.0).sum())
