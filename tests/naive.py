"""Slow, obvious versions of counts and scores, straight from the formulas; they share no code with bnml.

A table is a list of rows of codes, with the number of states of each column and a weight for each row. A family is a
column and a collection of columns. Every configuration is visited, whether it occurs or not.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product

Row = tuple[int, ...]
Family = Mapping[Row, Sequence[int]]
Arcs = Collection[tuple[int, int]]


@dataclass(frozen=True)
class Table:
    """Rows of codes, the number of states of each column, and how often each row counts."""

    rows: tuple[Row, ...]
    arities: tuple[int, ...]
    weights: tuple[int, ...]

    @property
    def n(self) -> int:
        """Number of rows, repetitions included."""
        return sum(self.weights)

    @property
    def repeated(self) -> list[Row]:
        """Each row as often as it counts."""
        return [row for row, weight in zip(self.rows, self.weights, strict=True) for _ in range(weight)]


def table_of(rows: Sequence[Sequence[int]], arities: Sequence[int], weights: Sequence[int] | None = None) -> Table:
    weights = [1] * len(rows) if weights is None else weights
    return Table(tuple(map(tuple, rows)), tuple(arities), tuple(weights))


# --- counts ---


def configurations(table: Table, variables: Sequence[int]) -> Iterator[Row]:
    return product(*(range(table.arities[v]) for v in variables))


def observed(table: Table, variables: Sequence[int]) -> Counter[Row]:
    """How often each configuration that occurs does."""
    found: Counter[Row] = Counter()
    for row, weight in zip(table.rows, table.weights, strict=True):
        found[tuple(row[v] for v in variables)] += weight
    return found


def contingency(table: Table, variables: Sequence[int]) -> dict[Row, int]:
    """How often every configuration occurs."""
    found = observed(table, variables)
    return {cell: found[cell] for cell in configurations(table, variables)}


def family_counts(table: Table, child: int, parents: Sequence[int]) -> dict[Row, list[int]]:
    """N_ijk as a list over k for every parent configuration j."""
    found = observed(table, [*parents, child])
    return {j: [found[*j, k] for k in range(table.arities[child])] for j in configurations(table, parents)}


# --- the regret ---


@cache
def normaliser(n: int, r: int) -> Fraction:
    """C(n, r), exactly: by definition up to r = 2, then C(n, r) = C(n, r-1) + n / (r-2) · C(n, r-2) (fNML, eq. 13).

    For large r the sum over l of (n-1) … (n-l) · r … (r+l) / (n^(l+1) l!)  (qNML paper, appendix B.3, corrected).
    """
    if n == 0 or r == 1:
        return Fraction(1)
    if r > 1000:
        falling, rising = 1, r
        total = Fraction(r, n)
        for l in range(1, n):  # noqa: E741
            falling, rising = falling * (n - l), rising * (r + l)
            total += Fraction(falling * rising, n ** (l + 1) * math.factorial(l))
        return total
    before = Fraction(1)
    now = Fraction(sum(math.comb(n, h) * h**h * (n - h) ** (n - h) for h in range(n + 1)), n**n)
    for k in range(1, r - 1):
        before, now = now, now + Fraction(n, k) * before
    return now


def regret(n: int, r: int) -> float:
    value = normaliser(n, r)
    try:
        return math.log(value.numerator / value.denominator)
    except OverflowError:
        return math.log(value.numerator) - math.log(value.denominator)


# --- family scores ---


def loglik(table: Table, child: int, parents: Sequence[int]) -> float:
    """Σ_jk N_ijk log(N_ijk / N_ij)."""
    cells = family_counts(table, child, parents).values()
    return math.fsum(n * math.log(n / sum(n_ij)) for n_ij in cells for n in n_ij if n)


def parameters(table: Table, child: int, parents: Sequence[int]) -> int:
    """q_i (r_i - 1)."""
    return math.prod(table.arities[p] for p in parents) * (table.arities[child] - 1)


def aic(table: Table, child: int, parents: Sequence[int]) -> float:
    return loglik(table, child, parents) - parameters(table, child, parents)


def bic(table: Table, child: int, parents: Sequence[int]) -> float:
    return loglik(table, child, parents) - parameters(table, child, parents) * math.log(table.n) / 2


def hqc(table: Table, child: int, parents: Sequence[int]) -> float:
    price = math.log(math.log(table.n)) if table.n > 2 else 0.0
    return loglik(table, child, parents) - parameters(table, child, parents) * price


def mdl(table: Table, child: int, parents: Sequence[int], parent_cost: bool = False) -> float:
    structure = len(parents) * math.log(len(table.arities)) if parent_cost else 0.0
    return -(-loglik(table, child, parents) + structure + math.log(table.n) / 2 * parameters(table, child, parents))


def mdl_parents(table: Table, child: int, parents: Sequence[int]) -> float:
    return mdl(table, child, parents, parent_cost=True)


def dirichlet(counts: Family, alpha: Callable[[Row, int], float]) -> float:
    """Σ_j log Γ(α_ij) - log Γ(α_ij + N_ij) + Σ_k log Γ(α_ijk + N_ijk) - log Γ(α_ijk)."""
    terms = []
    for j, n_ij in counts.items():
        a_ij = [alpha(j, k) for k in range(len(n_ij))]
        if sum(a_ij) > 0:
            terms += [math.lgamma(sum(a_ij)), -math.lgamma(sum(a_ij) + sum(n_ij))]
        for a, n in zip(a_ij, n_ij, strict=True):
            if a > 0:
                terms += [math.lgamma(a + n), -math.lgamma(a)]
            elif n > 0:
                return -math.inf
    return math.fsum(terms)


def bd(table: Table, child: int, parents: Sequence[int], alpha: float = 1.0) -> float:
    return dirichlet(family_counts(table, child, parents), lambda j, k: alpha)


def k2(table: Table, child: int, parents: Sequence[int]) -> float:
    """Return the logarithm of Π_j (r - 1)! / (N_ij + r - 1)! · Π_k N_ijk!."""
    r = table.arities[child]
    value = Fraction(1)
    for n_ij in family_counts(table, child, parents).values():
        value *= Fraction(math.factorial(r - 1), math.factorial(sum(n_ij) + r - 1))
        value *= math.prod(math.factorial(n) for n in n_ij)
    return math.log(value.numerator) - math.log(value.denominator)


def bdj(table: Table, child: int, parents: Sequence[int]) -> float:
    return bd(table, child, parents, 0.5)


def bdeu(table: Table, child: int, parents: Sequence[int], ess: float = 1.0) -> float:
    cells = math.prod(table.arities[v] for v in (*parents, child))
    return dirichlet(family_counts(table, child, parents), lambda j, k: ess / cells)


def bds(table: Table, child: int, parents: Sequence[int], ess: float = 1.0) -> float:
    counts = family_counts(table, child, parents)
    seen = {j for j, n_ij in counts.items() if any(n_ij)}
    r = table.arities[child]
    return dirichlet(counts, lambda j, k: ess / (r * len(seen)) if j in seen else 0.0)


def bde(table: Table, child: int, parents: Sequence[int], prior: Mapping[Row, float], ess: float = 1.0) -> float:
    """α_ijk = ess · P(X_i = k, Pa_i = j), with the prior probability of every configuration of all columns."""

    def alpha(j: Row, k: int) -> float:
        wanted = dict(zip((*parents, child), (*j, k), strict=True))
        return ess * math.fsum(p for row, p in prior.items() if all(row[v] == code for v, code in wanted.items()))

    return dirichlet(family_counts(table, child, parents), alpha)


def network_joint(
    arities: Sequence[int], parent_sets: Sequence[Sequence[int]], tables: Sequence[Mapping[Row, Sequence[float]]]
) -> dict[Row, float]:
    """Return the probability of every configuration; ``tables[i][j][k]`` is P(X_i = k | Pa_i = j)."""
    return {
        row: math.prod(tables[i][tuple(row[p] for p in parents)][row[i]] for i, parents in enumerate(parent_sets))
        for row in product(*map(range, arities))
    }


def collapsed_dirichlet(table: Table, variables: Sequence[int], alpha: float) -> float:
    """Return the log marginal likelihood of columns as one categorical variable."""
    return dirichlet({(): list(contingency(table, variables).values())}, lambda j, k: alpha)


def bdq(table: Table, child: int, parents: Sequence[int], alpha: float = 0.5) -> float:
    return collapsed_dirichlet(table, [*parents, child], alpha) - collapsed_dirichlet(table, parents, alpha)


def fnml(table: Table, child: int, parents: Sequence[int]) -> float:
    """Log-likelihood - Σ_j reg(N_ij, r_i)  (fNML paper, theorem 1)."""
    counts = family_counts(table, child, parents).values()
    return loglik(table, child, parents) - math.fsum(regret(sum(n_ij), table.arities[child]) for n_ij in counts)


def collapsed_nml(table: Table, variables: Sequence[int]) -> float:
    """Return the log NML of columns as one categorical variable."""
    cells = contingency(table, variables)
    return math.fsum(n * math.log(n / table.n) for n in cells.values() if n) - regret(table.n, len(cells))


def qnml(table: Table, child: int, parents: Sequence[int]) -> float:
    return collapsed_nml(table, [*parents, child]) - collapsed_nml(table, parents)


SCORES: dict[str, Callable[[Table, int, Sequence[int]], float]] = {
    "loglik": loglik,
    "aic": aic,
    "bic": bic,
    "hqc": hqc,
    "mdl": mdl,
    "mdl+parents": mdl_parents,
    "k2": k2,
    "bd:1": bd,
    "bd:0.3": lambda t, x, pa: bd(t, x, pa, 0.3),
    "bdj": bdj,
    "bdeu": bdeu,
    "bdeu:7.5": lambda t, x, pa: bdeu(t, x, pa, 7.5),
    "bds": bds,
    "bds:3": lambda t, x, pa: bds(t, x, pa, 3.0),
    "bdq": bdq,
    "bdq:1/3": lambda t, x, pa: bdq(t, x, pa, 1 / 3),
    "fnml": fnml,
    "qnml": qnml,
}


# --- whole structures ---


def parent_sets(n: int, arcs: Arcs) -> list[list[int]]:
    return [sorted(a for a, b in arcs if b == i) for i in range(n)]


def score(table: Table, arcs: Arcs, family: Callable[[Table, int, Sequence[int]], float]) -> float:
    return math.fsum(family(table, i, pa) for i, pa in enumerate(parent_sets(len(table.arities), arcs)))


def all_tables(arities: Sequence[int], n: int) -> Iterator[Table]:
    """Every table with n rows."""
    for rows in product(product(*map(range, arities)), repeat=n):
        yield table_of(rows, arities)


def network_nml(table: Table, arcs: Arcs) -> float:
    """Log NML of a structure, by summing the maximised likelihood over all tables (qNML paper, eq. 3)."""
    fits = (math.exp(score(other, arcs, loglik)) for other in all_tables(table.arities, table.n))
    return score(table, arcs, loglik) - math.log(math.fsum(fits))


def code_length(table: Table, arcs: Arcs) -> tuple[float, float, float]:
    """Bits for the structure, the parameters and the data."""
    n, sets = len(table.arities), parent_sets(len(table.arities), arcs)
    structure = math.log2(n) * len(set(arcs))
    free = sum(parameters(table, i, pa) for i, pa in enumerate(sets))
    data = 0.0
    for row in table.repeated:
        for i, pa in enumerate(sets):
            n_ij = family_counts(table, i, pa)[tuple(row[p] for p in pa)]
            data -= math.log2(n_ij[row[i]] / sum(n_ij))
    return structure, free * math.log2(table.n) / 2, data


def prequential(
    rows: Sequence[Row],
    arities: Sequence[int],
    arcs: Arcs,
    alpha: Callable[[int, Sequence[int], Row, int], float],
) -> list[float]:
    """Log-probability of each row given those before it; ``alpha(i, parents, j, k)`` is α_ijk  (fNML paper, eq. 15)."""
    found = []
    for t, row in enumerate(rows):
        past = table_of(rows[:t], arities)
        total = 0.0
        for i, pa in enumerate(parent_sets(len(arities), arcs)):
            j = tuple(row[p] for p in pa)
            n_ij = family_counts(past, i, pa)[j]
            a_ij = [alpha(i, pa, j, k) for k in range(arities[i])]
            total += math.log((a_ij[row[i]] + n_ij[row[i]]) / (sum(a_ij) + sum(n_ij)))
        found.append(total)
    return found


# --- structure priors ---


def arc_probabilities(n: int, arcs: Arcs, default: float, of: Mapping[tuple[int, int], float]) -> float:
    value = 1.0
    for arc in product(range(n), repeat=2):
        if arc[0] != arc[1]:
            p = of.get(arc, default)
            value *= p if arc in arcs else 1 - p
    return math.log(value) if value > 0 else -math.inf


def distance(arcs: Arcs, prior: Arcs, kappa: float) -> float:
    return len(set(arcs) ^ set(prior)) * math.log(kappa)


# --- information ---


def probabilities(table: Table, variables: Sequence[int]) -> dict[Row, float]:
    return {cell: n / table.n for cell, n in observed(table, variables).items()}


def entropy(table: Table, variables: Sequence[int]) -> float:
    return -math.fsum(p * math.log(p) for p in probabilities(table, variables).values())


def conditional_entropy(table: Table, variables: Sequence[int], given: Sequence[int]) -> float:
    """Σ_y P(y) H(X | y)."""
    both, condition = probabilities(table, [*given, *variables]), probabilities(table, given)
    return -math.fsum(p * math.log(p / condition[cell[: len(given)]]) for cell, p in both.items())


def mutual_information(table: Table, a: Sequence[int], b: Sequence[int], given: Sequence[int] = ()) -> float:
    """Σ P(a, b, c) log P(a, b | c) / (P(a | c) P(b | c))."""
    p_c, p_ac = probabilities(table, given), probabilities(table, [*given, *a])
    p_bc = probabilities(table, [*given, *b])
    total = []
    for cell, p in probabilities(table, [*given, *a, *b]).items():
        c, x, y = cell[: len(given)], cell[len(given) : len(given) + len(a)], cell[len(given) + len(a) :]
        total.append(p * math.log(p * p_c[c] / (p_ac[*c, *x] * p_bc[*c, *y])))
    return math.fsum(total)


def kl_divergence(p: Mapping[Row, float], q: Mapping[Row, float]) -> float:
    if any(not q.get(cell, 0.0) for cell in p):
        return math.inf
    return math.fsum(value * math.log(value / q[cell]) for cell, value in p.items())
