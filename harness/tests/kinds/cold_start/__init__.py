"""Cold starts."""
