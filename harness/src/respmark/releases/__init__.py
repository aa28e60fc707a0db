"""Releases of a library, as its registry has them."""
