"""Compares the suite's figures with those of bare hand-written loops with the same library and workload."""
