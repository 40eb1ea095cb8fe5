"""Tests of the normaliser and the regret."""
