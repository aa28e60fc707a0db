"""Tests of respmark.network."""
