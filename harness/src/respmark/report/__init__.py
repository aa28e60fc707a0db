"""Turns cells into tables; reads files and does nothing else."""
