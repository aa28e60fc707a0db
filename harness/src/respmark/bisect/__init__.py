"""Finds the release, or the commit, in which a figure changed: the tests, the search, and what came of it in words."""
