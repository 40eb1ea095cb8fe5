"""Kernels that pass messages in a junction tree.

The tables of all cliques stand one after the other in one array, and so do the messages, one from each clique to the
next towards the root. In a clique's table the variables that it shares with the next come first, so that a message is
made of sums of neighbouring numbers. Cliques are numbered so that each comes before the next towards the root.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnml._arrays import Bools, Floats, Ints
from bnml._jit import helper, kernel, plain_at_first

__all__ = [
    "SMALL",
    "Cliques",
    "complete_rows",
    "expected_tables",
    "likeliest",
    "likeliest_rows",
    "propagate",
    "propagate_rows",
]

SMALL = 1e-100  # a table whose numbers are all smaller is scaled


class Workspace(NamedTuple):
    """What a kernel that goes from row to row works with.

    Attributes
    ----------
    tables
        The tables of the cliques, once a row is entered.
    messages, back
        The messages towards the roots, and those away from them.
    one
        Zeros for the states of any variable, of which one is 1 for as long as it is entered.
    digits
        Where in a table a message is.
    """

    tables: Floats
    messages: Floats
    back: Floats
    one: Floats
    digits: Ints


class Cliques(NamedTuple):
    """A junction tree as arrays.

    Attributes
    ----------
    next
        The next clique towards the root; -1 for a root.
    tables, messages
        Where the table and the message of each clique begin, and where the last one ends.
    axes
        Where the axes of each clique begin in ``sizes``, and where the last ones end.
    sizes
        The sizes of all axes.
    edges
        Where the strides of each clique's message begin in ``strides``, and where the last ones end.
    strides
        For each axis of the next clique how far the message moves on with it; 0 for what the two do not share.
    home, states, inner
        For each variable a clique that has it, its number of states, and the numbers in that clique's table between
        two of its states.
    """

    next: Ints
    tables: Ints
    messages: Ints
    axes: Ints
    sizes: Ints
    edges: Ints
    strides: Ints
    home: Ints
    states: Ints
    inner: Ints


@helper
def _weigh(tree: Cliques, tables: Floats, variable: int, weights: Floats, first: int) -> None:
    """Multiply the table of a variable's home by the weights of its states, which begin at ``first``."""
    clique = tree.home[variable]
    inner, states = tree.inner[variable], tree.states[variable]
    at, stop = tree.tables[clique], tree.tables[clique + 1]
    while at < stop:
        for k in range(states):
            weight = weights[first + k]
            for i in range(at, at + inner):
                tables[i] *= weight
            at += inner


@helper
def _spread(tree: Cliques, clique: int, tables: Floats, message: Floats, digits: Ints, gather: bool) -> float:
    """Multiply the next clique's table by a message; or, to ``gather``, add up that table in the message's places.

    Return the logarithm of what the table was divided by, so that products of many messages do not become zero.
    """
    largest = 0.0
    after = tree.next[clique]
    at, stop = tree.tables[after], tree.tables[after + 1]
    axis, n = tree.axes[after], tree.axes[after + 1] - tree.axes[after]
    edge = tree.edges[clique]
    place = tree.messages[clique]
    size, stride = tree.sizes[axis + n - 1], tree.strides[edge + n - 1]
    for k in range(n):
        digits[k] = 0
    while at < stop:
        for k in range(size):
            if gather:
                message[place + k * stride] += tables[at + k]
            else:
                tables[at + k] *= message[place + k * stride]
                largest = max(largest, tables[at + k])
        at += size
        k = n - 2
        while k >= 0:
            digits[k] += 1
            place += tree.strides[edge + k]
            if digits[k] < tree.sizes[axis + k]:
                break
            place -= digits[k] * tree.strides[edge + k]
            digits[k] = 0
            k -= 1
    if gather or largest == 0.0 or largest > SMALL:
        return 0.0
    for i in range(tree.tables[after], stop):
        tables[i] /= largest
    scale: float = np.log(largest)
    return scale


@helper
def _pass_on(tree: Cliques, clique: int, tables: Floats, messages: Floats, largest: float, digits: Ints) -> float:
    """Divide a message by its largest number and give it to the next clique; return the logarithm of the divisors."""
    scale: float = np.log(largest)
    if tree.next[clique] >= 0:
        for place in range(tree.messages[clique], tree.messages[clique + 1]):
            messages[place] /= largest
        scale += _spread(tree, clique, tables, messages, digits, False)
    return scale


