"""The client libraries: a few files for each, the only ones that import it."""
