"""Tests of the studio; those in a browser are in the folder e2e."""
