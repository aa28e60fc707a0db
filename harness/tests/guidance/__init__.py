"""Tests of respmark.guidance."""
