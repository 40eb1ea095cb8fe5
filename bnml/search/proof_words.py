"""What is proven of a network, in so many words: numbers alone are easily misread."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bnml._text import number_of
from bnml.scores import LocalScores

if TYPE_CHECKING:
    from bnml.search.search_result import SearchResult

RESTS_ON = {
    "clusters": "proven by cluster inequalities, checked in whole numbers",
    "tree": "proven by cluster inequalities and branching, checked in whole numbers",
}
"""What a proof by branch and cut rests on."""


def proof_words(result: SearchResult) -> str:
    """Say what is proven of a network, and what that rests on.

    Examples
    --------
    >>> import bnml
    >>> proof_words(bnml.learn(bnml.example()))
    'optimal: no network has a higher score, up to rounding'
    >>> proof_words(bnml.learn(bnml.example(), search="exact", method="cuts"))
    'optimal: no network has a higher score, up to rounding (proven by cluster inequalities, checked in whole numbers)'
    """
    within = result.within
    if within is None or not math.isfinite(within):
        return _no_proof(result.info)
    if not result.optimal and within > 0.0 and "proof" in result.info:
        return f"not proven optimal, but no network{_allowed(result)} {_gap(result, within)}{_listed(result)}"
    higher = f"a score higher by more than {within:.2g}" if within else "a higher score, up to rounding"
    rests_on = RESTS_ON.get(result.info.get("proof", ""))
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
    """Say of which networks a proof speaks."""
    most = result.info.get("max_parents")
    among = f" with at most {number_of(most, 'parent')} each" if most is not None else ""
    among += " that the constraints allow" if result.constraints is not None else ""
    if "rows_per_cell" in result.info:
        among += f" with {result.info['rows_per_cell']:g} rows per cell"
    return among


def _gap(result: SearchResult, within: float) -> str:
    nats = " nats" if isinstance(result.local, LocalScores) else ""
    bound = math.ceil((result.score + within) * 1e3) / 1e3
    return f"scores more than {_at_least(within)}{nats} higher (bound {bound:,.3f})"


def _listed(result: SearchResult) -> str:
    """Say what is known of the networks whose families are all listed, where others are not."""
    bound = result.info.get("listed_bound")
    if bound is None:
        return ""
    higher = bound - result.score
    # a bound that is so near to a score proves it
    most = "has a higher score" if higher <= 1e-6 else f"scores more than {_at_least(higher)} higher"
    return f"; among networks with at most {number_of(result.info['complete_to'], 'parent')} each none {most}"


def _at_least(value: float) -> str:
    """Return a number with two digits or as a whole number, rounded up: what is proven of it stays true."""
    if value >= 10.0:
        return f"{math.ceil(value):,}"
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return f"{math.ceil(value / unit * (1.0 - 1e-12)) * unit:.2g}"


def _no_proof(info: Mapping[str, Any]) -> str:
    """Say what is known of a network that is not proven to be the best."""
    among = f"the best of all {info['optimal_among']}, but " if "optimal_among" in info else ""
    return f"not proven optimal: {among}{others_words(info)}"


def others_words(info: Mapping[str, Any]) -> str:
    """Say what is known of the networks next to one that is not proven to be the best."""
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
