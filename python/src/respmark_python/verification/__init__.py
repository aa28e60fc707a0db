"""Checks replies, before any slice."""
