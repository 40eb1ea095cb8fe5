"""The five sections of a report: what each shows, and how to read it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bnml._text import names_in_words, number_of, p_value_text, percent, probability_text
from bnml.five_steps.decisions import decision_sentences, legend_of_study
from bnml.five_steps.feature_section import features_section
from bnml.five_steps.findings import found_regions
from bnml.five_steps.knowledge import knowledge
from bnml.five_steps.links import FIRM, LIKELY, Link, linked_pairs, links_too_large_for_halves
from bnml.five_steps.markup import Cell, Html, bar, bullets, figure, long_table, paragraphs, section
from bnml.five_steps.pictures import graph_picture, picture_width
from bnml.independence.independence_result import UNTESTED
from bnml.search.found_by import direction_words, found_sentence
from bnml.search.proof_words import gap_sentence

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
    if study.notes:
        yield paragraphs("Not heeded, as it is about variables that take no part:", kind="note")
        yield bullets(study.notes)
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
        "network with the highest score is searched for."
    )
    others = names_in_words([learned.score_name or "", *(name for name, _ in study.other_scores)])
    agreed = (
        f" Scores weigh fit and complexity in different ways, so the best networks by several scores ({others}) were "
        "compared: an arrow is shown only where all of them have it."
        if study.other_scores
        else ""
    )
    yield paragraphs(
        "Each box is a variable, and a line says that two variables depend on each other in a way that no other "
        f"variables explain. Where a direction is known the line is an arrow; for a dashed line it is open.{agreed}",
        f"There are two ways to a network. Tests ask of each pair whether other variables make it independent "
        f"({tests.search.upper()}, at the level {study.alpha:g}). {other or wins} Links that both ways find deserve "
        "more trust.",
        kind="how",
    )
    unsure = [] if study.npc is None else sorted({*study.npc.undecided}.union(*study.npc.ambiguous_regions), key=sorted)
    marked: list[str | tuple[str, str]] = [tuple(sorted(link)) for link in unsure]  # type: ignore[misc]
    mine: list[str | tuple[str, str]] = [study.target] if study.target is not None else []
    title = f"Network by {learned.search}" if other else "Network by score"
    ours = graph_picture(study.directions, "score", title, legend=legend_of_study(study), highlight=mine)
    from_tests = ("direction from the tests", "direction open")
    by_tests = graph_picture(
        tests.pdag, "tests", "Network by tests", legend=from_tests, highlight=[*mine, *_edges(study, marked)]
    )
    if learned.optimal:
        by_score = (
            f"The network with the best score ({learned.score_name}), found by {learned.search} search. It is proven "
            "that no other has a higher score."
        )
    else:
        by_score = (
            f"The network with the highest score ({learned.score_name}) that {learned.search} search came across. It "
            f"is not proven that there is none better. {gap_sentence(learned)}".rstrip()
        )
    found = other or by_score
    orange = " Orange links are undecided: they stand for each other (see section 4)." if unsure else ""
    limit = f" Tests were given at most {study.max_condition} other variables." if study.max_condition else ""
    yield _side_by_side(
        (ours, found),
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
    learned, others = study.learned, {name for name, _ in study.other_scores}
    ours = learned.search if found_sentence(learned) else f"score ({learned.score_name})"
    head = ["link", ours, *(["other scores"] if others else []), "tests (PC)"]
    head += ["tests (NPC)"] if study.npc is not None else []
    rows: list[list[Cell]] = []
    for link in study.links:
        if link.in_network or link.in_pc or link.in_npc or link.scores:
            by = [f"{len(others.intersection(link.scores))} of {len(others)}"] if others else []
            ends = frozenset((link.a, link.b))
            pc = f"yes{' *' if ends in study.pc.untested else ''}" if link.in_pc else "–"
            npc = []
            if study.npc is not None:
                kept = f"yes{' *' if ends in study.npc.untested else ''}" if link.in_npc else "–"
                npc = ["undecided" if link.ambiguous else kept]
            rows.append([link.text, "yes" if link.in_network else "–", *by, pc, *npc])
    if not rows:
        return paragraphs("No way found any link.", kind="note")
    shown = long_table("Which way finds which link", head, rows, len(head), most=30)
    starred = any(str(cell).endswith("*") for row in rows for cell in row)
    note = paragraphs(f"* Might go with more rows: {UNTESTED}.", kind="note") if starred else Html("")
    return Html(shown + note)


# --- uncertainty ---


def _uncertainty(study: Study) -> Iterator[Html]:
    drawn = study.bootstrap
    yield paragraphs(
        "Some directions no data can tell, however many rows there are: A → B and A ← B may explain all of them "
        "equally well. The picture shows what all networks that are as good as this one share (their class, or "
        "CPDAG): arrows where they agree on the direction, dashed lines where they do not"
        f"{', or where the best network by another score disagrees' if study.other_scores else ''}.",
        "Support: the rows were divided in halves at random, again and again, and a network learned from each half. "
        "Support is the share of these in which a link is found. Probability: how probable a link is, given the data, "
        "when all networks are weighed by "
        f"their score{'' if study.posterior is None else _by(study)}. "
        f"A link is called firm if both are at least {FIRM:.0%}, or one of them is known and a test finds the link as "
        f"well; likely from {LIKELY:.0%} on, and else unsure. All this is about whether the link would be found again, "
        "not about how strong it is (section 5): a slight dependence can be firm, and a strong one unsure.",
        kind="how",
    )
    inside = [link for link in study.links if link.in_network]
    known = {(link.a, link.b): link.support if drawn is not None else link.probability for link in inside}
    sure = {arc: share for arc, share in known.items() if share is not None}
    mine = [study.target] if study.target is not None else []
    label = "found in {%} of the halves" if drawn is not None else "probability {%}"
    often = "more often a link is found again" if drawn is not None else "more probable a link"
    widths = "" if not sure else f" The {often}, the thicker its line."
    picture = graph_picture(
        study.directions, "class", "What is certain of the network", strength=sure or None, strength_label=label,
        legend=legend_of_study(study), highlight=mine,
    )  # fmt: skip
    yield _side_by_side(
        (picture, f"What all equally good networks share: the direction of dashed lines is open.{widths}")
    )
    yield _sure_table(study)
    if drawn is not None:
        how = f"{number_of(drawn.repetitions, 'half', 'halves')} of the rows, each searched by {drawn.search} search."
        if drawn.bounded:
            how += (
                f" Of the {number_of(drawn.n_kept, 'link')} found in {drawn.threshold:.0%} of them or more, at most "
                f"{drawn.false_links:.2g} {'is' if drawn.false_links == 1 else 'are'} expected to be false."
            )
        yield paragraphs(f"Support comes from {how}", kind="note")
        yield _small_halves(study)
    else:
        yield _not_done(study, "bootstrap", "Support is not known")
    if study.posterior is None:
        yield _not_done(study, "posterior", "Probabilities are not known")
    yield _regions(study)
    decided = decision_sentences(study)
    if decided:
        yield Html("<h3>Decided by hand</h3>\n" + bullets(decided))


def _small_halves(study: Study) -> Html:
    """Say which links halves of the rows cannot have, as the rule about rows per cell allows no family of the size."""
    large = links_too_large_for_halves(study)
    if not large:
        return Html("")
    least = f"{study.rows_per_cell:g} row{'' if study.rows_per_cell == 1 else 's'}"
    return paragraphs(
        f"A half has {number_of(study.data.n_rows // 2, 'row')}. That is too few for all that points to "
        f"{names_in_words(large)} in the network, with {least} for each combination of values: the support of these "
        "links may be low for this reason alone.",
        kind="note",
    )


def _sure_table(study: Study) -> Html:
    drawn, known = study.bootstrap is not None, study.posterior is not None
    if not study.links:
        return paragraphs("There are no links to be sure of.", kind="note")
    head = ["link", "direction", *(["judged"] if drawn or known else []), *(["support (% of halves)"] if drawn else [])]
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
    if link.by_hand:
        return "decided by hand" if (link.a, link.b) in study.decisions.directed else "follows from decisions by hand"
    if link.disputed_by:
        return f"open: {names_in_words(link.disputed_by)} disagree{'s' if len(link.disputed_by) == 1 else ''}"
    return f"from {direction_words(study.learned)}" if link.directed else "open"


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
        "Strength says how much the two variables depend on each other once the other variables that point to the same "
        "one are known: 0 for not at all, 1 at most, without a unit. It can be read like the size of a correlation. "
        "Whether the link would be found again is another question (section 4).",
        "Gain and p-value say how much evidence the table has for the link; with many rows they can be impressive for "
        f"a slight dependence. Gain is what the score{_by(study)} loses without the link, in nats: each nat makes the "
        "network 2.7 times less plausible, so that already a gain of 3 counts.",
        kind="how",
    )
    if frame.empty:
        none = study.learned.dag is None
        yield _not_done(study, "strength", "No strengths") if none else paragraphs("The network has no links.")
        return
    inside = [link for link in study.links if link.strength is not None]
    mine = [study.target] if study.target is not None else []
    picture = graph_picture(
        study.directions, "strengths", "Network with strengths",
        strength={(link.a, link.b): link.strength or 0.0 for link in inside},
        strength_label="strength {} (0 to 1)", legend=legend_of_study(study), highlight=mine,
    )  # fmt: skip
    yield _side_by_side((picture, "The thicker a line, the more the two variables depend on each other."))
    evidence = {(a, b): (gain, p) for a, b, gain, _, p, *_ in frame.itertuples(index=False)}
    rows: list[list[Cell]] = []
    for link in sorted(inside, key=lambda link: (-(link.strength or 0.0), link.a, link.b)):
        gain, p = evidence[link.a, link.b]
        strength = link.strength or 0.0
        rows.append([link.text, bar(strength, f"{strength:.2f}"), f"{gain:,.1f}", p_value_text(p)])
    head = ["link", "strength (0 to 1)", "gain (nats)", "p-value"]
    yield long_table("The links, the strongest first", head, rows, most=60)


def _by(study: Study) -> str:
    """Return the name of the score, in brackets."""
    return "" if study.learned.score_name is None else f" ({study.learned.score_name})"


# --- what they share ---


def _not_done(study: Study, what: str, said: str) -> Html:
    return paragraphs(f"{said}: {dict(study.left_out).get(what, 'not done')}.", kind="note")
