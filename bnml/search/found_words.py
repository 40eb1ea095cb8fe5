"""What a structure is that no search over all networks by score found: what tests left over, a tree, a forest.

A report must not call these the best network. Their searches go by something else than the score of the report, or
among few structures only; or links were changed by hand afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnml._text import names_in_words, number_of
from bnml.scores import FamilyScores

if TYPE_CHECKING:
    from bnml.search.search_result import SearchResult

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
    """Return in words what kind of network was found, for a sentence.

    It is ``the best network`` only where that is proven.

    Examples
    --------
    >>> import bnml
    >>> [network_words(bnml.learn(bnml.example(), search=search)) for search in ("exact", "climb", "pc", "chow-liu")]
    ['the best network', 'the network that was found', 'the network that tests found (PC)', 'the best tree']
    """
    if result.tested is not None:
        return f"the network that tests found ({result.search.upper()})"
    if _links_by_hand(result):
        return "the network as changed by hand"
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
    if changed := _links_by_hand(result):
        return f"what {result.search} search found, with {number_of(changed, 'link')} changed by hand"
    if search == "chow-liu":
        return f"the best tree: no other{allowed} has more mutual information"
    if search == "polytree":
        level = f"level {info['alpha']:g}"
        return f"a polytree: the significant links of the best tree, directed by tests of independence ({level})"
    if search == "nml-forest":
        if info.get("best_forest"):
            return f"the forest with the highest exact NML of all{allowed}"
        return f"a forest{allowed}, searched for by its exact NML"
    if search == "naive":
        return "naive Bayes, as asked: there is nothing to search for"
    if "optimal_among" in info and search in WORDS:
        return f"the best of all {info['optimal_among']}"
    if search == "tan":
        return f"the best tree of the attributes{allowed}, by information given the class, a parent of them all"
    return None


def _links_by_hand(result: SearchResult) -> int:
    """Return how many links were put in and taken out by hand after a search by score."""
    return sum(len(result.info.get(key, ())) for key in ("added_by_hand", "removed_by_hand"))


def by_tests(result: SearchResult) -> bool:
    """Tell whether tests of independence gave the arcs their directions: in PC, NPC and polytrees."""
    return result.tested is not None or _described_by(result) == "polytree"


def direction_words(result: SearchResult) -> str:
    """Return in words what gives arcs their directions: ``the data``, ``the tests``, ``data and constraints``.

    Examples
    --------
    >>> import bnml
    >>> [direction_words(bnml.learn(bnml.example(), search=search)) for search in ("exact", "pc")]
    ['the data', 'the tests']
    """
    given = ["interventions"] if result.target_sets else []
    given += ["constraints"] if result.constraints is not None else []
    given += ["order"] if _described_by(result) == "k2" else []  # K2 goes by one
    first = "tests" if by_tests(result) else "data"
    return names_in_words([first, *given]) if given else f"the {first}"


def legend_words(result: SearchResult) -> tuple[str, str]:
    """Return in words, for the legend of a picture, how arrows and dashed lines were found."""
    unknown = result.data is None or isinstance(result.local, FamilyScores)  # nothing is known of the data behind
    return "directed" if unknown else f"direction from {direction_words(result)}", "direction open"


def found_sentence(result: SearchResult) -> str:
    """Return how a structure was found as a sentence; empty for searches over all networks by score.

    Examples
    --------
    >>> import bnml
    >>> found_sentence(bnml.learn(bnml.example(), search="chow-liu"))
    'The network is the best tree: no other has more mutual information.'
    """
    how = how_found(result)
    return "" if how is None else f"The network {'is' if result.tested is None else 'was found'} {how}."
