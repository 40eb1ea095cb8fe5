"""Tests of bnml.graph."""
