"""What a search compares."""

from enum import StrEnum


class SearchMetric(StrEnum):
    """A figure of two versions."""

    THROUGHPUT = "throughput"
    CLIENT_CPU = "client-cpu"

    @property
    def key(self) -> str:
        """Return the key of its ratio in results."""
        return {SearchMetric.THROUGHPUT: "rps", SearchMetric.CLIENT_CPU: "client_cpu"}[self]

    @property
    def words(self) -> str:
        """Return it as sentences have it."""
        return {SearchMetric.THROUGHPUT: "throughput", SearchMetric.CLIENT_CPU: "client CPU per command"}[self]

    def change(self, ratio: float) -> str:
        """Return what a ratio newer/older means."""
        if self is SearchMetric.THROUGHPUT:
            return "slower" if ratio < 1 else "faster"
        return "more client CPU" if ratio > 1 else "less client CPU"
