"""Which families are allowed, and what the structure prior says of them."""

from __future__ import annotations

import math

import pytest

import bnml
from bnml.errors import ArgumentError, SearchError
from bnml.graph import Constraints, Rules
from bnml.scores.priors import ArcProbabilities, Distance, Uniform
from bnml.uncertainty.allowed import allowed_families
from tests.uncertainty.naive import parent_sets

NAMES = ("A", "B", "C", "D")


def number(child, parents):
    return sum(1 << (v - (v > child)) for v in parents)


@pytest.mark.parametrize("max_parents", [None, 0, 1, 2, 3, 9])
@pytest.mark.parametrize(
    "constraints",
    [
        None,
        Constraints(),
        Constraints(forbidden=[("A", "B"), ("D", "B")], forbidden_links=[("C", "D")]),
        Constraints(tiers=[["B"], ["C", "A"]]),
        Constraints(required=[("A", "B")]),
        Constraints(required_links=[("A", "B")], forbidden=[("A", "B")]),
    ],
)
def test_families(constraints, max_parents):
    """A family is allowed if the graph of its arcs breaks no rule but those that require others."""
    if constraints and constraints._forced + constraints.required and max_parents == 0:
        with pytest.raises(SearchError, match="max_parents=0"):
            allowed_families((constraints or Constraints()).compiled(NAMES, max_parents), None)
        return
    allowed = allowed_families((constraints or Constraints()).compiled(NAMES, max_parents), None)
    must = () if constraints is None else (*constraints.required, *constraints._forced)
    for i, name in enumerate(NAMES):
        terms = allowed.terms(i)
        for p in parent_sets(4, i):
            dag = bnml.DAG(NAMES, [(NAMES[v], name) for v in p])
            broken = [] if constraints is None else [v for v in constraints.violations(dag) if "missing" not in v]
            broken += [a for a, b in must if b == name and NAMES.index(a) not in p]
            broken += [b for a, b in must if a == name and NAMES.index(b) in p]
            too_many = max_parents is not None and len(p) > max_parents
            assert terms[number(i, p)] == (-math.inf if broken or too_many else 0.0)
    known = constraints is not None and constraints != Constraints()
    assert allowed.rules.constrained == known
    assert (allowed.arc_cost == 0.0) == (not known and max_parents in (None, 3, 9))


@pytest.mark.parametrize(
    "prior", [Uniform(), ArcProbabilities(0.3, {("A", "D"): 0.0}), Distance(bnml.DAG.parse("[D][C|D][A|C][B]"), 0.2)]
)
def test_structure_priors(prior):
    allowed = allowed_families(Rules.none(NAMES), prior)
    assert allowed.arc_cost == (0.0 if isinstance(prior, Uniform) else None)
    for i in range(4):
        terms = allowed.terms(i)
        for p in parent_sets(4, i):
            assert terms[number(i, p)] == pytest.approx(prior.family(NAMES, i, p), abs=1e-12)


def test_links_are_no_statement_about_parents():
    with pytest.raises(ArgumentError, match="A - C"):
        allowed_families(Constraints(required_links=[("C", "A")]).compiled(NAMES), None)
