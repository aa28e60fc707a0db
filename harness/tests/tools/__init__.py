"""Tests of the programs in harness/tools."""
