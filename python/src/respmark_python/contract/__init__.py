"""The contract between harness and runner: one trial in, events and one result out."""

from typing import Final

SCHEMA_VERSION: Final = 1
"""Version of every message and file format; a newer one is refused."""
