"""How sure one can be of a structure.

`posterior` gives the probability of every arc, summed over all structures. Its sums are the ones of exact search with
sums in the place of maxima:

======================  ==========================================================
`allowed`               which parents a variable may have, and how probable they are before any data are seen
`families`              the scores of all families
`sums_over_parents`     sums over the subsets of every set of parents
`sums_over_orders`      sums over all orders of the variables: the order-modular prior
`sums_over_layers`      sums over all DAGs, each once: the uniform prior
`sums_over_structures`  directed paths and Markov blankets
`all_structures`        for few variables all DAGs, one by one
`best_structures`       the most probable DAGs and classes of more variables
`prediction`            predictions averaged over structures
`posterior_cost`        what it will cost
`posterior_result`      what it found
`posterior_base`        what that has in common with what was sampled
======================  ==========================================================

Where there are too many variables for that, structures are sampled:

===================  ==========================================================
`sample_structures`  tempered chains, from the warm-up to the last sample
`tempering`          ladders of temperatures, and exchanges between them
`single_arcs`        moves of one arc
`edge_reversal`      moves of the parents of both ends of an arc
`order_moves`        moves of a structure and an order: the order-modular prior
`chains`             what they kept
`class_weights`      weights of structures where all classes are alike
`scored_families`    scores of families, on demand
`diagnostics`        whether chains have converged: R-hat, effective size
`averaged`           predictions and answers averaged over sampled structures
`sampled_posterior`  what was sampled
`trace_plot`         a picture of the chains
===================  ==========================================================

`prior_words` says what a prior is.

`bootstrap` asks another question: which arcs come back in halves of the rows; and `strength`, what each arc is
worth.
"""

from __future__ import annotations

from bnml.uncertainty.bootstrap import Bootstrap, bootstrap
from bnml.uncertainty.posterior import posterior
from bnml.uncertainty.posterior_result import Posterior
from bnml.uncertainty.sampled_posterior import SampledPosterior
from bnml.uncertainty.strength import strength

__all__ = ["Bootstrap", "Posterior", "SampledPosterior", "bootstrap", "posterior", "strength"]
