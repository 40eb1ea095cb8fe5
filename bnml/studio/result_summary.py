"""What the list of results says of each."""

from __future__ import annotations

from typing import Any

from bnml._plain import plain
from bnml.five_steps.parts import PARTS
from bnml.five_steps.state import StudyState
from bnml.report.phrases import proof_words
from bnml.search.search_result import SearchResult


def result_summary(state: StudyState) -> dict[str, Any]:
    """Return what the list of results says of a result, as plain values."""
    learned: SearchResult = state.parts["learned"]
    proof = f"no network fits what {learned.search} found" if learned.dag is None else proof_words(learned)
    graph = learned.directions
    values = {
        "score": learned.score,
        "score_name": learned.score_name,
        "search": learned.search,
        "optimal": learned.optimal,
        "proof": f"{proof[0].upper()}{proof[1:]}.",
        "seconds": learned.seconds,
        "arcs": len(graph.directed) + len(graph.undirected),
        "variables": len(state.data.names),
        "parts": [part.name for part in PARTS if part.name in state.parts],
        "complete": all(part.name in state.parts for part in PARTS),
        "left_out": dict(state.left_out),
    }
    return {key: plain(value) for key, value in values.items()}
