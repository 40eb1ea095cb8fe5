"""Greedy equivalence search: from class to class of equivalent networks."""

from __future__ import annotations

from bnml.search.ges.greedy import ges

__all__ = ["ges"]