@helper
def _collect(tree: Cliques, tables: Floats, messages: Floats, digits: Ints) -> float:
    """Send messages towards the roots; return the logarithm of the sum over all variables."""
    total = 0.0
    for clique in range(tree.next.size):
        start, stop = tree.messages[clique], tree.messages[clique + 1]
        at = tree.tables[clique]
        block = (tree.tables[clique + 1] - at) // (stop - start)
        largest = 0.0
        for place in range(start, stop):
            mass = 0.0
            for i in range(at, at + block):
                mass += tables[i]
            at += block
            messages[place] = mass
            largest = max(largest, mass)
        if largest == 0.0:
            return -np.inf
        total += _pass_on(tree, clique, tables, messages, largest, digits)
    return total


@helper
def _distribute(tree: Cliques, tables: Floats, messages: Floats, wanted: Bools, back: Floats, digits: Ints) -> None:
    """Send messages away from the roots, as far as wanted: the table of a clique becomes proportional to its joint."""
    for reverse in range(tree.next.size):
        clique = tree.next.size - 1 - reverse
        if not wanted[clique] or tree.next[clique] < 0:
            continue
        start, stop = tree.messages[clique], tree.messages[clique + 1]
        for place in range(start, stop):
            back[place] = 0.0
        _spread(tree, clique, tables, back, digits, True)
        at = tree.tables[clique]
        block = (tree.tables[clique + 1] - at) // (stop - start)
        largest = 0.0
        for place in range(start, stop):
            if messages[place] > 0.0:
                back[place] /= messages[place]
            largest = max(largest, back[place])
        for place in range(start, stop):
            weight = back[place] / largest
            for i in range(at, at + block):
                tables[i] *= weight
            at += block


def _steps(tree: Cliques, *_: object) -> float:
    return 8.0 * float(tree.tables[-1] + tree.messages[-1]) + 20.0 * tree.next.size


@plain_at_first(_steps)
@kernel
def propagate(tree: Cliques, tables: Floats, weighed: Ints, weights: Floats, starts: Ints, wanted: Bools) -> float:
    """Kernel: enter evidence into the tables and make those that are wanted proportional to the joint probabilities.

    Parameters
    ----------
    tree
        The tree.
    tables
        The tables, which are changed.
    weighed
        The variables with evidence.
    weights, starts
        The weights of the states of all variables, and where those of each begin.
    wanted
        For each clique whether its table is wanted; then those of all cliques towards its root are, too.

    Returns
    -------
    float
        The logarithm of the sum over all variables; if that is -inf, the tables hold nothing of use.
    """
    messages, digits = np.empty(tree.messages[-1]), np.empty(64, np.int64)
    for variable in weighed:
        _weigh(tree, tables, variable, weights, starts[variable])
    total: float = _collect(tree, tables, messages, digits)
    if total > -np.inf:
        _distribute(tree, tables, messages, wanted, np.empty(tree.messages[-1]), digits)
    return total


def _row_steps(tree: Cliques, tables: Floats, codes: Ints, *_: object) -> float:
    return _steps(tree) * float(codes.shape[1])


@helper
def _workspace(tree: Cliques, tables: Floats) -> Workspace:
    n = tree.messages[-1]
    one = np.zeros(1 + tree.states.max())
    return Workspace(np.empty_like(tables), np.empty(n), np.empty(n), one, np.empty(64, np.int64))


@helper
def _enter(tree: Cliques, tables: Floats, codes: Ints, row: int, work: Workspace) -> None:
    """Make the tables those of the cliques given a row; ``codes`` has for each variable and row the state, or -1."""
    own, one = work.tables, work.one
    own[:] = tables
    for variable in range(codes.shape[0]):
        code = codes[variable, row]
        if code >= 0:
            one[code] = 1.0
            _weigh(tree, own, variable, one, 0)
            one[code] = 0.0


