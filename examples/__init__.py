"""Examples, and the programs that make what the project ships."""
