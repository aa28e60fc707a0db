"""respmark: the benchmark suite for Redis and Valkey client libraries."""

from importlib.metadata import version

__version__ = version("respmark")
