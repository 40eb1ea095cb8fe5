"""What reports call a network and what is proven of it, in words that promise no more than was found.

A structure that no search over all networks by score found (what tests left over, a tree, a forest) must not be called
the best network: its search goes by something else than the score of the report, or among few structures only; or links
were changed by hand afterwards. What is proven is said in so many words, as numbers alone are easily misread.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bnml._text import names_in_words, number_of, shortened
from bnml.graph import DAG, Rules
from bnml.scores import FamilyScores, LocalScores
from bnml.scores.priors import ArcProbabilities, Distance, LinkProbabilities, Sparse, StructurePrior

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

RESTS_ON = {
    "clusters": "proven by cluster inequalities, checked in whole numbers",
    "tree": "proven by cluster inequalities and branching, checked in whole numbers",
}
"""What a proof by branch and cut rests on."""

PRIORS = {
    "uniform": "all DAGs{limits} are equally probable",
    "order": "all pairs of an order and a DAG that fits it are equally probable{limits}; "
    "a DAG counts once for each of its linear extensions",
    "classes": "all equivalence classes of DAGs{limits} are equally probable, and so are the members of each",
}
CLOSED = 1e-6  # a bound that is so near to a score proves it
MOST_PRIOR = 200  # letters of a structure prior that users add


# --- what was found, and how ---


def network_words(result: SearchResult) -> str:
    """Return in words what kind of network was found: ``the best network`` only where that is proven.

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
    """Return what a structure is, and what it is the best of; None for searches over all networks by score."""
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


def _links_by_hand(result: SearchResult) -> int:
    """Return how many links were put in and taken out by hand after a search by score."""
    return sum(len(result.info.get(key, ())) for key in ("added_by_hand", "removed_by_hand"))


def by_tests(result: SearchResult) -> bool:
    """Return whether tests of independence gave the arcs their directions: in PC, NPC and polytrees."""
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


# --- what is proven ---


def proof_words(result: SearchResult) -> str:
    """Return what is proven of a network, and what that rests on.

    Examples
    --------
    >>> import bnml
    >>> proof_words(bnml.learn(bnml.example()))
    'optimal: no network has a higher score, up to rounding'
    >>> proof_words(bnml.learn(bnml.example(), search="exact", method="cuts"))
    'optimal: no network has a higher score, up to rounding (proven by cluster inequalities, checked in whole numbers)'
    """
    within, info = result.within, result.info
    if within is None or not math.isfinite(within):
        among = f"the best of all {info['optimal_among']}, but " if "optimal_among" in info else ""
        return f"not proven optimal: {among}{others_words(info)}"
    if not result.optimal and within > 0.0 and "proof" in info:
        return f"not proven optimal, but no network{_allowed(result)} {_gap(result, within)}{_listed(result)}"
    higher = f"a score higher by more than {within:.2g}" if within else "a higher score, up to rounding"
    rests_on = RESTS_ON.get(info.get("proof", ""))
    text = f"no network{_allowed(result)} has {higher}{f' ({rests_on})' if rests_on else ''}"
    return f"{'optimal: ' if result.optimal else 'not proven optimal, but '}{text}"


def gap_sentence(result: SearchResult) -> str:
    """Return how far from the best a network can be, as a sentence; empty where that is not known, or none is better.

    Examples
    --------
    >>> import bnml
    >>> gap_sentence(bnml.learn(bnml.example()))
    ''
    """
    within = result.within
    if result.optimal or within is None or not 0.0 < within < math.inf:
        return ""
    return f"No network{_allowed(result)} {_gap(result, within)}."


def _allowed(result: SearchResult) -> str:
    """Return which networks a proof is about."""
    most = result.info.get("max_parents")
    among = f" with at most {number_of(most, 'parent')} each" if most is not None else ""
    among += " that the constraints allow" if result.constraints is not None else ""
    return among + (f" with {result.info['rows_per_cell']:g} rows per cell" if "rows_per_cell" in result.info else "")


def _gap(result: SearchResult, within: float) -> str:
    nats = " nats" if isinstance(result.local, LocalScores) else ""
    bound = math.ceil((result.score + within) * 1e3) / 1e3
    return f"scores more than {_at_least(within)}{nats} higher (bound {bound:,.3f})"


