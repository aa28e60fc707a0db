"""Servers: started here or reached, their keys, and a user's keys that are never lost."""
