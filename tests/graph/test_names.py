"""Wrong arguments: every door says which one, and what was given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bnml.errors import BnmlError
from bnml.graph import (
    DAG,
    PDAG,
    Constraints,
    apply_meek_rules,
    canonical_extension,
    compare,
    is_imap,
    is_perfect_map,
    minimal_imap,
    minimal_separator,
    shd,
)

D: Any = DAG.parse("[A][B|A]")
P: Any = D.cpdag()
KNOWN: Any = Constraints(required=[("A", "B")])
ANY: Any = None
WORD: Any = "x"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: is_imap(ANY, D), "dag must be a DAG, got NoneType"),
        (lambda: is_imap("[A]", D), "dag must be a DAG, got str"),  # type: ignore[arg-type]
        (lambda: is_imap(D, ANY), "oracle must be a DAG or a function (x, y, given) -> bool, got None"),
        (lambda: is_perfect_map(ANY, D), "dag must be a DAG, got NoneType"),
        (lambda: is_perfect_map(P, D), "dag must be a DAG, got PDAG; take its .to_dag()"),
        (lambda: is_perfect_map(D, lambda x, y, given: True, limit=ANY), "limit must be a number, got None"),
        (lambda: minimal_imap(ANY, D), "order must be a list of names such as ['A', 'B'], got None"),
        (lambda: minimal_imap(["A"], ANY), "oracle must be a DAG or a function (x, y, given) -> bool, got None"),
        (lambda: Constraints().violations(ANY), "dag must be a DAG, got NoneType"),
        (lambda: Constraints().allows(P), "dag must be a DAG, got PDAG"),
        (lambda: KNOWN.check(ANY), "names must be a list of names such as ['A', 'B'], got None"),
        (lambda: KNOWN.check(["A", ["B"]]), "names hold ['B']"),
        (lambda: KNOWN.compiled(ANY), "names must be a list of names such as ['A', 'B'], got None"),
        (lambda: DAG.from_parent_sets(["A"], [[WORD]]), "parent_sets[0] must be whole numbers, got ['x']"),
        (lambda: DAG.from_parent_sets(["A"], ANY), "parent_sets must be a list of lists of positions, got None"),
        (lambda: DAG.from_parent_sets(["A"], [ANY]), "parent_sets[0] must be whole numbers, got None"),
        (lambda: DAG.from_parent_sets(["A"], [[5]]), "parent_sets[0] is (5,)"),
        (lambda: PDAG.from_masks(["A", "B"], [0, WORD], [0, 0]), "parents must be whole numbers, got [0, 'x']"),
        (lambda: PDAG.from_masks(["A", "B"], [0, 0], ANY), "neighbours must be whole numbers, got None"),
        (lambda: apply_meek_rules(D), "pdag must be a PDAG, got DAG; take its .cpdag()"),
        (lambda: canonical_extension(D), "pdag must be a PDAG, got DAG; take its .cpdag()"),
        (lambda: minimal_separator(ANY, "A", "B"), "dag must be a DAG, got NoneType"),
        (lambda: minimal_separator(D, "A", ANY), "y must be a name or several names of variables, got None"),
        (lambda: shd(ANY, D), "a must be a DAG or PDAG, got NoneType"),
        (lambda: shd(D, WORD), "b must be a DAG or PDAG, got str"),
        (lambda: compare(D, ANY), "learned must be a DAG or PDAG, got NoneType"),
        (lambda: DAG(ANY), "names must be a list of names such as ['A', 'B'], got None"),
        (lambda: DAG("AB"), "names must be a list of names such as ['A', 'B'], got 'AB'"),
        (lambda: DAG(["A"], ANY), "arcs must be a list of pairs of names such as [('A', 'B')], got None"),
        (lambda: DAG(["A", "B"], ["AB"]), "arcs must be pairs of names such as ('A', 'B'), got 'AB'"),
        (lambda: DAG.parse(ANY), "text must be a model string such as '[A][B|A]', got None"),
        (lambda: DAG.from_networkx(ANY), "graph must be a networkx.DiGraph, got NoneType"),
        (lambda: D.is_equivalent(None), "other must be a DAG, got NoneType"),
        (lambda: D.reverse(None), "arcs must be pairs of names such as ('A', 'B'), got None"),
        (lambda: D.with_arcs(None), "arcs must be a list of pairs of names such as [('A', 'B')], got None"),
        (lambda: D.subgraph(None), "names must be a name or several names of variables, got None"),
        (lambda: D.d_separated(None, "A"), "x must be a name or several names of variables, got None"),
        (lambda: D.d_separated("A", "B", None), "given must be a name or several names of variables, got None"),
    ],
)
def test_wrong_arguments(call: Callable[[], object], message: str):
    with pytest.raises(BnmlError) as error:
        call()
    assert str(error.value).startswith(message)
