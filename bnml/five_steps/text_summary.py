"""The summary of a study as plain text of 80 columns."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

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
from bnml.five_steps.findings import findings_of
from bnml.five_steps.knowledge import knowledge_sentences

if TYPE_CHECKING:
    from bnml.five_steps.study_result import Study

MOST_SHOWN = 40
MOST_LETTERS = 70


def text_summary(study: Study) -> str:
    """Return the findings, the constraints, and a line for each link of the network."""
    found = findings_of(study)
    about = f", about {name_in_words(study.target)}" if study.target is not None else ""
    lines = [wrapped_text(f"Study of {number_of(len(study.data.names), 'variable')}{about}")]
    groups = (
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
        name = " ".join(
            [
                shortened_in_the_middle(link.a, MOST_LETTERS),
                "→" if link.directed else "–",
                shortened_in_the_middle(link.b, MOST_LETTERS),
            ]
        )
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
