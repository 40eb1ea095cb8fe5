"""What branch and cut is compared with: the recursion over all subsets, and random lists of families."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np

from bnml._bits import members
from bnml.scores import FamilyScores


def best_score(families: FamilyScores, links: Sequence[int]) -> float:
    """R(S) = max over sinks of R(S without the sink) + the best listed parents of the sink; -inf if there are none."""

    @cache
    def total(whole: int) -> float:
        if whole == 0:
            return 0.0
        found = -math.inf
        for i in members(whole):
            rest = whole ^ (1 << i)
            fitting = [
                score
                for mask, score in zip(families.parents[i], families.scores[i].tolist(), strict=True)
                if mask & ~rest == 0 and rest & links[i] & ~mask == 0
            ]
            if fitting:
                found = max(found, total(rest) + max(fitting))
        return found

    return total((1 << len(families.names)) - 1)


def is_structure(families: FamilyScores, links: Sequence[int], parents: Sequence[int]) -> bool:
    """Whether all families are listed, there is no cycle, and all links are there."""
    n = len(parents)
    listed = all(parents[i] in families.parents[i] for i in range(n))
    linked = all(parents[i] >> j & 1 or parents[j] >> i & 1 for i in range(n) for j in members(links[i]))
    left = (1 << n) - 1
    while left:
        free = [i for i in members(left) if not parents[i] & left]
        if not free:
            return False
        for i in free:
            left ^= 1 << i
    return listed and linked


def random_families(rng: np.random.Generator, n: int, most: int, whole: bool, empty: bool = True) -> FamilyScores:
    """Return some parent sets of each variable, better ones for sets that are large; whole numbers have many ties."""
    parents, scores = [], []
    for i in range(n):
        count = int(rng.integers(1, most + 1))
        sets = {0} if empty else set()
        sets |= {int(mask) & ~(1 << i) for mask in rng.integers(0, 1 << n, count)}
        own = sorted(sets)
        parents.append(own)
        gains = np.array([mask.bit_count() for mask in own]) * rng.uniform(0, 4) + rng.normal(0, 3, len(own))
        scores.append(np.round(gains) if whole else gains)
    return FamilyScores([f"V{k}" for k in range(n)], parents, scores)


def random_links(rng: np.random.Generator, n: int, count: int) -> list[int]:
    """Return required links between some pairs."""
    links = [0] * n
    for _ in range(count):
        i, j = rng.choice(n, 2, replace=False).tolist()
        links[i] |= 1 << j
        links[j] |= 1 << i
    return links
