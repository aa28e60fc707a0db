"""Tests of respmark.workload."""
