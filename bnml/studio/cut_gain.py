"""What cuts of a column of numbers gain, for the page on which they are dragged."""

from __future__ import annotations

import threading
import warnings
from pathlib import Path
from typing import Any, NamedTuple

from bnml.data.dependent_bins import ColumnCutting
from bnml.data.read import read_draft
from bnml.data.states import DraftTable
from bnml.discretisation.discretise import families_to_discretise
from bnml.errors import ArgumentError, DataWarning
from bnml.graph import DAG
from bnml.studio.read_tables import table_source_in
from bnml.studio.session import TableEntry, session_cut_points


class _KnownCutting(NamedTuple):
    """A column to be cut, the variables that this is for, the best cuts, and what these gain."""

    cutting: ColumnCutting
    described: tuple[str, ...]
    best: tuple[float, ...]
    most: float


class CutGains:
    """Tells what cuts gain; the table is kept in memory as long as it is the same.

    Parameters
    ----------
    folder
        The folder of the session.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept: tuple[TableEntry, DraftTable] | None = None
        self._cuttings: dict[tuple[str, str], _KnownCutting] = {}
        self._lock = threading.Lock()

    def gain(self, table: TableEntry, column: Any, cuts: Any, graph: DAG | None) -> dict[str, Any]:
        """Return what cuts of a column gain beside a single bin, and what the best do, in nats.

        They gain what the NML code of the neighbours of the column in a network is shorter by, as `bnml.discretise`
        counts it; without a network, of the columns that it tells most about, as ``bins="auto"`` does.

        Raises
        ------
        BnmlError
            If the column is none of numbers, or a cut is no number.
        """
        points = session_cut_points(cuts)
        with self._lock:
            numbers = self._draft(table)
            names = [own.name for own in numbers.columns]
            if column not in names or numbers.columns[names.index(column)].numbers() is None:
                raise ArgumentError(f"{column!r} is no column of numbers that takes part", argument="cuts")
            known = self._known_cutting(numbers, column, graph)
            gain = known.cutting.gain(points)
        return {"gain": gain, "best": known.most, "best_cuts": list(known.best), "of": list(known.described)}

    def _known_cutting(self, numbers: DraftTable, column: str, graph: DAG | None) -> _KnownCutting:
        """Return what cuts of a column are for, and the best of them; the last one is kept."""
        families = families_to_discretise(graph, column) if graph is not None and column in graph.names else []
        key = column, repr(families)
        if key not in self._cuttings:
            families = families or [((other,), ()) for other in numbers.partners(column)]
            cutting = numbers.cutting(column, families)
            best = cutting.best()
            described = tuple(sorted({name for family, _ in families for name in family}))
            self._cuttings = {key: _KnownCutting(cutting, described, best, cutting.gain(best))}
        return self._cuttings[key]

    def _draft(self, table: TableEntry) -> DraftTable:
        if self._kept is None or (self._kept[0].file, self._kept[0].choices) != (table.file, table.choices):
            source = table_source_in(self._folder, table)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)
                self._kept = table, read_draft(source.path, **source.arguments)
            self._cuttings = {}
        return self._kept[1]
