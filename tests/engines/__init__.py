"""Tables in SQL engines."""
