"""The studio in a browser, as a person uses it."""
