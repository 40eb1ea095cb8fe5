"""Every search by its name: to add one, import its function and list it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bnml._checks import refuse
from bnml._text import did_you_mean
from bnml.errors import ArgumentError, argument
from bnml.search.by_tests import npc_search, pc_search
from bnml.search.chow_liu import chow_liu
from bnml.search.climb import hill_climb
from bnml.search.exact import exact
from bnml.search.forest import forest
from bnml.search.ges import ges
from bnml.search.k2 import k2
from bnml.search.naive_bayes import naive_bayes
from bnml.search.nml_forest import nml_forest
from bnml.search.order import order
from bnml.search.polytree import polytree
from bnml.search.tabu import tabu
from bnml.search.tan import tan
from bnml.search.task import Request, Search, task_request

__all__ = ["SEARCHES", "request_for"]

SEARCHES: dict[str, Search] = {
    function.search.name: function.search
    for function in (
        exact,
        hill_climb,
        tabu,
        order,
        ges,
        k2,
        chow_liu,
        forest,
        nml_forest,
        tan,
        naive_bayes,
        polytree,
        pc_search,
        npc_search,
    )
}


def request_for(search: Any, options: Mapping[str, Any], **given: Any) -> Request:
    """Check what is asked of one of the searches, by its name, or of ``"auto"``; see `bnml.search.task`.

    Raises
    ------
    BnmlError
        If there is no such search, or an argument is wrong.
    """
    names = ("auto", *SEARCHES)
    if not isinstance(search, str) or search not in names:
        hint = did_you_mean(search, names) if isinstance(search, str) else ""
        raise refuse("search", search, f"there is no such search; available: {', '.join(names)}.{hint}")
    own = SEARCHES.get(search)
    for name in options:
        others = [argument("search", other.name) for other in SEARCHES.values() if name in other.options]
        if others and (own is None or name not in own.options):
            asked = argument("search", search)
            raise ArgumentError(f"{argument(name)} goes with {' or '.join(others)}, not with {asked}")
    return task_request(own, options, **given)
