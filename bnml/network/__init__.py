"""Networks: a graph with probability tables. Parameters, log-probabilities, predictions, samples, queries, files."""

from __future__ import annotations

from bnml.network.divergence import kl_divergence
from bnml.network.estimators import fit
from bnml.network.files import load, save
from bnml.network.network import BayesianNetwork

__all__ = ["BayesianNetwork", "fit", "kl_divergence", "load", "save"]
