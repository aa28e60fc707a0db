"""Whether a client can be run here at all."""

from typing import Protocol

from respmark.contract.description import Description
from respmark.errors import RunnerMissingError
from respmark.specs.client import Client


class Describer(Protocol):
    """Knows what the runners here can do, whether it asks them or remembers."""

    def describe(self, client: Client) -> Description:
        """Return what the runner of this client loads for it; raises RunnerMissingError if it is not installed."""


def missing_reason(client: Client, describer: Describer) -> str | None:
    """Return why the client cannot be run here and what to do about it, or None; `describer` knows."""
    try:
        describer.describe(client)
    except RunnerMissingError as error:
        return str(error)
    return None
