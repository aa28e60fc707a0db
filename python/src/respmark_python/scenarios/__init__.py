"""The scenarios: when to start, when to stop, one latency sample a unit. They know no library."""
