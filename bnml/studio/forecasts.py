"""What a search will take, before it is begun."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bnml._plain import plain
from bnml.search.forecast import forecast_of
from bnml.studio.learning import learning_request
from bnml.studio.read_tables import ReadTables
from bnml.studio.session import KnownStructure, LearningSettings, TableEntry

__all__ = ["forecast_values"]


def forecast_values(
    tables: ReadTables, folder: Path, table: TableEntry, known: KnownStructure, settings: LearningSettings
) -> dict[str, Any]:
    """Return which search it will be, and what an exact one takes: seconds, bytes, and a sentence.

    Raises
    ------
    BnmlError
        If the table cannot be read, or a setting is wrong.
    """
    data = tables.data(folder, table)
    asked = learning_request(table, known, settings, data.names).learning
    if settings.search not in ("auto", "exact"):
        return {"search": settings.search, "seconds": None, "memory": None, "text": "", "exact": None}
    cost = forecast_of(asked.open(data))
    by_auto = "exact" if cost.fits and cost.affordable else "order"
    return {
        "search": "exact" if settings.search == "exact" else by_auto,
        "seconds": plain(cost.seconds) if cost.method == "lattice" else None,
        "memory": plain(cost.bytes) if cost.method == "lattice" else None,
        "text": str(cost),
        "exact": cost.to_dict(),
    }
