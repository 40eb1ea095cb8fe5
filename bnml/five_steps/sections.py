"""The five sections of a report: what each shows, and how to read it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bnml._text import names_in_words, number_of, p_value_text, percent, probability_text
from bnml.five_steps.feature_section import features_section
from bnml.five_steps.findings import found_regions
from bnml.five_steps.knowledge import knowledge
from bnml.five_steps.links import FIRM, LIKELY, Link, linked_pairs
from bnml.five_steps.markup import Cell, Html, bar, bullets, figure, long_table, paragraphs, section
from bnml.five_steps.pictures import graph_picture, picture_width
from bnml.five_steps.strength import strength_of
from bnml.search.found_by import found_sentence

if TYPE_CHECKING:
    from bnml.five_steps.study_result import Study

__all__ = ["sections"]

SIDE_BY_SIDE = 420.0  # points: two pictures up to this width stand beside each other
BROAD = 640.0  # points: a wider picture takes the whole width of the window


def sections(study: Study) -> Iterator[Html]:
    """Yield the five sections."""
    yield section("features", "1. Which variables tell something", *features_section(study))
    yield section("constraints", "2. What was known beforehand", *_constraints(study))
    yield section("learning", "3. The network", *_learning(study))
    yield section("uncertainty", "4. How sure the links are", *_uncertainty(study))
    yield section("strength", "5. How strong the links are", *_strength(study))


# --- constraints ---


def _constraints(study: Study) -> Iterator[Html]:
    known = knowledge(study.constraints)
    if not known:
        yield paragraphs(
            "Nothing was said beforehand about which variables are linked, or in which direction. Whatever is in this "
            "report comes from the table alone. Knowledge of the order in time, or of links that are impossible, can "
            "decide directions that the data leave open."
        )
        return
    yield paragraphs(
        "The following was given, and holds in everything that is shown below; no data were needed for it."
    )
    yield bullets(known)


# --- learning ---


def _learning(study: Study) -> Iterator[Html]:
    learned, tests = study.learned, study.npc or study.pc
    other = found_sentence(learned)
    wins = (
        f"A score ({learned.score_name}) weighs how well a whole network fits against how complex it is, and the "
        "network with the highest score wins."
    )
    yield paragraphs(
        "Each box is a variable, and a line says that two variables depend on each other in a way that no other "
        "variables explain. Where a direction is known the line is an arrow; a dashed line has none that the data "
        "could tell.",
        f"There are two ways to a network. Tests ask of each pair whether other variables make it independent "
        f"({tests.search.upper()}, at the level {study.alpha:g}). {other or wins} Links that both ways find deserve "
        "more trust.",
        kind="how",
    )
    unsure = [] if study.npc is None else sorted({*study.npc.undecided}.union(*study.npc.ambiguous_regions), key=sorted)
    marked: list[str | tuple[str, str]] = [tuple(sorted(link)) for link in unsure]  # type: ignore[misc]
    mine: list[str | tuple[str, str]] = [study.target] if study.target is not None else []
    title = f"Network by {learned.search}" if other else "Network by score"
    by_score = graph_picture(learned.directions, "score", title, highlight=mine)
    by_tests = graph_picture(tests.pdag, "tests", "Network by tests", highlight=[*mine, *_edges(study, marked)])
    proof = "It is proven that no other has a higher score." if learned.optimal else "It is not proven to be the best."
    found = (
        other or f"The network with the best score ({learned.score_name}), found by {learned.search} search. {proof}"
    )
    orange = " Orange links are undecided: they stand for each other (see section 4)." if unsure else ""
    limit = f" Tests were given at most {study.max_condition} other variables." if study.max_condition else ""
    yield _side_by_side(
        (by_score, found),
        (by_tests, f"The network that tests leave over ({tests.search.upper()}).{orange}{limit}"),
    )
    if study.npc is None:
        yield _not_done(study, "npc", "The necessary path condition (NPC) was left out")
    yield _links_table(study)


def _edges(study: Study, links: list[str | tuple[str, str]]) -> list[str | tuple[str, str]]:
    """Return the links that the graph of the tests has, in its directions."""
    graph = (study.npc or study.pc).pdag
    directed = {frozenset(arc): arc for arc in graph.directed}
    there = linked_pairs(graph)
    return [directed.get(frozenset(link), link) for link in links if frozenset(link) in there]


def _side_by_side(*pictures: tuple[Html | None, str]) -> Html:
    """Return pictures beside each other where they are narrow, else below each other."""
    if any(picture is None for picture, _ in pictures):
        return paragraphs("There are too many variables or links for a picture that could be read.", kind="note")
    shown = [(picture, caption) for picture, caption in pictures if picture is not None]
    figures = "".join(figure(picture, caption, wide=picture_width(picture) > BROAD) for picture, caption in shown)
    narrow = len(shown) > 1 and all(picture_width(picture) <= SIDE_BY_SIDE for picture, _ in shown)
    return Html(f'<div class="pair">{figures}</div>\n' if narrow else figures)


def _links_table(study: Study) -> Html:
    ours = study.learned.search if found_sentence(study.learned) else "best score"
    head = ["link", ours, "tests (PC)", *(["tests (NPC)"] if study.npc is not None else [])]
    rows: list[list[Cell]] = []
    for link in study.links:
        if link.in_network or link.in_pc or link.in_npc:
            npc = [] if study.npc is None else ["undecided" if link.ambiguous else "yes" if link.in_npc else "–"]
            rows.append([link.text, "yes" if link.in_network else "–", "yes" if link.in_pc else "–", *npc])
    if not rows:
        return paragraphs("No way found any link.", kind="note")
    return long_table("Which way finds which link", head, rows, len(head), most=30)


# --- uncertainty ---


def _uncertainty(study: Study) -> Iterator[Html]:
    drawn = study.bootstrap
    yield paragraphs(
        "Some directions no data can tell, however many rows there are: A → B and A ← B may explain all of them "
        "equally well. The picture shows what all networks that are as good as this one share (their class, or "
        "CPDAG): arrows where they agree on the direction, dashed lines where they do not.",
        "Support: the rows were divided in halves at random, again and again, and a network learned from each half. "
        "Support is the share of these in which a link is found. Probability: how probable a link is, given the data, "
        "when all networks are weighed by "
        f"their score{'' if study.posterior is None else f' ({study.posterior.score})'}. "
        f"A link is called firm if both are at least {FIRM:.0%}, or one of them is known and a test finds the link as "
        f"well; likely from {LIKELY:.0%} on, and else weak.",
        kind="how",
    )
    inside = [link for link in study.links if link.in_network]
    sure = {(link.a, link.b): link.certainty for link in inside if link.certainty is not None}
    mine = [study.target] if study.target is not None else []
    widths = "" if not sure else " The surer a link, the thicker its line."
    picture = graph_picture(study.learned.directions, "class", "What is certain of the network", strength=sure or None,
                            highlight=mine)  # fmt: skip
    yield _side_by_side(
        (picture, f"What all equally good networks share: dashed lines have no direction that data could tell.{widths}")
    )
    yield _sure_table(study)
    if drawn is not None:
        how = f"{number_of(drawn.repetitions, 'half', 'halves')} of the rows, each searched by {drawn.search} search."
        if drawn.false_links is not None:
            how += (
                f" Of the links found in {drawn.threshold:.0%} of them or more, at most {drawn.false_links:.2g} are "
                "expected to be false."
            )
        yield paragraphs(f"Support comes from {how}", kind="note")
    else:
        yield _not_done(study, "bootstrap", "Support is not known")
    if study.posterior is None:
        yield _not_done(study, "posterior", "Probabilities are not known")
    yield _regions(study)


def _sure_table(study: Study) -> Html:
    drawn, known = study.bootstrap is not None, study.posterior is not None
    if not study.links:
        return paragraphs("There are no links to be sure of.", kind="note")
    head = ["link", "direction", *(["judged"] if drawn or known else []), *(["support"] if drawn else [])]
    head += ["probability"] if known else []
    rows: list[list[Cell]] = []
    for link in study.links:
        if not link.in_network and max(link.support or 0.0, link.probability or 0.0) < 0.5:
            continue
        row: list[Cell] = [link.text, _direction(study, link)]
        row += [link.verdict if link.in_network else "not in the network"] if drawn or known else []
        row += [bar(link.support or 0.0, percent(link.support or 0.0))] if drawn else []
        row += [bar(link.probability or 0.0, probability_text(link.probability or 0.0))] if known else []
        rows.append(row)
    return long_table("The links, the surest first", head, rows, 3 if drawn or known else 2, most=60)


def _direction(study: Study, link: Link) -> str:
    if not link.in_network:
        return "–"
    if not link.directed:
        return "open"
    return "from the data" if study.constraints is None else "from data and constraints"


def _regions(study: Study) -> Html:
    regions = found_regions(study)
    if study.npc is None:
        return Html("")
    if not regions:
        return paragraphs(
            "Tests of independence (NPC) leave no links undecided that stand for each other.", kind="note"
        )
    said = [f"{number_of(len(region), 'link')}: {names_in_words(region, most=40)}." for region in regions]
    return Html(
        "<h3>Links that stand for each other</h3>\n"
        + paragraphs(
            "Where variables tell nearly the same, each makes the links of the other look superfluous. Tests cannot "
            "tell which of these links is real, but not all of them can be absent. Knowledge of the subject can decide."
        )
        + bullets(said)
    )


# --- strength ---


def _strength(study: Study) -> Iterator[Html]:
    frame = study.strength
    yield paragraphs(
        "How much is each link worth? Gain is what the score of the network loses without the link: each unit makes "
        "the network 2.7 times less plausible, so that already a gain of 3 counts. Strength (0 to 1) and the p-value "
        "say how much the two variables depend on each other once the other variables that point to the same one are "
        "known.",
        kind="how",
    )
    if frame.empty:
        none = study.learned.dag is None
        yield _not_done(study, "strength", "No strengths") if none else paragraphs("The network has no links.")
        return
    gains = {(a, b): float(gain) for a, b, gain, *_ in frame.itertuples(index=False)}
    mine = [study.target] if study.target is not None else []
    picture = graph_picture(study.learned.structure, "gains", "Network with strengths", strength=gains, highlight=mine)
    yield _side_by_side(
        (
            picture,
            "The thicker an arrow, the more the network would lose without it. All links are shown as arrows here, "
            "also those whose direction is open.",
        )
    )
    largest = max((gain for gain in gains.values() if math.isfinite(gain)), default=0.0)
    texts = {(link.a, link.b): link.text for link in study.links}
    rows: list[list[Cell]] = []
    for a, b, gain, information, p, freedom, _ in frame.itertuples(index=False):
        strength = strength_of(information, freedom, study.data.n_rows)
        share = gain / largest if largest > 0 and math.isfinite(gain) else 0.0
        rows.append([texts[a, b], bar(share, f"{gain:,.1f}"), f"{strength:.2f}", p_value_text(p)])
    yield long_table("The links, the strongest first", ["link", "gain", "strength", "p-value"], rows, most=60)


# --- what they share ---


def _not_done(study: Study, what: str, said: str) -> Html:
    return paragraphs(f"{said}: {dict(study.left_out).get(what, 'not done')}.", kind="note")
