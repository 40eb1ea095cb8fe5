"""Kernels that pass messages in a junction tree.

The tables of all cliques stand one after the other in one array, and so do the messages, one from each clique to the
next towards the root. In a clique's table the variables that it shares with the next come first, so that a message is
made of sums of neighbouring numbers. Cliques are numbered so that each comes before the next towards the root.

Numbers are floats where that is enough. Where a product of positive numbers might become zero a kernel says so, with
NaN in the place of the logarithm of a probability, and is called again with logarithms in the tables.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bnml._arrays import Bools, Floats, Ints
from bnml._jit import helper, kernel, plain_at_first

SMALL = 1e-100  # a table whose numbers are all smaller is scaled
TINY = 1e-290  # smaller products of positive numbers are not left to floats, which end at 1e-308
MULTIPLY, ADD, GATHER = 0, 1, 2


class Tables(NamedTuple):
    """The tables of the cliques.

    Attributes
    ----------
    values
        Their numbers, or the logarithms of these.
    smallest
        For each clique its smallest positive number, not less than `TINY`; nothing of use where there are logarithms.
    log_scale
        The logarithm of a factor that belongs to their product.
    as_logs
        Whether ``values`` are logarithms.
    """

    values: Floats
    smallest: Floats
    log_scale: float
    as_logs: bool


class Workspace(NamedTuple):
    """What a kernel works with.

    Attributes
    ----------
    values, smallest
        Those of the tables, once evidence is entered.
    messages, divisors, back
        The messages towards the roots, what each was divided by, and the messages away from the roots.
    one
        Weights zero for the states of any variable, of which one is 1 for as long as it is entered.
    digits
        Where in a table a message is.
    """

    values: Floats
    smallest: Floats
    messages: Floats
    divisors: Floats
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
def _weigh(tree: Cliques, values: Floats, variable: int, weights: Floats, first: int, as_logs: bool) -> None:
    """Multiply the table of a variable's home by the weights of its states, which begin at ``first``."""
    clique = tree.home[variable]
    inner, states = tree.inner[variable], tree.states[variable]
    at, stop = tree.tables[clique], tree.tables[clique + 1]
    while at < stop:
        for k in range(states):
            weight = weights[first + k]
            if as_logs:
                for i in range(at, at + inner):
                    values[i] += weight
            else:
                for i in range(at, at + inner):
                    values[i] *= weight
            at += inner


