"""The client libraries: one file (or two) for each, the only places that import them."""
