"""Tests of respmark.machine."""
