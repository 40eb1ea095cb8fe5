"""Best networks on all subsets, against the recursion written down."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml._bits import members, subsets
from bnml.graph import Rules
from bnml.search.best_networks import Subsets
from bnml.search.exact import read_back_by_model_string, read_back_by_names
from bnml.search.listed_families import ListedFamilies

FEW = settings(max_examples=30, deadline=None)


@st.composite
def families(draw):
    n = draw(st.integers(1, 5))
    sets = [[mask for mask in range(1 << n) if not mask >> i & 1] for i in range(n)]
    scores = [[float(draw(st.integers(-6, 0))) for _ in own] for own in sets]
    whole = (1 << n) - 1
    links = [0] * n
    for a in range(n):
        for b in range(a):
            if draw(st.integers(0, 9)) == 0:
                links[a] |= 1 << b
                links[b] |= 1 << a
    rules = Rules(tuple("abcde"[:n]), (0,) * n, tuple(whole & ~(1 << i) for i in range(n)), tuple(links), n - 1)
    return [dict(zip(own, values, strict=True)) for own, values in zip(sets, scores, strict=True)], rules


def best_score(tables, links, whole):
    """R(S) = max over sinks of R(S without the sink) + best parents of the sink."""

    @cache
    def total(members_):
        if members_ == 0:
            return 0.0
        found = []
        for i in members(members_):
            rest = members_ ^ (1 << i)
            allowed = [tables[i][some] for some in subsets(rest) if not rest & links[i] & ~some]
            found.append(total(rest) + max(allowed))
        return max(found)

    return total(whole)


@FEW
@given(drawn=families(), low=st.integers(1, 5), threads=st.sampled_from([1, 2]))
def test_against_the_recursion(drawn, low, threads):
    tables, rules = drawn
    n = len(tables)
    listed = ListedFamilies([list(own) for own in tables], [list(own.values()) for own in tables], rules)
    found = Subsets(listed, min(low, n), threads)
    for whole in range(1 << n):
        total = float(found.total[whole >> found.n_low, whole & ((1 << found.n_low) - 1)])
        base = sum(listed.base[i] for i in members(whole))
        assert base + total * listed.unit == pytest.approx(best_score(tables, rules.links, whole), abs=1e-9)
    names = [f"V{k}" for k in range(n)]
    for read in (read_back_by_names, read_back_by_model_string):
        parents = read(found, names, 0.0)
        score = sum(tables[i][parents[i]] for i in range(n))
        assert score == pytest.approx(best_score(tables, rules.links, (1 << n) - 1), abs=1e-9)


def test_gains_are_whole_numbers():
    listed = ListedFamilies([[0, 2], [0, 1]], [[-1.25, -0.5], [-3.0, -2.75]], Rules.none("ab"))
    gains = np.full(2, -np.inf)
    listed.fill(0, 2, 0, 0, gains)
    assert (gains == np.rint(gains)).all()
    assert (listed.base[0] + gains * listed.unit).tolist() == [-1.25, -0.5]
    assert listed.equals(1, 0b01, 0.0) == (round(0.25 / listed.unit), [1])
    assert listed.equals(1, 0, 0.0)[1] == [0]
