"""Branch and cut."""