@helper
def _spread(tree: Cliques, clique: int, values: Floats, message: Floats, digits: Ints, how: int) -> float:
    """Let a message meet the next clique's table: `MULTIPLY` or `ADD` it to that, or `GATHER` what is in its places.

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
            if how == GATHER:
                message[place + k * stride] += values[at + k]
            elif how == ADD:
                values[at + k] += message[place + k * stride]
            else:
                values[at + k] *= message[place + k * stride]
                largest = max(largest, values[at + k])
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
    if how != MULTIPLY or largest == 0.0 or largest > SMALL:
        return 0.0
    for i in range(tree.tables[after], stop):
        values[i] /= largest
    scale: float = np.log(largest)
    return scale


@helper
def _least(values: Floats, start: int, stop: int) -> float:
    """Return the smallest positive number in a part of an array."""
    least = np.inf
    for i in range(start, stop):
        if 0.0 < values[i] < least:
            least = values[i]
    return least


@helper
def _collect(tree: Cliques, work: Workspace) -> float:
    """Send messages towards the roots; return the logarithm of the sum over all variables.

    It is NaN where a product of positive numbers might become zero: then logarithms are needed.
    """
    values, messages, smallest = work.values, work.messages, work.smallest
    total = 0.0
    for clique in range(tree.next.size):
        start, stop = tree.messages[clique], tree.messages[clique + 1]
        at = tree.tables[clique]
        block = (tree.tables[clique + 1] - at) // (stop - start)
        largest = 0.0
        for place in range(start, stop):
            mass = 0.0
            for i in range(at, at + block):
                mass += values[i]
            at += block
            messages[place] = mass
            largest = max(largest, mass)
        if largest == 0.0:
            return -np.inf
        least = 1.0
        for place in range(start, stop):
            share = messages[place] / largest
            messages[place] = share
            least = min(least, share if share > 0.0 else 1.0)
        work.divisors[clique] = largest
        total += np.log(largest)
        after = tree.next[clique]
        if after >= 0:
            bound = smallest[after] * least
            if bound < TINY:  # by a bound of the table's numbers; now by the numbers themselves
                bound = least * _least(values, tree.tables[after], tree.tables[after + 1])
                if bound < TINY:
                    return np.nan
            smallest[after] = bound
            total += _spread(tree, clique, values, messages, work.digits, MULTIPLY)
    return total


@helper
def _collect_logs(tree: Cliques, work: Workspace) -> float:
    """Do as `_collect` does, with logarithms.

    Once a clique has sent its message, its table has ordinary probabilities: of its own variables given those that it
    shares with the next clique. So the way back is the same as without logarithms, with messages that are all one.
    """
    values, messages = work.values, work.messages
    total = 0.0
    for clique in range(tree.next.size):
        start, stop = tree.messages[clique], tree.messages[clique + 1]
        at = tree.tables[clique]
        block = (tree.tables[clique + 1] - at) // (stop - start)
        possible = False
        for place in range(start, stop):
            top, mass = -np.inf, 0.0
            for i in range(at, at + block):
                top = max(top, values[i])
            for i in range(at, at + block):
                values[i] = math.exp(values[i] - top) if values[i] > -np.inf else 0.0
                mass += values[i]
            messages[place] = -np.inf
            if mass > 0.0:
                possible = True
                messages[place] = top + math.log(mass)
                for i in range(at, at + block):
                    values[i] /= mass
            at += block
        if not possible:
            return -np.inf
        if tree.next[clique] >= 0:
            _spread(tree, clique, values, messages, work.digits, ADD)
        else:
            total += messages[start]
        for place in range(start, stop):
            messages[place] = 1.0 if messages[place] > -np.inf else 0.0
        work.divisors[clique] = 1.0
    return total


@helper
def _distribute(tree: Cliques, work: Workspace, wanted: Bools) -> None:
    """Send messages away from the roots, as far as wanted: the table of a clique becomes its joint probabilities.

    Those of roots are left as they are, and are that but for a factor, by which they were divided for their messages.
    """
    values, messages, back, divisors = work.values, work.messages, work.back, work.divisors
    for reverse in range(tree.next.size):
        clique = tree.next.size - 1 - reverse
        after = tree.next[clique]
        if not wanted[clique] or after < 0:
            continue
        start, stop = tree.messages[clique], tree.messages[clique + 1]
        for place in range(start, stop):
            back[place] = 0.0
        _spread(tree, clique, values, back, work.digits, GATHER)
        mass = divisors[after] if tree.next[after] < 0 else 1.0
        at = tree.tables[clique]
        block = (tree.tables[clique + 1] - at) // (stop - start)
        for place in range(start, stop):
            weight = 0.0
            if messages[place] > 0.0:
                weight = back[place] / mass / (messages[place] * divisors[clique])
            for i in range(at, at + block):
                values[i] *= weight
            at += block


def _steps(tree: Cliques, *_: object) -> float:
    return 8.0 * float(tree.tables[-1] + tree.messages[-1]) + 20.0 * tree.next.size


@helper
def _workspace(tree: Cliques, tables: Tables) -> Workspace:
    n, most = tree.messages[-1], 1
    for states in tree.states:
        most = max(most, states)
    one = np.empty(most)
    for k in range(most):
        one[k] = -np.inf if tables.as_logs else 0.0
    return Workspace(
        np.empty_like(tables.values), np.empty_like(tables.smallest), np.empty(n), np.empty(tree.next.size),
        np.empty(n), one, np.empty(64, np.int64),
    )  # fmt: skip


@plain_at_first(_steps)
@kernel
def propagate(
    tree: Cliques, tables: Tables, weighed: Ints, weights: Floats, starts: Ints, wanted: Bools
) -> tuple[float, Floats]:
    """Kernel: enter evidence into the tables and make those that are wanted proportional to the joint probabilities.

    Parameters
    ----------
    tree, tables
        The tree and its tables.
    weighed
        The variables with evidence.
    weights, starts
        The weights of the states of all variables, and where those of each begin; they are changed.
    wanted
        For each clique whether its table is wanted; then those of all cliques towards its root are, too.

    Returns
    -------
    tuple
        The logarithm of the sum over all variables, NaN where the tables must be logarithms; and the new tables, which
        hold nothing of use if that is -inf or NaN.
    """
    work = _workspace(tree, tables)
    for i in range(work.values.size):
        work.values[i] = tables.values[i]
    for clique in range(work.smallest.size):
        work.smallest[clique] = tables.smallest[clique]
    total = tables.log_scale
    for variable in weighed:
        first, stop = starts[variable], starts[variable] + tree.states[variable]
        if tables.as_logs:
            for k in range(first, stop):
                weights[k] = math.log(weights[k]) if weights[k] > 0.0 else -np.inf
        else:
            largest, least = 0.0, np.inf
            for k in range(first, stop):
                largest = max(largest, weights[k])
                if 0.0 < weights[k] < least:
                    least = weights[k]
            if largest == 0.0:
                return -np.inf, work.values
            work.smallest[tree.home[variable]] *= least / largest
            if work.smallest[tree.home[variable]] < TINY:
                return np.nan, work.values
            for k in range(first, stop):
                weights[k] /= largest
            total += np.log(largest)
        _weigh(tree, work.values, variable, weights, first, tables.as_logs)
    total += _collect_logs(tree, work) if tables.as_logs else _collect(tree, work)
    if total > -np.inf:
        _distribute(tree, work, wanted)
    return total, work.values


def _row_steps(tree: Cliques, tables: Tables, codes: Ints, *_: object) -> float:
    return _steps(tree) * float(codes.shape[1])


@helper
def _enter(tree: Cliques, tables: Tables, codes: Ints, row: int, work: Workspace) -> None:
    """Make the tables those of the cliques given a row; ``codes`` has for each variable and row the state, or -1."""
    one, without = work.one, work.one[0]
    for i in range(work.values.size):
        work.values[i] = tables.values[i]
    for clique in range(work.smallest.size):
        work.smallest[clique] = tables.smallest[clique]
    for variable in range(codes.shape[0]):
        code = codes[variable, row]
        if code >= 0:
            one[code] = 0.0 if tables.as_logs else 1.0
            _weigh(tree, work.values, variable, one, 0, tables.as_logs)
            one[code] = without


@helper
def _total(tree: Cliques, tables: Tables, codes: Ints, row: int, work: Workspace) -> float:
    """Enter a row and send messages towards the roots; return the row's log-probability, NaN as `_collect`."""
    _enter(tree, tables, codes, row, work)
    total: float = _collect_logs(tree, work) if tables.as_logs else _collect(tree, work)
    return tables.log_scale + total


