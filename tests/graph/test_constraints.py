"""Constraints: contradictions, masks, violations."""

from __future__ import annotations

import dataclasses
import pickle
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml._bits import bits
from bnml.errors import ArgumentError, GraphError
from bnml.graph import DAG, Constraints

from . import naive

NAMES = list("ABCD")
ALL_DAGS = [DAG(NAMES, arcs) for arcs in naive.all_dags(NAMES)]


def test_equal_by_value():
    a = Constraints([("A", "B"), ("C", "D")], required_links=[("C", "B")], tiers=[["B", "A"], ["C"]])
    b = Constraints([("C", "D"), ("A", "B"), ("A", "B")], required_links=[{"B", "C"}], tiers=[("A", "B"), (), ("C",)])
    assert a == b
    assert hash(a) == hash(b)
    assert a != Constraints()
    assert pickle.loads(pickle.dumps(a)) == a
    assert dataclasses.replace(a, tiers=()).tiers == ()
    with pytest.raises(dataclasses.FrozenInstanceError):
        a.required = ()  # type: ignore[misc]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"required": [("A", "B")], "forbidden": [("A", "B")]}, "A -> B is required, but A -> B is forbidden"),
        (
            {"required": [("B", "A")], "forbidden_links": [("A", "B")]},
            "B -> A is required, but the link A - B is forbid",
        ),
        ({"required": [("A", "B"), ("B", "A")]}, "the required arcs close the cycle A -> B -> A"),
        ({"required": [("A", "B"), ("B", "C"), ("C", "A")]}, "the required arcs close the cycle A -> B -> C -> A"),
        (
            {"required": [("B", "A")], "tiers": [["A"], ["B"]]},
            "B -> A is required, but B -> A runs from tier 2 back to",
        ),
        ({"required_links": [("B", "A")], "forbidden_links": [("A", "B")]}, "A - B is required, but the link A - B is"),
        (
            {"required_links": [("A", "B")], "forbidden": [("A", "B"), ("B", "A")]},
            "A - B is required, but A -> B is forbidden and B -> A is forbidden",
        ),
        (
            {"required_links": [("A", "B")], "forbidden": [("A", "B")], "tiers": [["A"], ["B"]]},
            "A - B is required, but A -> B is forbidden and B -> A runs from tier 2 back to tier 1",
        ),
        (
            {
                "required": [("A", "B")],
                "required_links": [("A", "B"), ("B", "C"), ("C", "A")],
                "forbidden": [("C", "B"), ("A", "C")],
            },
            "with the required links that have one allowed direction, close the cycle A -> B -> C -> A",
        ),
        ({"tiers": [["A", "B"], ["C", "A"]]}, "tiers hold 'A' twice, in tier 1 and in tier 2"),
        ({"tiers": [["A", "A"]]}, "tiers hold 'A' twice, in tier 1 and in tier 1"),
        ({"tiers": ["A", "B"]}, "each tier must be a list of names such as ['A', 'B'], got 'A'"),
        ({"tiers": "AB"}, "tiers must be a list of lists"),
        ({"tiers": [[1]]}, "tiers hold 1"),
        ({"required": [("A", "A")]}, "required join 'A' to itself"),
        ({"forbidden": [("A", "A")]}, "forbidden join 'A' to itself"),
        ({"required_links": [("A", "A")]}, "required_links join 'A' to itself"),
        ({"required": ["AB"]}, "required must be pairs of names"),
        ({"required": [{"A", "B"}]}, "required must be pairs of names"),
        ({"forbidden": 3}, "forbidden must be a list of pairs"),
        ({"forbidden": [("A", "")]}, "forbidden hold ''"),
    ],
)
def test_contradictions_are_found_at_once(given, message):
    with pytest.raises(GraphError) as error:
        Constraints(**given)
    assert message in str(error.value)


def test_unknown_names():
    known = Constraints(forbidden=[("smoke", "canser")])
    with pytest.raises(ArgumentError, match=r"forbidden name 'canser', which is not a variable. Did you mean 'cancer'"):
        known.check(["smoke", "cancer"])
    with pytest.raises(ArgumentError, match="'canser'"):
        known.compiled(["smoke", "cancer"])
    with pytest.raises(ArgumentError, match="'canser'"):
        known.violations(DAG(["smoke", "cancer"]))
    with pytest.raises(ArgumentError, match="tiers name 'Z'"):
        Constraints(tiers=[["A"], ["Z"]]).check(["A"])


def test_violations_in_words():
    rules = Constraints(
        required=[("A", "B")],
        forbidden=[("B", "D")],
        required_links=[("A", "D")],
        forbidden_links=[("D", "C")],
        tiers=[["A"], ["C"]],
    )
    assert rules.violations(DAG(NAMES, [("C", "A"), ("B", "D"), ("D", "C")])) == [
        "the required arc A -> B is missing",
        "the required link A - D is missing",
        "B -> D is forbidden",
        "C -> A runs from tier 2 back to tier 1",
        "D -> C is there, but the link C - D is forbidden",
    ]
    assert rules.violations(DAG(NAMES, [("A", "B"), ("D", "A")])) == []


arcs = st.lists(st.sampled_from(list(permutations(NAMES, 2))), max_size=4)
tiers = st.lists(st.integers(0, 2), min_size=4, max_size=4).map(
    lambda places: [[name for name, k in zip(NAMES, places, strict=True) if k == tier] for tier in (1, 2)]
)


@settings(max_examples=150, deadline=None)
@given(arcs, arcs, arcs, arcs, tiers)
def test_refused_exactly_when_no_dag_fits(required, forbidden, required_links, forbidden_links, groups):
    place = {name: k for k, group in enumerate(groups) for name in group}

    def fits(dag):
        present, links = set(dag.arcs), {frozenset(arc) for arc in dag.arcs}
        return (
            present >= set(required)
            and not present & set(forbidden)
            and links >= {frozenset(link) for link in required_links}
            and not links & {frozenset(link) for link in forbidden_links}
            and not any(place.get(a, 0) > place.get(b, 9) for a, b in present)
        )

    fitting = {dag for dag in ALL_DAGS if fits(dag)}
    given = (required, forbidden, required_links, forbidden_links, groups)
    if not fitting:
        with pytest.raises(GraphError):
            Constraints(*given)
        return
    rules = Constraints(*given)
    assert {dag for dag in ALL_DAGS if rules.allows(dag)} == fitting
    masks = rules.compiled(NAMES)
    assert {dag for dag in ALL_DAGS if satisfies(masks, dag)} == fitting
    assert all(must & ~may == 0 for must, may in zip(masks.must, masks.may, strict=True))


def satisfies(masks, dag):
    parents = dag.parent_masks
    between = all(
        must & ~mask == 0 and mask & ~may == 0 for must, mask, may in zip(masks.must, parents, masks.may, strict=True)
    )
    links = [(i, j) for i, mask in enumerate(masks.links) for j in bits(mask)]
    return between and all(parents[i] >> j & 1 or parents[j] >> i & 1 for i, j in links)


def test_compiled_follows_the_order_of_names():
    rules = Constraints(required=[("A", "B")], required_links=[("C", "D"), ("A", "C")], forbidden=[("C", "A")])
    masks = rules.compiled(["D", "C", "B", "A"])
    assert masks.must == (0, 0b1000, 0b1000, 0)
    assert masks.may == (0b1110, 0b1101, 0b1011, 0b0001)
    assert masks.links == (0b10, 0b01, 0, 0)
