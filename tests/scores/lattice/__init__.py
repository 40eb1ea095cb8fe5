"""Tests of bnml.scores.lattice."""
