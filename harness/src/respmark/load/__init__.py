"""Open loops: when units are due, how late they were, and the search for the highest rate."""
