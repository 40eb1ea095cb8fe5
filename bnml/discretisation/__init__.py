"""Cutting columns of numbers by turns with a network that is learned from them."""

from bnml.discretisation.discretise import discretise

__all__ = ["discretise"]
