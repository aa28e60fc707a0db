"""Tests of respmark.statistics."""
