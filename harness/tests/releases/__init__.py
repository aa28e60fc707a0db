"""Releases of a library."""
