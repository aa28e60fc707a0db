"""Tests of respmark.run."""
