"""What a search compares."""

from enum import StrEnum


class Metric(StrEnum):
    """A figure of two versions."""

    THROUGHPUT = "throughput"
    CLIENT_CPU = "client-cpu"

    @property
    def key(self) -> str:
        """Return the key of its ratio in results."""
        return {Metric.THROUGHPUT: "rps", Metric.CLIENT_CPU: "client_cpu"}[self]

    @property
    def words(self) -> str:
        """Return it as sentences have it."""
        return {Metric.THROUGHPUT: "throughput", Metric.CLIENT_CPU: "client CPU per command"}[self]

    def change(self, ratio: float) -> str:
        """Return what a ratio newer/older means."""
        if self is Metric.THROUGHPUT:
            return "slower" if ratio < 1 else "faster"
        return "more client CPU" if ratio > 1 else "less client CPU"
