"""A study in plain text: what it found, in sentences, and its summary of 80 columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bnml._text import (
    WIDTH,
    name_in_words,
    number_of,
    p_value_text,
    percent,
    probability_text,
    shortened_in_the_middle,
    wrapped_text,
)
from bnml.data.targets import rows_set_words
from bnml.five_steps.decisions import decision_sentences
from bnml.five_steps.links import FIRM, links_found_by_score
from bnml.five_steps.risk import FEW_ROWS, shown_label
from bnml.five_steps.validation import BASE, NETWORK, Estimate
from bnml.report import phrases
from bnml.report.rendering import render_sentences

if TYPE_CHECKING:
    from bnml.five_steps.selection import Selection
    from bnml.five_steps.study_result import Study
    from bnml.five_steps.validation import Validation
    from bnml.graph import Constraints

MOST_SHOWN = 40  # links of the summary
MOST_LETTERS = 70  # of a name there


@dataclass(frozen=True)
class Findings:
    """Sentences, in groups; the first three are the main findings."""

    table: tuple[str, ...]
    target: tuple[str, ...]
    network: tuple[str, ...]
    proven: tuple[str, ...]
    uncertain: tuple[str, ...]

    @property
    def main(self) -> tuple[str, ...]:
        """The findings about the table, the target and the network."""
        return (*self.table, *self.target, *self.network)


def findings_of(study: Study) -> Findings:
    """Return what a study found, in plain sentences."""
    facts = facts_of_study(study)
    return Findings(*(_sentences(name, **facts) for name in ("table", "target", "network", "proven", "uncertain")))


def knowledge_sentences(constraints: Constraints | None) -> tuple[str, ...]:
    """Return constraints in words, a sentence for each."""
    return () if constraints is None else _sentences("knowledge", constraints=constraints)


def selection_sentences(selection: Selection, target: str | None) -> tuple[str, ...]:
    """Return which variables take part, in sentences; none if all do as usual.

    Examples
    --------
    >>> from bnml.five_steps.selection import Selection
    >>> selection_sentences(Selection("target", ("smoke", "lung"), (("asia", "no dependence"),)), "lung")
    ('1 of 3 variables takes no further part, as only those that depend on “lung” were selected: asia.',)
    """
    return _sentences("selection", selection=selection, reasons=selection.reasons, target=target or "")


def text_summary(study: Study) -> str:
    """Return the findings, the constraints, and a line for each link of the network."""
    found = findings_of(study)
    about = f", about {name_in_words(study.target)}" if study.target is not None else ""
    lines = [wrapped_text(f"Study of {number_of(len(study.data.names), 'variable')}{about}")]
    groups: tuple[tuple[str, Sequence[str]], ...] = (
        ("Main findings", found.main),
        ("What was known", knowledge_sentences(study.constraints)),
        ("What was not heeded, as it is about variables that take no part", study.notes),
        ("What is proven or well supported", found.proven),
        ("What is uncertain", found.uncertain),
        ("What was left out", [f"{what}: {why}." for what, why in study.left_out]),
    )
    for title, sentences in groups:
        lines += ["", title, *(wrapped_text(one, "- ", "  ") for one in sentences)] if sentences else []
    return "\n".join([*lines, *_links(study)])


def _sentences(block: str, **facts: Any) -> tuple[str, ...]:
    return render_sentences("findings.txt", block, **facts)


# --- the facts that the sentences are about ---


def facts_of_study(study: Study) -> dict[str, Any]:
    """Return what the sentences of a study's reports are about, by the names that their templates use."""
    return {"study": study, **_facts_of_table(study), **_facts_of_target(study), **_facts_of_network(study)}


def _facts_of_table(study: Study) -> dict[str, Any]:
    data = study.table
    missing = [(name, n / data.n_rows) for name, n in data.gap_counts().items()]
    pairs = zip(data.names, data.states, strict=True)
    return {
        "table": data,
        "rows_set": rows_set_words(data),
        "gaps_as_states": [name for name, labels in pairs if data.reading.gap_code(labels) >= 0],
        "missing": missing,
        "under_state": study.learned.info.get("under_state") if missing else None,
        "knowledge": knowledge_sentences(study.constraints),
        "selection": study.selection,
        "selected": selection_sentences(study.selection, study.target),
        "features": study.features,
    }


def _facts_of_target(study: Study) -> dict[str, Any]:
    target, dag, found = study.target, study.learned.dag, study.validation
    if target is None:
        return {"target": None}
    at = study.data.names.index
    return {
        "target": target,
        "risk": study.risk,
        "extremes": _extremes(study),
        "linked": sorted({x for arc in study.arcs for x in arc if target in arc} - {target}, key=at),
        "blanket": None if dag is None else sorted(dag.markov_blanket(target), key=at),
        "validation": found,
        "compared": [] if found is None else _compared(found),
    }