@plain_at_first(_row_steps)
@kernel
def propagate_rows(
    tree: Cliques, tables: Floats, codes: Ints, target: int, wanted: Bools, totals: Floats, shares: Floats
) -> None:
    """Kernel: sum out the gaps of rows: the log-probability of each, and the probabilities of the target's states.

    Parameters
    ----------
    tree, tables, codes
        The tree, its tables, and for each variable and row the state, or -1 for a gap.
    target
        The variable whose states are asked for, -1 for none.
    wanted
        The cliques from the target's home to its root.
    totals
        Gets the log-probability of each row.
    shares
        Gets for each row the probabilities of the target's states, but for a factor.
    """
    work = _workspace(tree, tables)
    own = work.tables
    for row in range(codes.shape[1]):
        _enter(tree, tables, codes, row, work)
        totals[row] = _collect(tree, own, work.messages, work.digits)
        if target >= 0 and totals[row] > -np.inf:
            _distribute(tree, own, work.messages, wanted, work.back, work.digits)
            clique = tree.home[target]
            inner, states = tree.inner[target], tree.states[target]
            at = tree.tables[clique]
            while at < tree.tables[clique + 1]:
                for k in range(states):
                    for i in range(at, at + inner):
                        shares[row, k] += own[i]
                    at += inner


@plain_at_first(_row_steps)
@kernel
def expected_tables(
    tree: Cliques, tables: Floats, codes: Ints, weights: Floats, wanted: Bools, totals: Floats, sums: Floats
) -> None:
    """Kernel: add up what is to be expected of rows with gaps, for every clique: the E-step of EM.

    Parameters
    ----------
    tree, tables, codes
        As for `propagate_rows`.
    weights
        How often each row occurs.
    wanted
        True for every clique.
    totals
        Gets the log-probability of each row; a row of probability zero adds nothing else.
    sums
        To these, arranged like the tables, the expected counts are added.
    """
    work = _workspace(tree, tables)
    own = work.tables
    for row in range(codes.shape[1]):
        _enter(tree, tables, codes, row, work)
        totals[row] = _collect(tree, own, work.messages, work.digits)
        if totals[row] == -np.inf:
            continue
        _distribute(tree, own, work.messages, wanted, work.back, work.digits)
        for clique in range(tree.next.size):
            mass = 0.0
            for i in range(tree.tables[clique], tree.tables[clique + 1]):
                mass += own[i]
            factor = weights[row] / mass
            for i in range(tree.tables[clique], tree.tables[clique + 1]):
                sums[i] += factor * own[i]


NARROW = 1e-9  # an interval of [0, 1] that is left to a single point; a narrower one has no digits to tell states by
MODULUS, FACTOR = 2147483647, 48271  # of the sequence of numbers that then takes over (Park & Miller 1993)


@plain_at_first(_row_steps)
@kernel
def complete_rows(
    tree: Cliques, tables: Floats, codes: Ints, points: Floats, seeds: Ints, totals: Floats, out: Ints
) -> None:
    """Kernel: fill the gaps of rows with states drawn from their joint distribution given the row.

    A point of [0, 1) is decoded state by state: it says which part of the interval it is in, and where in it. Points
    that are evenly spaced so give completions that are as evenly spread. Once the interval that is left is narrower
    than the space between two points, they would all say the same, and each goes on with numbers of its own.

    Parameters
    ----------
    tree, tables, codes
        As for `propagate_rows`.
    points
        For each row the points, one for each completion.
    seeds
        For each row and completion a number from 1 to `MODULUS` - 1, from which those numbers follow.
    totals
        Gets the log-probability of each row; rows of probability zero are not filled.
    out
        Gets for each variable the states in the completions, those of a row one after the other.
    """
    work = _workspace(tree, tables)
    own, entries = work.tables, np.empty(tree.next.size, np.int64)
    n_points = points.shape[1]
    narrow = 1.0 / n_points if n_points > 1 else NARROW
    for row in range(codes.shape[1]):
        _enter(tree, tables, codes, row, work)
        totals[row] = _collect(tree, own, work.messages, work.digits)
        if totals[row] == -np.inf:
            continue
        for k in range(n_points):
            point, width, state = points[row, k], 1.0, seeds[row, k]
            for reverse in range(tree.next.size):
                clique = tree.next.size - 1 - reverse
                start, stop = _block(tree, clique, entries)
                mass, last = 0.0, start
                for i in range(start, stop):
                    mass += own[i]
                    if own[i] > 0.0:
                        last = i
                target, below, at = point * mass, 0.0, start
                while at < last and below + own[at] <= target:
                    below += own[at]
                    at += 1
                entries[clique] = at - tree.tables[clique]
                point = min(max((target - below) / own[at], 0.0), 1.0)
                width *= own[at] / mass
                if width <= narrow:
                    state = state * FACTOR % MODULUS
                    point, width = state / MODULUS, 1.0
            _write_states(tree, entries, out[:, row * n_points + k])


