"""Tests of respmark.plan."""
