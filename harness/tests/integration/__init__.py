"""Whole runs: the command, a real server, and a runner that behaves as a test wants."""
