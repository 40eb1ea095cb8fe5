"""Tests of bnml.five_steps."""
