"""The search for the release in which a figure changed."""
