"""What is needed of whoever knows what the runners here can do, whether it asks them or remembers."""

from typing import Protocol

from respmark.contract.description import Description
from respmark.specs.client import Client


class Describer(Protocol):
    """Knows what the runners here can do."""

    def describe(self, client: Client) -> Description:
        """Return what the runner of this client loads for it.

        Raises:
            RunnerMissingError: it is not installed; the message says why, and what to do.
        """
