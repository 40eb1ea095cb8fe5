"""Searches: the structure with the highest score, or one that comes near it.

`learn` chooses a search, or runs the one that is named; each search is also a function of its own and lives in a file
of its own. All of them work from one `Task` (`bnml.search.task`) and return a `SearchResult`; `bnml.search.searches`
lists them. Those that go by scores see the data through family scores alone; the others go by mutual information or by
tests of independence. All meet the constraints, or refuse them.
"""

from __future__ import annotations

from bnml.search.candidates import candidates
from bnml.search.chow_liu import chow_liu
from bnml.search.climb import hill_climb
from bnml.search.exact import exact
from bnml.search.forecast import Forecast, forecast
from bnml.search.forest import forest
from bnml.search.ges.greedy import ges
from bnml.search.k2 import k2
from bnml.search.learn import learn
from bnml.search.naive_bayes import naive_bayes
from bnml.search.nml_forest import nml_forest
from bnml.search.order import order
from bnml.search.polytree import polytree
from bnml.search.search_result import SearchResult
from bnml.search.tabu import tabu
from bnml.search.tan import tan

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
