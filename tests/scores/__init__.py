"""Tests of bnml.scores."""
