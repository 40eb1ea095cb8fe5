"""What a structure is that no search over all networks by score found: what tests left over, a tree, a forest.

A report must not call these the best network. Their searches go by something else than the score of the report, or
among few structures only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bnml._text import names_in_words, number_of
from bnml.independence.independence_result import UNTESTED
from bnml.scores import FamilyScores

if TYPE_CHECKING:
    from bnml.search.search_result import SearchResult

__all__ = [
    "by_tests",
    "direction_words",
    "facts_of_tests",
    "found_sentence",
    "how_found",
    "legend_words",
    "link_text",
    "network_words",
]

MOST_SHOWN = 40
CHOICE = "Say which links stay and go if you know better (keep and drop, --keep and --drop-link)"

WORDS = {
    "chow-liu": "the best tree",
    "forest": "the best forest",
    "nml-forest": "the forest that was found",
    "polytree": "the polytree that was found",
    "tan": "the tree-augmented naive Bayes network",
    "naive": "the naive Bayes network",
}
"""What the structures of a search are called in a sentence."""


def network_words(result: SearchResult) -> str:
    """Return what a structure is, in a sentence: ``the best network`` only where that is proven.

    Examples
    --------
    >>> import bnml
    >>> [network_words(bnml.learn(bnml.example(), search=search)) for search in ("exact", "climb", "pc", "chow-liu")]
    ['the best network', 'the network that was found', 'the network that tests found (PC)', 'the best tree']
    """
    if result.tested is not None:
        return f"the network that tests found ({result.search.upper()})"
    return WORDS.get(_described_by(result)) or ("the best network" if result.optimal else "the network that was found")


def _described_by(result: SearchResult) -> str:
    """Return the search that a structure is described by: what branch and cut went on from may be left behind."""
    return "exact" if result.info.get("method") == "cuts" else result.search


def how_found(result: SearchResult) -> str | None:
    """Say what a structure is, and what it is the best of; None for searches over all networks by score."""
    info, search = result.info, _described_by(result)
    allowed = "" if result.constraints is None else " that the constraints allow"
    if result.tested is not None:
        at = "" if result.tested.alpha is None else f" at the level {result.tested.alpha:g}"
        return f"by tests of independence ({result.tested.test}{at}), with no regard to the score"
    if search == "chow-liu":
        return f"the best tree: no other{allowed} has more mutual information"
    if search == "polytree":
        level = f"level {info['alpha']:g}"
        return f"a polytree: the significant links of the best tree, directed by tests of independence ({level})"
    if search == "nml-forest":
        return f"a forest{allowed}, searched for by its exact NML"
    if search == "naive":
        return "naive Bayes, as asked: there is nothing to search for"
    if "optimal_among" in info and search in WORDS:
        return f"the best of all {info['optimal_among']}"
    if search == "tan":
        return f"the best tree of the attributes{allowed}, by information given the class, a parent of them all"
    return None


def by_tests(result: SearchResult) -> bool:
    """Tell whether tests of independence gave the arcs their directions: in PC, NPC and polytrees."""
    return result.tested is not None or _described_by(result) == "polytree"


def direction_words(result: SearchResult) -> str:
    """Return what gives arcs their directions: ``the data``, ``the tests``, ``data and constraints``.

    Examples
    --------
    >>> import bnml
    >>> [direction_words(bnml.learn(bnml.example(), search=search)) for search in ("exact", "pc")]
    ['the data', 'the tests']
    """
    given = ["constraints"] if result.constraints is not None else []
    given += ["order"] if _described_by(result) == "k2" else []  # K2 goes by one
    first = "tests" if by_tests(result) else "data"
    return names_in_words([first, *given]) if given else f"the {first}"


def legend_words(result: SearchResult) -> tuple[str, str]:
    """Return what the legend of a picture says of arrows and of dashed lines."""
    unknown = result.data is None or isinstance(result.local, FamilyScores)  # nothing is known of the data behind
    return "directed" if unknown else f"direction from {direction_words(result)}", "direction open"


def found_sentence(result: SearchResult) -> str:
    """Return the same as a sentence; empty for searches over all networks by score.

    Examples
    --------
    >>> import bnml
    >>> found_sentence(bnml.learn(bnml.example(), search="chow-liu"))
    'The network is the best tree: no other has more mutual information.'
    """
    how = how_found(result)
    return "" if how is None else f"The network {'is' if result.tested is None else 'was found'} {how}."


def facts_of_tests(result: SearchResult) -> list[tuple[str, str]]:
    """Return what tests could not tell: questions without enough rows, and ambiguous regions with what decided them."""
    if result.tested is None:
        return []
    facts = []
    if result.tested.untested:
        facts.append(
            ("sparse", f"{number_of(len(result.tested.untested), 'link')} might go with more rows: {UNTESTED}")
        )
    regions = [_listed(sorted(map(link_text, region))) for region in result.regions]
    several = len(regions) > 1
    said = [f"{f'{number}: ' if several else ''}{links}" for number, links in enumerate(regions, 1)]
    if said:
        facts.append(("regions", f"{'; '.join(said)}: not all {'of a region ' if several else ''}can be absent"))
    decided = result.info.get("decided_by_strength", [])
    if decided:
        there = {link_text(edge) for edge in (*result.directions.directed, *result.directions.undirected)}
        stay, go = [link for link in decided if link in there], [link for link in decided if link not in there]
        texts = [f"{_listed(stay)} {'stays' if len(stay) == 1 else 'stay'}, marked *"] if stay else []
        texts += [f"{_listed(go)} {'goes' if len(go) == 1 else 'go'}"] if go else []
        facts.append(("decided", f"{len(decided):,} of these by strength alone: {'; '.join(texts)}. {CHOICE}"))
    return facts


def _listed(links: Sequence[str]) -> str:
    more = f" and {len(links) - MOST_SHOWN:,} more" if len(links) > MOST_SHOWN else ""
    return ", ".join(links[:MOST_SHOWN]) + more


def link_text(link: frozenset[str] | tuple[str, str]) -> str:
    """Return a link as ``A - B``, by name."""
    return " - ".join(sorted(link))
