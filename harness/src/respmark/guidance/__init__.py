"""Compares published claims with runs: which of them hold."""
