"""Tests of respmark.contract."""
