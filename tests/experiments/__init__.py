"""The published experiments."""
