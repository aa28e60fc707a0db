"""The plan: which trials, in which order. Pure: the same specs and seed give the same plan."""
