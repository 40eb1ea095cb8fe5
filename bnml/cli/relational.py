"""``bnml relational``: which attributes depend on each other, and what says a relation in smaller ones."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import typer

import bnml
from bnml._text import number_of, shortened, text_table, wrapped_text
from bnml.cli import options, printing, reading
from bnml.cli.option_groups import takes_groups
from bnml.cli.settings import read_settings
from bnml.errors import ArgumentError

EXAMPLE = "Example: bnml relational survey.csv --columns smoke,lung --threshold 0.1"

MOST_LINES = 20

Threshold = Annotated[
    str | None,
    typer.Option(
        "--threshold",
        metavar="T",
        help="The independence map joins pairs whose gain, given all other attributes, is above T bits; without, it is "
        "the spanning tree of these gains.",
    ),
]
Weight = Annotated[
    str,
    typer.Option(
        "--weight", metavar="NAME", help="What the tree is made of: hartley (gains), or relative (numbers of pairs)."
    ),
]
Top = Annotated[
    int | None,
    options.whole_number(
        "--top",
        metavar="K",
        help="The K best decompositions, of up to 6 attributes; without, 5 if there are no more than 5 attributes.",
    ),
]
Possibility = Annotated[
    str | None, typer.Option("--possibility", metavar="COLUMN", help="Column of degrees from 0 to 1: no attribute.")
]
Measure = Annotated[
    str,
    typer.Option(
        "--measure",
        metavar="NAME",
        help="How gains of degrees are measured: nonspecificity, or lecture (sums of degrees in place of numbers).",
    ),
]
Extra = Annotated[
    str | None,
    typer.Option(
        "--extra",
        metavar="K",
        help="Build a decomposition edge by edge, of any number of attributes, until K extra tuples are left at most.",
    ),
]
GainsGiven = Annotated[
    str | None,
    typer.Option("--gains-given", metavar="A,B|C", help="The gain of A and B for each value of C, or of C,D."),
]
Of = Annotated[
    str | None,
    typer.Option(
        "--decomposition",
        metavar="SETS",
        help="Count the extra tuples of sets of attributes, A,B|B,C, or of a DAG, [A][B|A].",
    ),
]


@takes_groups
def command(
    table: reading.TableReader,
    data: options.DataFile,
    threshold: Threshold = None,
    possibility: Possibility = None,
    weight: Weight = "hartley",
    top: Top = None,
    measure: Measure = "nonspecificity",
    extra: Extra = None,
    gains_given: GainsGiven = None,
    decomposition: Of = None,
    as_json: options.Json = False,
    columns: options.Columns = None,
    na_values: options.NaValues = None,
    states: options.States = None,
    config: options.Config = None,
) -> None:
    """Decompose the set of rows that occur: gains, trees, extra tuples."""
    from bnml.relational.overview import relation_overview

    bits = _number(threshold, "--threshold", "bits")
    most = _number(extra, "--extra", "tuples")
    pair = None if gains_given is None else _parse_pair(gains_given)
    sets = None if decomposition is None else _parse_sets(decomposition)
    if top is not None and top < 1:
        raise ArgumentError(f"--top {top}: expected a whole number from 1")
    if possibility is None:
        rows = table()
    else:
        if columns and possibility not in options.parse_names(columns, "--columns"):
            columns += f",{possibility}"
        declared = _states_with_degrees(data, possibility, states, na_values, read_settings(config))
        rows = table(columns=columns, states=declared)
    if top is not None:
        _check_listing(rows, possibility)
    asked = {
        **({} if pair is None else _gains_given(rows, pair, possibility, measure)),
        **({} if sets is None else _extra_tuples(rows, sets, decomposition, possibility)),
    }
    overview = relation_overview(rows, bits, weight, top, possibility=possibility, measure=measure, extra=most)
    found = {**overview.to_dict(), **asked}
    if as_json:
        printing.print_json(found)
    else:
        _report(found)


def _check_listing(table: bnml.Data, possibility: str | None) -> None:
    """Refuse to list too many decompositions, and announce it if they take long."""
    from bnml.relational.decompositions import check_decompositions
    from bnml.relational.overview import FEW

    n = len(table.names) - (possibility is not None)
    check_decompositions(n)
    if n > FEW:
        print(f"forecast: {1 << n * (n - 1) // 2:,} decompositions, about 15 s", file=sys.stderr, flush=True)


def _number(text: str | None, option: str, of: str) -> float | None:
    if text is None:
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise ArgumentError(f"{option} {shortened(text, 60)}: expected a number of {of} from 0")
    return number


def _parse_pair(text: str) -> tuple[list[str], list[str]]:
    """Return the two attributes whose gain is asked for, and those that are given."""
    names, mark, given = text.partition("|")
    pair = options.parse_names(names, "--gains-given")
    if len(pair) != 2 or not mark:
        raise ArgumentError(f"--gains-given {shortened(text, 60)!r}: expected two attributes and what is given, A,B|C")
    return pair, options.parse_names(given, "--gains-given")


def _parse_sets(text: str) -> bnml.DAG | list[list[str]]:
    """Return sets of attributes, or a DAG."""
    if text.lstrip().startswith("["):
        return bnml.DAG.parse(text)
    return [options.parse_names(part, "--decomposition") for part in text.split("|")]


def _gains_given(
    table: bnml.Data, asked: tuple[list[str], list[str]], possibility: str | None, measure: str
) -> dict[str, Any]:
    from bnml._plain import records

    (a, b), given = asked
    frame = bnml.relational.gains_given(table, a, b, given, possibility=possibility, measure=measure)
    values, numbers = frame.iloc[:, : len(given)], frame.iloc[:, len(given) :]
    rows = [
        {"given": dict(zip(given, row, strict=True)), **own}
        for row, own in zip(values.to_numpy().tolist(), records(numbers), strict=True)
    ]
    return {"gains_given": {"a": a, "b": b, "given": given, "rows": rows}}


def _extra_tuples(
    table: bnml.Data, sets: bnml.DAG | list[list[str]], text: str | None, possibility: str | None
) -> dict[str, Any]:
    number = bnml.relational.extra_tuples(sets, table, possibility=possibility)
    return {"decomposition": {"sets": text, "extra_tuples": number}}


def _states_with_degrees(
    data: str | None, possibility: str, states: Path | None, na_values: str | None, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the states that are declared, with the degrees that the column of degrees holds."""
    from bnml.data.bene import read_vd
    from bnml.relational.relation import degree_labels

    texts = options.parse_names(na_values, "--na-values") if na_values else settings.get("na_values", ())
    given = states or settings.get("states") or {}
    declared = dict(given) if isinstance(given, Mapping) else dict(read_vd(Path(given)))
    return {**declared, possibility: degree_labels(data, possibility, texts)}


