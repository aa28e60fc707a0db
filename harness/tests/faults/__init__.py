"""Faults injected one by one: each row of the table is a test."""
