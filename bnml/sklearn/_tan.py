"""TEMPORARY stand-in for bnml.search.tan."""

from __future__ import annotations

from typing import Any

from bnml.graph import DAG
from bnml.scores import LocalScores
from bnml.search import SearchResult


def tan(data: Any, score: Any = "qnml", *, class_variable: str) -> SearchResult:
    """Prim."""
    local = LocalScores(data, score)
    c = data.index(class_variable)
    rest = [i for i in range(len(data.names)) if i != c]
    parent: dict[int, int] = {}
    inside = [rest.pop(0)]
    while rest:
        _, b, a = max(
            (local.family(b, [c, a]) - local.family(b, [c]), -b, -a) for b in rest for a in inside
        )
        parent[-b] = -a
        inside.append(-b)
        rest.remove(-b)
    arcs = [(class_variable, x) for x in data.names if x != class_variable]
    arcs += [(data.names[a], data.names[b]) for b, a in parent.items()]
    dag = DAG(data.names, arcs)
    return SearchResult(dag, 0.0, False, "tan", 0.0, {}, data)
