"""A network while it is being read: checked piece by piece, each with its place in the file.

A reader tells a `Draft` what it finds, in the order of the file, and where. A place is whatever the reader's own
``error(place, message)`` turns into a line number: a position in a text, or the line itself.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats
from bnml._text import clip, did_you_mean, quoted, quoted_value
from bnml.data.labels import label_text
from bnml.errors import FormatError, GraphError
from bnml.graph import DAG
from bnml.network.network import MOST_PARENTS, TOLERANCE, BayesianNetwork

Error = Callable[[int, str], FormatError]

MOST_VARIABLES = 20_000
MOST_ENTRIES = 20_000_000  # probabilities in all tables together
FREE_ENTRIES = 1_000_000  # so many are allowed in the shortest file; more only in proportion to its length


class Draft:
    """What has been read of a network so far."""

    def __init__(self, error: Error, size: int) -> None:
        self.error = error
        self._room = min(MOST_ENTRIES, FREE_ENTRIES + 4 * size)
        self._states: dict[str, tuple[Any, ...]] = {}
        self._declared: dict[str, int] = {}
        self._tables: dict[str, tuple[int, tuple[str, ...], Floats]] = {}
        self._begun: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._states

    def states(self, name: str) -> tuple[Any, ...]:
        """Return the states of a variable that was declared."""
        return self._states[name]

    def variable(self, at: int, name: str, states: Sequence[Any]) -> None:
        """Declare a variable."""
        if not name:
            raise self.error(at, "a variable without a name")
        if name in self._states:
            raise self.error(at, f"the variable {quoted_value(name)} is declared a second time")
        if len(self._states) == MOST_VARIABLES:
            raise self.error(at, f"more than {MOST_VARIABLES} variables")
        texts = [label_text(label) for label in states]
        if not texts:
            raise self.error(at, f"the variable {quoted_value(name)} has no states")
        if len(set(texts)) < len(texts):
            twice = Counter(texts).most_common(1)[0][0]
            raise self.error(at, f"the variable {quoted_value(name)} has the state {quoted_value(twice)} twice")
        self._states[name], self._declared[name] = tuple(states), at

    def begin(self, at: int, name: str, parents: Sequence[str]) -> tuple[int, ...]:
        """Announce a table; return its shape, the variable's own axis last, or refuse it before it takes memory."""
        for variable in (name, *parents):
            if variable not in self._states:
                raise self.error(at, f"there is no variable {quoted_value(variable)} so far{self._near(variable)}")
        if name in self._begun:
            raise self.error(at, f"a second table for {quoted_value(name)}")
        if name in parents or len(set(parents)) < len(parents):
            raise self.error(at, f"the parents of {quoted_value(name)} must differ from it and from each other")
        if len(parents) > MOST_PARENTS:
            raise self.error(
                at, f"{quoted_value(name)} has {len(parents)} parents; at most {MOST_PARENTS} are possible"
            )
        shape = tuple(len(self._states[variable]) for variable in (*parents, name))
        size = math.prod(shape)
        if size > self._room:
            raise self.error(
                at, f"the table of {quoted_value(name)} would have {size} entries, more than the file can hold"
            )
        self._room -= size
        self._begun.add(name)
        return shape

    def fill(
        self, at: int, name: str, parents: Sequence[str], table: Any, places: npt.NDArray[np.int64] | None = None
    ) -> None:
        """Take the values of a table; ``places`` tells where each row stands, or -1 for where the table does."""
        array = np.ascontiguousarray(table, np.float64)
        rows = array.reshape(-1, array.shape[-1])
        with np.errstate(over="ignore", invalid="ignore"):
            good = (rows >= 0.0).all(axis=1) & (np.abs(rows.sum(axis=1) - 1.0) <= TOLERANCE)
        if not good.all():
            row = int(np.argmin(good))
            place = at if places is None or places[row] < 0 else int(places[row])
            given = self.configuration(row, parents, array.shape)
            values = [str(value) for value in rows[row, :8].tolist()]
            more = ", …" if rows.shape[1] > 8 else ""
            raise self.error(
                place,
                f"P({clip(name)}{' | ' + given if given else ''}) is not a distribution: "
                f"{', '.join(values)}{more} must be at least 0 and sum to 1",
            )
        self._tables[name] = (at, tuple(parents), array)

    def configuration(self, row: int, parents: Sequence[str], shape: Sequence[int]) -> str:
        """Return ``A=yes, B=no`` for the number of a row."""
        codes = np.unravel_index(row, tuple(shape[:-1])) if parents else ()
        return ", ".join(f"{clip(p)}={clip(self._states[p][int(k)])}" for p, k in zip(parents, codes, strict=True))

    def network(self) -> BayesianNetwork:
        """Return the network, if it is one."""
        if not self._states:
            raise self.error(0, "there are no variables")
        for name, at in self._declared.items():
            if name not in self._tables:
                raise self.error(at, f"there is no table for the variable {quoted_value(name)}")
        arcs = [(parent, name) for name, (_, parents, _) in self._tables.items() for parent in parents]
        try:
            dag = DAG(self._states, arcs)
        except GraphError as error:
            raise self.error(self._on_a_cycle(), clip(str(error), 400)) from None
        tables = {
            name: _in_order(dag.parents(name), parents, array) for name, (_, parents, array) in self._tables.items()
        }
        return BayesianNetwork(dag, self._states, tables)

    def _on_a_cycle(self) -> int:
        """Return where the last table stands that is left after roots have been taken away again and again."""
        left = {name: len(parents) for name, (_, parents, _) in self._tables.items()}
        children: dict[str, list[str]] = {name: [] for name in left}
        for name, (_, parents, _) in self._tables.items():
            for parent in parents:
                children[parent].append(name)
        roots = [name for name, number in left.items() if not number]
        while roots:
            name = roots.pop()
            del left[name]
            for child in children[name]:
                left[child] -= 1
                if not left[child]:
                    roots.append(child)
        return max(self._tables[name][0] for name in left)

    def _near(self, word: str) -> str:
        known = [name for name in self._states if len(name) <= 60][:1000]
        return f".{did_you_mean(word, known)} Declared are {quoted(known)}." if known and len(word) <= 60 else ""


