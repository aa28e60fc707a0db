"""minired, as its documentation would say."""

from types import SimpleNamespace
from typing import Any

import minired


class Adapter:
    """minired.Client, for one trial."""

    kind = "blocking"
    commands = {"GET": minired.Client.get, "SET": minired.Client.set}
    versions = {"minired": minired.__version__}
    settings = {"keys_given_as": "str", "values_given_as": "bytes"}

    def __init__(self, trial: SimpleNamespace) -> None:
        self.server = trial.server

    def connect(self, _connections: int = 1) -> Any:
        """Return a connection."""
        return minired.Client(self.server["host"], self.server["port"], self.server["password"])

    def open(self, client: Any, connections: int) -> None:
        """It is open."""

    def close(self, client: Any) -> None:
        """Close it."""
        client.close()


load = Adapter
