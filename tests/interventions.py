"""Tables in which variables were set, and what is counted in them, straight from the definition."""

from __future__ import annotations

import numpy as np
import pandas as pd

import bnml


def random_table(seed: int, n: int = 4, n_rows: int = 120, states: int = 3, most_sets: int = 3) -> pd.DataFrame:
    """Return a table with a column ``set``; variables depend on those before them, but where they were set."""
    rng = np.random.default_rng(seed)
    names = [f"v{i}" for i in range(n)]
    sets = [
        (),
        *(rng.choice(n, rng.integers(1, n), replace=False).tolist() for _ in range(rng.integers(1, most_sets + 1))),
    ]
    rows, targets = [], []
    for _ in range(n_rows):
        own = sets[rng.integers(len(sets))]
        row: list[int] = []
        for i in range(n):
            free = i == 0 or i in own or rng.random() < 0.4
            row.append(int(rng.integers(states)) if free else row[rng.integers(i)])
        rows.append(row)
        targets.append("; ".join(names[i] for i in own))
    return pd.DataFrame(rows, columns=names).assign(set=targets)


def states_of(frame: pd.DataFrame) -> dict[str, list[int]]:
    """Return the states of the variables of a table, which parts of it keep."""
    return {name: sorted(frame[name].unique().tolist()) for name in frame.columns if name != "set"}


def rows_for(frame: pd.DataFrame, child: str) -> bnml.Data:
    """Return the rows in which a variable was not set, as a table of their own."""
    free = [child not in [part.strip() for part in text.split(";")] for text in frame["set"]]
    return bnml.read(frame.loc[free].drop(columns="set"), states=states_of(frame))


def family(frame: pd.DataFrame, child: str, parents: list[str], score: str) -> float:
    """Return the score of a family on the rows in which its variable was not set."""
    return bnml.family_score(child, parents, rows_for(frame, child), score)


def read(frame: pd.DataFrame) -> bnml.Data:
    """Return the table with its targets."""
    return bnml.read(frame, states=states_of(frame), interventions="set")
