"""The command `respmark`."""

from respmark.cli.app import main

__all__ = ["main"]
