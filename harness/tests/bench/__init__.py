"""Tests of the programs in harness/bench."""
