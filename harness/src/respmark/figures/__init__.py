"""Turns the table of slices into cells, ratios and intervals; starts nothing."""
