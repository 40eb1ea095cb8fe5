"""The kernel of random tables: one variable is shuffled within strata, and the cells are counted again."""

from __future__ import annotations

from typing import NamedTuple

from bnml._arrays import Array
from bnml._jit import kernel, plain_at_first


class Dealt(NamedTuple):
    """The rows of a table, sorted by stratum, and within strata by X.

    Stratum s has the rows from ``strata[s]`` to ``strata[s + 1]``, and group g, one state of X in a stratum, those from
    ``groups[g]`` to ``groups[g + 1]``. ``ys`` are their values of Y. ``shares`` is what X² divides by: for each group
    (rows of its stratum) / (rows of the group), and for each row 1 / (rows of its stratum with its value of Y).
    """

    strata: Array
    groups: Array
    ys: Array
    group_shares: Array
    row_shares: Array


@plain_at_first(lambda uniform, *others: 3 * uniform.size)
@kernel
def shuffled_sums(uniform: Array, rows: Dealt, order: Array, seen: Array, terms: Array, sums: Array) -> None:
    """Kernel: write for each row of ``uniform``, numbers from 0 to 1, the sum over the cells of a random table.

    Each row of the table takes the value of Y of another row of its stratum: ``order``, shuffled by Fisher and Yates. A
    cell with n rows adds ``terms[n]`` or, if there are no terms, n² times the shares of its group and of its value of
    Y. ``seen`` is room for the count of each value of Y.
    """
    strata, groups, ys = rows.strata, rows.groups, rows.ys
    for d in range(uniform.shape[0]):
        for s in range(strata.size - 1):
            first = strata[s]
            for i in range(strata[s + 1] - 1, first, -1):
                j = first + int(uniform[d, i] * (i - first + 1))
                taken = order[i]
                order[i] = order[j]
                order[j] = taken
        total = 0.0
        for g in range(groups.size - 1):
            for i in range(groups[g], groups[g + 1]):
                seen[ys[order[i]]] += 1
            for i in range(groups[g], groups[g + 1]):
                row = order[i]
                n = seen[ys[row]]
                if n > 0:
                    total += terms[n] if terms.size else n * n * rows.group_shares[g] * rows.row_shares[row]
                    seen[ys[row]] = 0
        sums[d] = total
