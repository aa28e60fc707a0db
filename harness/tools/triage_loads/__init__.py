"""Loads that are wrong on purpose, and healthy ones, and what `respmark triage` is to find."""
