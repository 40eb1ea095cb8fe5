"""Samples of the standard networks, to measure on data of real shape."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

import bnml
from bnml.network.sampling import sample_codes

FOLDER = Path(__file__).parent.parent.parent / "shared" / "data" / "networks"


class NoNetworksError(Exception):
    """The folder with the networks is not there."""


def path_of(name: str) -> Path:
    """Return the file of a network of the Bayesian Network Repository."""
    for suffix in (".bif", ".bif.gz"):
        if (FOLDER / f"{name}{suffix}").exists():
            return FOLDER / f"{name}{suffix}"
    raise NoNetworksError(f"this benchmark needs the network {name}, expected in {FOLDER.name}/ of the shared data")


def network(name: str) -> bnml.BayesianNetwork:
    """Return a network of the Bayesian Network Repository."""
    return bnml.load(path_of(name))


def sample(name: str, n_rows: int, seed: int = 1) -> tuple[list[str], list[list[str]], npt.NDArray[np.int32]]:
    """Return variables, their labels, and rows drawn from a network, as codes."""
    source = network(name)
    return list(source.names), [list(labels) for labels in source.states.values()], sample_codes(source, n_rows, seed).T
