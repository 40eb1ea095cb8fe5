"""Ways to decide whether two variables are independent given others.

=====================  ======================================================  =========================================
test                   statistic                                               independent where
=====================  ======================================================  =========================================
`G2`, ``"g2"``         G² = 2 Σ n log(n / e) = 2 N · mutual information        p > alpha
`X2`, ``"x2"``         Pearson's X² = Σ (n - e)² / e                           p > alpha
`Permutation`          either of them; ``"g2-permutation"``                    p > alpha, p from random tables
`Gain`, ``"gain:ε"``   the information gain in bits                            gain < ε
`Scored`, ``"bic"``    what Y adds to the score of X given S, in nats          it adds nothing
=====================  ======================================================  =========================================

n is the count of a cell of X and Y in a stratum, a configuration of S; e = (row sum) · (column sum) / (stratum's sum)
is what independence leads one to expect; sums are over all cells of all strata.

**Degrees of freedom.** A stratum counts (rows that are not empty - 1) · (columns that are not empty - 1), and strata
add up. States that do not occur in a stratum say nothing about dependence there. Without S this is what
``scipy.stats.chi2_contingency`` reports for the table of what occurs. Where none are left the p-value is 1: the data
cannot speak against independence.

**Small counts.** The χ² distribution is an approximation for large counts. `G2` and `X2` use it only where the table
has on average at least ``rows_per_cell`` rows per cell, five by default, the cells being all configurations of X, Y and
S with the states that occur. Else the p-value of a single question, and of a pair without S in PC and NPC, comes from
random tables (`bnml.independence.sparse`), and a question with S of PC and NPC *cannot be tested*: S does not separate
X and Y (`bnml.independence.skeleton`). `Permutation` draws tables with the same margins in each stratum for every
question, and counts how many have a statistic as large; p = (1 + that many) / (1 + tables).

**Gain.** The lecture's rule: independent where the information gain is below a threshold, whatever the sample size.
It has no degrees of freedom and no p-value; nor has `Scored`.

**Scored.** Independent where the score of X with parents S is at least that with parents S and Y. The score must be
one that equivalent networks share, so that X and Y may change places.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

from bnml._checks import is_number, positive_number, refuse, whole_number
from bnml._text import did_you_mean
from bnml.errors import ArgumentError, BnmlError
from bnml.graph.rules import ROWS_PER_CELL
from bnml.scores import SCORES, Score, parse_score


@dataclass(frozen=True)
class Criterion:
    """A way to decide independence."""

    name: ClassVar[str] = ""
    uses_alpha: ClassVar[bool] = True
    unit: ClassVar[str] = ""  # of the statistic; G² and X² have none

    def __str__(self) -> str:
        return self.name

    def most_cells(self, n_rows: int) -> float:
        """Return how many cells a table may have for its test to be made: any number, unless the test has a rule."""
        return math.inf


@dataclass(frozen=True)
class _ChiSquare(Criterion):
    """A test by the χ² distribution."""

    rows_per_cell: float = float(ROWS_PER_CELL)

    def __post_init__(self) -> None:
        _check_rows_per_cell(self.rows_per_cell)

    def most_cells(self, n_rows: int) -> float:
        """Return how many cells a table may have for its test to be made."""
        return n_rows / self.rows_per_cell if self.rows_per_cell else math.inf


@dataclass(frozen=True)
class G2(_ChiSquare):
    """The likelihood-ratio test, G² = 2 N · mutual information.

    Parameters
    ----------
    rows_per_cell
        How many rows per cell the χ² distribution takes, on average; 0 to use it whatever the table.
    """

    name = "g2"


@dataclass(frozen=True)
class X2(_ChiSquare):
    """Pearson's test.

    Parameters
    ----------
    rows_per_cell
        As of `G2`.
    """

    name = "x2"


@dataclass(frozen=True)
class Permutation(Criterion):
    """A Monte-Carlo test: how many tables with the same margins are as far from independence.

    Parameters
    ----------
    statistic
        ``"g2"`` or ``"x2"``.
    permutations
        How many tables are drawn.
    seed
        The same seed gives the same tables, whatever else is tested before.
    """

    statistic: str = "g2"
    permutations: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.statistic not in ("g2", "x2"):
            raise refuse("statistic", self.statistic, "expected 'g2' or 'x2'")
        whole_number(self.permutations, "permutations", 1)
        whole_number(self.seed, "seed")

    def __str__(self) -> str:
        return f"{self.statistic}-permutation"


@dataclass(frozen=True)
class Gain(Criterion):
    """The lecture's threshold on the information gain.

    Parameters
    ----------
    bits
        Independent are variables whose information gain is below this.
    """

    bits: float = 0.01
    uses_alpha = False
    unit = "bits"

    def __post_init__(self) -> None:
        positive_number(self.bits, "bits", of=" of bits")

    def __str__(self) -> str:
        return f"gain:{self.bits:g}"


@dataclass(frozen=True)
class Scored(Criterion):
    """A test by a score: independent where the score of X given S does not improve by Y.

    Parameters
    ----------
    score
        A name or an object of `bnml.scores`, one that equivalent networks share: qnml, bdeu, bic and others.
    """

    score: Score | str = "qnml"
    uses_alpha = False
    unit = "nats"
    parsed: Score = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        score = parse_score(self.score)
        if not score.equivalent:
            raise ArgumentError(
                f"{score.name} scores equivalent networks differently, so a test by it would depend on which variable "
                "comes first",
                argument="test",
                hint="take qnml, bdeu, bic or another score that does not",
            )
        object.__setattr__(self, "parsed", score)

    def __str__(self) -> str:
        return self.score if isinstance(self.score, str) else self.parsed.name


def _check_rows_per_cell(value: Any) -> None:
    if not is_number(value) or not 0 <= value < math.inf:
        raise refuse("rows_per_cell", value, "expected a number from 0, such as 5; 0 lifts the rule")


NAMED = {
    "g2": G2(),
    "x2": X2(),
    "g2-permutation": Permutation("g2"),
    "x2-permutation": Permutation("x2"),
    "gain": Gain(),
}


def parse_test(test: Any) -> Criterion:
    """Return the test of a name, or the test itself.

    Raises
    ------
    ArgumentError
        If there is no such test.

    Examples
    --------
    >>> from bnml.independence.tests import parse_test
    >>> parse_test("x2"), str(parse_test("gain:0.05")), str(parse_test("bdeu:10"))
    (X2(rows_per_cell=5.0), 'gain:0.05', 'bdeu:10')
    """
    if isinstance(test, Criterion):
        return test
    if isinstance(test, Score):
        return Scored(test)
    if not isinstance(test, str):
        raise refuse("test", test, "expected the name of a test, such as 'g2', or an object of bnml.independence")
    if test in NAMED:
        return NAMED[test]
    kind, _, value = test.partition(":")
    if kind == "gain":
        try:
            return Gain(float(value))
        except ValueError:
            raise refuse("test", test, "expected a positive number of bits after the colon") from None
    if kind in SCORES:
        try:
            return Scored(test)
        except BnmlError as error:
            raise refuse("test", test, error.args[0]) from None
    names = (*NAMED, "qnml", "bdeu", "bic")
    available = f"{', '.join(NAMED)}, and scores such as qnml, bdeu:1 and bic"
    raise refuse("test", test, f"there is no such test; available: {available}.{did_you_mean(test, names)}")
