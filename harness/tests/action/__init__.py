"""The action for pull requests of a client library: its steps, here."""
