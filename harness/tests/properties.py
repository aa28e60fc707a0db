"""How property-based tests run: without a clock to judge them."""

from hypothesis import settings

UNTIMED = settings(deadline=None, max_examples=60)
"""Enough examples for arithmetic; no example fails for being slow on a busy machine."""
