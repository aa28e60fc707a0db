"""The plan: which trials run, and in which order; the same specs and seed always give the same plan."""
