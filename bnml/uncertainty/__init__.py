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
======================  ==========================================================

`bootstrap` asks another question: which arcs come back in halves of the rows; and `strength`, what each arc is
worth.
"""

from __future__ import annotations

from bnml.uncertainty.bootstrap import Bootstrap, bootstrap
from bnml.uncertainty.posterior import posterior
from bnml.uncertainty.posterior_result import Posterior
from bnml.uncertainty.strength import strength

__all__ = ["Bootstrap", "Posterior", "bootstrap", "posterior", "strength"]