@helper
def _write_states(tree: Cliques, entries: Ints, out: Ints) -> None:
    """Write the state of each variable in the entries of the cliques."""
    for variable in range(tree.home.size):
        entry = entries[tree.home[variable]] // tree.inner[variable]
        out[variable] = entry % tree.states[variable]


@helper
def _place(tree: Cliques, clique: int, entries: Ints) -> int:
    """Return which number of a clique's message belongs to the next clique's entry; 0 for a root."""
    place, after = 0, tree.next[clique]
    if after >= 0:
        rest = entries[after]
        axis, n = tree.axes[after], tree.axes[after + 1] - tree.axes[after]
        for k in range(n):
            size = tree.sizes[axis + n - 1 - k]
            place += (rest % size) * tree.strides[tree.edges[clique] + n - 1 - k]
            rest //= size
    return place


@helper
def _block(tree: Cliques, clique: int, entries: Ints) -> tuple[int, int]:
    """Return where the part of a clique's table begins and ends that agrees with the next clique's entry."""
    place = _place(tree, clique, entries)
    first = tree.tables[clique]
    block = (tree.tables[clique + 1] - first) // (tree.messages[clique + 1] - tree.messages[clique])
    return first + place * block, first + (place + 1) * block


@plain_at_first(_row_steps)
@kernel
def likeliest_rows(tree: Cliques, tables: Floats, codes: Ints, totals: Floats, out: Ints) -> None:
    """Kernel: fill the gaps of rows with the states that together are likeliest.

    Parameters
    ----------
    tree, tables, codes
        As for `propagate_rows`.
    totals
        Gets the log-probability of each filled row; -inf for a row of probability zero, which is not filled.
    out
        Gets the states of each variable and row.
    """
    work = _workspace(tree, tables)
    entries, best = np.empty(tree.next.size, np.int64), np.empty(tree.messages[-1], np.int64)
    for row in range(codes.shape[1]):
        _enter(tree, tables, codes, row, work)
        totals[row] = _likeliest(tree, work.tables, entries, work.messages, best, work.digits)
        if totals[row] > -np.inf:
            _write_states(tree, entries, out[:, row])


@plain_at_first(_steps)
@kernel
def likeliest(tree: Cliques, tables: Floats, entries: Ints) -> float:
    """Kernel: find a largest product of the tables: for each clique the place in its table; return its logarithm.

    Of equally large ones the first in each table is taken.
    """
    messages, digits = np.empty(tree.messages[-1]), np.empty(64, np.int64)
    best = np.empty(tree.messages[-1], np.int64)
    total: float = _likeliest(tree, tables, entries, messages, best, digits)
    return total


@helper
def _likeliest(tree: Cliques, tables: Floats, entries: Ints, messages: Floats, best: Ints, digits: Ints) -> float:
    """Find a largest product of the tables: for each clique the place in its table; return its logarithm."""
    total = 0.0
    for clique in range(tree.next.size):
        start, stop = tree.messages[clique], tree.messages[clique + 1]
        at = tree.tables[clique]
        block = (tree.tables[clique + 1] - at) // (stop - start)
        largest = 0.0
        for place in range(start, stop):
            best[place] = at
            for i in range(at, at + block):
                if tables[i] > tables[best[place]]:
                    best[place] = i
            at += block
            messages[place] = tables[best[place]]
            largest = max(largest, messages[place])
        if largest == 0.0:
            return -np.inf
        total += _pass_on(tree, clique, tables, messages, largest, digits)
    for reverse in range(tree.next.size):
        clique = tree.next.size - 1 - reverse
        place = tree.messages[clique] + _place(tree, clique, entries)
        entries[clique] = best[place] - tree.tables[clique]
    return total
