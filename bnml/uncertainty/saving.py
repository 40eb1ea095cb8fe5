"""The posterior as values for a file, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bnml._stored import by_fields
from bnml.data import Data
from bnml.search.options import SHARED, SearchOptions
from bnml.search.problem import bind
from bnml.uncertainty.allowed import allowed_families
from bnml.uncertainty.chains import Chains
from bnml.uncertainty.posterior_result import Posterior
from bnml.uncertainty.sampled_posterior import SampledPosterior

HERE = ("_allowed", "_rules", "_structure_prior", "_data", "_score")  # what the table and the options say again


def posterior_values(found: Posterior | SampledPosterior) -> dict[str, Any]:
    """Return the probabilities of a posterior, or its samples, as `bnml._stored.to_stored` takes them."""
    values: dict[str, Any] = by_fields(found, *HERE)
    return values


def saved_posterior(values: Mapping[str, Any], data: Data, **given: Any) -> Posterior | SampledPosterior:
    """Return the posterior that was saved as these values, on its table; ``given`` are arguments of `posterior`."""
    shared = {name: value for name, value in given.items() if name in SHARED}
    problem = bind(SearchOptions.checked(None, **{**shared, "prior": None}), data)
    prior = given.get("structure_prior")
    here: dict[str, Any] = {"_data": data, "_score": problem.score}
    if "chains" in values:
        sampled = {**values, "chains": Chains(**values["chains"])}
        return SampledPosterior(**sampled, _rules=problem.rules, _structure_prior=prior, **here)
    return Posterior(**values, _allowed=allowed_families(problem.rules, prior), **here)
