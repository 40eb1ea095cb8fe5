"""The experiments of the papers behind the scores, at one command each.

Each experiment is one module: how its work is cut into parts, how one part is done, and what all the rows come to.
The parts do not depend on each other and have random numbers of their own, so that they can be done on any number of
cores, in any order, and an interrupted run goes on where it was.

=========================  ==============================================================================
`registry`                 the experiments by name
`experiment`               what an experiment is
`claims`                   what was said before, with a verdict that is computed from results
`reproduction`             `reproduce`: runs one, on all cores, from where it was left off
`everything`               `reproduce_all`: runs all of them, one after the other
`page`                     one page with the claims of all
`journal`                  what was done so far
`published`                published numbers, checked before any work is done
`comparison`               numbers beside published numbers
`charts`                   how the figures look
`uci_tables`               the twenty tables from UCI
`regret_table`             the regret and its approximations
`generating_structure`     how near learned structures come to the generating one
`prediction`               how well learned networks predict, and how large they are
`rank_of_truth`            the rank of the generating structure among all of five nodes
`…_tables`, `…_figures`    the numbers of these three, where they are many, and what is drawn of them
`…_claims`                 what the papers say of these three
`scores_on_data`           the highest scores of twenty tables
`alpha_sensitivity`        the posterior under BDq and BDeu, by hyperparameter
`qnml_vs_nml`              qNML and fNML against the exact NML of forests
`independent_columns`      what scores find in columns that have nothing to do with each other
`sachs`, `gaps`            what targets are worth; what is learned where values are missing
`optimality_gap`           heuristic searches against the proven optimum
`scores_against_truth`     proven optima against the generating network
`calibration`              how often links are true that are said to be certain
`jeffreys_vs_nml`          NML against the marginal likelihood under Jeffreys' prior
`truths`, `proven`         networks that generate tables; the best structure, proven within fixed work
=========================  ==============================================================================
"""

from __future__ import annotations

from bnml.experiments.claims import Claim
from bnml.experiments.everything import Reproductions, reproduce_all
from bnml.experiments.registry import EXPERIMENTS
from bnml.experiments.reproduction import Reproduction, reproduce

__all__ = ["EXPERIMENTS", "Claim", "Reproduction", "Reproductions", "reproduce", "reproduce_all"]
