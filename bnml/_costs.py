"""What work costs: seconds and bytes for each unit of it, the only numbers of bnml that depend on the machine.

All estimates of time and memory (of exact search, lists of candidates, the posterior, the exact NML of forests, of
reading a table) multiply these by a count of units, which is theirs. The numbers are fixed, and so are all choices that
follow from them: the same on every machine with as much memory. Only what a person is shown may be corrected by a short
measurement (`bnml.search.forecast`).

To measure one again: time the step that is named above it, on one thread (``threads=1``), over tables of different
sizes; the constant is the increase in seconds per unit. The seconds of the posterior were measured on a core of 2023;
the machine of the others is not recorded. Bytes are upper bounds: the increase in the peak of the process' memory per
unit, as `tests/uncertainty/test_posterior_cost.py` finds it for those of scores and of the posterior.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class _Seconds:
    """Seconds for a unit of work, on one thread."""

    # `bnml.scores.lattice.lattice_of` and the sweeps of `bnml.search.exact`, of 20 variables and more
    subset: float = 1.5e-7  # of the walk
    row: float = 1.1e-9  # for each distinct row of it
    entry: float = 1e-7  # for an entry of a table that changes with the set
    fill: float = 1.5e-9  # for a family's gain
    step: float = 2.5e-10  # for a step of the best parents
    sink: float = 1.2e-9  # for a sink
    family: float = 3e-4  # for a family on its own: half of it for BDs, up to twice as much for BDe

    # `bnml.counts.lattice.walk_lattice` alone, by which a walk is cut into tasks
    task_subset: float = 1e-7
    task_row: float = 1.2e-9

    # `bnml.search.candidates`
    parent_set: float = 6e-7
    parent_set_row: float = 2e-9  # for each distinct row of it

    # `bnml.search.moves.Structure`
    change: float = 4e-6  # for the gain of a change of one arc

    # `bnml.posterior`
    set_row: float = 2.5e-9  # for a distinct row and a set
    order_sum: float = 7.5e-9  # for a step of the sums over orders
    layer_step: float = 9e-9  # for a step of the sums over layers
    structure: float = 3e-6  # for a structure that is listed

    # `bnml.nml.forest`
    observation: float = 2e-6  # of a star: tables, the tilt, transforms
    forest_weights: float = 2e-3  # to begin with those between two numbers of values
    cell: float = 8e-9  # of a box: products, transform, and what else there is to do
    row_cell: float = 5e-8  # of a row that is transformed
    weight: float = 1e-9  # in a sum


@dataclass(frozen=True)
class _Bytes:
    """Bytes for a unit of what is kept."""

    base: int = 190_000_000  # that Python and its libraries take

    # what scores a table
    dense: int = 4_000_000  # of a thread, for tables that are counted densely
    index: int = 80  # of a number of configurations
    hashed: int = 80  # of a thread and a distinct row, for tables that are not
    lookup: int = 48  # of an entry of a lookup table, with its copies in whole units
    rising: int = 40  # of an entry of a table that changes with the number of configurations, while it is made
    stirling: int = 80  # the same where hyperparameters are so large that Stirling's series is summed
    remembered: int = 250  # of a family that was scored on its own
    key: int = 100  # of a term that is kept, of a table of few columns

    # the posterior
    asked: int = 500  # of a set that is asked for, in lists
    structure: int = 90  # of one that is listed

    # a table that is read
    value: int = 32  # of a value of few states, while a file is read here
    label: int = 240  # of one that is a label of its own
    fetched_value: int = 24  # of rows that an engine sends with their labels
    fetched_label: int = 200  # of a label that an engine sends

    forest: int = 1 << 26  # of the exact NML of a forest, to begin with


SECONDS, BYTES = _Seconds(), _Bytes()
