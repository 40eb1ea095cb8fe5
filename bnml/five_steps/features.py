"""Feature selection: which pairs of variables depend on each other, which tell something of a target, odd columns.

Mutual information I, in nats, has no upper end that people know. The strength of a dependence is therefore told as
√(1 - exp(-2 I)), which is 0 for independent variables, at most 1, and for two normal variables the size of their
correlation (Linfoot 1957). Of independent variables a table shows on average d/(2 N) nats by chance, d being the
degrees of freedom and N the rows (Miller 1955); so much is taken off first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bnml.counts import contingency
from bnml.data import Data
from bnml.data.targets import rows_setting_nothing
from bnml.five_steps.strength import strength_of
from bnml.independence import dependences, select_features

if TYPE_CHECKING:
    import pandas as pd

ALIKE = 0.9  # two columns share so much of what they tell, or more: all but copies of each other


class Twins(NamedTuple):
    """Two columns that tell nearly the same, and the share of the larger entropy that they have in common."""

    a: str
    b: str
    shared: float


@dataclass(frozen=True, eq=False)
class Features:
    """What can be told of the variables before any structure is learned.

    Attributes
    ----------
    pairs
        Every pair, the strongest evidence first: as of `bnml.dependences`, with ``adjusted_p_value`` and ``strength``,
        √(1 - exp(-2 I)) of the information less what chance accounts for.
    target
        The variable of interest; None for none.
    selected
        The variables that tell something of the target, the clearest first; empty without a target.
    constant
        Columns in which only one state occurs.
    twins
        Pairs of columns that tell nearly the same.
    alpha
        The level: the largest share of false pairs among those that count as dependent.
    """

    pairs: pd.DataFrame = field(repr=False)
    target: str | None
    selected: tuple[str, ...]
    constant: tuple[str, ...]
    twins: tuple[Twins, ...]
    alpha: float

    @property
    def dependent(self) -> pd.DataFrame:
        """The pairs that depend on each other beyond what chance explains."""
        return self.pairs[self.pairs["adjusted_p_value"] <= self.alpha]

    @property
    def of_target(self) -> pd.DataFrame:
        """The pairs with the target, their p-values adjusted among themselves: ``variable strength p_value …``."""
        import pandas as pd

        from bnml.independence.p_values import log_adjusted_p_values

        frame = self.pairs[(self.pairs["a"] == self.target) | (self.pairs["b"] == self.target)]
        other = np.where(frame["a"] == self.target, frame["b"], frame["a"])
        adjusted = np.exp(log_adjusted_p_values(frame["log_p"].to_numpy(float)))
        kept = {name: frame[name].to_numpy() for name in ("strength", "mutual_information", "p_value")}
        return pd.DataFrame({"variable": other, **kept, "adjusted_p_value": adjusted})


def features_of(data: Data, target: str | None, alpha: float, threads: int | None = None) -> Features:
    """Return what can be told of the variables before any structure is learned."""
    data = rows_setting_nothing(data)
    frame = dependences(data, adjust="bh", threads=threads)
    frame["strength"] = strength_of(frame["mutual_information"], frame["degrees_of_freedom"], data.n_rows)
    order = np.lexsort((np.arange(len(frame)), -frame["g2"].to_numpy(), frame["log_p"].to_numpy()))
    entropies = [_entropy(data, i) for i in range(len(data.names))]
    chosen = () if target is None else tuple(select_features(data, target, alpha, threads=threads))
    return Features(
        pairs=frame.iloc[order].reset_index(drop=True),
        target=target,
        selected=chosen,
        constant=tuple(name for name, h in zip(data.names, entropies, strict=True) if h == 0.0),
        twins=_twins(frame, dict(zip(data.names, entropies, strict=True))),
        alpha=alpha,
    )


def _entropy(data: Data, column: int) -> float:
    counts = contingency(data, [column])
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum()) if shares.size > 1 else 0.0


def _twins(frame: pd.DataFrame, entropies: dict[str, float]) -> tuple[Twins, ...]:
    known = frame["mutual_information"].fillna(0.0)  # of pairs that gaps leave untested nothing is known
    rows: list[tuple[Any, ...]] = list(zip(frame["a"], frame["b"], known, strict=True))
    found = [Twins(a, b, min(1.0, i / max(entropies[a], entropies[b], 1e-300))) for a, b, i in rows]
    return tuple(sorted((pair for pair in found if pair.shared >= ALIKE), key=lambda pair: (-pair.shared, pair[:2])))
