"""Whether a client can be run here at all."""

from respmark.errors import RunnerMissingError
from respmark.execute.describer import Describer
from respmark.specs.client import Client
from respmark.specs.naming import missing_part


def missing_reason(client: Client, describer: Describer) -> str | None:
    """Return why the client cannot be run here and what to do about it, or None.

    Args:
        client: the client; its runner may be installed without it.
        describer: knows what the runner says.
    """
    try:
        description = describer.describe(client)
    except RunnerMissingError as error:
        return str(error)
    missing = missing_part(client, description)
    return f"{missing.reason}; {missing.advice}" if missing else None