class TableRows:
    """A table that comes row by row, one for each configuration of the parents, perhaps with a default for the rest."""

    def __init__(self, draft: Draft, at: int, name: str, parents: Sequence[str]) -> None:
        self._draft, self._at, self._name, self._parents = draft, at, name, tuple(parents)
        self._shape = draft.begin(at, name, parents)
        self.arity = self._shape[-1]
        self.number = math.prod(self._shape[:-1])
        self._table: Floats = np.empty((self.number, self.arity))
        self._places = np.full(self.number, -1, np.int64)
        self._default: list[float] | None = None
        self._begun = False

    def put(self, at: int, codes: Sequence[int], values: list[float]) -> None:
        """Take the row of a configuration, given by the positions of the parents' states."""
        row = 0
        for code, arity in zip(codes, self._shape, strict=False):
            row = row * arity + code
        if self._places[row] >= 0:
            given = self._draft.configuration(row, self._parents, self._shape)
            raise self._draft.error(at, f"a second row of {quoted_value(self._name)}{' for ' + given if given else ''}")
        self._table[row] = self._counted(at, values)
        self._places[row] = at

    def default(self, at: int, values: list[float]) -> None:
        """Take the row of all configurations that have none of their own."""
        if self._default is not None:
            raise self._draft.error(at, f"a second default for {quoted_value(self._name)}")
        self._default = self._counted(at, values)

    def whole(self, at: int, values: list[float], *, own_axis_first: bool = False) -> None:
        """Take all values at once, the last axis fastest; that of the variable is the last or the first."""
        if self._begun:
            raise self._draft.error(at, f"a second table for {quoted_value(self._name)}")
        size = self._table.size
        if len(values) != size:
            raise self._draft.error(
                at, f"expected {size} probabilities in the table of {quoted_value(self._name)}, found {len(values)}"
            )
        table = np.array(values, np.float64)
        self._table[:] = table.reshape(self.arity, -1).T if own_axis_first else table.reshape(-1, self.arity)
        self._places[:] = at
        self._begun = True

    def done(self) -> None:
        """Hand the table to the draft."""
        missing = self._places < 0
        if self._default is not None:
            self._table[missing] = self._default
        elif missing.any():
            given = self._draft.configuration(int(np.argmax(missing)), self._parents, self._shape)
            raise self._draft.error(
                self._at, f"the table of {quoted_value(self._name)} has no row{' for ' + given if given else ''}"
            )
        table = self._table.reshape(self._shape)
        self._draft.fill(self._at, self._name, self._parents, table, self._places)

    def _counted(self, at: int, values: list[float]) -> list[float]:
        if len(values) != self.arity:
            raise self._draft.error(
                at,
                f"expected {self.arity} probabilities in this row of {quoted_value(self._name)}, found {len(values)}",
            )
        self._begun = True
        return values


def _in_order(wanted: Sequence[str], parents: Sequence[str], table: Floats) -> Floats:
    axes = [*(parents.index(parent) for parent in wanted), len(parents)]
    return np.ascontiguousarray(table.transpose(axes))
