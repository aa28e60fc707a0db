"""Tests of respmark.evidence."""
