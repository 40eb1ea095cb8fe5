"""What a study found, in plain sentences: the main findings, what is proven, and what is uncertain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bnml._text import MOST_NAMED, are, name_in_words, names_in_words, number_of, percent, shown_name
from bnml.data.labels import MISSING_LABEL
from bnml.data.targets import rows_set_words
from bnml.five_steps.decisions import decision_sentences
from bnml.five_steps.knowledge import knowledge_sentences
from bnml.five_steps.links import FIRM, links_found_by_score
from bnml.five_steps.markup import shown_label
from bnml.five_steps.risk import FEW_ROWS
from bnml.five_steps.selection import selection_sentences
from bnml.five_steps.validation import BASE, NETWORK, Estimate
from bnml.search.found_words import by_tests, direction_words, found_sentence, network_words
from bnml.search.proof_words import gap_sentence
from bnml.search.report import MISSING_AT_RANDOM, describe_prior

if TYPE_CHECKING:
    from bnml.five_steps.study_result import Study

MOST_IN_BLANKET = 12


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
        """What was found of the table, the target and the network."""
        return (*self.table, *self.target, *self.network)


def findings_of(study: Study) -> Findings:
    """Return what a study found, in plain sentences."""
    return Findings(
        (*_table(study), *_odd(study), *_pairs(study)),
        (*_risk(study), *_target(study), *_prediction(study)),
        (*_network(study), *decision_sentences(study)),
        tuple(_proven(study)),
        tuple(_uncertain(study)),
    )


def _table(study: Study) -> Iterable[str]:
    data = study.table
    yield f"The table has {number_of(data.n_rows, 'row')} and {number_of(len(data.names), 'variable')}."
    if data.targets is not None:
        yield (
            f"Variables were set from outside in {rows_set_words(data)}. A variable was learned from the rows in which "
            "it was not set; tests used only rows in which nothing was."
        )
    if data.cuts:
        yield (
            f"{number_of(len(data.cuts), 'column')} of numbers {'was' if len(data.cuts) == 1 else 'were'} "
            "cut into ranges, which are the values that count here; the report lists them."
        )
    gaps = [name for name, labels in zip(data.names, data.states, strict=True)
            if data.reading.gap_code(labels) >= 0]  # fmt: skip
    if data.gaps.dropped:
        columns = [name for name, _ in data.gaps.missing]
        yield (
            f"{number_of(data.gaps.dropped, 'row')} more {'was' if data.gaps.dropped == 1 else 'were'} "
            f"left out, as {names_in_words(columns)} {'has' if len(columns) == 1 else 'have'} no value there."
        )
    if gaps:
        yield f"Missing values of {names_in_words(gaps)} count as a value of their own, “{MISSING_LABEL}”."
    if kept := data.gap_counts():
        shares = [f"{shown_name(name)} {percent(n / data.n_rows)}" for name, n in kept.items()]
        listed = ", ".join(shares[:MOST_NAMED]) + (" and others" if len(shares) > MOST_NAMED else "")
        yield (
            f"Values are missing ({listed}) and were expected from the rest of their rows. That assumes "
            f"{MISSING_AT_RANDOM}."
        )
        yield from _with_gaps_as_states(study.learned.info.get("under_state"))
    if study.constraints is not None and (known := knowledge_sentences(study.constraints)):
        yield f"What was known beforehand was taken into account: {number_of(len(known), 'constraint')}."
    yield from selection_sentences(study.selection, study.target)


def _with_gaps_as_states(found: Mapping[str, Any] | None) -> Iterable[str]:
    if found is not None:
        here, there = found["only_here"], found["only_there"]
        said = [f"{number_of(len(here), 'link')} fewer"] if here else []
        said += [f"{number_of(len(there), 'link')} more ({', '.join(there[:MOST_NAMED])})"] if there else []
        yield (
            "With missing values as a value of their own the network would have "
            f"{' and '.join(said) or 'the same links'} (distance {found['shd']})."
        )


def _odd(study: Study) -> Iterable[str]:
    features = study.features
    if features.constant:
        has = "has" if len(features.constant) == 1 else "have"
        yield f"{names_in_words(features.constant)} {has} the same value in every row, and can tell nothing."
    for a, b, shared in features.twins[:MOST_NAMED]:
        yield (
            f"{shown_name(a)} and {shown_name(b)} are all but copies of each other: they share {percent(shared)} of "
            "what they tell. Consider leaving out one of them."
        )
    if len(features.twins) > MOST_NAMED:
        yield f"So are {len(features.twins) - MOST_NAMED} more pairs of variables."


def _pairs(study: Study) -> Iterable[str]:
    pairs, dependent = study.features.pairs, study.features.dependent
    if not len(pairs):
        return
    if len(pairs) == 1:
        yield f"The two variables{_not(len(dependent) == 1)} depend on each other more than chance explains."
        return
    all_of_them = len(dependent) == len(pairs)
    text = f"{'All' if all_of_them else f'{len(dependent):,} of the'} {number_of(len(pairs), 'pair')} of variables"
    if not len(dependent):
        yield f"No pair of variables, of {len(pairs):,}, depends on each other more than chance explains."
        return
    depend = "depend" if len(dependent) != 1 else "depends"
    first = pairs.iloc[0]
    yield (
        f"{text} {depend} on each other more than chance explains; the evidence is clearest for "
        f"{shown_name(first['a'])} and {shown_name(first['b'])}."
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _not(holds: bool) -> str:
    return "" if holds else " do not"


def _target(study: Study) -> Iterable[str]:
    if study.target is None:
        return
    target, others, chosen = name_in_words(study.target), len(study.table.names) - 1, study.features.selected
    dag = study.learned.dag
    near = sorted({x for arc in study.arcs for x in arc if study.target in arc} - {study.target}, key=_place(study))
    if not near:
        yield f"In {network_words(study.learned)} {target} is linked with no other variable."
    else:
        linked = names_in_words(near, MOST_IN_BLANKET)
        yield f"In {network_words(study.learned)} {target} is directly linked with {linked}."
    blanket = [] if dag is None else sorted(dag.markov_blanket(study.target), key=_place(study))
    if near and dag is not None and len(blanket) < len(study.data.names) - 1:
        those = (
            "these are" if set(near) == set(blanket) else f"{names_in_words(blanket, MOST_IN_BLANKET)} {are(blanket)}"
        )
        among = " that take part" if study.selection.reasons else ""
        yield f"By this network, once {those} known, the other variables{among} tell nothing more of {target}."
    if chosen:
        tell = "tells" if len(chosen) == 1 else "tell"
        yield (
            f"{'All' if 1 < len(chosen) == others else f'{len(chosen):,} of the'} "
            f"{number_of(others, 'other variable')} {tell} something of {target} by "
            f"{'itself' if len(chosen) == 1 else 'themselves'}, the clearest first: {names_in_words(chosen)}."
        )
    else:
        yield f"None of the {number_of(others, 'other variable')} tells anything of {target} by itself."


def _risk(study: Study) -> Iterable[str]:
    """Yield how often the target has the value that the risk is of, and by what that differs most."""
    risk = study.risk
    if risk is None or study.target is None or not risk.outcomes.event:
        return
    target, event = name_in_words(study.target), name_in_words(risk.outcomes.texts[0])
    all_in_all = f"{target} is {event} in {percent(risk.overall.shares[0])} of the rows"
    if not risk.direct:
        yield f"{all_in_all}."
        return
    strongest = risk.direct[0]
    known = sorted((rate for rate in strongest.rates if rate.rows >= FEW_ROWS), key=lambda rate: rate.shares[0])
    name = strongest.variables[0]
    if len(known) < 2:
        yield f"{all_in_all}."
        return
    low, high = (
        f"{percent(rate.shares[0])} of those where {shown_name(name)} is {_value(study, name, rate.given[0])}"
        for rate in (known[0], known[-1])
    )
    yield f"{all_in_all}: in {low}, and in {high}."


def _value(study: Study, name: str, label: Any) -> str:
    return name_in_words(shown_label(study.data, name, label))


def _prediction(study: Study) -> Iterable[str]:
    """Yield how well the network predicts the target, beside its rivals."""
    found = study.validation
    if found is None or study.target is None:
        return
    network, base = found.method(NETWORK), found.method(BASE)
    if network is None or base is None:
        return
    yield (
        f"In rows that it was not learned from, the network predicts {name_in_words(study.target)} with an accuracy of "
        f"{percent(network.accuracy.mean)}; the commonest value alone gives {percent(base.accuracy.mean)}."
    )
    if study.selection.how in ("target", "blanket"):
        yield "The variables were selected with all rows, these among them, which flatters every method."
    rivals = [one for one in found.methods if one is not network]
    groups = (("better than", True), ("worse than", False), ("as good as", None))
    names = {one: f"the {one.name}" if one is base else one.name for one in rivals}
    told = [
        (words, [name for one, name in names.items() if _better(one.log_loss_over_network) is how])
        for words, how in groups
    ]
    said = [f"{words} those of {_listed(those)}" for words, those in told if those]
    yield f"Its probabilities (log-loss, beyond twice the standard error) are {', and '.join(said)}."


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _better(worse: Estimate) -> bool | None:
    """Tell whether the network's probabilities are better than those of another; None if folds do not tell."""
    return worse.mean > 0 if abs(worse.mean) > 2.0 * worse.error else None


