"""Measurements: ``python -m benchmarks NAME [--check]``."""
