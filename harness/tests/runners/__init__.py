"""Tests of respmark.runners."""