@plain_at_first(_row_steps)
@kernel
def propagate_rows(
    tree: Cliques, tables: Tables, codes: Ints, target: int, wanted: Bools, totals: Floats, shares: Floats
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
        Gets the log-probability of each row where it is NaN; other rows are not looked at. It stays NaN where the
        tables must be logarithms.
    shares
        Gets for each row the probabilities of the target's states, but for a factor.
    """
    work = _workspace(tree, tables)
    for row in range(codes.shape[1]):
        if not np.isnan(totals[row]):
            continue
        totals[row] = _total(tree, tables, codes, row, work)
        if target >= 0 and totals[row] > -np.inf:
            _distribute(tree, work, wanted)
            clique = tree.home[target]
            inner, states = tree.inner[target], tree.states[target]
            at = tree.tables[clique]
            while at < tree.tables[clique + 1]:
                for k in range(states):
                    for i in range(at, at + inner):
                        shares[row, k] += work.values[i]
                    at += inner


@plain_at_first(_row_steps)
@kernel
def expected_tables(
    tree: Cliques, tables: Tables, codes: Ints, weights: Floats, wanted: Bools, totals: Floats, sums: Floats
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
        As for `propagate_rows`; a row of probability zero adds nothing else.
    sums
        To these, arranged like the tables, the expected counts are added.
    """
    work = _workspace(tree, tables)
    for row in range(codes.shape[1]):
        if not np.isnan(totals[row]):
            continue
        totals[row] = _total(tree, tables, codes, row, work)
        if totals[row] > -np.inf:
            _distribute(tree, work, wanted)
            for clique in range(tree.next.size):
                factor = weights[row]
                if tree.next[clique] < 0:
                    factor /= work.divisors[clique]
                for i in range(tree.tables[clique], tree.tables[clique + 1]):
                    sums[i] += factor * work.values[i]


NARROW = 1e-9  # an interval of [0, 1] that is left to a single point; a narrower one has no digits to tell states by
MODULUS, FACTOR = 2147483647, 48271  # of the sequence of numbers that then takes over (Park & Miller 1993)


@plain_at_first(_row_steps)
@kernel
def complete_rows(
    tree: Cliques, tables: Tables, codes: Ints, points: Floats, seeds: Ints, totals: Floats, out: Ints
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
        As for `propagate_rows`; rows of probability zero are not filled.
    out
        Gets for each variable the states in the completions, those of a row one after the other.
    """
    work = _workspace(tree, tables)
    own, entries = work.values, np.empty(tree.next.size, np.int64)
    n_points = points.shape[1]
    narrow = 1.0 / n_points if n_points > 1 else NARROW
    for row in range(codes.shape[1]):
        if not np.isnan(totals[row]):
            continue
        totals[row] = _total(tree, tables, codes, row, work)
        if not totals[row] > -np.inf:
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
def likeliest_rows(tree: Cliques, tables: Tables, codes: Ints, totals: Floats, out: Ints) -> None:
    """Kernel: fill the gaps of rows with the states that together are likeliest.

    Of equally likely ones the first in each clique's table is taken.

    Parameters
    ----------
    tree, tables, codes
        As for `propagate_rows`; the tables are logarithms.
    totals
        Gets the log-probability of each filled row; -inf for a row of probability zero, which is not filled.
    out
        Gets the states of each variable and row.
    """
    work = _workspace(tree, tables)
    entries, best = np.empty(tree.next.size, np.int64), np.empty(tree.messages[-1], np.int64)
    for row in range(codes.shape[1]):
        _enter(tree, tables, codes, row, work)
        totals[row] = tables.log_scale + _likeliest(tree, work, entries, best)
        if totals[row] > -np.inf:
            _write_states(tree, entries, out[:, row])


@helper
def _likeliest(tree: Cliques, work: Workspace, entries: Ints, best: Ints) -> float:
    """Find a largest product of the tables: for each clique the place in its table; return its logarithm."""
    values, messages = work.values, work.messages
    total = 0.0
    for clique in range(tree.next.size):
        start, stop = tree.messages[clique], tree.messages[clique + 1]
        at = tree.tables[clique]
        block = (tree.tables[clique + 1] - at) // (stop - start)
        for place in range(start, stop):
            best[place] = at
            for i in range(at, at + block):
                if values[i] > values[best[place]]:
                    best[place] = i
            at += block
            messages[place] = values[best[place]]
        if tree.next[clique] >= 0:
            _spread(tree, clique, values, messages, work.digits, ADD)
        else:
            total += messages[start]
    if total > -np.inf:
        for reverse in range(tree.next.size):
            clique = tree.next.size - 1 - reverse
            place = tree.messages[clique] + _place(tree, clique, entries)
            entries[clique] = best[place] - tree.tables[clique]
    return total
