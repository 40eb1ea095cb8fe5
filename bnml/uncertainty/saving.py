"""The posterior and the bootstrap as values for a file, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from bnml.data import Data
from bnml.search.options import SHARED, SearchOptions
from bnml.search.problem import bind
from bnml.uncertainty.allowed import allowed_families
from bnml.uncertainty.bootstrap import Bootstrap
from bnml.uncertainty.chains import Chains
from bnml.uncertainty.posterior_result import Posterior
from bnml.uncertainty.sampled_posterior import SampledPosterior

SAMPLED = ("names", "score", "prior", "n_rows", "seconds")
SAME = ("names", "score", "prior", "log_evidence", "n_rows", "seconds", "_arcs")


def bootstrap_values(found: Bootstrap) -> dict[str, Any]:
    """Return all of a bootstrap, as `bnml._stored.to_stored` takes it."""
    return {one.name: getattr(found, one.name) for one in fields(found)}


def saved_bootstrap(values: Mapping[str, Any]) -> Bootstrap:
    """Return the bootstrap that was saved as these values."""
    return Bootstrap(**values)


def posterior_values(found: Posterior | SampledPosterior) -> dict[str, Any]:
    """Return the probabilities of a posterior, or its samples, as `bnml._stored.to_stored` takes them."""
    if isinstance(found, SampledPosterior):
        chains = {one.name: getattr(found.chains, one.name) for one in fields(found.chains)}
        return {**{name: getattr(found, name) for name in SAMPLED}, "chains": chains}
    return {name: getattr(found, name) for name in SAME}


def saved_posterior(values: Mapping[str, Any], data: Data, **given: Any) -> Posterior | SampledPosterior:
    """Return the posterior that was saved as these values, on its table; ``given`` are arguments of `posterior`."""
    shared = {name: value for name, value in given.items() if name in SHARED}
    problem = bind(SearchOptions.checked(None, **{**shared, "prior": None}), data)
    structure_prior = given.get("structure_prior")
    if "chains" in values:
        return SampledPosterior(
            **{name: values[name] for name in SAMPLED}, chains=Chains(**values["chains"]), _rules=problem.rules,
            _structure_prior=structure_prior, _data=data, _score=problem.score,
        )  # fmt: skip
    return Posterior(
        **{name: values[name] for name in SAME}, _allowed=allowed_families(problem.rules, structure_prior),
        _data=data, _score=problem.score,
    )  # fmt: skip
