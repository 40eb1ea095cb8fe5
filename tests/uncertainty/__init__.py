"""Tests of bnml.uncertainty."""
