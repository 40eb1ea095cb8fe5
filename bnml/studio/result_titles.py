"""What scores, searches and results are called on the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bnml.studio.session import ResultEntry

SCORE_TITLES = {
    "aic": "AIC",
    "bd": "BD",
    "bdeu": "BDeu",
    "bdj": "BDJ",
    "bdq": "BDq",
    "bds": "BDs",
    "bic": "BIC",
    "fnml": "fNML",
    "hqc": "HQC",
    "k2": "K2",
    "loglik": "Likelihood alone",
    "mdl": "MDL",
    "qnml": "qNML",
}
SEARCH_TITLES = {
    "auto": "Automatic",
    "chow-liu": "Tree",
    "climb": "Hill climbing",
    "exact": "Exact",
    "forest": "Forest",
    "ges": "Equivalence search",
    "k2": "In the order of the columns",
    "naive": "Naive Bayes",
    "nml-forest": "Forest by its own code",
    "npc": "Tests of independence (NPC)",
    "order": "Search over orders",
    "pc": "Tests of independence (PC)",
    "polytree": "Polytree",
    "tabu": "Tabu search",
    "tan": "Tree around a target",
}
BY_TESTS = ("npc", "pc")


def titles_of_results(results: Sequence[ResultEntry]) -> dict[str, str]:
    """Return what each result is called: how it was found, by which score, and its number where others are called so.

    Examples
    --------
    >>> from bnml.studio.session import KnownStructure, SETTINGS, TableEntry
    >>> table = TableEntry("tables/0123456789abcdef/table.csv", "t.csv")
    >>> found = [("exact", "qnml"), ("climb", "bdeu:10"), ("exact", "qnml"), ("npc", "qnml")]
    >>> summaries = [{"search": search, "score_name": score} for search, score in found]
    >>> titles_of_results([
    ...     ResultEntry(f"r{k + 1}", summary, table, KnownStructure(), SETTINGS)
    ...     for k, summary in enumerate(summaries)
    ... ])
    {'r1': 'Exact, qNML (result 1)', 'r2': 'Hill climbing, BDeu 10', 'r3': 'Exact, qNML (result 3)', \
'r4': 'Tests of independence (NPC)'}
    """
    titles = {one.id: _title(one.summary.get("search"), one.summary.get("score_name")) for one in results}
    often = Counter(titles.values())
    return {
        name: f"{title} (result {name.removeprefix('r')})" if often[title] > 1 else title
        for name, title in titles.items()
    }


def _title(search: object, score: object) -> str:
    found_by = SEARCH_TITLES.get(str(search)) or _capital(str(search))
    if score is None or search in BY_TESTS:
        return found_by
    name, _, parameter = str(score).partition(":")
    return f"{found_by}, {SCORE_TITLES.get(name, name)}{f' {parameter}' if parameter else ''}"


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
