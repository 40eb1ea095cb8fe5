"""The posterior and the bootstrap as values for a file, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from bnml.data import Data
from bnml.search.task import task_request
from bnml.uncertainty.allowed import allowed_families
from bnml.uncertainty.bootstrap import Bootstrap
from bnml.uncertainty.posterior_result import Posterior

__all__ = ["bootstrap_of", "bootstrap_values", "posterior_of", "posterior_values"]

SAME = ("names", "score", "prior", "log_evidence", "n_rows", "seconds", "_arcs")


def bootstrap_values(found: Bootstrap) -> dict[str, Any]:
    """Return all of a bootstrap, as `bnml._stored.encoded` takes it."""
    return {one.name: getattr(found, one.name) for one in fields(found)}


def bootstrap_of(values: Mapping[str, Any]) -> Bootstrap:
    """Return the bootstrap with these values."""
    return Bootstrap(**values)


def posterior_values(found: Posterior) -> dict[str, Any]:
    """Return the probabilities of a posterior, as `bnml._stored.encoded` takes them."""
    return {name: getattr(found, name) for name in SAME}


def posterior_of(values: Mapping[str, Any], data: Data, **given: Any) -> Posterior:
    """Return the posterior with these values, on the same table; ``given`` are the arguments of `posterior`."""
    asked = task_request(None, {}, **given)
    task = asked.open(data)
    return Posterior(
        **{name: values[name] for name in SAME}, _allowed=allowed_families(task.rules, None), _data=data,
        _score=asked.score,
    )  # fmt: skip
