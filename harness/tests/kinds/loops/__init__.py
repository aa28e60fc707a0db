"""Tests of respmark.kinds.loops."""
