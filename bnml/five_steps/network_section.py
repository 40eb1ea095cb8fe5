"""The section of a report on the network: its picture, its links with how strong and how sure they are, its tables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice, product
from typing import TYPE_CHECKING

from bnml._text import names_in_words, number_of, p_value_text, percent, probability_text
from bnml.five_steps.decisions import decision_legend, decision_sentences
from bnml.five_steps.findings import found_regions
from bnml.five_steps.knowledge import knowledge_sentences
from bnml.five_steps.links import FIRM, LIKELY, Link, linked_pairs, links_too_large_for_halves
from bnml.five_steps.markup import Cell, Html, bar, bullets, details, figure, heading, paragraphs, shown_label, table
from bnml.five_steps.pictures import graph_picture, picture_width
from bnml.independence.independence_result import UNTESTED
from bnml.search.found_words import direction_words, found_sentence
from bnml.search.proof_words import gap_sentence
from bnml.uncertainty import Posterior, SampledPosterior

if TYPE_CHECKING:
    from bnml.five_steps.study_result import Study
    from bnml.network import BayesianNetwork

BROAD = 640.0  # points: a wider picture takes the whole width of the window
MOST_LINKS_BY_TESTS = 60  # beyond, the picture of what tests leave over is left out
MOST_SHOWN = 12  # links of the table that is not folded
MOST_TABLES = 100
MOST_CONFIGURATIONS = 24
MOST_STATES = 12


def network_section(study: Study) -> Iterator[Html]:
    """Yield the parts of the section."""
    yield paragraphs(_how_to_read(study), kind="how")
    yield _picture(study)
    yield from _known(study)
    yield from _links(study)
    yield _regions(study)
    decided = decision_sentences(study)
    if decided:
        yield Html(heading("Decided by hand") + bullets(decided))
    yield _conditional_tables(study)
    yield _by_tests(study)


def _how_to_read(study: Study) -> str:
    others = names_in_words([study.learned.score_name or "", *(name for name, _ in study.other_scores)])
    agreed = f" and the best networks by several scores ({others}) agree on it" if study.other_scores else ""
    return (
        "Each box is a variable. A line says that two variables depend on each other in a way that no other variables "
        "explain; the thicker it is, the stronger the dependence. It is an arrow where its direction is "
        f"known{agreed}, and dashed where it is open. An arrow is not a proof of cause and effect."
    )


def _picture(study: Study) -> Html:
    learned = study.learned
    strengths = {(link.a, link.b): link.strength for link in study.links if link.strength is not None}
    mine = [study.target] if study.target is not None else []
    title = f"Network by {learned.search}" if found_sentence(learned) else "Network by score"
    picture = graph_picture(
        study.directions, "network", title, strength=strengths or None, strength_label="strength {} (0 to 1)",
        legend=decision_legend(study), highlight=mine,
    )  # fmt: skip
    if picture is None:
        return paragraphs("There are too many variables or links for a picture that could be read.", kind="note")
    return figure(picture, _found(study), wide=picture_width(picture) > BROAD)


def _found(study: Study) -> str:
    """Say what the network is, and what is proven of it."""
    learned = study.learned
    if other := found_sentence(learned):
        return other
    if learned.optimal:
        return (
            f"The network with the best score ({learned.score_name}), found by {learned.search} search. It is proven "
            "that no other has a higher score."
        )
    return (
        f"The network with the highest score ({learned.score_name}) that {learned.search} search came across. It is "
        "not "
        f"proven that there is none better. {gap_sentence(learned)}".rstrip()
    )


def _known(study: Study) -> Iterator[Html]:
    known = knowledge_sentences(study.constraints)
    if study.notes:
        yield paragraphs("Not heeded, as it is about variables that take no part:", kind="note")
        yield bullets(study.notes)
    if not known:
        yield paragraphs(
            "Nothing was said beforehand about which variables are linked, or in which direction. Knowledge of the "
            "order in time, or of links that are impossible, can decide directions that the data leave open.",
            kind="note",
        )
        return
    yield heading("What was known beforehand")
    yield paragraphs("The following was given, and holds in everything that is shown; no data were needed for it.")
    yield bullets(known)


# --- its links ---


def _links(study: Study) -> Iterator[Html]:
    inside = [link for link in study.links if link.in_network]
    if not inside:
        yield paragraphs("The network has no links.")
    elif study.strength.empty:
        yield _not_done(study, "strength", "Strengths are not known")
    rows = sorted(inside, key=lambda link: (-(link.strength or 0.0), link.a, link.b))
    if rows:
        many = len(rows) > MOST_SHOWN
        caption = f"The {MOST_SHOWN} strongest of {len(rows)} links" if many else "The links, the strongest first"
        yield _links_table(study, caption, rows[:MOST_SHOWN])
    if study.links:
        yield details("All links, and what is evidence for each", _evidence_table(study))
    yield from _meaning(study)


def _links_table(study: Study, caption: str, links: list[Link]) -> Html:
    drawn, known = study.bootstrap is not None, study.posterior is not None
    head = [
        "link",
        "strength (0 to 1)",
        *(["support (% of halves)"] if drawn else []),
        *(["probability"] if known else []),
    ]
    head += ["judged"] if drawn or known else []
    rows: list[list[Cell]] = []
    for link in links:
        row: list[Cell] = [link.text]
        row += ["not known" if link.strength is None else bar(link.strength, f"{link.strength:.2f}")]
        row += [bar(link.support or 0.0, percent(link.support or 0.0))] if drawn else []
        row += [bar(link.probability or 0.0, probability_text(link.probability or 0.0))] if known else []
        row += [link.verdict] if drawn or known else []
        rows.append(row)
    return table(caption, head, rows)


def _evidence_table(study: Study) -> Html:
    drawn, known, learned = study.bootstrap is not None, study.posterior is not None, study.learned
    others = {name for name, _ in study.other_scores}
    columns = study.strength[["from", "to", "score_gain", "net_gain", "p_value"]]
    evidence = {(a, b): numbers for a, b, *numbers in columns.itertuples(index=False)}
    ours = learned.search if found_sentence(learned) else f"score ({learned.score_name})"
    head = ["link", "direction", ours, *(["other scores"] if others else []), "tests (PC)"]
    head += ["tests (NPC)"] if study.npc is not None else []
    texts = len(head)
    head += ["strength (0 to 1)", *(["support (% of halves)"] if drawn else []), *(["probability"] if known else [])]
    head += ["gain (nats)", "net gain (nats)", "p-value"]
    rows: list[list[Cell]] = []
    for link in study.links:
        ends = frozenset((link.a, link.b))
        row: list[Cell] = [link.text, _direction(study, link), "yes" if link.in_network else "–"]
        row += [f"{len(others.intersection(link.scores))} of {len(others)}"] if others else []
        row += [f"yes{' *' if ends in study.pc.untested else ''}" if link.in_pc else "–"]
        if study.npc is not None:
            kept = f"yes{' *' if ends in study.npc.untested else ''}" if link.in_npc else "–"
            row += ["undecided" if link.ambiguous else kept]
        row += ["" if link.strength is None else f"{link.strength:.2f}"]
        row += [percent(link.support or 0.0)] if drawn else []
        row += [probability_text(link.probability or 0.0)] if known else []
        gain, net, p = evidence.get((link.a, link.b), (math.nan, math.nan, math.nan))
        row += [""] * 3 if math.isnan(gain) else [f"{gain:,.1f}", f"{net:,.1f}", p_value_text(p)]
        rows.append(row)
    starred = any(str(cell).endswith("*") for row in rows for cell in row)
    note = paragraphs(f"* Might go with more rows: {UNTESTED}.", kind="note") if starred else Html("")
    return Html(table("What each step says of each link", head, rows, texts=texts) + note)


def _direction(study: Study, link: Link) -> str:
    if not link.in_network:
        return "–"
    if link.by_hand:
        return "decided by hand" if (link.a, link.b) in study.decisions.directed else "follows from decisions by hand"
    if link.disputed_by:
        return f"open: {names_in_words(link.disputed_by)} disagree{'s' if len(link.disputed_by) == 1 else ''}"
    return f"from {direction_words(study.learned)}" if link.directed else "open"


def _meaning(study: Study) -> Iterator[Html]:
    """Yield what the columns of the tables mean, and what could not be told."""
    drawn, by = study.bootstrap, "" if study.learned.score_name is None else f" ({study.learned.score_name})"
    halves = "" if drawn is None else (
        f"Support is the share of {number_of(drawn.repetitions, 'half', 'halves')} of the rows, each searched by "
        f"{drawn.search} search, in which the link is found. "
    )  # fmt: skip
    chances = "" if study.posterior is None else (
        f"Probability is that of the link when all networks are weighed by their score{by}"
        f"{_sampled_words(study.posterior)}. "
    )  # fmt: skip
    judged = "" if drawn is None and study.posterior is None else (
        f"A link is firm if both are at least {FIRM:.0%}, or one of them is known and a test finds it as well, likely "
        f"from {LIKELY:.0%} on, and else unsure: that is about whether it would be found again, and a slight "
        "dependence can be firm, a strong one unsure. "
    )  # fmt: skip
    yield paragraphs(
        "Strength says how much two variables depend on each other once the others that point to the same one are "
        f"known; it can be read like the size of a correlation. {halves}{chances}{judged}Gain is what the score{by} "
        "loses without the link, in nats; net gain is what is left of it after the cost of an arc (see Settings). With "
        "the p-value it says how much evidence there is.",
        kind="note",
    )
    if drawn is None:
        yield _not_done(study, "bootstrap", "Support is not known")
    elif drawn.bounded:
        often = " or more" if drawn.threshold < 1.0 else ""
        yield paragraphs(
            f"Of the {number_of(drawn.n_kept, 'link')} found in {drawn.threshold:.0%} of the halves{often}, at most "
            f"{drawn.false_links:.2g} {'is' if drawn.false_links == 1 else 'are'} expected to be false.",
            kind="note",
        )
    if drawn is not None:
        yield _small_halves(study)
    if study.posterior is None:
        yield _not_done(study, "posterior", "Probabilities are not known")


def _sampled_words(known: Posterior | SampledPosterior) -> str:
    """Say how far probabilities can be off, if networks were sampled."""
    if isinstance(known, Posterior):
        return ""
    error = float(known.standard_errors.to_numpy().max(initial=0.0))
    return f": the share of {known.n_samples:,} sampled networks, with a standard error of at most {error:.1g}"


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


def _regions(study: Study) -> Html:
    regions = found_regions(study)
    if not regions:
        return Html("")
    said = [f"{number_of(len(region), 'link')}: {names_in_words(region, most=40)}." for region in regions]
    return Html(
        heading("Links that stand for each other")
        + paragraphs(
            "Where variables tell nearly the same, each makes the links of the other look superfluous. Tests (NPC) "
            "cannot tell which of these links is real, but not all of them can be absent. Knowledge of the subject can "
            "decide."
        )
        + bullets(said)
    )


# --- its tables ---


def _conditional_tables(study: Study) -> Html:
    network = study.learned.network
    if network is None:
        return Html("")
    names = network.names[:MOST_TABLES]
    tables = [details(_family(network, name), _conditional_table(study, network, name)) for name in names]
    more = len(network.names) - len(names)
    rest = paragraphs(f"{more:,} more variables are not shown.", kind="note") if more else Html("")
    return details("Conditional tables: the probabilities that the network is made of", Html("".join(tables) + rest))


def _family(network: BayesianNetwork, name: str) -> str:
    above = network.dag.parents(name)
    return f"{name}, given {', '.join(above)}" if above else name


def _conditional_table(study: Study, network: BayesianNetwork, name: str) -> Html:
    above, data = network.dag.parents(name), study.data
    chances = network.probabilities(name).reshape(-1, len(network.states[name]))
    labels = [shown_label(data, name, label) for label in network.states[name]][:MOST_STATES]
    configurations = product(*([shown_label(data, p, label) for label in network.states[p]] for p in above))
    rows: list[list[Cell]] = [
        [*(given or ("in all rows",)), *(f"{100 * p:.1f}%" for p in chances[k][:MOST_STATES])]
        for k, given in islice(enumerate(configurations), MOST_CONFIGURATIONS)
    ]
    given_text = f" | {', '.join(above)}" if above else ""
    found = table(f"P({name}{given_text})", [*(above or ("",)), *labels], rows, texts=max(len(above), 1))
    cut = []
    if len(chances) > MOST_CONFIGURATIONS:
        cut.append(f"the first {MOST_CONFIGURATIONS} of {len(chances):,} combinations")
    if len(network.states[name]) > MOST_STATES:
        cut.append(f"the first {MOST_STATES} of {len(network.states[name])} values")
    said = paragraphs(f"Shown are {' and '.join(cut)}; save the network to have all of it.", kind="note") if cut else ""
    return Html(found + said)


# --- what tests leave over ---


def _by_tests(study: Study) -> Html:
    tests = study.npc or study.pc
    links = len(linked_pairs(tests.pdag))
    most = study.max_condition
    limit = "" if most is None else f" Tests were given at most {number_of(most, 'other variable')}."
    skipped = (
        "" if study.npc is not None else _not_done(study, "npc", "The necessary path condition (NPC) was left out")
    )
    if links > MOST_LINKS_BY_TESTS:
        return Html(
            paragraphs(
                f"The picture of what tests leave over ({tests.search.upper()}) is left out: it has {links} "
                f"links.{limit}",
                kind="note",
            )
            + skipped
        )
    unsure = [] if study.npc is None else sorted({*study.npc.undecided}.union(*study.npc.ambiguous_regions), key=sorted)
    marked: list[str | tuple[str, str]] = _edges(study, [tuple(sorted(link)) for link in unsure])  # type: ignore[misc]
    mine: list[str | tuple[str, str]] = [study.target] if study.target is not None else []
    picture = graph_picture(
        tests.pdag, "tests", "Network by tests", legend=("direction from the tests", "direction open"),
        highlight=[*mine, *marked],
    )  # fmt: skip
    if picture is None:
        return Html(skipped)
    orange = " Orange links are undecided: they stand for each other." if unsure else ""
    said = (
        f"What tests of independence leave over ({tests.search.upper()}, at the level {study.alpha:g}): two variables "
        f"are linked unless other variables make them independent.{orange}{limit}"
    )
    shown = figure(picture, said, wide=picture_width(picture) > BROAD)
    return Html(details("The network by tests of independence", shown) + skipped)


def _edges(study: Study, links: list[tuple[str, str]]) -> list[str | tuple[str, str]]:
    """Return the links that the graph of the tests has, in its directions."""
    graph = (study.npc or study.pc).pdag
    directed = {frozenset(arc): arc for arc in graph.directed}
    there = linked_pairs(graph)
    return [directed.get(frozenset(link), link) for link in links if frozenset(link) in there]


def _not_done(study: Study, what: str, said: str) -> Html:
    return paragraphs(f"{said}: {dict(study.left_out).get(what, 'not done')}.", kind="note")
