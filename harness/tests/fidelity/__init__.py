"""Tests of respmark.fidelity."""