def _report(found: Mapping[str, Any]) -> None:
    graded = f", possible to the degree {shortened(found['possibility'], 30)}" if found["possibility"] else ""
    print(f"{number_of(found['tuples'], 'tuple')} of {number_of(len(found['attributes']), 'attribute')}{graded}")
    _print_gains(found["gains"])
    tree, others = found["tree"], found["independence_map"]
    of = "gains" if tree["weight"] == "hartley" else "relative numbers"
    _print_graph(f"Spanning tree of the {of}: {_extra(tree)}", tree["edges"])
    bound = others["threshold"]
    above = "the spanning tree of these gains" if bound is None else f"gains above {bound:g} bits"
    _print_graph(f"Given all other attributes, {above}: {_extra(others)}", others["edges"])
    if found["greedy"] is not None:
        _print_graph(f"Built edge by edge: {_extra(found['greedy'])}", found["greedy"]["edges"])
    if "decomposition" in found:
        print("\n" + wrapped_text(f"{found['decomposition']['sets']}: {_extra(found['decomposition'])}"))
    if "gains_given" in found:
        _print_gains_given(found["gains_given"])
    if found["decompositions"] is None:
        return
    print(f"\nThe best of {found['graphs']:,} decompositions, with their extra tuples:")
    rows = [
        [_in_words(one["extra_tuples"]), ", ".join(_pair(edge, 34) for edge in one["edges"]) or "no edges"]
        for one in found["decompositions"]
    ]
    print("\n".join(text_table(rows, "rw", indent="  ")))


def _print_gains(rows: list[Mapping[str, Any]]) -> None:
    if not rows:
        return
    print("\nHartley information gains in bits, and pairs that occur of all possible ones:")
    cells = [
        [
            _pair(row, 15),
            f"{row['gain']:.4f}",
            _in_words(row["occurring"]),
            f"{row['possible']:,}",
            f"{row['relative']:.3f}",
        ]
        for row in rows[:MOST_LINES]
    ]
    print("\n".join(text_table(cells, "lrrrr", ["pair", "gain", "occurring", "possible", "relative"], indent="  ")))
    _print_rest(len(rows), "pair")


def _print_gains_given(asked: Mapping[str, Any]) -> None:
    print("\n" + wrapped_text(f"Gain of {_pair(asked, 30)} for each value of {', '.join(asked['given'])}, in bits:"))
    cells = [
        [
            ", ".join(shortened(str(value), 20) for value in row["given"].values()),
            *(_in_words(row[key]) for key in ("a", "b", "pairs")),
            f"{row['gain']:.4f}",
        ]
        for row in asked["rows"][:MOST_LINES]
    ]
    titles = ["given", shortened(asked["a"], 15), shortened(asked["b"], 15), "pairs", "gain"]
    print("\n".join(text_table(cells, "lrrrr", titles, indent="  ")))
    _print_rest(len(asked["rows"]), "value")


def _print_graph(title: str, edges: list[Mapping[str, Any]]) -> None:
    print("\n" + wrapped_text(title))
    shown = [(_pair(edge, 32), edge.get("weight")) for edge in edges[:MOST_LINES]]
    rows = [[pair, "" if weight is None else f"{weight:.4f}"] for pair, weight in shown]
    print("".join(f"{line.rstrip()}\n" for line in text_table(rows, "lr", indent="  ")), end="")
    _print_rest(len(edges), "edge")


def _print_rest(number: int, word: str) -> None:
    if number > MOST_LINES:
        print(f"  … and {number_of(number - MOST_LINES, f'more {word}')}; --json shows all")


def _pair(row: Mapping[str, Any], width: int) -> str:
    return f"{shortened(row['a'], width)} - {shortened(row['b'], width)}"


def _extra(one: Mapping[str, Any]) -> str:
    extra = one["extra_tuples"]
    if extra is None:
        return "too many circles to count the extra tuples"
    number = f"{_in_words(extra)} extra tuple{'s' * (extra != 1)}"
    return number if extra else f"{number}, a perfect decomposition"


def _in_words(number: int | float) -> str:
    """Return a number of tuples: in full if it is short, and with three decimals where degrees make it a fraction."""
    if isinstance(number, float) and number < 10**6:
        return f"{number:.3f}"
    return f"{int(number):,}" if number < 10**9 else f"{Decimal(number):.3e}"
