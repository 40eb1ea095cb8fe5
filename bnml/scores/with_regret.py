"""What the scores by normalised maximum likelihood have in common: a regret, and what they predict."""

from __future__ import annotations

from dataclasses import dataclass

from bnml._arrays import Floats
from bnml.nml.regret import check_regret_method
from bnml.scores.base import Score
from bnml.scores.predictive import FamilyRows, sequential_nml


@dataclass(frozen=True)
class ScoreWithRegret(Score):
    """A score that charges regrets of categorical variables; ``regret``: how to compute them, see `bnml.regret`."""

    regular = True
    admits_posterior = True
    regret: str = "exact"

    def __post_init__(self) -> None:
        check_regret_method(self.regret)

    def log_predictive(self, rows: FamilyRows) -> Floats:
        """Return sequential NML."""
        return sequential_nml(rows)
