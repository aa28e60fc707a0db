"""Tests of respmark.cli."""
