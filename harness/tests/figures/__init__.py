"""Tests of respmark.figures."""
