"""Every search by its name, with what it supports: to add one, import its function and list it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from bnml._machine import enough_memory
from bnml.search.by_tests import npc_search, pc_search
from bnml.search.chow_liu import chow_liu
from bnml.search.climb import hill_climb
from bnml.search.exact import exact
from bnml.search.forest import forest
from bnml.search.ges.greedy import ges
from bnml.search.k2 import k2
from bnml.search.naive_bayes import naive_bayes
from bnml.search.nml_forest import nml_forest
from bnml.search.options import Search
from bnml.search.order import order
from bnml.search.polytree import polytree
from bnml.search.problem import MemoryOverError
from bnml.search.search_result import SearchResult
from bnml.search.tabu import tabu
from bnml.search.tan import tan


def listed_search(name: str, algorithm: Callable[..., SearchResult], **supports: Any) -> Search:
    """Return a search for the registry: the keywords of its function are its options.

    Parameters
    ----------
    name, algorithm
        Its name, and its function of a `bnml.search.problem.Problem`.
    **supports
        What it supports: the other attributes of `Search`.
    """
    own = list(inspect.signature(algorithm).parameters.values())[1:]
    defaults = MappingProxyType({one.name: one.default for one in own})
    needed = frozenset(one.name for one in own if one.default is inspect.Parameter.empty)
    guarded = enough_memory(MemoryOverError, f"search={name!r} went on", "take fewer columns, or another search")
    return Search(name, guarded(algorithm), defaults, needed, **supports)


_TESTS: dict[str, Any] = {
    "by_score": False, "refuses": ("max_parents", "time_limit"), "needs_table": True, "pools_rows": True,
}  # fmt: skip

SEARCHES: dict[str, Search] = {
    search.name: search
    for search in (
        listed_search("exact", exact),
        listed_search("climb", hill_climb),
        listed_search("tabu", tabu),
        listed_search("order", order),
        listed_search("ges", ges, needs_table=True, pools_rows=True, of_classes=True),
        listed_search("k2", k2),
        listed_search("chow-liu", chow_liu, by_score=False, needs_table=True, pools_rows=True),
        listed_search("forest", forest),
        listed_search(
            "nml-forest", nml_forest, by_score=False, refuses=("prior",), goes_by="qnml", needs_table=True,
            pools_rows=True,
        ),
        listed_search("tan", tan, by_score=False, needs_table=True, pools_rows=True),
        listed_search("naive", naive_bayes, by_score=False, refuses=("time_limit",), needs_table=True),
        listed_search(
            "polytree", polytree, by_score=False, refuses=("max_parents",), needs_table=True, pools_rows=True
        ),
        listed_search("pc", pc_search, **_TESTS),
        listed_search("npc", npc_search, **_TESTS),
    )
}  # fmt: skip
