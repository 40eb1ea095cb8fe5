"""Tests of bnml.data."""
