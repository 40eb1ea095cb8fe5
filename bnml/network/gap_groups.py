"""Rows with gaps, by what was set in them: each group has a junction tree of its own.

Where a variable was set it does not depend on its parents, and what is missing elsewhere in such a row is expected from
the network without the arcs into that variable. A value that was set and is missing itself is expected as often as the
known ones say to which the variable was set. Without targets there is one group, of all rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bnml._arrays import Floats, Ints
from bnml._factors import Factor
from bnml.data import Data
from bnml.data.gap_rows import GapRows, shares_of_set_values
from bnml.network.inference import inference_tree, network_factors
from bnml.network.junction_tree import JunctionTree
from bnml.network.network import BayesianNetwork


@dataclass(frozen=True, eq=False)
class GapGroup:
    """The rows with gaps in which the same variables were set.

    ``places``: which of the rows with gaps these are. ``shares``: for each variable that was set, the shares of the
    values to which it was.
    """

    places: Ints
    shares: dict[str, Floats]

    def tree(self, network: BayesianNetwork, most_work: float = math.inf) -> JunctionTree:
        """Return the junction tree of a network for these rows.

        Raises
        ------
        NetworkError
            If it is too large for them; ``most_work`` may be less than is allowed.
        """
        tree = inference_tree(network, self.places.size, most_work, self.shares)
        return tree.refilled(self.factors(network)) if self.shares else tree

    def factors(self, network: BayesianNetwork) -> list[Factor]:
        """Return the factors of a network in these rows, one for each variable."""
        factors = network_factors(network, self.shares)
        return [
            Factor(factor.axes, self.shares[x]) if x in self.shares else factor
            for x, factor in zip(network.names, factors, strict=True)
        ]


def gap_groups(data: Data, rows: GapRows) -> list[GapGroup]:
    """Return the rows with gaps of a table, by what was set in them."""
    return [
        GapGroup(places, {data.names[column]: shares_of_set_values(data, column) for column in own})
        for own, places in rows.by_targets()
        if places.size
    ]
