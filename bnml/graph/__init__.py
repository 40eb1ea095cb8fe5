"""Graphs: DAGs, equivalence classes, separation, distances and constraints.

Algorithms are functions, one to a file; `DAG` and `PDAG` are values that hold the graph. Variables have names outside
and are positions inside; neighbourhoods are bit masks. Each idea is taught in the text of its module:

=======================  ============================================================================================
`equivalence`            Markov equivalence, CPDAGs, directions that follow from others, the canonical member of a class
`interventional_class`   what experiments cannot tell apart
`extension`              from a PDAG to a DAG
`orientations`           all DAGs that a PDAG stands for
`class_size`             how many they are
`possible_paths`         what may lead where, and what that hangs on
`separation`             d-separation
`imaps`                  I-maps and perfect maps
`distance`               the structural Hamming distance
`intervention_distance`  the structural intervention distance
`comparison`             what a learned graph has right, wrong and not at all
`constraints`            what is known before the data are seen
`model_string`           ``[A][C][B|A:C]``
=======================  ============================================================================================
"""

from bnml.graph.comparison import Comparison, Overlap, compare
from bnml.graph.constraints import Constraints
from bnml.graph.counting import count_complete_component_networks, count_dags
from bnml.graph.dag import DAG
from bnml.graph.distance import shd
from bnml.graph.equivalence import apply_meek_rules, canonical_extension
from bnml.graph.imaps import is_imap, is_perfect_map, minimal_imap
from bnml.graph.intervention_distance import sid, sid_bounds
from bnml.graph.interventional_class import interventional_class
from bnml.graph.pdag import PDAG
from bnml.graph.rules import Rules
from bnml.graph.separation import minimal_separator

__all__ = [
    "DAG",
    "PDAG",
    "Comparison",
    "Constraints",
    "Overlap",
    "Rules",
    "apply_meek_rules",
    "canonical_extension",
    "compare",
    "count_complete_component_networks",
    "count_dags",
    "interventional_class",
    "is_imap",
    "is_perfect_map",
    "minimal_imap",
    "minimal_separator",
    "shd",
    "sid",
    "sid_bounds",
]
