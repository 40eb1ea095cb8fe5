"""Tests of bnml.sklearn."""