def _place(study: Study) -> Callable[[str], int]:
    return study.data.names.index


def _network(study: Study) -> Iterable[str]:
    arcs = study.arcs
    if study.learned.dag is None:
        yield (
            f"No network fits what the tests of {study.learned.search.upper()} found: they contradict each other. What "
            "is said of the network is about the graph that they left."
        )
    if not arcs:
        yield f"{_capital(network_words(study.learned))} has no links: by this measure the variables are independent."
        return
    inside = [link for link in study.links if link.strength is not None]
    strongest = [link.text for link in sorted(inside, key=lambda link: -(link.strength or 0.0))[:3]]
    if not strongest:  # no network, no strengths
        yield f"It joins the variables by {number_of(len(arcs), 'link')}."
        return
    most = f"the strongest are {names_in_words(strongest)}" if len(arcs) > 3 else names_in_words(strongest)
    yield f"{_capital(network_words(study.learned))} joins the variables by {number_of(len(arcs), 'link')}: {most}."


def _proven(study: Study) -> Iterable[str]:
    learned = study.learned
    if learned.optimal:
        among = " that meets the constraints" if study.constraints is not None else ""
        most = learned.info.get("max_parents")
        among += f" with at most {number_of(most, 'parent')} for each variable" if most is not None else ""
        cells = learned.info.get("rows_per_cell")
        allowed = (
            f" Allowed are networks that leave {cells:g} rows or more, on average, for each combination of values of a "
            "variable and those that point to it."
            if cells is not None
            else ""
        )
        prior = learned.structure_prior
        charge = "" if prior is None else f" with a structure prior: {describe_prior(prior, learned.structure.names)}"
        yield (
            f"No other network{among} has a higher score ({learned.score_name}{charge}): an exact search has ruled out "
            f"all others. The score weighs how well a network fits the data against how complex it is.{allowed}"
        )
    inside = [link for link in study.links if link.in_network]
    fixed = [link.text for link in inside if link.directed and not link.by_hand and link.verdict != "unsure"]
    yield from _directions(study, fixed)
    firm = [link for link in inside if link.verdict == "firm"]
    if firm:
        yield f"{number_of(len(firm), 'link')} of {len(inside):,} {are(firm)} firm: {_how_firm(study)}."


