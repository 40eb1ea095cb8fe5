"""Tests of the network room."""
