"""The report of a study as one page that needs nothing else: what its templates show."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import islice, product
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

import bnml
from bnml._text import name_in_words, names_in_words, number_of, p_value_text, percent, percent_range, probability_text
from bnml.counts import contingency
from bnml.five_steps.decisions import decision_legend
from bnml.five_steps.links import LIKELY, Link, linked_pairs, links_too_large_for_halves
from bnml.five_steps.risk import FEW_ROWS, Rate, Risk, RiskGiven, shown_label
from bnml.five_steps.validation import BASE, LOGISTIC, NETWORK, Estimate, Validation
from bnml.report.charts import Curve, RiskRow, reliability_chart, risk_chart, roc_chart, share_colours, shares_chart
from bnml.report.phrases import direction_words, found_sentence
from bnml.report.pictures import graph_picture, matrix_picture, picture_width
from bnml.report.rendering import escaped, render
from bnml.report.study_text import facts_of_study, findings_of
from bnml.uncertainty import SampledPosterior

if TYPE_CHECKING:
    from bnml.five_steps.study_result import Study
    from bnml.independence import IndependenceResult
    from bnml.network import BayesianNetwork

BROAD = 640.0  # points: a wider picture takes the whole width of the window
MOST_CHARTS = 8  # of variables that the target depends on
MOST_VALUES = 12  # of a variable, in a chart
MOST_STACKED = 9  # outcomes that colours tell apart
MOST_COLUMNS = 8  # of the table for two variables
MOST_PAIRS = 1000
MOST_VARIABLES = 100  # whose values, or conditional tables, are shown
MOST_STATES = 12  # that are shown of a variable
MOST_CONFIGURATIONS = 24  # of a conditional table
MOST_LINKS = 12  # of the table that is not folded
MOST_LINKS_BY_TESTS = 60  # beyond, the picture of what tests leave over is left out

Facts = dict[str, Any]


class Bar(NamedTuple):
    """A cell of a table: a number, with a bar of some length, in percent, behind it."""

    width: str
    text: str


class Share(NamedTuple):
    """A cell of a table: a share with its interval, in grey for few rows."""

    text: str
    interval: str
    few: bool


def report_page(study: Study, title: str | None = None) -> str:
    """Return the whole report."""
    sections = [
        ("summary", "What was found"),
        ("network", "The network"),
        ("features", "Which variables tell something"),
        ("data", "The table"),
        ("methods", "Methods and references"),
    ]
    if study.target is not None:
        sections.insert(0, ("target", f"What {name_in_words(study.target)} depends on"))
    findings = findings_of(study)
    return render(
        "study.html",
        title=_title(study) if title is None else title,
        version=bnml.__version__,
        sections=sections,
        findings=findings,
        summary=(*findings.table, *findings.network),
        left_out=dict(study.left_out),
        **facts_of_study(study),
        **({} if study.risk is None else _facts_of_risk(study, study.risk)),
        **({} if study.validation is None else _facts_of_prediction(study.validation)),
        **_facts_of_network(study),
        **_facts_of_tests(study),
        **_facts_of_features(study),
        **_facts_of_data(study),
    )


def page_excerpt(study: Study) -> str:
    """Return the part of the page that a notebook shows: the findings."""
    findings = findings_of(study)
    content = render("study_summary.html", findings=findings, summary=findings.main)
    return f"<div><h3>{escaped(_title(study))}</h3>{content}</div>"


def _title(study: Study) -> str:
    about = f" about {name_in_words(study.target)}" if study.target is not None else ""
    return f"A study of {number_of(len(study.data.names), 'variable')}{about}"


def _bar(share: float, text: str) -> Bar:
    return Bar(f"{100 * min(max(share, 0.0), 1.0):.1f}", text)


# --- the target ---


def _facts_of_risk(study: Study, risk: Risk) -> Facts:
    event, outcomes, shown = bool(risk.outcomes.event), risk.outcomes.texts, risk.direct[:MOST_CHARTS]
    stacked, top = len(outcomes) <= MOST_STACKED, _top(risk, shown)
    return {
        "few_rows": FEW_ROWS,
        "charted": len(shown),
        "charts": [(x.variables[0], _chart(study, risk, x, top)) for x in shown] if event or stacked else [],
        "colours": list(zip(share_colours(len(outcomes)), outcomes, strict=True)) if stacked and not event else [],
        "figures": [_figures(study, risk, given) for given in risk.direct],
        "pair": risk.pair and _pair(study, risk, risk.pair),
        "set_rows": list(_rows_of_what_if(study, risk)),
    }


def _top(risk: Risk, shown: Sequence[RiskGiven]) -> float:
    """Return where the scale of risks ends: at what the shares need, with room for intervals of many rows."""
    high = max((rate.high[0] for given in shown for rate in given.rates if rate.rows >= FEW_ROWS), default=1.0)
    shares = [rate.shares[0] for given in shown for rate in given.rates if rate.rows]
    return next((top for top in (0.02, 0.1, 0.2, 0.5) if max([high, *shares]) <= top), 1.0)


def _chart(study: Study, risk: Risk, given: RiskGiven, top: float) -> Markup:
    """Return the chart of the values with the most rows, in their order."""
    name, places = given.variables[0], range(len(given.rates))
    commonest = sorted(places, key=lambda k: (-given.rates[k].rows, k))[:MOST_VALUES]
    rates = [(shown_label(study.data, name, given.rates[k].given[0]), given.rates[k]) for k in sorted(commonest)]
    if not risk.outcomes.event:
        return shares_chart(name, [(label, rate.shares, rate.rows) for label, rate in rates], risk.outcomes.texts)
    rows = [
        RiskRow(label, r.shares[0], r.low[0], r.high[0], r.rows, None if r.network is None else r.network[0])
        for label, r in rates
    ]
    return risk_chart(name, rows, risk.overall.shares[0], top, risk.outcomes.texts[0])


def _figures(study: Study, risk: Risk, given: RiskGiven) -> tuple[str, list[str], list[list[str]]]:
    """Return a variable with the table of the shares for each of its values."""
    name, event = given.variables[0], bool(risk.outcomes.event)
    head = [name, "rows", *(f"{'share' if event else text} (95%)" for text in risk.outcomes.texts)]
    rows = []
    for rate in given.rates:
        shares = [
            f"{percent(share)} ({percent_range(low, high)})" if rate.rows else "no rows"
            for share, low, high in zip(rate.shares, rate.low, rate.high, strict=True)
        ]
        network = [percent(rate.network[0])] if event and rate.network is not None else []
        rows.append([shown_label(study.data, name, rate.given[0]), f"{rate.rows:,}", *shares, *network])
    return name, [*head, "by the network"][: len(rows[0])], rows


def _pair(study: Study, risk: Risk, pair: RiskGiven) -> Facts | None:
    """Return the table for two variables, the one with fewer values across; None if it is too wide."""
    states = {name: study.data.states[study.data.index(name)] for name in pair.variables}
    down, across = sorted(pair.variables, key=lambda name: -len(states[name]))
    if len(states[across]) > MOST_COLUMNS:
        return None
    rates = {rate.given if down == pair.variables[0] else rate.given[::-1]: rate for rate in pair.rates}
    return {
        "down": down,
        "across": across,
        "few": any(rate.rows < FEW_ROWS for rate in pair.rates),
        "head": [f"{down} ↓  {across} →", *(shown_label(study.data, across, label) for label in states[across])],
        "rows": [
            [shown_label(study.data, down, a), *(_commonest(risk, rates[a, b]) for b in states[across])]
            for a in states[down]
        ],
    }


def _commonest(risk: Risk, rate: Rate) -> Share:
    """Return the share of the event, or of the commonest value of the target."""
    if rate.rows == 0:
        return Share("no rows", "", True)
    k = max(range(len(rate.shares)), key=lambda k: rate.shares[k])
    text = percent(rate.shares[k]) if risk.outcomes.event else f"{risk.outcomes.texts[k]}: {percent(rate.shares[k])}"
    interval = f"{percent_range(rate.low[k], rate.high[k])}, {number_of(rate.rows, 'row')}"
    return Share(text, interval, rate.rows < FEW_ROWS)


def _rows_of_what_if(study: Study, risk: Risk) -> Iterable[list[str]]:
    """Yield for each value that a variable may be set to, and each outcome, how probable that is."""
    for one in risk.what_if:
        for k, value in enumerate(one.values if one.acts and not one.reason else ()):
            for j, text in enumerate(risk.outcomes.texts):
                row = [f"{one.variable} = {shown_label(study.data, one.variable, value)}"]
                row += [] if risk.outcomes.event else [text]
                row += [percent(one.seen[k][j]), percent(one.done[k][j])]
                low, high = one.low[k][j], one.high[k][j]
                same = percent(low) == percent(high)
                yield [*row, percent(low) if same else percent_range(low, high)] if study.other_scores else row


def _facts_of_prediction(found: Validation) -> Facts:
    what = name_in_words(found.outcomes[1]) if found.event else "each value"
    curved = [one for one in found.methods if one.name != BASE and one.roc]
    curves = [Curve(f"{one.name}, AUC {one.auc.mean:.2f}", one.roc) for one in curved]
    probable = [(one.name, one.reliability) for one in found.methods if one.name in (NETWORK, LOGISTIC)]
    return {
        "measures": [
            [m.name, _estimate(m.accuracy, "%"), *map(_estimate, (m.log_loss, m.brier, m.calibration_error, m.auc))]
            for m in found.methods
        ],
        "roc": roc_chart(curves, what) if curves else None,
        "reliability": reliability_chart(probable, what) if curves else None,
        "calibration": [
            [m.name, f"{b.rows:,}", percent(b.predicted), f"{percent(b.observed)} ({percent_range(b.low, b.high)})"]
            for m in found.methods
            for b in m.reliability
        ],
    }


def _estimate(estimate: Estimate, unit: str = "") -> str:
    if math.isnan(estimate.mean):
        return "not known"
    mean, error = (f"{100 * x:.1f}" if unit else f"{x:.3f}" for x in (estimate.mean, estimate.error))
    return f"{mean}{unit}" if math.isnan(estimate.error) else f"{mean} ± {error}{unit}"


# --- the network ---


def _facts_of_network(study: Study) -> Facts:
    picture = graph_picture(
        study.directions,
        "network",
        f"Network by {study.learned.search}" if found_sentence(study.learned) else "Network by score",
        strength={(link.a, link.b): link.strength for link in study.links if link.strength is not None} or None,
        strength_label="strength {} (0 to 1)",
        legend=decision_legend(study),
        highlight=[] if study.target is None else [study.target],
    )
    inside = [link for link in study.links if link.in_network]
    strongest = sorted(inside, key=lambda link: (-(link.strength or 0.0), link.a, link.b))
    columns = study.strength[["from", "to", "score_gain", "net_gain", "p_value"]]
    gains = {(a, b): numbers for a, b, *numbers in columns.itertuples(index=False)}
    evidence = [_evidence(study, link, gains.get((link.a, link.b), (math.nan,) * 3)) for link in study.links]
    known, network = study.posterior, study.learned.network
    errors = known.standard_errors.to_numpy() if isinstance(known, SampledPosterior) else None
    return {
        "picture": picture,
        "kind": _kind(picture),
        "likely": LIKELY,
        "links": [_link(study, link) for link in strongest[:MOST_LINKS]],
        "evidence": evidence,
        "starred": any(str(cell).endswith("*") for row in evidence for cell in row.values()),
        "sampling_error": None if errors is None else float(errors.max(initial=0.0)),
        "too_large": links_too_large_for_halves(study),
        "conditional": [_conditional(study, network, x) for x in network.names[:MOST_VARIABLES]] if network else [],
    }


def _kind(picture: Markup | None) -> str:
    return "broad" if picture is not None and picture_width(picture) > BROAD else ""


def _link(study: Study, link: Link) -> Facts:
    drawn, known = study.bootstrap is not None, study.posterior is not None
    support, chance, strong = link.support or 0.0, link.probability or 0.0, link.strength
    row: Facts = {"link": link.text}
    row["strength (0 to 1)"] = "not known" if strong is None else _bar(strong, f"{strong:.2f}")
    row |= {"support (% of halves)": _bar(support, percent(support))} if drawn else {}
    row |= {"probability": _bar(chance, probability_text(chance))} if known else {}
    return row | ({"judged": link.verdict} if drawn or known else {})


def _evidence(study: Study, link: Link, numbers: Sequence[float]) -> Facts:
    """Return what each step says of a link; the numbers are its gain, its net gain, and its p-value."""
    learned, others = study.learned, {name for name, _ in study.other_scores}
    ours = learned.search if found_sentence(learned) else f"score ({learned.score_name})"
    row: Facts = {"link": link.text, "direction": _direction(study, link), ours: "yes" if link.in_network else "–"}
    row |= {"other scores": f"{len(others.intersection(link.scores))} of {len(others)}"} if others else {}
    row["tests (PC)"] = _kept(link, link.in_pc, study.pc)
    if study.npc is not None:
        row["tests (NPC)"] = "undecided" if link.ambiguous else _kept(link, link.in_npc, study.npc)
    row["strength (0 to 1)"] = "" if link.strength is None else f"{link.strength:.2f}"
    row |= {} if study.bootstrap is None else {"support (% of halves)": percent(link.support or 0.0)}
    row |= {} if study.posterior is None else {"probability": probability_text(link.probability or 0.0)}
    gain, net, p = numbers
    texts = [""] * 3 if math.isnan(gain) else [f"{gain:,.1f}", f"{net:,.1f}", p_value_text(p)]
    return row | dict(zip(("gain (nats)", "net gain (nats)", "p-value"), texts, strict=True))


def _kept(link: Link, found: bool | None, tests: IndependenceResult) -> str:
    return f"yes{' *' if frozenset((link.a, link.b)) in tests.untested else ''}" if found else "–"


def _direction(study: Study, link: Link) -> str:
    if not link.in_network:
        return "–"
    if link.by_hand:
        return "decided by hand" if (link.a, link.b) in study.decisions.directed else "follows from decisions by hand"
    if link.disputed_by:
        return f"open: {names_in_words(link.disputed_by)} disagree{'s' if len(link.disputed_by) == 1 else ''}"
    return f"from {direction_words(study.learned)}" if link.directed else "open"


def _conditional(study: Study, network: BayesianNetwork, name: str) -> Facts:
    """Return the conditional table of a variable."""
    parents, states = network.dag.parents(name), network.states
    chances = network.probabilities(name).reshape(-1, len(states[name]))
    labels = {x: [shown_label(study.data, x, label) for label in states[x]] for x in (name, *parents)}
    given = product(*(labels[x] for x in parents))
    return {
        "name": name,
        "parents": parents,
        "head": [*(parents or ("",)), *labels[name][:MOST_STATES]],
        "rows": [
            [*(configuration or ("in all rows",)), *(f"{100 * p:.1f}%" for p in chances[k][:MOST_STATES])]
            for k, configuration in islice(enumerate(given), MOST_CONFIGURATIONS)
        ],
        "cut": [
            f"the first {most} of {there:,} {what}"
            for most, there, what in (
                (MOST_CONFIGURATIONS, len(chances), "combinations"),
                (MOST_STATES, len(states[name]), "values"),
            )
            if there > most
        ],
    }


def _facts_of_tests(study: Study) -> Facts:
    """Return what tests leave over: its picture, unless it has too many links, with undecided links in colour."""
    graph, npc = (study.npc or study.pc).pdag, study.npc
    pairs, arcs = linked_pairs(graph), {frozenset(arc): arc for arc in graph.directed}
    unsure = npc.undecided.union(*npc.ambiguous_regions) if npc else frozenset()
    marked: list[Any] = [arcs.get(link, tuple(sorted(link))) for link in sorted(pairs & unsure, key=sorted)]
    legend, target = ("direction from the tests", "direction open"), [] if study.target is None else [study.target]
    picture = None
    if len(pairs) <= MOST_LINKS_BY_TESTS:
        picture = graph_picture(graph, "tests", "Network by tests", legend=legend, highlight=[*target, *marked])
    return {
        "by_tests_picture": picture,
        "by_tests_kind": _kind(picture),
        "undecided": bool(unsure),
        "too_many_by_tests": len(pairs) if len(pairs) > MOST_LINKS_BY_TESTS else 0,
    }


# --- features and data ---


def _facts_of_features(study: Study) -> Facts:
    features = study.features
    pairs = features.pairs[["a", "b", "strength", "p_value", "adjusted_p_value"]].head(MOST_PAIRS)
    of_target = () if study.target is None else features.of_target.itertuples(index=False)

    def numbers(strength: float, p: float, adjusted: float) -> list[Any]:
        return [_bar(strength, f"{strength:.2f}"), p_value_text(p), p_value_text(adjusted)]

    return {
        "matrix": matrix_picture(study.table.names, features.pairs, study.alpha, study.target),
        "target_rows": [
            [name, "yes" if name in features.selected else "not shown", *numbers(strength, p, adjusted)]
            for name, strength, _, p, adjusted in of_target
        ],
        "pair_rows": [[f"{a} – {b}", *numbers(*rest)] for a, b, *rest in pairs.itertuples(index=False)],
    }


def _facts_of_data(study: Study) -> Facts:
    data, variables = study.table, []
    total, missing = data.n_rows + data.gaps.dropped, dict(data.gaps.missing)
    for i, (name, labels) in enumerate(zip(data.names, data.states, strict=True)):
        counts, gap = contingency(data, [i]), data.reading.gap_code(labels)
        missing |= {name: int(counts[gap])} if gap >= 0 else {}
        shares = zip(labels, counts / data.n_rows, strict=True)
        texts = [f"{shown_label(data, name, label)}: {percent(float(p))}" for label, p in shares]
        more = f", and {len(texts) - MOST_STATES} more" if len(texts) > MOST_STATES else ""
        variables.append([name, ", ".join(texts[:MOST_STATES]) + more])
    common = sorted(((name, n) for name, n in missing.items() if n), key=lambda pair: -pair[1])
    cuts = {name: ", ".join(f"{point:g}" for point in points) for name, points in data.cuts.items()}
    return {
        "missing_rows": [[name, f"{n:,}", percent(n / total)] for name, n in common],
        "cut_rows": [[name, cuts[name] or "not cut"] for name in study.data.names if name in cuts],
        "value_rows": variables[:MOST_VARIABLES],
    }
