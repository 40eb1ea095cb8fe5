"""The best structure of listed families by a linear program, cutting planes and branching."""

from __future__ import annotations

from bnml.search.cuts.branch_and_cut import CutsResult, solve_by_cuts
from bnml.search.cuts.family_arrays import arrays_of_families
from bnml.search.cuts.order_search import search_orders

__all__ = ["CutsResult", "arrays_of_families", "search_orders", "solve_by_cuts"]
