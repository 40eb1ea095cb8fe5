"""A study as plain values, for JSON: everything that its report shows."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from bnml._plain import plain, records
from bnml.counts import contingency
from bnml.data.targets import rows_set
from bnml.five_steps.links import links_too_large_for_halves
from bnml.report.study_text import findings_of, knowledge_sentences
from bnml.scores.registry import score_text
from bnml.search.options import OF_STRUCTURES

if TYPE_CHECKING:
    from bnml.data import Data
    from bnml.five_steps.links import Link
    from bnml.five_steps.study_result import Study
    from bnml.independence import IndependenceResult
    from bnml.network import BayesianNetwork
    from bnml.uncertainty import Bootstrap, Posterior, SampledPosterior


def study_values(study: Study) -> dict[str, Any]:
    """Return what a study found as plain values."""
    found = findings_of(study)
    said: dict[str, Any] = plain(
        {
            "rows": study.data.n_rows,
            "variables": list(study.data.names),
            "target": study.target,
            "findings": {"main": found.main, "proven": found.proven, "uncertain": found.uncertain},
            "table": _table(study.table),
            "selection": study.selection.to_dict(),
            "features": _features(study),
            "constraints": knowledge_sentences(study.constraints),
            "not_heeded": study.notes,
            "learning": _learning(study),
            "uncertainty": _uncertainty(study),
            "decisions": {**study.decisions.to_dict(), "directions": sorted(study.by_hand)},
            "strength": records(study.strength),
            "risk": None if study.risk is None else study.risk.to_dict(),
            "validation": None if study.validation is None else study.validation.to_dict(),
            "network": None if study.network is None else _network(study.network),
            "settings": _settings(study),
            "left_out": dict(study.left_out),
            "seconds": study.seconds,
        }
    )
    return said


def _table(data: Data) -> dict[str, Any]:
    """Return the variables with their values, and how the table was read."""
    shares = [contingency(data, [i]) / data.n_rows for i in range(len(data.names))]
    return {
        "rows": data.n_rows,
        "variables": [
            {
                "name": name,
                "states": labels,
                "shares": share,
                "cuts": data.cuts.get(name),
                "missing": labels[gap] if (gap := data.reading.gap_code(labels)) >= 0 else None,
            }
            for name, labels, share in zip(data.names, data.states, shares, strict=True)
        ],
        "gaps": data.gaps.to_dict(),
        "interventions": rows_set(data),
        "reading": {"missing": data.reading.missing, "na_values": data.reading.na_values, "coded": data.reading.coded},
    }


def _features(study: Study) -> dict[str, Any]:
    features = study.features
    return {
        "selected": features.selected,
        "of_target": None if study.target is None else records(features.of_target),
        "constant": features.constant,
        "near_duplicates": [{"a": a, "b": b, "shared": shared} for a, b, shared in features.twins],
        "pairs": records(features.pairs),
    }


def _learning(study: Study) -> dict[str, Any]:
    learned = study.learned
    return {
        "score_name": learned.score_name,
        "score": learned.score,
        "log_prior": learned.log_prior,
        "search": learned.search,
        "optimal": learned.optimal,
        "within": learned.within,
        "bound": learned.bound,
        "parameters": learned.n_parameters,
        "arcs": None if learned.dag is None else learned.dag.arcs,
        "directed": learned.directions.directed,
        "undirected": learned.directions.undirected,
        "told_directions": study.directions.directed,
        "other_scores": {
            name: {"directed": graph.directed, "undirected": graph.undirected} for name, graph in study.other_scores
        },
        "pc": _untimed(study.pc),
        "npc": None if study.npc is None else _untimed(study.npc),
    }


def _uncertainty(study: Study) -> dict[str, Any]:
    drawn, known = study.bootstrap, study.posterior
    return {
        "links": [_link(link) for link in study.links],
        "repetitions": 0 if drawn is None else drawn.repetitions,
        "bootstrap": None if drawn is None else _untimed(drawn),
        "too_large_for_halves": links_too_large_for_halves(study),
        "posterior": None if known is None else _untimed(known),
        "open_links": study.open_links,
    }


def _untimed(part: IndependenceResult | Bootstrap | Posterior | SampledPosterior) -> dict[str, Any]:
    """Return a part as plain values, without the time that it took."""
    return {name: value for name, value in part.to_dict().items() if name != "seconds"}


def _link(link: Link) -> dict[str, Any]:
    told = {one.name: getattr(link, one.name) for one in fields(link)}
    told["pc"], told["npc"] = told.pop("in_pc"), told.pop("in_npc")
    return {**told, "verdict": link.verdict or None}


def _network(network: BayesianNetwork) -> list[dict[str, Any]]:
    """Return the conditional tables: a row for each configuration of the parents, the last parent fastest."""
    return [
        {
            "variable": name,
            "states": network.states[name],
            "parents": network.dag.parents(name),
            "table": network.probabilities(name).reshape(-1, len(network.states[name])),
        }
        for name in network.names
    ]


def _settings(study: Study) -> dict[str, Any]:
    options, learning = study.state.options, study.state.options.learning
    prior = learning.prior
    return {
        "select": options.select,
        "score": score_text(learning.score),
        "search": options.search,
        "options": learning.options,
        "alpha": options.alpha,
        **{name: getattr(learning, name) for name in OF_STRUCTURES},
        "prior": prior if isinstance(prior, str) else repr(prior) if prior else "uniform",
        "max_condition": study.max_condition,
        "repetitions": options.repetitions,
        "event": options.event,
        "folds": options.folds,
        "seed": learning.seed,
    }
