"""Data: read a table, name its states, cut numbers into bins, keep the distinct rows with weights.

A source (`bnml.data.sources`) becomes columns of labels (`bnml.data.columns`), the columns get their states
(`bnml.data.states`), and equal rows are kept once (`bnml.data.grouping`). After that no text is looked at again.
"""

from __future__ import annotations

from bnml.data.data import Data
from bnml.data.read import as_data, read

__all__ = ["Data", "as_data", "read"]
