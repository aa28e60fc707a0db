"""The scenarios: when to start, when to stop, one latency sample per unit; independent of any library."""
