"""Tests of bnml.discretisation."""
