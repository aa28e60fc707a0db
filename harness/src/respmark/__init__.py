"""respmark: the benchmark suite for Redis and Valkey client libraries."""

__version__ = "0.1.0"
