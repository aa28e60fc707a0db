"""Trials that work in slices: closed loops, open loops at a rate, and the search for the highest rate."""
