"""Independence: tests of it, tables of dependences, and structures that follow from tests.

===================  =========================================================================
`tests`              the tests: G², X², permutations, information gain, scores
`p_values`           p-values far out in the tail
`permutation`        p-values from random tables
`sparse`             tables with too few rows per cell for the χ² distribution
`independence_test`  two variables, given others
`dependences`        every pair of variables, and the features that tell something of a target
`oracles`            what answers questions of independence: a table, a DAG, a function
`request`            what is asked of PC and NPC, checked
`skeleton`           which variables are joined
`orientation`        in which direction
`pc`                 the PC algorithm
`npc`                PC with the necessary path condition, and ambiguous regions
`path_condition`     which independences fit together
===================  =========================================================================
"""

from __future__ import annotations

from bnml.independence.dependences import dependences, select_features
from bnml.independence.independence_result import IndependenceResult
from bnml.independence.independence_test import Outcome, independence_test
from bnml.independence.npc import npc
from bnml.independence.orientation import Conflict
from bnml.independence.pc import pc
from bnml.independence.tests import G2, X2, Criterion, Gain, Permutation, Scored

__all__ = [
    "G2",
    "X2",
    "Conflict",
    "Criterion",
    "Gain",
    "IndependenceResult",
    "Outcome",
    "Permutation",
    "Scored",
    "dependences",
    "independence_test",
    "npc",
    "pc",
    "select_features",
]
