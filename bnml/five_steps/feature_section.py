"""The section of a report on feature selection: pairs, a target, columns to look at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bnml._text import name_in_words, number_of, p_value_text, percent
from bnml.five_steps.markup import Cell, Html, bar, bullets, details, figure, heading, long_table, paragraphs, table
from bnml.five_steps.pictures import matrix_picture
from bnml.five_steps.selection import selection_sentences

if TYPE_CHECKING:
    from bnml.five_steps.study_result import Study

MOST_IN_DETAILS = 1000
MOST_SHOWN = 10  # rows of a table that are not folded


def features_section(study: Study) -> Iterator[Html]:
    """Yield the parts of the section."""
    features = study.features
    yield paragraphs(
        "Every pair of variables was tested for independence. The p-value says how often chance alone would make two "
        "independent variables look as dependent as these do; it is adjusted for the number of pairs, so that among "
        f"those with {study.alpha:g} or less at most {percent(study.alpha)} are expected to be there by chance. "
        "Strength runs from 0 for none to 1, and can be read like the size of a correlation: with many rows a clear "
        "dependence can be a slight one.",
        kind="how",
    )
    matrix = matrix_picture(study.table.names, features.pairs, study.alpha, study.target)
    if matrix is not None:
        yield figure(
            matrix,
            "Each square is a pair of variables. Blue: the two depend on each other, the darker the more. Pale grey: "
            "no dependence beyond chance.",
        )
    if study.target is not None:
        yield _target_table(study, study.target)
    yield _selection(study)
    yield _pairs_table(study)
    yield _odd(study)


def _target_table(study: Study, target: str) -> Html:
    frame = study.features.of_target
    rows: list[list[Cell]] = []
    for name, strength, _, p, adjusted in frame.itertuples(index=False):
        tells = "yes" if name in study.features.selected else "not shown"
        rows.append([name, tells, bar(strength, f"{strength:.2f}"), p_value_text(p), p_value_text(adjusted)])
    head = ["variable", "tells something", "strength", "p-value", "adjusted p-value"]
    caption = f"What the other variables, one by one, tell of {name_in_words(target)}"
    return long_table(caption, head, rows, 2, most=MOST_SHOWN)


def _selection(study: Study) -> Html:
    """Say which variables take no further part, and why."""
    said = selection_sentences(study.selection, study.target)
    if not said:
        return Html("")
    rows: list[list[Cell]] = [[name, reason] for name, reason in study.selection.reasons]
    reasons = long_table("Variables that take no further part", ["variable", "reason"], rows, 2, most=MOST_SHOWN)
    return Html(heading("Which variables take part") + paragraphs(*said) + reasons)


def _pairs_table(study: Study) -> Html:
    frame = study.features.pairs[["a", "b", "strength", "p_value", "adjusted_p_value"]]
    rows: list[list[Cell]] = [
        [f"{a} – {b}", bar(strength, f"{strength:.2f}"), p_value_text(p), p_value_text(adjusted)]
        for a, b, strength, p, adjusted in frame.head(MOST_IN_DETAILS).itertuples(index=False)
    ]
    if not rows:
        return Html("")
    head = ["pair", "strength", "p-value", "adjusted p-value"]
    caption = "Pairs of variables, the clearest dependence first"
    if study.target is None:
        return long_table(caption, head, rows, most=MOST_SHOWN)
    return details(f"All {number_of(len(rows), 'pair')} of variables", table(caption, head, rows))


def _odd(study: Study) -> Html:
    features = study.features
    said = [f"{name} has the same value in every row." for name in features.constant]
    said += [f"{a} and {b} share {percent(shared)} of what they tell." for a, b, shared in features.twins]
    if not said:
        return paragraphs("No column is constant, and no two columns are all but copies of each other.", kind="note")
    return Html("<h3>Columns to look at</h3>\n" + bullets(said))
