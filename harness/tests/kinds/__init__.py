"""Tests of respmark.kinds."""
