"""Names at the door, and pairs of them: check them once, and translate between names and positions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from bnml._bits import bits, mask_of
from bnml._text import did_you_mean, quoted
from bnml.errors import ArgumentError, GraphError, argument
from bnml.graph._checks import require_same_variables


class Variables:
    """The names of a graph's nodes and where each one stands."""

    __slots__ = ("index", "names")

    def __init__(self, names: Iterable[str], what: str = "names") -> None:
        self.names = _distinct_names(names, what)
        self.index = {name: i for i, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.names)

    def at(self, name: str) -> int:
        """Return the position of one name."""
        if not isinstance(name, str):
            raise ArgumentError(f"expected the name of one variable, got {name!r}")
        if name not in self.index:
            raise ArgumentError(
                f"there is no variable {name!r}.{did_you_mean(name, self.names)}"
                f" The variables are {quoted(self.names)}."
            )
        return self.index[name]

    def mask(self, names: str | Iterable[str], what: str = "names") -> int:
        """Return the mask of one name or several."""
        if isinstance(names, str):
            return 1 << self.at(names)
        if not isinstance(names, Iterable):
            raise ArgumentError(argument(what) + f" must be a name or several names of variables, got {names!r}")
        return mask_of(self.at(name) for name in names)

    def pick(self, mask: int) -> tuple[str, ...]:
        """Return the names in a mask, in their order."""
        return tuple(self.names[i] for i in bits(mask))

    def pairs(self, pairs: Iterable[Collection[str]], what: str, *, ordered: bool = True) -> list[tuple[int, int]]:
        """Return pairs of names as pairs of positions."""
        found = pairs_of_names(pairs, what, ordered=ordered)
        for name in (name for pair in found for name in pair):
            if name not in self.index:
                raise GraphError(
                    f"{what} name {name!r}, which is not a variable.{did_you_mean(name, self.names)}"
                    f" The variables are {quoted(self.names)}."
                )
        return [(self.index[a], self.index[b]) for a, b in found]

    def order_like(self, names: Iterable[str]) -> tuple[Variables, list[int]]:
        """Return the same variables in another order, and the old position of each."""
        other = Variables(names)
        require_same_variables(self.names, other.names)
        return other, [self.index[name] for name in other.names]


def _distinct_names(names: Iterable[str], what: str) -> tuple[str, ...]:
    """Check the names of a graph's variables: texts, at least one, none twice."""
    result = checked_names(names, what)
    if not result:
        raise GraphError(f"{what} is empty; a graph needs at least one variable")
    twice = [name for name, count in Counter(result).items() if count > 1]
    if twice:
        raise GraphError(f"{what} must be unique; more than once there: {quoted(twice)}")
    return tuple(str(name) for name in result)


def pairs_of_names(pairs: Iterable[Collection[str]], what: str, *, ordered: bool = True) -> list[tuple[str, str]]:
    """Check pairs of two different names that are an argument; a pair without direction may also come as a set."""
    if isinstance(pairs, str) or not isinstance(pairs, Iterable):
        raise GraphError(f"{what} must be a list of pairs of names such as [('A', 'B')], got {pairs!r}")
    return [_checked_pair(pair, what, ordered) for pair in pairs]


def _checked_pair(pair: Collection[str], what: str, ordered: bool) -> tuple[str, str]:
    unfit = (str, set, frozenset, dict) if ordered else (str, dict)  # a set has no first and second
    if isinstance(pair, unfit) or not isinstance(pair, Collection) or len(pair) != 2:
        raise GraphError(f"{what} must be pairs of names such as ('A', 'B'), got {pair!r}")
    a, b = pair if ordered else sorted(pair, key=str)
    for name in (a, b):
        check_name(name, what)
    if a == b:
        raise GraphError(f"{what} join {a!r} to itself; an arc or link needs two different variables")
    return str(a), str(b)


def check_name(name: object, what: str) -> None:
    """Check that something can be the name of a variable of a graph."""
    if not isinstance(name, str) or not name:
        raise GraphError(f"{what} hold {name!r}; the name of a variable is a non-empty string")


def checked_names(names: Iterable[str], what: str) -> tuple[str, ...]:
    """Check names of variables that are an argument, and return a tuple; there may be none, and some twice."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise GraphError(f"{what} must be a list of names such as ['A', 'B'], got {names!r}")
    result = tuple(names)
    for name in result:
        check_name(name, what)
    return result
