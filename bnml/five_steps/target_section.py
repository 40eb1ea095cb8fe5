"""The opening of a report: what the target depends on, its risk, what setting a variable does, how well it is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bnml._text import name_in_words, names_in_words, number_of, percent, percent_range
from bnml.five_steps.charts import Curve, RiskRow, reliability_chart, risk_chart, roc_chart, share_colours, shares_chart
from bnml.five_steps.findings import findings_of
from bnml.five_steps.markup import (
    Cell,
    Html,
    box,
    bullets,
    colour_key,
    details,
    figure,
    heading,
    paragraphs,
    shown_label,
    side_by_side,
    table,
    text_of,
)
from bnml.five_steps.risk import FEW_ROWS, Rate, Risk, RiskGiven
from bnml.five_steps.validation import BASE, LOGISTIC, NETWORK, Estimate, MethodValidation, Validation
from bnml.five_steps.what_if import WhatIf

if TYPE_CHECKING:
    from bnml.five_steps.study_result import Study

MOST_CHARTS = 8
MOST_VALUES = 12  # of a variable, in a chart
MOST_STACKED = 9  # outcomes that colours tell apart
MOST_COLUMNS = 8  # of the table for two variables


def target_section(study: Study) -> Iterator[Html]:
    """Yield the parts of the section."""
    risk = study.risk
    if study.target is None or risk is None:
        return
    yield box(bullets(findings_of(study).target))
    yield from _direct(study, risk)
    if risk.pair is not None:
        yield from _two_at_a_time(study, risk, risk.pair)
    yield from _what_if(study, risk)
    yield from _prediction(study, study.target)


def _of_target(study: Study, risk: Risk) -> str:
    """Return what shares are of, in words: ``“lung” being “yes”``, or the target's values."""
    target = name_in_words(study.target or "")
    return (
        f"{target} being {name_in_words(risk.outcomes.texts[0])}" if risk.outcomes.event else f"the values of {target}"
    )


# --- by one variable ---


def _direct(study: Study, risk: Risk) -> Iterator[Html]:
    if not risk.direct:
        yield paragraphs("The network links it with no other variable, so there is nothing here to tell its risk by.")
        return
    event = bool(risk.outcomes.event)
    what = _of_target(study, risk)
    yield heading(f"By the variables it depends on directly: shares of {what}")
    if event:
        yield paragraphs(
            "Dots are shares of the rows, with the number of rows; lines are their 95% intervals (Jeffreys), grey for "
            f"fewer than {FEW_ROWS} rows. The dashed line is the share in all rows, {percent(risk.overall.shares[0])}. "
            "An open diamond is what the network says, which also uses what it knows of other rows. Variables were "
            "chosen for looking different, so the intervals are somewhat too narrow.",
            kind="note",
        )
    else:
        yield paragraphs(
            "Bars are shares of the rows; the folded tables have their 95% intervals (Jeffreys). Say which value is "
            "the event (event, --event), or which ones, to have its risk.",
            kind="note",
        )
    shown = risk.direct[:MOST_CHARTS]
    if not event and len(risk.outcomes.texts) <= MOST_STACKED:
        yield colour_key(list(zip(share_colours(len(risk.outcomes.texts)), risk.outcomes.texts, strict=True)))
    top = _top(risk, shown)
    charts = [figure(_chart(study, risk, given, top), given.variables[0], small=True, titled=True) for given in shown]
    if event or len(risk.outcomes.texts) <= MOST_STACKED:
        yield side_by_side(*charts)
    rest = len(risk.direct) - len(shown)
    summary = f"All figures, also of {number_of(rest, 'more variable')}" if rest else "All figures"
    yield details(summary, Html("".join(_figures(study, risk, given) for given in risk.direct)))


def _top(risk: Risk, shown: Sequence[RiskGiven]) -> float:
    """Return where the scale of risks ends: at what the shares need, with room for intervals of many rows."""
    high = max((rate.high[0] for given in shown for rate in given.rates if rate.rows >= FEW_ROWS), default=1.0)
    shares = [rate.shares[0] for given in shown for rate in given.rates if rate.rows]
    return next((top for top in (0.02, 0.1, 0.2, 0.5) if max([high, *shares]) <= top), 1.0)


def _chart(study: Study, risk: Risk, given: RiskGiven, top: float) -> Html:
    name = given.variables[0]
    rates = _commonest(given.rates)
    labels = [shown_label(study.data, name, rate.given[0]) for rate in rates]
    if not risk.outcomes.event:
        bars = [(label, rate.shares, rate.rows) for label, rate in zip(labels, rates, strict=True)]
        return shares_chart(name, bars, risk.outcomes.texts)
    rows = [
        RiskRow(label, r.shares[0], r.low[0], r.high[0], r.rows, None if r.network is None else r.network[0])
        for label, r in zip(labels, rates, strict=True)
    ]
    return risk_chart(name, rows, risk.overall.shares[0], top, risk.outcomes.texts[0])


