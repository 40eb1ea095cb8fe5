"""Clusters that fractions of families violate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bnml._watch import Watch
from bnml.search.cuts.family_arrays import Bools, FamilyArrays, Floats, Ints

LEAST = 1e-3  # by how much a cluster must be violated
MOST = 400  # clusters that one search may find
POSITIVE = 1e-7


def _members(contains: Bools) -> tuple[Ints, Ints]:
    """Return where the members of each row begin, and the members."""
    return np.concatenate(([0], np.cumsum(contains.sum(axis=1)))), np.nonzero(contains)[1]


def separate_by_local_search(problem: FamilyArrays, values: Floats, tries: int, seed: int) -> list[Bools]:
    """Return clusters that are violated, those violated most first."""
    from bnml.search.cuts._kernels import clusters_from

    n = problem.n
    used = np.flatnonzero(values > POSITIVE)
    contains = problem.contains[used]
    child, value = problem.child[used], values[used]
    weights = np.zeros((n, n))
    np.add.at(weights, child, value[:, None] * contains)
    arcs = np.argwhere(weights > POSITIVE)
    if not arcs.size:
        return []
    rng = np.random.default_rng(seed)
    starts, noise = [], []
    families = (child, value, *_members(contains), *_members(contains.T))
    found, amounts = np.zeros((MOST, n), bool), np.zeros(MOST)
    for k in range(tries):
        chance = weights[arcs[:, 0], arcs[:, 1]] * rng.random(len(arcs)) if k else weights[arcs[:, 0], arcs[:, 1]]
        _, which = np.unique(arcs[np.argsort(-chance, kind="stable"), 0], return_index=True)
        starts.append(arcs[np.argsort(-chance, kind="stable")[which]])
        noise.append(k > 0)
    clusters: dict[bytes, tuple[float, Bools]] = {}
    for some, noisy in zip(starts, noise, strict=True):
        shift = 0.15 * rng.random(997) if noisy else np.zeros(1)
        count = clusters_from(families, some, shift, LEAST, found, amounts)
        for k in range(count):
            clusters.setdefault(np.packbits(found[k]).tobytes(), (float(amounts[k]), found[k].copy()))
    spans = zip(problem.first[:-1].tolist(), problem.first[1:].tolist(), strict=True)
    left = problem.cyclic(np.array([a + int(np.argmax(values[a:b])) for a, b in spans]))
    if left.any() and (amount := cluster_violation(problem, values, left)) > LEAST:
        clusters.setdefault(np.packbits(left).tobytes(), (amount, left))
    ranked = sorted(clusters.items(), key=lambda entry: (-round(entry[1][0], 9), entry[0]))
    return [members for _, (_, members) in ranked]


def separate_by_program(problem: FamilyArrays, values: Floats, watch: Watch) -> list[Bools]:
    """Return clusters that are violated, as an integer program finds them; few, but it rarely misses one.

    It chooses the members of a cluster, at a price of 1 each, and is paid the value of each family whose child and one
    of whose parents are members. The cluster is violated if the price is less than 1.
    """
    return list(_solutions(problem, values, watch))


def _solutions(problem: FamilyArrays, values: Floats, watch: Watch) -> Iterator[Bools]:
    from highspy import Highs, HighsVarType

    n = problem.n
    contains = problem.contains
    used = np.flatnonzero((values > POSITIVE) & contains.any(axis=1))
    count = used.size
    solver: Any = Highs()
    left = 1e9 if watch.limit is None else max(0.1, watch.limit - watch.seconds)
    for option, value in (("output_flag", False), ("threads", 1), ("random_seed", 0), ("parallel", "off"),
                          ("mip_max_nodes", 50), ("mip_improving_solution_save", True),
                          ("mip_max_improving_sols", 2), ("time_limit", left)):  # fmt: skip
        solver.setOptionValue(option, value)
    solver.addVars(n + count, np.zeros(n + count), np.ones(n + count))
    everything, prices = np.arange(n + count, dtype=np.int32), np.concatenate((np.ones(n), -values[used]))
    solver.changeColsCost(n + count, everything, prices)
    solver.addRow(-np.inf, 1.0 - LEAST, n + count, everything, prices)
    solver.changeColsIntegrality(n, np.arange(n, dtype=np.int32), np.array([HighsVarType.kInteger] * n))
    starts: list[int] = []
    columns: list[int] = []
    entries: list[float] = []
    for k, f in enumerate(used.tolist()):
        for others in ([int(problem.child[f])], np.flatnonzero(contains[f]).tolist()):
            starts.append(len(columns))
            columns += [n + k, *others]
            entries += [1.0] + [-1.0] * len(others)
    starts.append(len(columns))
    columns += range(n)
    entries += [-1.0] * n
    most = np.zeros(len(starts))
    most[-1] = -2.0
    solver.addRows(
        len(starts), np.full(len(starts), -np.inf), most, len(columns), np.array(starts, np.int32),
        np.array(columns, np.int32), np.array(entries),
    )  # fmt: skip
    solver.run()
    seen = set()
    for saved in [*solver.getSavedMipSolutions()][::-1]:
        members = np.asarray(saved.col_value)[:n] > 0.5
        key = np.packbits(members).tobytes()
        if key not in seen and cluster_violation(problem, values, members) > LEAST:
            seen.add(key)
            yield members


def cluster_violation(problem: FamilyArrays, values: Floats, members: Bools) -> float:
    """Return by how much the inequality of a cluster is violated."""
    meets = problem.contains[:, members].any(axis=1) & members[problem.child]
    return float(values[meets].sum() - members.sum() + 1.0)
