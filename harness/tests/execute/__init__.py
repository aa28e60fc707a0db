"""Tests of respmark.execute."""
