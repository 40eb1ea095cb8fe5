"""The section of a report on the table: rows and what was left out, values that are missing, cuts, all values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bnml._text import names_in_words, number_of, percent
from bnml.counts import contingency
from bnml.data.labels import MISSING_LABEL
from bnml.data.targets import rows_set_words
from bnml.five_steps.markup import Cell, Html, details, paragraphs, shown_label, table

if TYPE_CHECKING:
    from bnml.five_steps.study_result import Study

MOST_STATES = 12
MOST_VARIABLES = 100
MOST_OPEN = 10  # variables whose table is not folded


def data_section(study: Study) -> Iterator[Html]:
    """Yield the parts of the section."""
    data, gaps = study.table, study.table.gaps
    said = f"The table has {number_of(data.n_rows, 'row')} and {number_of(len(data.names), 'variable')}."
    left = []
    if gaps.dropped:
        columns = [name for name, _ in gaps.missing]
        left.append(f"{number_of(gaps.dropped, 'row')} without a value of {names_in_words(columns, most=12)}")
    if gaps.weightless:
        left.append(f"{number_of(gaps.weightless, 'row')} with a weight of 0")
    if left:
        said += f" Left out were {' and '.join(left)}."
    else:
        said += " No row was left out."
    if data.targets is not None:
        said += (
            f" Variables were set from outside in {rows_set_words(data)}. Directions are those of the interventional "
            "class: what no data with these targets could tell apart is left open."
        )
    yield paragraphs(said)
    yield _missing(study)
    yield _cuts(study)
    variables = _variables(study)
    few = len(data.names) <= MOST_OPEN
    yield variables if few else details("The variables and their values", variables)


def _missing(study: Study) -> Html:
    data = study.table
    total = data.n_rows + data.gaps.dropped
    counted = dict(data.gaps.missing)
    for i, (name, labels) in enumerate(zip(data.names, data.states, strict=True)):
        gap = data.reading.gap_code(labels)
        if gap >= 0:
            counted[name] = int(contingency(data, [i])[gap])
    if not any(counted.values()):
        return paragraphs("No value is missing.")
    as_state = any(data.reading.gap_code(labels) >= 0 for labels in data.states)
    fate = f"a value of their own, “{MISSING_LABEL}”" if as_state else "these rows were left out"
    if data.has_gaps:
        fate = "expected from the rest of their rows"
    rows: list[list[Cell]] = [
        [name, f"{n:,}", percent(n / total)] for name, n in sorted(counted.items(), key=lambda pair: -pair[1]) if n
    ]
    found = table(f"Values that are missing ({fate})", ["variable", "rows", "share"], rows)
    return found if len(rows) <= MOST_OPEN else details(f"Values are missing in {len(rows)} variables", found)


def _cuts(study: Study) -> Html:
    cuts = study.table.cuts
    if not cuts:
        return Html("")
    rows: list[list[Cell]] = [
        [name, ", ".join(f"{point:g}" for point in cuts[name]) or "not cut"]
        for name in study.data.names
        if name in cuts
    ]
    found = table("Where columns of numbers were cut: (1, 2] has the numbers above 1, up to and including 2",
                  ["variable", "cuts"], rows, texts=2)  # fmt: skip
    return found if len(rows) <= MOST_OPEN else details(f"{len(rows)} columns of numbers were cut", found)


def _variables(study: Study) -> Html:
    data, rows = study.table, list[list[Cell]]()
    for i, (name, labels) in enumerate(zip(data.names[:MOST_VARIABLES], data.states, strict=False)):
        shares = contingency(data, [i]) / data.n_rows
        texts = [
            f"{shown_label(data, name, label)}: {percent(float(p))}" for label, p in zip(labels, shares, strict=True)
        ]
        more = f", and {len(texts) - MOST_STATES} more" if len(texts) > MOST_STATES else ""
        rows.append([name, ", ".join(texts[:MOST_STATES]) + more])
    return table(
        "The variables, and in which share of the rows each value occurs", ["variable", "values"], rows, texts=2
    )
