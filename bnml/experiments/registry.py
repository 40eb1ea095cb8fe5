"""The experiments by name."""

from __future__ import annotations

from importlib import import_module

from bnml._text import did_you_mean, quoted
from bnml.errors import ArgumentError
from bnml.experiments.experiment import Experiment

EXPERIMENTS = {
    "regret-table": "how exact the approximations of the regret are",
    "generating-structure": "how near the learned structures come to the generating one",
    "prediction": "how well the learned networks predict, and how many parameters they have",
    "rank-of-truth": "where scores rank the generating structure among all of five nodes",
    "scores-on-data": "the highest fNML and BDeu scores of twenty tables",
    "alpha-sensitivity": "how the posterior of BDq and BDeu depends on their hyperparameter",
    "qnml-vs-nml": "how near qNML and fNML come to the exact NML of forests",
    "independent-columns": "what scores find in columns that have nothing to do with each other",
    "sachs": "what targets are worth: an experiment with what was set, and with that ignored",
    "gaps": "how near learned structures come to the generating one where values are missing",
    "optimality-gap": "how far heuristic searches are from the proven optimum",
    "scores-against-truth": "how near proven optima come to the generating network, by score",
    "calibration": "how often links are true that the posterior or the bootstrap call certain",
    "structure-prior": "what a sparse structure prior is worth, by expected number of parents",
    "jeffreys-vs-nml": "how near the marginal likelihood under Jeffreys' prior comes to NML, on small trees",
}
"""What each experiment shows; its module has its name, with underscores."""


def find_experiment(name: str) -> Experiment:
    """Return an experiment by its name."""
    if name not in EXPERIMENTS:
        raise ArgumentError(
            f"there is no experiment {name!r}; the experiments are {quoted(EXPERIMENTS, most=20)}."
            f"{did_you_mean(str(name), EXPERIMENTS)}"
        )
    module = import_module(f"bnml.experiments.{name.replace('-', '_')}")
    experiment: Experiment = module.EXPERIMENT
    return experiment
