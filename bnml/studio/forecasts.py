"""What a search will take, before it is begun."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bnml._machine import gigabytes
from bnml._plain import plain
from bnml._text import number_of, time_text
from bnml.search.forecast import Forecast
from bnml.search.problem import bind
from bnml.studio.learning import learning_request
from bnml.studio.read_tables import ReadTables, table_source_in
from bnml.studio.session import KnownStructure, TableEntry


def forecast_values(
    tables: ReadTables, folder: Path, table: TableEntry, known: KnownStructure, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Return which search it will be, and what an exact one takes: seconds, bytes, and a sentence in plain words.

    Raises
    ------
    BnmlError
        If the table cannot be read, or a setting is wrong.
    """
    data = tables.data(table_source_in(folder, table))
    asked = learning_request(table, known, settings, data.names).learning
    if settings["search"] not in ("auto", "exact"):
        return {"search": settings["search"], "seconds": None, "memory": None, "text": "", "exact": None}
    cost = bind(asked, data).cost
    by_auto = "exact" if cost.fits and cost.affordable else "order"
    return {
        "search": "exact" if settings["search"] == "exact" else by_auto,
        "seconds": plain(cost.seconds) if cost.method == "lattice" else None,
        "memory": plain(cost.bytes) if cost.method == "lattice" else None,
        "text": _in_plain_words(cost, settings["search"]),
        "exact": cost.to_dict(),
    }


def _in_plain_words(cost: Forecast, search: str) -> str:
    """Return what a search will take in a few words for people who do not know how it goes."""
    variables, takes = number_of(cost.variables, "variable"), time_text(cost.seconds)
    if search == "auto" and not (cost.fits and cost.affordable):
        return (
            f"{variables}: the best network of all, with proof, if that can be had within about a minute; else the "
            "best that a thorough search finds."
        )
    if cost.method == "lattice":
        if not cost.fits:
            room = f"{gigabytes(cost.bytes)} of memory, and {gigabytes(cost.limit)} are free"
            return f"{variables}: going through all combinations would take {room}. Choose another search."
        return (
            f"{variables}: all combinations are gone through, and the best network is proven to be the best. It takes "
            f"{takes} and {gigabytes(cost.bytes)} of memory."
        )
    worst = f"; at worst {takes} and {gigabytes(cost.bytes)} of memory" if cost.fits else ""
    return (
        f"{variables}: too many to go through all combinations, so those that cannot be in the best network are ruled "
        f"out first. How long that takes shows on the way{worst}."
    )
