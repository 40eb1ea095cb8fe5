"""What exact search is compared with: all structures, one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product

import numpy as np
from hypothesis import strategies as st

from bnml import DAG, Constraints, Data
from bnml.errors import BnmlError
from bnml.search import exact
from tests.counts.strategies import data_of
from tests.counts.strategies import tables as weighted_tables
from tests.graph.naive import all_dags

EQUAL = 1e-9


@cache
def structures(names: tuple[str, ...]) -> list[DAG]:
    """Return all structures over some names."""
    return [DAG(names, arcs) for arcs in all_dags(list(names))]


def best(
    names: Sequence[str], family: Callable[[int, Sequence[int]], float], allowed: Callable[[DAG], bool] = lambda _: True
) -> tuple[float, list[DAG]]:
    """Return the highest score of all structures that are allowed, and the structures that have it."""
    known = cache(lambda i, parents: family(i, parents))
    scores = [
        (sum(known(i, parents) for i, parents in enumerate(dag.parent_sets)), dag)
        for dag in structures(tuple(names))
        if allowed(dag)
    ]
    highest = max(score for score, _ in scores)
    return highest, [dag for score, dag in scores if score >= highest - EQUAL]


def smallest(dags: Sequence[DAG]) -> DAG:
    """Return the structure with the smallest model string that has no superfluous arc."""
    fewest = [dag for dag in dags if not any(set(other.arcs) < set(dag.arcs) for other in dags)]
    return min(fewest, key=lambda dag: str(DAG(sorted(dag.names), dag.arcs)))


def is_possible(data: Data, known: Constraints, most: int | None) -> bool:
    """Return whether any structure meets constraints and a bound, as exact search finds (its own tests list all)."""
    try:
        exact(data, "bic", constraints=known, max_parents=most)
    except BnmlError:
        return False
    return True


@st.composite
def tables(draw: st.DrawFn, columns: int = 4, rows: int = 40) -> Data:
    """Draw a table: independent columns, noisy copies, functions of others, states that do not occur."""
    if draw(st.booleans()):
        return data_of(draw(weighted_tables(columns=columns, rows=rows)))
    n = draw(st.integers(1, columns))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows = draw(st.integers(1, rows))
    made: list[np.ndarray] = []
    for _ in range(n):
        r = draw(st.integers(2, 3))
        column = rng.integers(0, r, n_rows)
        if made and draw(st.booleans()):
            other = made[draw(st.integers(0, len(made) - 1))]
            column = np.where(rng.random(n_rows) < draw(st.sampled_from([0.5, 0.8, 1.0])), other % r, column)
        made.append(column)
    order = draw(st.permutations(range(n)))
    table = np.column_stack([made[k] for k in order])
    from tests import naive

    return data_of(naive.table_of(table.tolist(), [3] * n))


@st.composite
def constraints(draw: st.DrawFn, names: Sequence[str]) -> Constraints:
    """Draw constraints that some structure meets."""
    order = draw(st.permutations(list(names)))
    place = {name: k for k, name in enumerate(order)}
    found: dict[str, list[tuple[str, str]]] = {kind: [] for kind in ("required", "forbidden", "links", "barred")}
    for a, b in product(names, repeat=2):
        if place[a] < place[b]:
            kind = draw(st.sampled_from(["", "", "", "required", "forbidden", "backward", "links", "barred"]))
            if kind == "backward":
                found["forbidden"].append((b, a))
            elif kind:
                found[kind].append((a, b))
    tiers = []
    if draw(st.booleans()):
        cut = draw(st.integers(0, len(order)))
        tiers = [order[:cut], order[cut:]]
    return Constraints(found["required"], found["forbidden"], found["links"], found["barred"], tiers)