def _commonest(rates: Sequence[Rate]) -> list[Rate]:
    """Return the values with the most rows, in their order."""
    places = sorted(range(len(rates)), key=lambda k: (-rates[k].rows, k))[:MOST_VALUES]
    return [rates[k] for k in sorted(places)]


def _figures(study: Study, risk: Risk, given: RiskGiven) -> Html:
    name, outcomes = given.variables[0], risk.outcomes.texts
    event = bool(risk.outcomes.event)
    head = [name, "rows", *(f"{'share' if event else text} (95%)" for text in outcomes)]
    head += ["by the network"] if event and given.rates[0].network is not None else []
    rows: list[list[Cell]] = []
    for rate in given.rates:
        row: list[Cell] = [shown_label(study.data, name, rate.given[0]), f"{rate.rows:,}"]
        row += [_share(rate, k) for k in range(len(outcomes))]
        row += [percent(rate.network[0])] if event and rate.network is not None else []
        rows.append(row)
    return table(f"Shares of {_of_target(study, risk)}, by {name_in_words(name)}", head, rows)


def _share(rate: Rate, k: int) -> str:
    return "no rows" if rate.rows == 0 else f"{percent(rate.shares[k])} ({percent_range(rate.low[k], rate.high[k])})"


# --- by two ---


def _two_at_a_time(study: Study, risk: Risk, pair: RiskGiven) -> Iterator[Html]:
    arity = [len(study.data.states[study.data.index(name)]) for name in pair.variables]
    turned = arity[0] < arity[1]
    down, across = pair.variables[::-1] if turned else pair.variables
    n_down, n_across = arity[::-1] if turned else arity
    if n_across > MOST_COLUMNS:
        return
    rates = {(rate.given[::-1] if turned else rate.given): rate for rate in pair.rates}
    labels_down, labels_across = (study.data.states[study.data.index(name)] for name in (down, across))
    yield heading(f"Two at a time: {name_in_words(down)} and {name_in_words(across)}")
    head = [f"{down} ↓  {across} →", *(shown_label(study.data, across, label) for label in labels_across)]
    rows: list[list[Cell]] = [
        [shown_label(study.data, down, a), *(_both(risk, rates[a, b]) for b in labels_across)] for a in labels_down
    ]
    what = (
        _of_target(study, risk)
        if risk.outcomes.event
        else f"the commonest value of {name_in_words(study.target or '')}"
    )
    grey = f" Grey: fewer than {FEW_ROWS} rows." if any(rate.rows < FEW_ROWS for rate in pair.rates) else ""
    found = table(f"Shares of {what}, 95% intervals, and numbers of rows.{grey}", head, rows, texts=n_across + 1)
    yield found if n_down <= MOST_VALUES else details(f"{n_down} × {n_across} values", found)


def _both(risk: Risk, rate: Rate) -> Html:
    if rate.rows == 0:
        return Html('<span class="few">no rows</span>')
    k = max(range(len(rate.shares)), key=lambda k: rate.shares[k])
    text = percent(rate.shares[k]) if risk.outcomes.event else f"{risk.outcomes.texts[k]}: {percent(rate.shares[k])}"
    few = ' class="few"' if rate.rows < FEW_ROWS else ""
    told = f"{percent_range(rate.low[k], rate.high[k])}, {number_of(rate.rows, 'row')}"
    return Html(f"<span{few}><strong>{text_of(text)}</strong> <small>{text_of(told)}</small></span>")


# --- what if ---


def _what_if(study: Study, risk: Risk) -> Iterator[Html]:
    if not risk.what_if:
        return
    told = [one for one in risk.what_if if not one.reason and one.acts]
    idle = [one.variable for one in risk.what_if if not one.reason and not one.acts]
    unknown = [one for one in risk.what_if if one.reason]
    yield heading("What if a variable were set?")
    if told:
        yield paragraphs(
            "To see a value and to bring it about are two things. Where the data and what is known settle the "
            "directions that matter, the network says what would be if the variable were given the value from outside, "
            "as long as no common cause of the two is missing from the table.",
            kind="note",
        )
        yield _what_if_table(study, risk, told)
    if idle:
        yield paragraphs(
            f"Setting {names_in_words(idle)} would change nothing: by the network nothing leads from there to "
            f"{name_in_words(study.target or '')}."
        )
    if (told or idle) and not study.other_scores:
        yield paragraphs(
            "This rests on the directions of one network; the best ones by other scores were not compared.", kind="note"
        )
    if unknown:
        reasons = [f"{name_in_words(one.variable)}: {one.reason}." for one in unknown]
        said = (
            f"What setting {names_in_words([one.variable for one in unknown])} would do cannot be told from these "
            "data. Knowledge of the order in time (tiers) or of single arcs can settle it."
        )
        yield Html(paragraphs(said) + details("Why not", bullets(reasons)))


