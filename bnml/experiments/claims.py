"""Claims of papers, and the verdicts on them: how they follow from results and their standard errors.

A claim is *confirmed* if the results lie on its side by more than chance explains, *refuted* if they lie on the other
side by more than that, and *inconclusive* in between. Where a word needs a threshold, the claim has it in parentheses.

**Differences.** Chance explains three standard errors (`bnml.experiments.comparison.ALLOWED`) of the difference that is
judged. Errors that are estimated from few repetitions are widened by Student's t (`student_error`), so that two
repetitions exceed three of them no more often than a thousand do. A difference whose error cannot be estimated is
inconclusive, and its band is "n/a".

**Shares.** A share is held against one half by the score test, of which the band is Wilson's interval.

**Agreement with published numbers.** If only chance keeps n numbers apart from the published ones, their deviations in
estimated standard errors follow Student's t, and each has a p-value. Chance explains them all if both of these have a
probability of `RARE` or more:

- the smallest p-value, by Bonferroni's bound: n times itself, however the numbers depend on each other;
- as many numbers outside of their bands of three standard errors, by the binomial distribution, which takes the numbers
  to be independent of each other.

The claim is refuted if chance does not explain them. It is confirmed only if chance would explain them were the
standard errors exact (normal in place of Student's t): that estimated errors may be far too small excuses a number that
is many of them off, but does not show that it agrees. In between it is inconclusive, as it is if it would be refuted
only for numbers about which something else is known, or whose repetitions are all alike. Numbers with fewer than
`MIN_REPETITIONS` are not judged, and a claim that has no others is inconclusive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtr, stdtr
from scipy.stats import binom

from bnml.errors import ArgumentError
from bnml.experiments.comparison import ALLOWED, band_of, errors_off, rounded

CONFIRMED, REFUTED, INCONCLUSIVE = "confirmed", "refuted", "inconclusive"
VERDICTS = (CONFIRMED, REFUTED, INCONCLUSIVE)
NO_CHANCE = "none: nothing in it is random"
RARE = 0.001  # a smaller probability is not chance
MIN_REPETITIONS = 4  # with fewer, Student's t has no variance: deviations of any size are common


@dataclass(frozen=True)
class Claim:
    """Something that was said, and what was found.

    Attributes
    ----------
    text
        What is said, in a sentence.
    where
        Who says it, and where.
    verdict
        One of `VERDICTS`.
    numbers
        What was found.
    band
        How far what was found may be off by chance, so that a reader sees what could have been told.
    choice
        What was chosen where the paper leaves something open, or does not do what it says.
    again
        Whether this is a claim that has been judged already, with another choice. Such are not counted.
    """

    text: str
    where: str
    verdict: str
    numbers: str
    band: str = NO_CHANCE
    choice: str = ""
    again: bool = False

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ArgumentError(f"verdict {self.verdict!r}: expected one of {', '.join(map(repr, VERDICTS))}")

    @property
    def sentence(self) -> str:
        """What is said, with the choice in parentheses."""
        if not self.choice:
            return self.text
        joint = "; " if self.text.endswith(").") else " ("
        return f"{self.text.removesuffix('.').removesuffix(')')}{joint}{self.choice})."

    def chosen(self, choice: str, again: bool) -> Claim:
        """Return the claim with a word on what was chosen."""
        return replace(self, choice=choice, again=again)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return asdict(self)


def claim_of_fact(text: str, where: str, holds: bool, numbers: str, band: str = NO_CHANCE) -> Claim:
    """Return a claim about which nothing is left to chance.

    Examples
    --------
    >>> claim_of_fact("Two is even.", "a book", 2 % 2 == 0, "2 = 2 · 1").verdict
    'confirmed'
    """
    return Claim(text, where, CONFIRMED if holds else REFUTED, numbers, band)


def claim_of_margin(text: str, where: str, margin: float, error: float, numbers: str) -> Claim:
    """Return the claim that a number is positive, of which the standard error is known.

    Examples
    --------
    >>> found = claim_of_margin("A is above B.", "a paper", 0.2, 0.1, "0.5 and 0.3")
    >>> found.verdict, found.band
    ('inconclusive', '0.2 ± 0.3')
    """
    band = f"{rounded(margin, 3)} ± {rounded(ALLOWED * error)}"
    return Claim(text, where, _side(np.array([margin]), np.array([error]), every=True), numbers, band)


def claim_everywhere(
    text: str, where: str, margins: ArrayLike, errors: ArrayLike, numbers: str, cells: Sequence[object] = ()
) -> Claim:
    """Return the claim that numbers are positive, all of them.

    One that is clearly negative is enough against it. The band is that of the number nearest to its own band's edge on
    the wrong side.

    Parameters
    ----------
    text, where, numbers
        As in `Claim`.
    margins, errors
        The numbers, and their standard errors.
    cells
        What each number is about, for the band.

    Examples
    --------
    >>> found = claim_everywhere("A is above B.", "a paper", [0.5, 0.2], [0.1, 0.1], "in 2 of 2 cells", ["x", "y"])
    >>> found.verdict, found.band
    ('inconclusive', 'closest call for y: 0.2 ± 0.3')
    """
    size, error = np.asarray(margins, np.float64), np.asarray(errors, np.float64)
    least = int(np.argmin(_in_errors(size, error)))
    at = f" for {cells[least]}" if len(cells) else ""
    band = f"closest call{at}: {rounded(size[least], 3)} ± {rounded(ALLOWED * error[least])}"
    return Claim(text, where, _side(size, error, every=True), numbers, band)


def claim_usually(text: str, where: str, margins: ArrayLike, errors: ArrayLike, numbers: str) -> Claim:
    """Return the claim that numbers are positive more often than not.

    Examples
    --------
    >>> found = claim_usually("A is above B.", "a paper", [0.5, 0.6, -0.5], [0.1, 0.1, 0.1], "in 2 of 3 cells")
    >>> found.verdict, found.band
    ('confirmed', 'beyond the band: 2 for, 1 against, of 3; median band ± 0.3')
    """
    size, error = np.asarray(margins, np.float64), np.asarray(errors, np.float64)
    sides = _in_errors(size, error)
    good, bad = int((sides > ALLOWED).sum()), int((sides < -ALLOWED).sum())
    width = float(np.median(ALLOWED * error))
    band = f"beyond the band: {good} for, {bad} against, of {size.size}; median band ± {rounded(width)}"
    return Claim(text, where, _side(size, error, every=False), numbers, band)


def claim_of_count(text: str, where: str, said: int, margins: ArrayLike, errors: ArrayLike, numbers: str) -> Claim:
    """Return the claim that so many of some numbers are positive, as was said.

    Numbers within their bands may be on either side; if the claim hangs on these it is inconclusive.

    Examples
    --------
    >>> found = claim_of_count("A is above B in 2 cells.", "a paper", 2, [0.5, 0.1, -0.5], [0.1, 0.1, 0.1], "in 2 of 3")
    >>> found.verdict, found.band
    ('inconclusive', '1 to 2 of 3, by what lies beyond its band')
    """
    sides = _in_errors(np.asarray(margins, np.float64), np.asarray(errors, np.float64))
    least, most = int((sides > ALLOWED).sum()), int((sides >= -ALLOWED).sum())
    verdict = REFUTED if not least <= said <= most else CONFIRMED if least == most else INCONCLUSIVE
    return Claim(text, where, verdict, numbers, f"{least} to {most} of {sides.size}, by what lies beyond its band")


def claim_of_share(text: str, where: str, holds: ArrayLike, numbers: str) -> Claim:
    """Return the claim that something holds more often than not, of things that were drawn independently.

    Examples
    --------
    >>> found = claim_of_share("A is usually above B.", "a paper", [True] * 70 + [False] * 30, "")
    >>> found.verdict, found.numbers, found.band
    ('confirmed', 'in 70 of 100 (70%)', '55% to 82%')
    """
    every = np.asarray(holds, bool)
    n, k = every.size, int(every.sum())
    center = (k + ALLOWED**2 / 2) / (n + ALLOWED**2)
    error = float(np.sqrt(k * (n - k) / n + ALLOWED**2 / 4)) / (n + ALLOWED**2)
    told = f"{numbers}{numbers and ' '}in {k:,} of {n:,} ({k / n:.0%})"
    claim = claim_of_margin(text, where, center - 0.5, error, told)
    return replace(claim, band=f"{center - ALLOWED * error:.0%} to {center + ALLOWED * error:.0%}")


def claim_of_agreement(
    text: str,
    where: str,
    comparison: pd.DataFrame,
    unit: str = "",
    *,
    repetitions: ArrayLike | None = None,
    explained: ArrayLike = False,
    why: str = "",
) -> Claim:
    """Return the claim that published numbers are reproduced, judged as the docstring of this module says.

    Parameters
    ----------
    text, where
        As in `Claim`.
    comparison
        A table of `compare_with_published`.
    unit
        What the numbers are counted in.
    repetitions
        Of how many each of our numbers is the mean, one for all or one for each; None if the standard errors are exact.
    explained, why
        Which numbers may lie outside for another reason, and which reason that is.
    """
    n, off = len(comparison), ~comparison["within"].to_numpy(bool)
    other = off & np.asarray(explained, bool)
    sizes = comparison["errors"].abs().to_numpy(np.float64)
    often = np.broadcast_to(np.asarray(np.inf if repetitions is None else repetitions, np.float64), n)
    judged = (often >= MIN_REPETITIONS) & ~np.isnan(sizes)
    excused = other | (np.isinf(sizes) & np.isfinite(often))  # repetitions that are all alike have no error

    def by_chance(freedom: Any, left_out: Any = False) -> bool:
        p_values = np.where(left_out, 1.0, 2 * stdtr(freedom, -sizes))[judged]
        outside = 2 * float(ndtr(-ALLOWED))
        many = binom.sf(int((p_values < outside).sum()) - 1, p_values.size, outside)
        return float(many) >= RARE and p_values.size * p_values.min(initial=1.0) >= RARE

    if judged.any() and by_chance(np.inf):
        verdict = CONFIRMED
    elif judged.any() and not by_chance(often - 1, excused):
        verdict = REFUTED
    else:
        verdict = INCONCLUSIVE
    numbers = f"{n - int(off.sum())} of {n} agree"
    if off.any():
        numbers += f"; the farthest is {errors_off(sizes.max())} off"
    if other.any():
        numbers += f"; of those that do not agree {int(other.sum())} {why}"
    if not judged.all():
        numbers += f"; {n - int(judged.sum())} are not judged, for lack of repetitions"
    if verdict == INCONCLUSIVE and judged.any() and not by_chance(np.inf, other):
        numbers += "; errors that are estimated from few repetitions may be too small"
    return Claim(text, where, verdict, numbers, band_of(comparison, unit))


def _in_errors(margins: Any, errors: Any) -> Any:
    """Return numbers in their standard errors: infinitely many if that is 0, and none if it is not known."""
    with np.errstate(divide="ignore", invalid="ignore"):
        sides = margins / errors
    return np.where(np.isnan(sides), 0.0, sides)


def _side(margins: Any, errors: Any, *, every: bool) -> str:
    """Return the verdict on numbers that should be positive: every one, or most."""
    sides = _in_errors(margins, errors)
    good, bad = sides > ALLOWED, sides < -ALLOWED
    if every:
        return REFUTED if bad.any() else CONFIRMED if good.all() else INCONCLUSIVE
    half = margins.size / 2
    return CONFIRMED if good.sum() > half else REFUTED if bad.sum() > half else INCONCLUSIVE
