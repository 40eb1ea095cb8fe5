"""Programs that make what the project ships: its example and its pictures."""