def _extremes(study: Study) -> list[dict[str, Any]]:
    """Return for which values of the variable that tells most the risk is lowest and highest."""
    if study.risk is None or not study.risk.direct:
        return []
    strongest = study.risk.direct[0]
    name = strongest.variables[0]
    known = sorted((rate for rate in strongest.rates if rate.rows >= FEW_ROWS), key=lambda rate: rate.shares[0])
    return [
        {"share": rate.shares[0], "variable": name, "value": shown_label(study.data, name, rate.given[0])}
        for rate in (known[0], known[-1])
    ] if len(known) > 1 else []  # fmt: skip


def _compared(found: Validation) -> list[tuple[str, str]]:
    """Return which methods the network predicts better, worse and as well as, by the log-loss."""
    rivals = [one for one in found.methods if one.name != NETWORK]
    groups = []
    for how, answer in (("better than", True), ("worse than", False), ("as good as", None)):
        those = [one for one in rivals if _is_better(one.log_loss_over_network) is answer]
        names = [f"the {one.name}" if one.name == BASE else one.name for one in those]
        if names:
            groups.append((how, " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)))
    return groups


def _is_better(worse: Estimate) -> bool | None:
    """Return whether the network's probabilities are better than those of another; None if folds leave it open."""
    return worse.mean > 0 if abs(worse.mean) > 2.0 * worse.error else None


def _facts_of_network(study: Study) -> dict[str, Any]:
    learned, names = study.learned, study.data.names
    inside = [link for link in study.links if link.in_network]
    strong = sorted((link for link in inside if link.strength is not None), key=lambda link: -(link.strength or 0.0))
    regions = () if study.npc is None else study.npc.ambiguous_regions
    return {
        "learned": learned,
        "drawn": study.bootstrap,
        "posterior": study.posterior,
        "network_name": phrases.network_words(learned),
        "how_found": phrases.how_found(learned),
        "found_sentence": phrases.found_sentence(learned),
        "gap_sentence": phrases.gap_sentence(learned),
        "directs": phrases.direction_words(learned),
        "by_tests": phrases.by_tests(learned),
        "found_by_score": links_found_by_score(study),
        "prior": learned.structure_prior and phrases.describe_prior(learned.structure_prior, names),
        "scores": [learned.score_name or "", *(name for name, _ in study.other_scores)],
        "inside": inside,
        "strongest": [link.text for link in strong[:3]],
        "fixed": [link.text for link in inside if link.directed and not link.by_hand and link.verdict != "unsure"],
        "firm": FIRM,
        "n_firm": sum(link.verdict == "firm" for link in inside),
        "disputed": [link.text for link in inside if link.disputed_by],
        "free": [link.text for link in inside if not link.directed and not link.disputed_by],
        "unsure": [link.text for link in inside if link.verdict == "unsure"],
        "absent": [link.text for link in study.links if not link.in_network and (link.certainty or 0.0) >= 0.5],
        "n_agreed": sum(link.in_pc for link in inside),
        "regions": [
            [f"{names[i]} – {names[j]}" for i, j in sorted(sorted(map(names.index, link)) for link in region)]
            for region in regions
        ],
        "decisions": decision_sentences(study),
    }


# --- the links in the summary ---


def _links(study: Study) -> Iterable[str]:
    """Yield the links of the network as a table: how strong, how sure, and what evidence there is."""
    inside = [link for link in study.links if link.in_network]
    if not inside:
        return
    columns = study.strength[["from", "to", "net_gain", "p_value"]]
    arcs = {(a, b): (gain, p) for a, b, gain, p in columns.itertuples(index=False)}
    yield ""
    room = WIDTH - 53
    head = f"{'strength':>8} {'support':>7} {'probable':>8} {'judged':<6} {'net gain':>9} {'p':>8}"
    yield f"{'link':<{room}} {head}".rstrip()
    for link in inside[:MOST_SHOWN]:
        gain, p = arcs.get((link.a, link.b), (math.nan, math.nan))
        a, b = (shortened_in_the_middle(name, MOST_LETTERS) for name in (link.a, link.b))
        name = f"{a} {'→' if link.directed else '–'} {b}"
        if len(name) > room:  # on a line of its own
            yield wrapped_text(name, later="    ")
            name = ""
        support = "" if link.support is None else percent(link.support)
        likely = "" if link.probability is None else probability_text(link.probability)
        worth = f"{gain:,.1f}" if abs(gain) < 1e6 else f"{gain:.2g}"
        known = "" if math.isnan(gain) else f" {worth:>9} {p_value_text(p):>8}"
        strong = "" if link.strength is None else f"{link.strength:.2f}"
        yield f"{name:<{room}} {strong:>8} {support:>7} {likely:>8} {link.verdict:<6}{known}".rstrip()
    if len(inside) > MOST_SHOWN:
        yield f"… and {len(inside) - MOST_SHOWN:,} more"
    yield ""
    yield wrapped_text(
        "strength: how much the two depend on each other, 0 to 1; support: in which share of halves of the rows the "
        "link is found; net gain: evidence in nats, what the score loses without the link after the cost of an arc"
    )
