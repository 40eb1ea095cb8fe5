"""What papers say, and whether it is so: claims that are computed from results, with numbers and a band.

A claim has one of three verdicts. It is *confirmed* if what was found lies on its side by more than chance explains,
*not confirmed* if it lies on the other side by more than that, and *cannot be told* in between. Chance explains three
standard errors (`bnml.experiments.comparison.ALLOWED`) of the difference that is judged; the band says how wide that
is. That published numbers are reproduced is confirmed if no more of them lie outside of their bands than chance
explains. Where a word needs a threshold, the claim has it in parentheses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtr
from scipy.stats import binom

from bnml.errors import ArgumentError
from bnml.experiments.comparison import ALLOWED, band_of, rounded

__all__ = [
    "CONFIRMED",
    "NOT_CONFIRMED",
    "UNTOLD",
    "VERDICTS",
    "Claim",
    "claim_everywhere",
    "claim_of_agreement",
    "claim_of_count",
    "claim_of_fact",
    "claim_of_margin",
    "claim_of_share",
    "claim_usually",
]

CONFIRMED, NOT_CONFIRMED, UNTOLD = "confirmed", "not confirmed", "cannot be told"
VERDICTS = (CONFIRMED, NOT_CONFIRMED, UNTOLD)
NO_CHANCE = "none: nothing in it is random"
RARE = 0.001  # as many numbers outside of their bands have no smaller probability, or it is not chance


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
    return Claim(text, where, CONFIRMED if holds else NOT_CONFIRMED, numbers, band)


def claim_of_margin(text: str, where: str, margin: float, error: float, numbers: str) -> Claim:
    """Return the claim that a number is positive, of which the standard error is known.

    Examples
    --------
    >>> found = claim_of_margin("A is above B.", "a paper", 0.2, 0.1, "0.5 and 0.3")
    >>> found.verdict, found.band
    ('cannot be told', '0.2 ± 0.3')
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
    ('cannot be told', 'closest call for y: 0.2 ± 0.3')
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

    Numbers within their bands may be on either side; if the claim hangs on these it cannot be told.

    Examples
    --------
    >>> found = claim_of_count("A is above B in 2 cells.", "a paper", 2, [0.5, 0.1, -0.5], [0.1, 0.1, 0.1], "in 2 of 3")
    >>> found.verdict, found.band
    ('cannot be told', '1 to 2 of 3, by what lies beyond its band')
    """
    sides = _in_errors(np.asarray(margins, np.float64), np.asarray(errors, np.float64))
    least, most = int((sides > ALLOWED).sum()), int((sides >= -ALLOWED).sum())
    verdict = NOT_CONFIRMED if not least <= said <= most else CONFIRMED if least == most else UNTOLD
    return Claim(text, where, verdict, numbers, f"{least} to {most} of {sides.size}, by what lies beyond its band")


def claim_of_share(text: str, where: str, holds: ArrayLike, numbers: str) -> Claim:
    """Return the claim that something holds more often than not, of things that were drawn independently.

    Examples
    --------
    >>> found = claim_of_share("A is usually above B.", "a paper", [True] * 70 + [False] * 30, "")
    >>> found.verdict, found.numbers, found.band
    ('confirmed', 'in 70 of 100 (70%)', '70% ± 14%')
    """
    every = np.asarray(holds, bool)
    n, share = every.size, float(every.mean())
    error = float(np.sqrt(max(share * (1 - share), 1 / (n + 2)) / n))  # Laplace's rule, where it never or always holds
    told = f"{numbers}{numbers and ' '}in {int(every.sum()):,} of {n:,} ({share:.0%})"
    claim = claim_of_margin(text, where, share - 0.5, error, told)
    return replace(claim, band=f"{share:.0%} ± {ALLOWED * error:.0%}")


def claim_of_agreement(
    text: str,
    where: str,
    comparison: pd.DataFrame,
    unit: str = "",
    *,
    repetitions: int | None = None,
    explained: ArrayLike = False,
    why: str = "",
) -> Claim:
    """Return the claim that published numbers are reproduced.

    Some lie outside of their bands by chance; if there are more of these than chance explains, or one is farther off
    (with a probability of one in a thousand, where they have nothing to do with each other), the claim is not
    confirmed. If it would be but for numbers about which something else is known, it cannot be told.

    Parameters
    ----------
    text, where
        As in `Claim`.
    comparison
        A table of `compare_with_published`.
    unit
        What the numbers are counted in.
    repetitions
        Of how many each of our numbers is the mean. With few of them standard errors are not well known, and more
        numbers lie outside (Student's t). None for many.
    explained, why
        Which numbers may lie outside for another reason, and which reason that is.
    """
    n, off = len(comparison), ~comparison["within"].to_numpy(bool)
    other = off & np.asarray(explained, bool)
    sizes, freedom = comparison["errors"].abs().to_numpy(), np.inf if repetitions is None else repetitions - 1

    def by_chance(beyond: Any) -> bool:
        many = float(binom.sf(int(beyond.sum()) - 1, n, 2 * float(stdtr(freedom, -ALLOWED))))
        far = 2 * n * float(stdtr(freedom, -sizes[beyond].max(initial=0.0)))
        return many >= RARE and far >= RARE

    verdict = CONFIRMED if by_chance(off) else UNTOLD if by_chance(off & ~other) else NOT_CONFIRMED
    numbers = f"{n - int(off.sum())} of {n} agree"
    if off.any():
        numbers += f"; the farthest is {sizes.max():.1f} standard errors off"
    if other.any():
        numbers += f"; of those that do not agree {int(other.sum())} {why}"
    return Claim(text, where, verdict, numbers, band_of(comparison, unit))


def _in_errors(margins: Any, errors: Any) -> Any:
    """Return numbers in their standard errors; one without an error is infinitely many on its side, or none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(margins == 0, 0.0, margins / errors)


def _side(margins: Any, errors: Any, *, every: bool) -> str:
    """Return the verdict on numbers that should be positive: every one, or most."""
    sides = _in_errors(margins, errors)
    good, bad = sides > ALLOWED, sides < -ALLOWED
    if every:
        return NOT_CONFIRMED if bad.any() else CONFIRMED if good.all() else UNTOLD
    half = margins.size / 2
    return CONFIRMED if good.sum() > half else NOT_CONFIRMED if bad.sum() > half else UNTOLD
