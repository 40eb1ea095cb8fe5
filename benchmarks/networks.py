"""Samples of the standard networks, to measure on data of real shape."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import numpy.typing as npt

__all__ = ["NoNetworksError", "sample"]

FOLDER = Path(__file__).parent.parent.parent / "shared" / "data" / "networks"

Codes = npt.NDArray[np.int16]


class NoNetworksError(Exception):
    """The folder with the networks is not there."""


def sample(name: str, n_rows: int, seed: int = 1) -> tuple[list[str], list[list[str]], Codes]:
    """Return variables, their labels, and rows drawn from a network of the Bayesian Network Repository."""
    path = FOLDER / f"{name}.bif"
    if not path.exists():
        raise NoNetworksError(f"this benchmark samples {path.name}, expected in {FOLDER}")
    text = path.read_text(encoding="utf-8")
    labels = {
        match[1]: [label.strip() for label in match[2].split(",")]
        for match in re.finditer(r"variable (\S+) \{\s*type discrete \[ \d+ \] \{([^}]*)\}", text)
    }
    tables = dict(
        _table(match[1], match[2], labels) for match in re.finditer(r"probability \((.*?)\) \{(.*?)\n\}", text, re.S)
    )
    rng = np.random.default_rng(seed)
    drawn: dict[str, Codes] = {}
    while len(drawn) < len(labels):
        for x, (parents, table) in tables.items():
            if x not in drawn and all(parent in drawn for parent in parents):
                edges = np.cumsum(table, axis=-1)[tuple(drawn[parent] for parent in parents)]
                u = rng.random(n_rows)[:, None]
                drawn[x] = (u > edges).sum(axis=-1).clip(0, table.shape[-1] - 1).astype(np.int16)
    return list(labels), list(labels.values()), np.stack([drawn[x] for x in labels], axis=1)


def _table(head: str, body: str, labels: dict[str, list[str]]) -> tuple[str, tuple[list[str], npt.NDArray[np.float64]]]:
    x, _, rest = head.partition("|")
    child, parents = x.strip(), [parent.strip() for parent in rest.split(",") if parent.strip()]
    table = np.zeros([len(labels[v]) for v in (*parents, child)])
    for line in filter(None, map(str.strip, body.split(";"))):
        if line.startswith("table"):
            table[...] = [float(p) for p in line.removeprefix("table").split(",")]
            continue
        configuration, _, row = line.partition(")")
        where = [labels[p].index(s.strip()) for p, s in zip(parents, configuration.lstrip("(").split(","), strict=True)]
        table[tuple(where)] = [float(p) for p in row.split(",")]
    return child, (parents, table)
