"""Tests of `bnml.relational`."""
