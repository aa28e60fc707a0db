"""The contract between harness and runner: one trial and orders in, events out."""

from typing import Final

SCHEMA_VERSION: Final = 2
"""Version of every message and file format; any other is refused."""