def _directions(study: Study, fixed: list[str]) -> Iterable[str]:
    """Yield what is told of directions, and what it rests on."""
    if not fixed:
        return
    by, told = direction_words(study.learned), f"{number_of(len(fixed), 'link')}: {names_in_words(fixed)}"
    if not links_found_by_score(study):
        yield f"{_capital(by)} direct {told}."
    elif study.other_scores:
        yield (
            f"If the network is right, {by} direct {told}. The best networks by {_scores(study)} agree on "
            f"{'this' if len(fixed) == 1 else 'these'}."
        )
    else:
        yield (
            f"If the network is right, {by} direct {told}. This rests on the score {study.learned.score_name} alone; "
            "other scores were not compared."
        )


def _scores(study: Study) -> str:
    """Return the scores whose best networks were compared."""
    return names_in_words([study.learned.score_name or "", *(name for name, _ in study.other_scores)])


def _how_firm(study: Study) -> str:
    drawn, known = study.bootstrap is not None, study.posterior is not None
    texts = [f"found in {FIRM:.0%} or more of the halves of the rows"] if drawn else []
    texts += [f"with a probability of {FIRM:.0%} or more"] if known else []
    return ", and ".join(texts)


def _gap(study: Study) -> str:
    """Return how far from the best the network can be, as one more sentence; empty where that is not known."""
    sentence = gap_sentence(study.learned)
    return f" {sentence}" if sentence else ""


