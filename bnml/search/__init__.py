"""Searches: the structure with the highest score, or one that comes near it.

`learn` chooses a search, or runs the one that is named; each search is also a function of its own and lives in a file
of its own. All of them work from local scores alone (`bnml.scores.LocalScores`), meet the same constraints and return a
`SearchResult`.
"""

from __future__ import annotations

from bnml.search.exact import exact
from bnml.search.forecast import Forecast, forecast
from bnml.search.learn import learn
from bnml.search.result import SearchResult

__all__ = ["Forecast", "SearchResult", "exact", "forecast", "learn"]
