"""Tests of respmark.target."""
