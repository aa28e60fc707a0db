"""Turns records into cells, which tables show; reads records and starts nothing."""
