"""Searches are compared with all structures; the rule that families need rows for their cells has tests of its own."""

from tests.any_family import any_family

__all__ = ["any_family"]
