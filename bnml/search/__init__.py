"""Searches: the structure with the highest score, or one that comes near it.

`learn` chooses a search, or runs the one that is named; each search is also a function (`bnml.search.functions`). Each
algorithm has a file of its own, works from one `Problem` (`bnml.search.problem`) and returns a `SearchResult`;
`bnml.search.searches` lists them. Those that go by scores see the data through family scores alone; the others go by
mutual information or by tests of independence. All meet the constraints, or refuse them.
"""

from __future__ import annotations

from bnml.search.candidates import candidates
from bnml.search.forecast import Forecast, forecast
from bnml.search.functions import (
    chow_liu,
    exact,
    forest,
    ges,
    hill_climb,
    k2,
    naive_bayes,
    nml_forest,
    order,
    polytree,
    tabu,
    tan,
)
from bnml.search.learn import learn
from bnml.search.search_result import SearchResult

__all__ = [
    "Forecast",
    "SearchResult",
    "candidates",
    "chow_liu",
    "exact",
    "forecast",
    "forest",
    "ges",
    "hill_climb",
    "k2",
    "learn",
    "naive_bayes",
    "nml_forest",
    "order",
    "polytree",
    "tabu",
    "tan",
]
