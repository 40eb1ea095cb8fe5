"""Rules: what parents each variable may have, in the one form that every search works from.

Constraints speak of names, arcs, links and tiers. For the variables of one table they compile to four things: the
parents that each variable *must* have, those that it *may* have, the others that it must be *linked* with in one
direction or the other, and the *most* parents. A structure prior that rules out or requires arcs adds to them. So does
the number of rows: the table of a family with parents may have so many *cells*, so that each has some rows to speak of.
The cells of a family are those of the set of its variables, which is the same for all members of an equivalence class
that have it as a clique, so that a class is allowed as a whole or not at all.

There is one test of feasibility, `Rules.order`. From the end: a variable can be the last of some if none of these must
have it as a parent, and if what it must have of them, by arcs and by links, is allowed and not too much. Whichever is
taken away first, the others only become freer. So if none can be last, no structure meets the rules.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from bnml._bits import bits, mask_of, transposed
from bnml._text import quoted
from bnml.errors import Phrase, SearchError, argument

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Bools = npt.NDArray[np.bool_]

ROWS_PER_CELL = 5  # that a family's table has on average, by default; 0 for no rule


@dataclass(frozen=True)
class Rules:
    """What parents are allowed, for variables by number; sets of them are bit masks.

    Attributes
    ----------
    names
        The variables.
    must, may
        For each variable the parents that it must have, and those that it may have.
    links
        For each variable the others that must be its parents or its children.
    most
        The most parents of a variable.
    arities, cells
        Numbers of states, and the most cells that the table of a family with parents may have; no bound if infinite.
    own_cells
        For each variable the most cells of its own family, where that is not the same for all; ``cells`` is then the
        largest of them.

    Examples
    --------
    >>> from bnml.graph import Constraints
    >>> rules = Constraints(required=[("A", "B")], forbidden=[("C", "B")]).compiled(["A", "B", "C"])
    >>> [bin(mask) for mask in rules.must], [bin(mask) for mask in rules.may]
    (['0b0', '0b1', '0b0'], ['0b100', '0b1', '0b11'])
    >>> rules.among([2, 1, 0]).must
    (0, 4, 0)
    """

    names: tuple[str, ...]
    must: tuple[int, ...]
    may: tuple[int, ...]
    links: tuple[int, ...]
    most: int
    arities: tuple[int, ...] = ()
    cells: float = math.inf
    own_cells: tuple[float, ...] = ()

    @classmethod
    def none(cls, names: Iterable[str], most: int | None = None) -> Rules:
        """Return the rules that leave everything open, but for the number of parents."""
        own = tuple(names)
        n, whole = len(own), (1 << len(own)) - 1
        most = n - 1 if most is None else min(most, n - 1)
        return cls(own, (0,) * n, tuple(whole & ~(1 << i) for i in range(n)), (0,) * n, most)

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def constrained(self) -> bool:
        """Whether something must be, or must not be; the number of parents aside."""
        return any(self.must) or any(self.links) or any(mask.bit_count() < self.n - 1 for mask in self.may)

    @property
    def limited(self) -> bool:
        """Whether a variable may have fewer parents than there are others, or some families have too many cells."""
        return self.most < self.n - 1 or self.sparse

    @cached_property
    def sparse(self) -> bool:
        """Whether some families have too many cells."""
        least = min(self.own_cells, default=self.cells)
        return math.isfinite(least) and math.prod(self.arities) > least

    def most_cells(self, child: int) -> float:
        """Return how many cells the table of a variable's family may have, if it has parents."""
        return self.own_cells[child] if self.own_cells else self.cells

    def fits(self, child: int, parents: int) -> bool:
        """Whether a variable may have so many parents, and its family so many cells."""
        if parents.bit_count() > self.most:
            return False
        return not parents or not self.sparse or self.cells_of(parents | 1 << child) <= self.most_cells(child)

    def room(self, child: int, parents: int) -> float:
        """Return how many states one more parent may have: any number without a bound, 0 where none may be added."""
        if parents.bit_count() >= self.most:
            return 0.0
        return self.most_cells(child) / self.cells_of(parents | 1 << child) if self.sparse else math.inf

    def cells_of(self, members: int) -> int:
        """Return how many cells the table of a set has."""
        return math.prod(self.arities[i] for i in bits(members))

    def with_cells(self, arities: Sequence[int], cells: float | Sequence[float]) -> Rules:
        """Return the rules with a bound on the cells of families with parents: one for all, or for each variable."""
        if isinstance(cells, int | float):
            return replace(self, arities=tuple(arities), cells=cells, own_cells=())
        own = tuple(cells) if len(set(cells)) > 1 else ()
        return replace(self, arities=tuple(arities), cells=max(cells), own_cells=own)

    @property
    def undirected(self) -> bool:
        """Whether no rule tells an arc from the arc the other way round."""
        if self.own_cells:
            return False
        return not self.constrained or (not any(self.must) and transposed(self.may) == list(self.may))

    @cached_property
    def required(self) -> tuple[int, ...]:
        """For each variable the parents that it must have, or that can satisfy a link that must be there."""
        return tuple(must | links for must, links in zip(self.must, self.links, strict=True))

    @cached_property
    def adjacent(self) -> tuple[int, ...]:
        """For each variable the others that it must be linked with, by an arc or by a link."""
        return tuple(
            parents | children for parents, children in zip(self.required, transposed(self.required), strict=True)
        )

    @cached_property
    def possible(self) -> tuple[int, ...]:
        """For each variable the others that it may be linked with, in some direction."""
        return tuple(parents | children for parents, children in zip(self.may, transposed(self.may), strict=True))

    def among(self, places: Sequence[int]) -> Rules:
        """Return the rules about some of the variables, or about all in another order: the new k is the old places[k].

        What is said of the others is left out.
        """
        names = tuple(self.names[old] for old in places)
        arities = tuple(self.arities[old] for old in places) if self.arities else ()
        own_cells = tuple(self.own_cells[old] for old in places) if self.own_cells else ()
        if not self.constrained:
            return replace(Rules.none(names), most=self.most, arities=arities, cells=self.cells, own_cells=own_cells)
        at = {old: new for new, old in enumerate(places)}

        def moved(masks: Sequence[int]) -> tuple[int, ...]:
            return tuple(mask_of(at[j] for j in bits(masks[old]) if j in at) for old in places)

        masks = moved(self.must), moved(self.may), moved(self.links)
        return Rules(names, *masks, self.most, arities, self.cells, own_cells)

    def heeding(self, ruled_out: Bools, required: Bools) -> Rules:
        """Return the rules with arcs ruled out, and required, as matrices ``[parent, child]`` say; their diagonals too.

        An arc that is required and ruled out stays so: no structure meets such rules.
        """
        masks = [[mask_of(above.nonzero()[0].tolist()) for above in matrix.T] for matrix in (ruled_out, required)]
        own = range(self.n)
        may = tuple(self.may[i] & ~masks[0][i] for i in own)
        must = tuple(self.must[i] | masks[1][i] & ~(1 << i) for i in own)
        return replace(self, may=may, must=must)

    def order(self, choose: Callable[[Sequence[int]], int] | None = None) -> list[int]:
        """Return an order of the variables in which all rules can be met, each with its parents before it.

        Parameters
        ----------
        choose
            Picks one of the variables that can come last of those that are left; by default the last of them.

        Raises
        ------
        SearchError
            If there is none: no structure meets the rules.
        """
        for i, (name, must) in enumerate(zip(self.names, self.must, strict=True)):
            if must.bit_count() > self.most:
                raise SearchError(
                    f"{must.bit_count()} parents of {name!r} are required, but "
                    + argument("max_parents", self.most)
                    + " allows fewer",
                    hint="raise it, or require fewer arcs",
                )
            if not self.fits(i, must):
                arcs = ", ".join(f"{self.names[j]} -> {name}" for j in bits(must))
                if not self.most_cells(i):
                    raise SearchError(
                        f"{arcs}: {name!r} was set in every row, so that none tells what it depends on, and it gets no "
                        "parents; do not require them"
                    )
                raise SearchError(
                    f"{arcs}: the table of {name!r} and the parents that are required has "
                    f"{self.cells_of(must | 1 << i):,} cells, and "
                    + argument("rows_per_cell")
                    + f" allows {self.most_cells(i):,.0f} with so few rows",
                    hint="require fewer arcs, or lower it (0 lifts the rule)",
                )
        if not (any(self.must) or any(self.links)):
            return self._any_order(choose)
        children = transposed(self.must)
        left, order = (1 << self.n) - 1, []
        while left:
            free = (i for i in range(self.n - 1, -1, -1) if left >> i & 1 and self._can_be_last(i, left, children))
            candidates = list(islice(free, 1) if choose is None else free)[::-1]
            if not candidates:
                limit = Phrase()
                if self.most < self.n - 1:
                    limit += " with " + argument("max_parents", self.most)
                if self.sparse:
                    limit += " and the rows per cell that " + argument("rows_per_cell") + " asks for"
                raise SearchError(
                    f"no structure meets what is required of {quoted(self.names[i] for i in bits(left))}"
                    + limit
                    + ": the required arcs and links, and what constraints and priors rule out, contradict each other",
                    hint=f"require less{', or allow more parents' if limit else ''}",
                )
            chosen = candidates[0] if choose is None else choose(candidates)
            order.append(chosen)
            left ^= 1 << chosen
        return order[::-1]

    def _any_order(self, choose: Callable[[Sequence[int]], int] | None) -> list[int]:
        """Return an order where nothing is required, so that each variable can be the last."""
        left, order = list(range(self.n)), []
        while choose is not None and left:
            order.append(choose(left))
            left.remove(order[-1])
        return left + order[::-1]

    def _can_be_last(self, i: int, left: int, children: Sequence[int]) -> bool:
        needed = self.must[i] | (self.links[i] & left)
        return not (children[i] & left or needed & ~self.may[i]) and self.fits(i, needed)

    def check(self) -> None:
        """Refuse rules that no structure meets.

        Raises
        ------
        SearchError
            With the variables of which too much is required.
        """
        if any(self.must) or any(self.links):
            self.order()

    # --- as matrices [parent, child] ---

    @cached_property
    def may_matrix(self) -> Bools:
        """The arcs that may be there; not those between variables that alone have too many cells."""
        matrix = self._matrix(self.may)
        if not self.sparse:
            return matrix
        import numpy as np

        states = np.array(self.arities, np.float64)
        most = np.array(self.own_cells) if self.own_cells else self.cells
        fitting = matrix & (np.multiply.outer(states, states) <= most)
        fitting.setflags(write=False)
        return fitting

    @cached_property
    def must_matrix(self) -> Bools:
        """The arcs that must be there."""
        return self._matrix(self.must)

    @cached_property
    def link_matrix(self) -> Bools:
        """The pairs of which one arc or the other must be there."""
        return self._matrix(self.links)

    @cached_property
    def required_matrix(self) -> Bools:
        """The arcs that must be there, or can satisfy a link that must."""
        return self._matrix(self.required)

    def _matrix(self, masks: Sequence[int]) -> Bools:
        import numpy as np

        size = self.n // 8 + 1
        words = np.frombuffer(b"".join(mask.to_bytes(size, "little") for mask in masks), np.uint8).reshape(self.n, size)
        matrix = np.ascontiguousarray(np.unpackbits(words, axis=1, count=self.n, bitorder="little").T, bool)
        matrix.setflags(write=False)
        return matrix
