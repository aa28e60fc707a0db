"""Tests of respmark.specs."""
