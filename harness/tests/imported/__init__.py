"""Tests of what is imported from load generators."""
