"""Tests of bnml.counts."""
