"""respmark: the benchmark suite for Redis and Valkey client libraries."""

from typing import Final

__version__: Final = "0.1.0"
