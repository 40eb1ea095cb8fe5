"""Posteriors from the definition: every DAG is visited, with its weight; nothing is shared with bnml.

A structure is a tuple with the parents of each variable as a sorted tuple. Weights of families are logarithms,
``weight(child, parents)``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations, permutations, product

from tests import naive
from tests.naive import Row, Table

Structure = tuple[tuple[int, ...], ...]
Weight = Callable[[int, tuple[int, ...]], float]
Pairs = list[list[float]]


@cache
def all_structures(n: int) -> tuple[Structure, ...]:
    pairs = list(combinations(range(n), 2))
    found = []
    for choice in product((0, 1, 2), repeat=len(pairs)):
        parents: list[list[int]] = [[] for _ in range(n)]
        for (a, b), way in zip(pairs, choice, strict=True):
            if way == 1:
                parents[b].append(a)
            if way == 2:
                parents[a].append(b)
        structure = tuple(tuple(sorted(p)) for p in parents)
        if extensions(structure):
            found.append(structure)
    return tuple(found)


@cache
def extensions(structure: Structure) -> int:
    """Return the number of orders in which all parents come first: pick what comes next in all possible ways."""

    @cache
    def ways(placed: frozenset[int]) -> int:
        if len(placed) == len(structure):
            return 1
        ready = [i for i, p in enumerate(structure) if i not in placed and placed.issuperset(p)]
        return sum(ways(placed | {i}) for i in ready)

    return ways(frozenset())


def extensions_by_definition(structure: Structure) -> int:
    orders = permutations(range(len(structure)))
    return sum(all(o.index(p) < o.index(i) for i, above in enumerate(structure) for p in above) for o in orders)


def parent_sets(n: int, child: int) -> Iterable[tuple[int, ...]]:
    others = [v for v in range(n) if v != child]
    return (p for size in range(n) for p in combinations(others, size))


def log_sum(values: Iterable[float]) -> float:
    finite = [value for value in values if value > -math.inf]
    if not finite:
        return -math.inf
    largest = max(finite)
    return largest + math.log(math.fsum(math.exp(value - largest) for value in finite))


def log_weights(n: int, weight: Weight, prior: str, before: Weight | None = None) -> dict[Structure, float]:
    """Return the logarithm of exp(Σ_i weight of i's family) · (1, or the number of linear extensions).

    Under the prior "classes" it is divided by the number of members of the class that ``before`` allows.
    """
    table = {(i, p): weight(i, p) for i in range(n) for p in parent_sets(n, i)}
    found = {}
    for structure in all_structures(n):
        terms = [table[i, p] for i, p in enumerate(structure)]
        if prior == "order":
            terms.append(math.log(extensions(structure)))
        found[structure] = math.fsum(terms) if -math.inf not in terms else -math.inf
    if prior == "classes":
        kept = [s for s in found if before is None or all(before(i, p) > -math.inf for i, p in enumerate(s))]
        members = Counter(map(class_number, kept))
        found |= {s: found[s] - math.log(members[class_number(s)]) for s in kept}
    return found


def probabilities(n: int, weight: Weight, prior: str, before: Weight | None = None) -> dict[Structure, float]:
    weights = log_weights(n, weight, prior, before)
    total = log_sum(weights.values())
    return {structure: math.exp(value - total) for structure, value in weights.items()}


def is_path(structure: Structure, a: int, b: int) -> bool:
    """Whether one goes from a to b along arcs."""
    return any(p == a or is_path(structure, a, p) for p in structure[b])


def is_in_blanket(structure: Structure, a: int, b: int) -> bool:
    """Whether b is a parent, a child or another parent of a child of a."""
    return b in structure[a] or a in structure[b] or any(a in above and b in above for above in structure)


@cache
def structures_where(n: int, holds: Callable[[Structure, int, int], bool], a: int, b: int) -> tuple[Structure, ...]:
    return tuple(structure for structure in all_structures(n) if a != b and holds(structure, a, b))


def pair_probabilities(found: Mapping[Structure, float], holds: Callable[[Structure, int, int], bool]) -> Pairs:
    """Return for each pair of different variables the probability of what holds of it in some structures."""
    n = len(next(iter(found)))
    return [
        [math.fsum(found.get(s, 0.0) for s in structures_where(n, holds, a, b)) for b in range(n)] for a in range(n)
    ]


def arc_probabilities(n: int, weight: Weight, prior: str) -> list[list[float]]:
    found: list[list[list[float]]] = [[[] for _ in range(n)] for _ in range(n)]
    for structure, p in probabilities(n, weight, prior).items():
        for b, above in enumerate(structure):
            for a in above:
                found[a][b].append(p)
    return [[math.fsum(values) for values in row] for row in found]


def log_evidence(n: int, weight: Weight, before: Weight, prior: str) -> float:
    """Return log Σ_G P(G) P(D | G); ``before`` is the weight without data."""
    return log_sum(log_weights(n, weight, prior, before).values()) - _log_total(n, before, prior)


@cache
def _log_total(n: int, before: Weight, prior: str) -> float:
    return log_sum(log_weights(n, before, prior, before).values())


def equivalence(structure: Structure) -> tuple[frozenset[frozenset[int]], frozenset[tuple[frozenset[int], int]]]:
    """Return the links and v-structures."""
    links = frozenset(frozenset((i, p)) for i, above in enumerate(structure) for p in above)
    colliders = frozenset(
        (frozenset(pair), i)
        for i, above in enumerate(structure)
        for pair in combinations(above, 2)
        if frozenset(pair) not in links
    )
    return links, colliders


@cache
def class_number(structure: Structure) -> int:
    """Return the same number for the structures of a class."""
    return _NUMBERS.setdefault(equivalence(structure), len(_NUMBERS))


_NUMBERS: dict[object, int] = {}


# --- predictions ---

Predict = Callable[[Table, int, Sequence[int], Row, int], float]
"""P(child = k | its parents' states j)."""


def dirichlet(alpha: Callable[[Table, int, Sequence[int], Row, int], float]) -> Predict:
    def predict(table: Table, child: int, parents: Sequence[int], j: Row, k: int) -> float:
        n_ij = naive.family_counts(table, child, parents)[j]
        a_ij = [alpha(table, child, parents, j, state) for state in range(table.arities[child])]
        if not sum(a_ij) + sum(n_ij):
            return 1 / table.arities[child]
        return (a_ij[k] + n_ij[k]) / (sum(a_ij) + sum(n_ij))

    return predict


def cells(table: Table, variables: Iterable[int]) -> int:
    return math.prod(table.arities[v] for v in variables)


def bds_alpha(table: Table, child: int, parents: Sequence[int], j: Row, k: int) -> float:
    seen = {j for j, n_ij in naive.family_counts(table, child, parents).items() if any(n_ij)}
    return 1 / (table.arities[child] * len(seen)) if j in seen else 0.0


def snml(table: Table, child: int, parents: Sequence[int], j: Row, k: int) -> float:
    """Return the maximised likelihood of the column's part with one row more, divided by its sum over the states."""
    n_ij = naive.family_counts(table, child, parents)[j]

    def likelihood(counts: Sequence[int]) -> float:
        return math.exp(math.fsum(n * math.log(n / sum(counts)) for n in counts if n))

    longer = [likelihood([n + (s == state) for s, n in enumerate(n_ij)]) for state in range(len(n_ij))]
    return longer[k] / math.fsum(longer)


PREDICT: Mapping[str, Predict] = {
    "bdeu": dirichlet(lambda t, x, pa, j, k: 1 / cells(t, [*pa, x])),
    "bdeu:7.5": dirichlet(lambda t, x, pa, j, k: 7.5 / cells(t, [*pa, x])),
    "bds": dirichlet(bds_alpha),
    "k2": dirichlet(lambda t, x, pa, j, k: 1.0),
    "bd:0.3": dirichlet(lambda t, x, pa, j, k: 0.3),
    "bdj": dirichlet(lambda t, x, pa, j, k: 0.5),
    "bdq": dirichlet(lambda t, x, pa, j, k: 0.5),
    "bdq:1/3": dirichlet(lambda t, x, pa, j, k: 1 / 3),
    "fnml": snml,
    "qnml": snml,
}


def row_probability(table: Table, label: str, found: Mapping[Structure, float], row: Row) -> float:
    """Return Σ_G P(G | D) Π_i P(row[i] | its parents' states)."""
    n, predict = len(table.arities), PREDICT[label]
    theta = {
        (i, p): predict(table, i, p, tuple(row[v] for v in p), row[i]) for i in range(n) for p in parent_sets(n, i)
    }
    return math.fsum(q * math.prod(theta[i, p] for i, p in enumerate(s)) for s, q in found.items())
