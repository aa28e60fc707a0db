"""Micro-benchmarks: reading what tools wrote, and running tools."""
