"""Holds the suite's figures against bare hand-written loops with the same library and workload."""