def _listed(result: SearchResult) -> str:
    """Return what is known of the networks whose families are all listed, where others are not."""
    bound = result.info.get("listed_bound")
    if bound is None:
        return ""
    higher = bound - result.score
    most = "has a higher score" if higher <= CLOSED else f"scores more than {_at_least(higher)} higher"
    return f"; among networks with at most {number_of(result.info['complete_to'], 'parent')} each none {most}"


def _at_least(value: float) -> str:
    """Return a number with two digits or as a whole number, rounded up: what is proven of it stays true."""
    if value >= 10.0:
        return f"{math.ceil(value):,}"
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return f"{math.ceil(value / unit * (1.0 - 1e-12)) * unit:.2g}"


def others_words(info: Mapping[str, Any]) -> str:
    """Return what is known of the networks next to one that is not proven to be the best."""
    text = "other networks may have a higher score"
    if "local_optimum" not in info:
        return text
    if info["local_optimum"]:
        return f"{text}; it is a local optimum: no change of one arc raises it"
    if "arc_gain" in info:
        gain = info["arc_gain"]
        by = f"{gain:,.0f}" if gain >= 10 else f"{gain:.2g}"
        return f"{text}; it is no local optimum: a change of one arc raises it by {by}"
    return f"{text}; whether it is a local optimum was not verified"


# --- priors ---


def describe_prior(prior: StructurePrior, names: Sequence[str]) -> str:
    """Return what an arc costs under a structure prior and why, or the prior itself if arcs differ."""
    if isinstance(prior, ArcProbabilities):
        return f"an arc has probability {prior.default:.3g}{_except_for(len(prior.arcs), 'arc')}"
    if isinstance(prior, LinkProbabilities) and prior.default is not None:
        return f"a link has probability {prior.default:.3g}{_except_for(len(prior.links), 'link')}"
    if isinstance(prior, Distance):
        what = "arc" if isinstance(prior.dag, DAG) else "link"
        factor = f"{1.0 / prior.kappa:.3g}"
        return f"each {what} that differs from the prior graph makes a network {factor} times less probable"
    cost = prior.arc_cost(names)
    if cost is None:
        return shortened(repr(prior), MOST_PRIOR)
    why = ""
    if isinstance(prior, Sparse) and prior.variables is not None:
        are = "is" if prior.parents == 1 else "are"
        why = f", as {prior.parents:g} of {number_of(prior.variables - 1, 'other variable')} {are} expected to be "
        why += "a parent" if prior.parents == 1 else "parents"
    return f"an arc costs {cost:.2f}{why}"


def _except_for(number: int, what: str) -> str:
    return f", except for {number_of(number, what)} with a probability given" if number else ""


def prior_words(prior: str, rules: Rules, structure_prior: StructurePrior | None) -> str:
    """Return what a prior over the structures that rules allow is, and what it is multiplied by.

    Examples
    --------
    >>> prior_words("uniform", Rules.none("ABC", 1), None)
    'all DAGs with at most 1 parent each are equally probable'
    >>> prior_words("uniform", Rules.none("ABC"), Sparse(variables=8))
    'all DAGs are equally probable, but for the structure prior: each arc makes a structure 6 times less probable'
    """
    limits = f" with at most {number_of(rules.most, 'parent')} each" if rules.most < rules.n - 1 else ""
    limits += " that the constraints allow" if rules.constrained else ""
    if rules.sparse and math.isinf(rules.cells):
        limits += " in which variables that were set in every row have no parents"
    elif rules.sparse:
        fewest = f"{min(rules.own_cells):,.0f} to " if rules.own_cells else ""
        limits += f" with families of at most {fewest}{rules.cells:,.0f} cells"
    if limits and prior == "order":
        limits = f", among the DAGs{limits}"
    text = PRIORS[prior].format(limits=limits)
    if structure_prior is None:
        return text
    cost = structure_prior.arc_cost(rules.names)
    if cost is None or cost <= 0.0:
        return f"{text}, but for the structure prior: {describe_prior(structure_prior, rules.names)}"
    factor = f"{math.exp(cost):,.0f}" if cost > math.log(100.0) else f"{math.exp(cost):.3g}"
    return f"{text}, but for the structure prior: each arc makes a structure {factor} times less probable"
