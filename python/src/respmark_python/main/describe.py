"""What this runner can do here."""

import platform

from respmark_python.clients.registry import describe_clients
from respmark_python.contract.description import ClientDescription, Description, MissingClient


def describe() -> Description:
    """Return the answer to `describe`."""
    clients = describe_clients()
    return Description(
        runner="python",
        runtime=platform.python_implementation(),
        runtime_version=platform.python_version(),
        clients=[client for client in clients if isinstance(client, ClientDescription)],
        missing=[client for client in clients if isinstance(client, MissingClient)],
    )