def _what_if_table(study: Study, risk: Risk, told: Sequence[WhatIf]) -> Html:
    compared = bool(study.other_scores)
    event, outcomes = bool(risk.outcomes.event), risk.outcomes.texts
    rows: list[list[Cell]] = []
    for one in told:
        for k, value in enumerate(one.values):
            name = f"{one.variable} = {shown_label(study.data, one.variable, value)}"
            for j, text in enumerate(outcomes):
                row: list[Cell] = [name, *([] if event else [text]), percent(one.seen[k][j]), percent(one.done[k][j])]
                row += [_scores_range(one.low[k][j], one.high[k][j])] if compared else []
                rows.append(row)
    head = ["value", *([] if event else [study.target or ""]), "if it is seen", "if it is set"]
    head += ["if set, by all scores"] if compared else []
    found = table(f"Probability of {_of_target(study, risk)}, by the network", head, rows, texts=1 if event else 2)
    return found if len(rows) <= 16 else details(f"{len(rows)} figures for {number_of(len(told), 'variable')}", found)


def _scores_range(low: float, high: float) -> str:
    return percent(low) if percent(low) == percent(high) else percent_range(low, high)


# --- how well it is predicted ---


def _prediction(study: Study, target: str) -> Iterator[Html]:
    found = study.validation
    yield heading(f"How well {name_in_words(target)} is predicted")
    if found is None:
        yield paragraphs(f"Left out: {dict(study.left_out).get('validation', 'not done')}.", kind="note")
        return
    what = name_in_words(found.outcomes[1]) if found.event else "each value"
    cuts = " Numbers were cut once, with all rows, which helps every method a little." if study.data.cuts else ""
    if study.selection.reasons and study.selection.how in ("target", "blanket"):
        cuts += " So were the variables selected that take part, which can flatter every method more."
    yield paragraphs(
        f"The rows were divided into {found.folds} folds; each fold was predicted from the others, the network being "
        f"learned anew from them ({found.search} search). ± is the standard error over folds. Log-loss and Brier score "
        f"are smaller for better probabilities, and log-loss is in nats; calibration is how far probabilities are from "
        f"shares on average; AUC is 0.5 for guessing and 1 at best.{cuts}",
        kind="note",
    )
    yield _measures(found)
    left = dict(study.left_out).get(LOGISTIC)
    if left is not None:
        yield paragraphs(f"Logistic regression was left out: {left}.", kind="note")
    yield from _curves(found, what)


def _measures(found: Validation) -> Html:
    head = ["method", "accuracy", "log-loss", "Brier score", "calibration error", "AUC"]
    rows: list[list[Cell]] = []
    for one in found.methods:
        figures = (one.log_loss, one.brier, one.calibration_error, one.auc)
        rows.append([one.name, _estimate(one.accuracy, "%"), *(_estimate(figure, "") for figure in figures)])
    return table(f"Cross-validation: {number_of(found.rows, 'row')}, {found.folds} folds", head, rows)


def _estimate(estimate: Estimate, unit: str) -> str:
    if estimate.mean != estimate.mean:
        return "not known"
    mean, error = (f"{100 * x:.1f}" if unit else f"{x:.3f}" for x in (estimate.mean, estimate.error))
    return f"{mean}{unit}" if estimate.error != estimate.error else f"{mean} ± {error}{unit}"


def _curves(found: Validation, what: str) -> Iterator[Html]:
    curved: list[MethodValidation] = [one for one in found.methods if one.name != BASE and one.roc]
    if curved:
        curves = [Curve(f"{one.name}, AUC {one.auc.mean:.2f}", one.roc) for one in curved]
        average = "" if found.event else " against the others, on average"
        roc = figure(
            roc_chart(curves, what),
            f"ROC: the share of {what} that is found{average}, by how many others are taken for it. The diagonal is "
            "guessing.",
            small=True,
        )
        compared = [one for one in found.methods if one.name in (NETWORK, LOGISTIC)]
        probable = f"the probability of {what}" if found.event else "the probability of the most probable value"
        reliable = figure(
            reliability_chart([(one.name, one.reliability) for one in compared], what),
            f"Calibration: how often it was so, by {probable}. On the diagonal probabilities are right. Upright lines "
            "are 95% intervals of the network, bars at the foot its numbers of rows.",
            small=True,
        )
        yield side_by_side(roc, reliable)
    rows: list[list[Cell]] = [
        [one.name, f"{b.rows:,}", percent(b.predicted), f"{percent(b.observed)} ({percent_range(b.low, b.high)})"]
        for one in found.methods
        for b in one.reliability
    ]
    head = ["method", "rows", "predicted", "observed (95%)"]
    yield details("Calibration in figures", table("Predicted probabilities and observed shares", head, rows))
