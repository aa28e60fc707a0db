"""Tests of respmark.report."""
