"""Relational networks: which tuples are possible, and which graph says it with fewer attributes at a time.

A table is read as a *relation*, the set of its distinct rows: what occurs is possible, however often it occurs. The
projection of a relation to some attributes is the set of their combinations that occur. A graph whose nodes are the
attributes stands for the projections to its maximal cliques; their join, all tuples whose projections occur, holds the
relation and perhaps *extra tuples*. A graph without extra tuples is a perfect decomposition: the small relations say
all that the large one does. There are three ways to a graph:

==================  ==========================================================
`decompositions`    count the extra tuples of every graph (few attributes), or go edge by edge (`greedy_decomposition`)
`spanning_tree`     the tree of the strongest dependences between two attributes
`independence_map`  the pairs that depend on each other given all other attributes
==================  ==========================================================

Dependence is measured by the Hartley information, log2 of the number of possible values, which needs no probabilities.

Tuples may also be possible to a *degree* from 0 to 1 (``possibility="column"``). The tuples with a degree of at least
α, the cut at the level α, are a relation again, and every number here is the average of what it is for the cuts, over
all levels α from 0 to 1. A projection takes the maximum of the degrees, a join the minimum, and a relation whose
degrees are all 1 gives what it gives without them.
"""

from __future__ import annotations

from bnml.relational.decompositions import decompositions
from bnml.relational.extra_tuples import extra_tuples
from bnml.relational.gains import gains, gains_given
from bnml.relational.greedy_decomposition import greedy_decomposition
from bnml.relational.hartley import hartley_gain, hartley_information
from bnml.relational.independence_map import independence_map
from bnml.relational.spanning_tree import spanning_tree

__all__ = [
    "decompositions",
    "extra_tuples",
    "gains",
    "gains_given",
    "greedy_decomposition",
    "hartley_gain",
    "hartley_information",
    "independence_map",
    "spanning_tree",
]
