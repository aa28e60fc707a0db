"""The run: the only stage that starts anything."""
