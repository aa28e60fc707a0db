"""Tests of respmark.load."""
