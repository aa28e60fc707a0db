"""Runners, as processes here or in containers, and what they say."""
