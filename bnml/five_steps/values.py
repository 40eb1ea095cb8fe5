"""A study as plain values, for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bnml._plain import plain, records
from bnml.five_steps.findings import findings_of
from bnml.five_steps.knowledge import knowledge

if TYPE_CHECKING:
    from bnml.five_steps.study_result import Study
    from bnml.independence import IndependenceResult

__all__ = ["values"]


def values(study: Study) -> dict[str, Any]:
    """Return what a study found as plain values."""
    found, learned, features = findings_of(study), study.learned, study.features
    said: dict[str, Any] = plain(
        {
            "rows": study.data.n_rows,
            "variables": list(study.data.names),
            "target": study.target,
            "findings": {"main": found.main, "proven": found.proven, "uncertain": found.uncertain},
            "features": {
                "selected": features.selected,
                "constant": features.constant,
                "near_duplicates": [{"a": a, "b": b, "shared": shared} for a, b, shared in features.twins],
                "pairs": records(features.pairs),
            },
            "constraints": knowledge(study.constraints),
            "learning": {
                "score_name": learned.score_name,
                "score": learned.score,
                "search": learned.search,
                "optimal": learned.optimal,
                "within": learned.within,
                "bound": learned.bound,
                "arcs": None if learned.dag is None else learned.dag.arcs,
                "directed": learned.directions.directed,
                "undirected": learned.directions.undirected,
                "told_directions": study.directions.directed,
                "other_scores": {
                    name: {"directed": graph.directed, "undirected": graph.undirected}
                    for name, graph in study.other_scores
                },
                "pc": _tests(study.pc),
                "npc": None if study.npc is None else _tests(study.npc),
            },
            "uncertainty": {
                "links": [
                    {
                        "a": link.a,
                        "b": link.b,
                        "in_network": link.in_network,
                        "directed": link.directed,
                        "scores": link.scores,
                        "disputed_by": link.disputed_by,
                        "pc": link.in_pc,
                        "npc": link.in_npc,
                        "ambiguous": link.ambiguous,
                        "support": link.support,
                        "direction": link.direction,
                        "probability": link.probability,
                        "strength": link.strength,
                        "verdict": link.verdict or None,
                    }
                    for link in study.links
                ],
                "repetitions": 0 if study.bootstrap is None else study.bootstrap.repetitions,
            },
            "strength": records(study.strength),
            "left_out": dict(study.left_out),
            "seconds": study.seconds,
        }
    )
    return said


def _tests(result: IndependenceResult) -> dict[str, Any]:
    found = result.to_dict()
    return {name: found[name] for name in ("directed", "undirected", "ambiguous_regions")}
