"""Builds what a run needs from each language's own tools and lock files, and says what is missing."""