def _uncertain(study: Study) -> Iterable[str]:
    inside = [link for link in study.links if link.in_network]
    fits = study.learned.dag is not None
    found = found_sentence(study.learned)
    if fits and found:
        yield f"{found} Other networks may have a higher score."
    elif fits and not study.learned.optimal:
        yield (
            f"The network is the best that the search ({study.learned.search}) came across. It is not proven that "
            f"there is none better.{_gap(study)}"
        )
    parameters, rows = study.learned.n_parameters or 0, study.data.n_rows
    if parameters > rows:
        yield (
            f"The network has {number_of(parameters, 'parameter')}, more than the table has rows ({rows:,}): some of "
            "it may be chance. Give variables fewer values, or raise rows_per_cell."
        )
    disputed = [link.text for link in inside if link.disputed_by]
    if disputed:
        who = (
            f"The best networks by {_scores(study)}"
            if study.other_scores
            else f"The networks that share the highest score ({study.learned.score_name})"
        )
        yield (
            f"{who} do not agree on the direction of {number_of(len(disputed), 'link')}, which is left open here: "
            f"{names_in_words(disputed)}."
        )
    free = [link.text for link in inside if not link.directed and not link.disputed_by]
    if free:
        others = " Other networks that turn some of these round explain the data equally well." if fits else ""
        by = "The tests do not tell" if by_tests(study.learned) else "The data cannot tell"
        yield f"{by} the direction of {number_of(len(free), 'link')}: {names_in_words(free)}.{others}"
    unsure = [link.text for link in inside if link.verdict == "unsure"]
    if unsure:
        them = "it" if len(unsure) == 1 else "them"
        yield (
            f"{number_of(len(unsure), 'link')} {are(unsure)} unsure: {names_in_words(unsure)}. "
            f"Other rows may not show {them}."
        )
    absent = [link.text for link in study.links if not link.in_network and (link.certainty or 0.0) >= 0.5]
    if absent:
        yield f"Not in the network, yet found more often than not: {names_in_words(absent)}."
    agreed = sum(link.in_pc for link in inside)
    if agreed < len(inside) and study.learned.search != "pc":
        others = "the other link" if agreed == len(inside) - 1 else "the other links"
        others = others if agreed else "these"
        what = "scores" if study.other_scores else f"the score {study.learned.score_name}"
        rest = f"{others} {'rests' if others.endswith('link') else 'rest'} on {what} alone"
        why = rest if not found else f"by these tests other variables explain {others}"
        yield (
            f"Tests of independence (PC) find {agreed:,} of the {number_of(len(inside), 'link')} of the network; {why}."
        )
    for region in found_regions(study):
        yield (
            f"Tests leave {number_of(len(region), 'link')} undecided that stand for each other "
            f"({names_in_words(region)}): not all of them can be absent."
        )
    if study.learned.search == "npc" and study.open_links:
        yield "In the network strength alone decides which of these are there; nobody has decided that by hand."
    yield (
        "An arrow is not a proof of cause and effect: variables that were not recorded, and how rows were chosen, can "
        "link variables that do not act on each other."
    )


def found_regions(study: Study) -> list[list[str]]:
    """Return the findings of NPC on ambiguous regions: for each its links as texts."""
    if study.npc is None:
        return []
    names = study.data.names
    return [
        [f"{names[i]} – {names[j]}" for i, j in sorted(sorted(map(names.index, link)) for link in region)]
        for region in study.npc.ambiguous_regions
    ]
