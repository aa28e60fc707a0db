"""Tests of respmark.results."""
