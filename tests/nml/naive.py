"""The normaliser straight from its formulas: by enumeration for tiny n, otherwise with 50 digits and more."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import mpmath
from mpmath import mp, mpf

DIGITS = 50
BITS = 256
ONE = 1 << BITS


def compositions(n: int, r: int) -> Iterator[tuple[int, ...]]:
    """Yield all vectors of r counts that sum to n."""
    if r == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in compositions(n - first, r - 1):
            yield (first, *rest)


def normaliser(n: int, r: int) -> float:
    """C(n, r) as the sum over count vectors (fNML paper, eq. 9)."""
    total = 0.0
    for counts in compositions(n, r):
        sequences = math.factorial(n) // math.prod(math.factorial(k) for k in counts)
        total += sequences * math.prod((k / n) ** k for k in counts if k > 0)
    return total


def binary_normaliser(n: int) -> mpf:
    """C(n, 2) = 1 + Q(n), with Ramanujan's Q(n) = 1 + (n-1)/n + (n-1)(n-2)/n² + ..."""
    total, term, k = ONE, ONE, 0  # fixed-point numbers
    while term > 0:
        total += term
        k += 1
        term = term * (n - k) // n
    with mp.workprec(BITS):
        return mpf(total) / ONE


def by_recurrence(n: int, rs: Iterable[int]) -> dict[int, mpf]:
    """Return log C(n, r) for several r: C(n, r+2) = C(n, r+1) + (n/r) C(n, r) (fNML paper, eq. 13)."""
    wanted = set(rs)
    found = {1: mpf(0)}
    with mp.workprec(BITS):
        before, now, shift = ONE, int(binary_normaliser(n) * ONE), -BITS  # C = now · 2^shift, cut below 1
        for r in range(2, max(wanted) + 1):
            if r in wanted:
                found[r] = mpmath.log(now) + shift * mpmath.log(2)
            before, now = now, now + before * n // (r - 1)
            if now.bit_length() > 2 * BITS:
                before, now, shift = before >> BITS, now >> BITS, shift + BITS
    return {r: found[r] for r in wanted}


def by_sum(n: int, r: int) -> mpf:
    """Return log C(n, r) from the sum over l (qNML paper, appendix B.3), last term first."""
    with mp.workdps(DIGITS + len(str(n)) + len(str(r))):
        log_last = mpmath.loggamma(mpf(r) + n) - mpmath.loggamma(mpf(r)) - n * mpmath.log(n)
        total, term, largest = mpf(1), mpf(1), mpf(1)
        for l in range(n - 1, 0, -1):  # noqa: E741
            term = term * (n * l) / ((n - l) * (r + l))
            total += term
            largest = max(term, largest)
            if term < largest * mpf(10) ** -DIGITS:  # the terms have one peak, and it is behind
                break
        return log_last + mpmath.log(total)


def equation_7(n: int, r: int) -> mpf:
    """Return Szpankowski and Weinberger's approximation as printed (qNML paper, eq. 7)."""
    with mp.workdps(DIGITS + len(str(n)) + len(str(r))):
        alpha = mpf(r) / n
        c = (1 + mpmath.sqrt(1 + 4 / alpha)) / 2
        first = n * (mpmath.log(alpha) + (alpha + 2) * mpmath.log(c) - 1 / c)
        return first - mpmath.log(c + 2 / alpha) / 2


def equation_6(n: int, r: int) -> mpf:
    """Return Szpankowski's approximation, the first term corrected (qNML paper, eq. 6)."""
    with mp.workdps(DIGITS + 5 * len(str(r))):
        r = mpf(r)
        g = mpmath.exp(mpmath.loggamma(r / 2) - mpmath.loggamma((r - 1) / 2))
        return (
            mpmath.sqrt(2) * r * g / (3 * mpmath.sqrt(n))
            + (r - 1) / 2 * mpmath.log(mpf(n) / 2)
            - mpmath.loggamma(r / 2)
            + mpmath.log(mp.pi) / 2
            - r**2 * g**2 / (9 * n)
            + (2 * r**3 - 3 * r**2 - 2 * r + 3) / (36 * n)
        )


def log_rising(x: float, n: int) -> mpf:
    """Return log Γ(x+n) - log Γ(x), with enough digits for both."""
    with mp.workdps(400):
        return mpmath.loggamma(mpf(x) + n) - mpmath.loggamma(mpf(x))
