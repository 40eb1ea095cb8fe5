"""Sums are compared with those over all structures; the rule on rows per cell has tests of its own."""

from tests.any_family import any_family

__all__ = ["any_family"]
